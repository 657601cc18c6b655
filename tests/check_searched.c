/*
 * The nonce space: in which order a job's headers are handed out, and that none is
 * twice, whatever pools send, how often, and how many of them.
 */
#include "tests/notify.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pool/header.h"
#include "pool/jobs.h"

static void extranonce2_counts_with_carry(void **state)
{
	struct job *job = parse_standard("65a0b1c0");

	for (unsigned i = 0; i < 0x10001; i++) {
		struct work work = next_of(state, job);
		char want[9];

		snprintf(want, sizeof want, "%08x", i);
		assert_bytes(work.xnonce2, 4, want);
		assert_int_equal(header_ntime(work.header), 0x65a0b1c0);
	}
	job_free(job);
}

static struct job *parse_sized(uint8_t second_len, const char *ntime)
{
	struct extranonce extranonce = extranonce_of("a1b2c3d4", second_len);
	char params[2000];
	const char *why;

	snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s\",\"%s\",%s,\"20000000\",\"1d00ffff\",\"%s\",true]",
		 PREVHASH, HALF1, HALF2, BRANCHES, ntime);
	struct job *job = parse_with(&extranonce, params, &why);
	assert_non_null(job);
	return job;
}

static void ntime_steps_on_when_extranonce2_is_used_up_and_time_has_passed(void **state)
{
	struct job *job = parse_sized(1, "65a0b1c0");
	struct work work;

	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(next_of(state, job).xnonce2[0], i);
	assert_false(job_next(job, *state, &work, job->arrived));
	assert_false(job_next(job, *state, &work, job->arrived + 0.99));
	assert_true(job_next(job, *state, &work, job->arrived + 1));
	assert_int_equal(work.xnonce2[0], 0);
	assert_int_equal(header_ntime(work.header), 0x65a0b1c1);
	job_free(job);
}

static void ntime_stops_ten_minutes_ahead(void **state)
{
	struct job *job = parse_sized(0, "65a0b1c0");
	struct work work;
	unsigned works = 0;

	while (job_next(job, *state, &work, job->arrived + 1e6)) {
		assert_int_equal(work.xnonce2_len, 0);
		assert_int_equal(header_ntime(work.header), 0x65a0b1c0 + works);
		works++;
	}
	assert_int_equal(works, 601);
	job_free(job);
}

static void a_long_extranonce2_counts_in_its_last_bytes(void **state)
{
	struct job *job = parse_sized(16, "65a0b1c0");

	for (unsigned i = 0; i < 258; i++) {
		struct work work = next_of(state, job);
		char want[33];

		snprintf(want, sizeof want, "%032x", i);
		assert_bytes(work.xnonce2, 16, want);
	}
	job_free(job);
}

static struct job *parse_rolled(uint8_t second_len, const char *version, const char *ntime, uint32_t mask, unsigned versions)
{
	struct extranonce extranonce = extranonce_of("a1b2c3d4", second_len);
	char params[2000];
	const char *why;

	snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s\",\"%s\",[],\"%s\",\"1d00ffff\",\"%s\",true]",
		 PREVHASH, HALF1, HALF2, version, ntime);
	struct job *job = parse_with(&extranonce, params, &why);
	assert_non_null(job);
	job->version_mask = mask;
	job->versions = versions;
	return job;
}

static void rolled_versions_follow_the_formula(void **state)
{
	static const struct {
		const char *version;
		uint32_t number, mask, bits, rolled;
	} rows[] = {
		{ "20000000", 0x20000000, 0x1fffe000, 0x00002000, 0x20002000 },
		{ "32ef0000", 0x32ef0000, 0x1fffe000, 0x0d10e000, 0x2d10e000 },
		{ "32ef0000", 0x32ef0000, 0x0000e000, 0x00006000, 0x32ef6000 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const size_t count = (size_t)1 << __builtin_popcount(rows[i].mask);
		struct job *job = parse_rolled(0, rows[i].version, "65a0b1c0", rows[i].mask, 0);
		uint8_t *met = calloc(count, 1);
		bool found = false;

		assert_int_equal(notify_teardown(state), 0);	/* the rows have versions in common */
		assert_int_equal(notify_setup(state), 0);
		for (size_t n = 0; n < count; n++) {
			struct work work = next_of(state, job);
			uint32_t version = header_version(work.header), bits = version & rows[i].mask;

			if (n == 0)
				assert_int_equal(version, rows[i].number);	/* unrolled first */
			assert_int_equal(version, (rows[i].number & ~rows[i].mask) | bits);
			assert_int_equal(work.version_count, 0);
			assert_int_equal(met[bits >> 13], 0);
			met[bits >> 13] = 1;
			found = found || (bits == rows[i].bits && version == rows[i].rolled);
		}
		assert_true(found);
		assert_false(job_next(job, *state, &(struct work){ 0 }, job->arrived));	/* that is all of them, for this second */
		free(met);
		job_free(job);
	}
}

static void a_work_carries_as_many_versions_as_are_wanted_and_granted(void **state)
{
	static const struct {
		uint32_t mask;
		unsigned wanted, carried;
	} rows[] = {
		{ 0, 8, 0 }, { 0x2000, 8, 2 }, { 0x80002000, 8, 4 }, { 0xe000, 8, 8 }, { 0x1fffe000, 8, 8 },
		{ 0x1fffe000, 4, 4 }, { 0x1fffe000, 7, 4 }, { 0x1fffe000, 1, 0 }, { 0x1fffe000, 0, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct job *job = parse_rolled(4, "20000000", "65a0b1c0", rows[i].mask, rows[i].wanted);
		struct work work = next_of(state, job);

		assert_int_equal(work.version_count, rows[i].carried);
		for (unsigned v = 0; v < work.version_count; v++) {
			assert_int_equal(work.versions[v] & ~rows[i].mask, 0x20000000 & ~rows[i].mask);
			for (unsigned w = 0; w < v; w++)
				assert_int_not_equal(work.versions[v], work.versions[w]);
		}
		if (work.version_count > 0)
			assert_int_equal(work.versions[0], header_version(work.header));
		assert_int_equal(header_version(work.header), 0x20000000);
		job_free(job);
	}
}

static void extranonce2_comes_before_versions_and_these_before_time(void **state)
{
	struct job *job = parse_rolled(1, "20000000", "65a0b1c0", 0x1e000, 8);	/* 16 versions: two groups */
	struct work work;

	for (unsigned i = 0; i < 2 * 2 * 256; i++) {
		assert_true(job_next(job, *state, &work, job->arrived + 1.5));
		assert_int_equal(work.xnonce2[0], i % 256);
		assert_int_equal(header_version(work.header), i / 256 % 2 ? 0x20010000 : 0x20000000);
		assert_int_equal(header_ntime(work.header), 0x65a0b1c0 + i / 512);
	}
	assert_false(job_next(job, *state, &work, job->arrived + 1.5));
	job_free(job);
}

/* A header as a key: nothing else of it changes in the test below. */
static uint64_t key_of(const struct work *work, uint32_t version)
{
	return (uint64_t)(work->xnonce2_len ? work->xnonce2[0] + 1 : 0) << 48 |
	       (uint64_t)(version >> 13 & 0xffff) << 32 | header_ntime(work->header);
}

/* A set of keys, by open addressing; the keys are never 0. */
struct key_set {
	uint64_t places[1 << 18];
	size_t count;
};

static bool add_key(struct key_set *set, uint64_t key)
{
	const size_t mask = sizeof set->places / sizeof set->places[0] - 1;
	size_t place = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;

	assert_true(++set->count < mask);
	for (; set->places[place] != 0; place = (place + 1) & mask)
		if (set->places[place] == key)
			return false;
	set->places[place] = key;
	return true;
}

/*
 * Pools that announce the same block over and over, with other times, version bits
 * and masks, as after reconnections, and are mined on in turn: however they do, no
 * header is handed out twice.
 */
static void no_header_is_ever_handed_out_twice(void **state)
{
	static const uint32_t masks[] = { 0, 0x2000, 0xe000, 0x1e000, 0x18000 };
	static const char *const versions[] = { "20000000", "20002000", "20010000" };
	static const unsigned wanted[] = { 0, 4, 8 };
	enum { LIVE = 4, BLOCK = 24 };		/* jobs at a time, and before there is another block */
	struct job *live[LIVE] = { NULL };
	uint32_t chance = 12345;

	for (uint8_t len = 0; len < 2; len++) {
		struct key_set *set = calloc(1, sizeof *set);
		unsigned works = 0;

		for (unsigned round = 0; round < 3000; round++) {
			char ntime[9];

			if (round % BLOCK == 0) {
				memset(set, 0, sizeof *set);
				assert_int_equal(notify_teardown(state), 0);
				assert_int_equal(notify_setup(state), 0);
			}
			chance = chance * 1664525 + 1013904223;
			snprintf(ntime, sizeof ntime, "%08x", 0x65a0b1c0 + (chance >> 8) % 12);
			job_free(live[round % LIVE]);
			live[round % LIVE] = parse_rolled(len, versions[(chance >> 12) % 3], ntime, masks[(chance >> 16) % 5],
							  wanted[(chance >> 20) % 3]);
			for (unsigned n = (chance >> 24) % (len ? 700 : 9); n > 0; n--) {
				struct job *job = live[n % LIVE];
				struct work work;

				if (!job || !job_next(job, *state, &work, job->arrived + 4))
					continue;
				works++;
				if (work.version_count == 0)
					assert_true(add_key(set, key_of(&work, header_version(work.header))));
				for (unsigned v = 0; v < work.version_count; v++)
					assert_true(add_key(set, key_of(&work, work.versions[v])));
			}
		}
		assert_true(works > 3000);
		for (size_t i = 0; i < LIVE; i++) {
			job_free(live[i]);
			live[i] = NULL;
		}
		free(set);
	}
}

static void the_same_job_again_is_not_searched_again(void **state)
{
	struct work first = { 0 }, second = { 0 }, third = { 0 };
	struct jobs jobs;

	jobs_init(&jobs, *state);
	jobs_add(&jobs, parse_standard("65a0b1c0"));
	assert_true(jobs_next(&jobs, &first));
	jobs_add(&jobs, parse_standard("65a0b1c0"));
	assert_true(jobs_next(&jobs, &second));
	assert_bytes(second.xnonce2, 4, "00000001");
	assert_non_null(jobs_find(&jobs, first.job));	/* its shares are still good */

	jobs_kill(&jobs);				/* as when the connection is lost */
	assert_false(jobs_next(&jobs, &third));
	assert_null(jobs_find(&jobs, second.job));
	jobs_add(&jobs, parse_standard("65a0b1c0"));
	assert_true(jobs_next(&jobs, &third));
	assert_bytes(third.xnonce2, 4, "00000002");

	jobs_add(&jobs, parse_standard("65a0b1d0"));	/* other headers: from the start */
	assert_true(jobs_next(&jobs, &third));
	assert_bytes(third.xnonce2, 4, "00000000");
	jobs_destroy(&jobs);
}

static void a_later_time_that_was_stepped_to_is_not_searched_again(void **state)
{
	struct job *old = parse_sized(1, "65a0b1c0"), *job = parse_sized(1, "65a0b1c2"), *later = parse_sized(1, "65a0b1c3");
	struct work work;

	for (unsigned i = 0; i < 2 * 256 + 7; i++)	/* seven works of its third second, which is the next one's first */
		assert_true(job_next(old, *state, &work, old->arrived + 2));
	work = next_of(state, job);
	assert_int_equal(work.xnonce2[0], 7);
	assert_int_equal(header_ntime(work.header), 0x65a0b1c2);
	work = next_of(state, later);
	assert_int_equal(work.xnonce2[0], 0);
	job_free(old);
	job_free(job);
	job_free(later);
}

static void an_earlier_time_steps_over_what_a_later_one_had(void **state)
{
	static const uint32_t steps[] = { 0, 1, 3, 4 };
	struct job *old = parse_sized(0, "65a0b1c2"), *job = parse_sized(0, "65a0b1c0");
	struct work work = next_of(state, old);

	job->roll_max = 4;
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		assert_true(job_next(job, *state, &work, job->arrived + 100));
		assert_int_equal(header_ntime(work.header), 0x65a0b1c0 + steps[i]);
	}
	assert_false(job_next(job, *state, &work, job->arrived + 100));
	job_free(old);
	job_free(job);
}

/* A block on top of block number `prevhash`. */
static struct job *parse_block(const char *id, unsigned prevhash)
{
	char params[2000];

	snprintf(params, sizeof params, "[\"%s\",\"%064x\",\"%s\",\"%s\",[],\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]",
		 id, prevhash, HALF1, HALF2);
	return parse(params);
}

static void a_job_that_returns_after_thousands_goes_on(void **state)
{
	struct work work;
	struct jobs jobs;

	jobs_init(&jobs, *state);
	for (unsigned round = 0; round < 2; round++) {
		jobs_add(&jobs, parse_block("first", 0));
		for (unsigned i = 0; i < 3; i++)
			assert_true(jobs_next(&jobs, &work));
		assert_int_equal(load_be32(work.xnonce2), 3 * round + 2);
		for (unsigned i = 1; i < 3000; i++) {
			jobs_add(&jobs, parse_block("other", i));
			assert_true(jobs_next(&jobs, &work));
			assert_int_equal(load_be32(work.xnonce2), round);
		}
	}
	jobs_destroy(&jobs);
}

static void two_pools_with_the_same_headers_share_them(void **state)
{
	struct jobs jobs[2];
	struct work work;

	for (unsigned p = 0; p < 2; p++) {
		jobs_init(&jobs[p], *state);
		jobs_add(&jobs[p], parse_block(p ? "x" : "y", 7));
	}
	for (unsigned i = 0; i < 20; i++) {
		assert_true(jobs_next(&jobs[i / 3 % 2], &work));
		assert_int_equal(load_be32(work.xnonce2), i);
	}
	for (unsigned p = 0; p < 2; p++)
		jobs_destroy(&jobs[p]);
}

/* The number of field `key`'s next work. */
static unsigned take(struct searched *searched, uint32_t key)
{
	struct search_field field = { .works = 0 };
	uint64_t number;

	store_le32(field.key + 4, key);
	assert_true(searched_take(searched, &field, &number));
	return (unsigned)number;
}

static void fields_are_told_apart(void **state)
{
	static const struct search_field fields[] = {
		{ .key = { 1 } }, { .key = { 0, 0, 0, 0, 0, 0, 0, 1 } }, { .key = { 1 }, .ntime = 1 }, { .key = { 1 }, .ntime = 1 << 20 },
		{ .key = { 1 }, .version = 0x2000 }, { .key = { 1 }, .version = 0x10000, .version_mask = 0xe000 },
	};
	uint64_t number;

	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
			assert_true(searched_take(*state, &fields[i], &number));
			assert_int_equal(number, round);
		}
	}
	assert_false(searched_take(*state, &(struct search_field){ .key = { 1 }, .version_mask = 0x2000 }, &number));
	assert_true(searched_take(*state, &(struct search_field){ .key = { 1 }, .version = 0x4000, .works = 1 }, &number));
	assert_false(searched_take(*state, &(struct search_field){ .key = { 1 }, .version = 0x4000, .works = 1 }, &number));
}

static void of_too_many_fields_the_least_used_is_forgotten(void **state)
{
	for (uint32_t key = 0; key < SEARCHED_KEPT; key++)
		assert_int_equal(take(*state, key), 0);
	assert_int_equal(take(*state, 0), 1);
	assert_int_equal(take(*state, SEARCHED_KEPT), 0);	/* in place of field 1 */
	assert_int_equal(take(*state, 0), 2);
	assert_int_equal(take(*state, 1), 0);			/* in place of field 2 */
	for (uint32_t key = 3; key < SEARCHED_KEPT; key++)
		assert_int_equal(take(*state, key), 1);
}

enum { TAKERS = 4, TAKES = 400000 };

struct taker {
	struct searched *searched;
	unsigned char *taken;		/* by number, of all together */
	pthread_barrier_t *start;
	pthread_t thread;
};

static void *take_many(void *arg)
{
	struct taker *taker = arg;
	const struct search_field field = { .works = TAKERS * TAKES };
	uint64_t number;

	pthread_barrier_wait(taker->start);
	for (unsigned i = 0; i < TAKES && searched_take(taker->searched, &field, &number); i++)
		taker->taken[number]++;
	return NULL;
}

static void threads_take_each_work_once(void **state)
{
	struct search_field field = { .works = TAKERS * TAKES };
	struct taker takers[TAKERS];
	unsigned char *taken = calloc(TAKERS * TAKES, 1);
	pthread_barrier_t start;
	uint64_t number;

	pthread_barrier_init(&start, NULL, TAKERS);
	for (unsigned i = 0; i < TAKERS; i++) {
		takers[i] = (struct taker){ .searched = *state, .taken = taken, .start = &start };
		assert_int_equal(pthread_create(&takers[i].thread, NULL, take_many, &takers[i]), 0);
	}
	for (unsigned i = 0; i < TAKERS; i++)
		pthread_join(takers[i].thread, NULL);
	for (unsigned i = 0; i < TAKERS * TAKES; i++)
		assert_int_equal(taken[i], 1);
	assert_false(searched_take(*state, &field, &number));
	pthread_barrier_destroy(&start);
	free(taken);
}

static void add_named(struct jobs *jobs, const char *id, const char *ntime, bool clean)
{
	char params[2000];

	snprintf(params, sizeof params, "[\"%s\",\"%s\",\"%s\",\"%s\",[],\"20000000\",\"1d00ffff\",\"%s\",%s]",
		 id, PREVHASH, HALF1, HALF2, ntime, clean ? "true" : "false");
	jobs_add(jobs, parse(params));
}

static void jobs_live_until_cleaned_renamed_or_crowded_out(void **state)
{
	struct jobs jobs;

	jobs_init(&jobs, *state);
	add_named(&jobs, "a", "65a0b1c0", true);
	add_named(&jobs, "b", "65a0b1c1", false);
	assert_string_equal(jobs_find(&jobs, 1)->id, "a");
	assert_string_equal(jobs_find(&jobs, 0)->id, "b");
	add_named(&jobs, "a", "65a0b1c2", false);	/* the id now means another block */
	assert_null(jobs_find(&jobs, 1));
	assert_non_null(jobs_find(&jobs, 2));
	add_named(&jobs, "c", "65a0b1c3", true);
	assert_null(jobs_find(&jobs, 2));
	assert_null(jobs_find(&jobs, 3));
	assert_non_null(jobs_find(&jobs, 4));
	for (int i = 0; i < JOBS_KEPT; i++) {
		char id[16];

		assert_non_null(jobs_find(&jobs, 4));
		snprintf(id, sizeof id, "d%d", i);
		add_named(&jobs, id, "65a0b1c4", false);
	}
	assert_null(jobs_find(&jobs, 4));
	assert_null(jobs_find(&jobs, 1000));
	jobs_destroy(&jobs);
}

/* With an extranonce2 of no bytes a job has one work, and then only waits for time. */
static struct job *parse_only(const char *id, const char *ntime, bool clean)
{
	struct job *job = parse_sized(0, ntime);

	free(job->id);
	job->id = strdup(id);
	job->clean = clean;
	job->roll_max = 0;
	return job;
}

static void work_that_is_out_stays_good_while_its_job_is_repeated(void **state)
{
	struct work work = { 0 }, none = { 0 };
	struct jobs jobs;

	jobs_init(&jobs, *state);
	jobs_add(&jobs, parse_only("a", "65a0b1c0", true));
	assert_int_equal(jobs_offer(&jobs, &work), JOBS_WORK);
	for (int i = 0; i < 5 * JOBS_KEPT; i++) {
		jobs_add(&jobs, parse_only("a", "65a0b1c0", i % 2));
		assert_int_equal(jobs_offer(&jobs, &none), JOBS_WAIT);
		assert_false(jobs_starved(&jobs));		/* that work is being searched */
		assert_non_null(jobs_find(&jobs, work.job));
	}
	assert_false(jobs_next(&jobs, &none));			/* it is used up */
	assert_true(jobs_starved(&jobs));
	jobs_add(&jobs, parse_only("a", "65a0b1c0", false));
	assert_int_equal(jobs_offer(&jobs, &none), JOBS_WAIT);
	assert_true(jobs_starved(&jobs));
	jobs_destroy(&jobs);
}

static void the_job_whose_work_is_out_is_not_crowded_out(void **state)
{
	struct work work = { 0 }, none = { 0 };
	struct jobs others, jobs;

	jobs_init(&others, *state);
	for (int i = 0; i < 3 * JOBS_KEPT; i++) {	/* another pool has taken the work of all but the first */
		char ntime[9];

		snprintf(ntime, sizeof ntime, "65a0%04x", 0x1000 + 0x100 * i);
		jobs_add(&others, parse_only("o", ntime, true));
		assert_int_equal(jobs_offer(&others, &none), JOBS_WORK);
	}
	jobs_init(&jobs, *state);
	jobs_add(&jobs, parse_only("first", "65a0b1c0", true));
	assert_int_equal(jobs_offer(&jobs, &work), JOBS_WORK);
	for (int i = 0; i < 3 * JOBS_KEPT; i++) {
		char ntime[9], id[16];

		snprintf(ntime, sizeof ntime, "65a0%04x", 0x1000 + 0x100 * i);
		snprintf(id, sizeof id, "%d", i);
		jobs_add(&jobs, parse_only(id, ntime, false));
		assert_int_equal(jobs_offer(&jobs, &none), JOBS_WAIT);
		assert_string_equal(jobs_find(&jobs, work.job)->id, "first");
	}
	jobs_destroy(&others);
	jobs_destroy(&jobs);
}

static void work_that_is_out_of_a_dead_job_is_told_of(void **state)
{
	struct work work = { 0 }, none = { 0 };
	struct jobs jobs;

	jobs_init(&jobs, *state);
	jobs_add(&jobs, parse_only("a", "65a0b1c0", true));
	assert_int_equal(jobs_offer(&jobs, &none), JOBS_WORK);
	jobs_add(&jobs, parse_only("b", "65a0b2c0", true));
	assert_int_equal(jobs_offer(&jobs, &work), JOBS_WORK);
	jobs_add(&jobs, parse_only("c", "65a0b1c0", true));	/* whose only work was taken, and has no nonce left for us */
	assert_int_equal(jobs_offer(&jobs, &none), JOBS_DEAD);
	assert_true(jobs_starved(&jobs));
	assert_null(jobs_find(&jobs, work.job));
	assert_int_equal(jobs_offer(&jobs, &none), JOBS_WAIT);	/* once */
	jobs_destroy(&jobs);
}

static void another_place_of_extranonce2_repeats_nothing(void **state)
{
	struct job *wide = parse_sized(2, "65a0b1c0"), *narrow = parse_sized(1, "65a0b1c0");
	struct work work = { 0 };

	/* one byte more of the coinbase is given, and is a zero: its headers are the first of the other's */
	narrow->xnonce2_off = wide->xnonce2_off + 1;
	memcpy(narrow->header, wide->header, HEADER_LEN);
	narrow->coinbase_len = wide->coinbase_len;
	assert_true(job_next(wide, *state, &work, wide->arrived));
	assert_false(job_next(narrow, *state, &work, narrow->arrived));
	job_free(wide);
	job_free(narrow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTIFY_TEST(extranonce2_counts_with_carry),
		NOTIFY_TEST(ntime_steps_on_when_extranonce2_is_used_up_and_time_has_passed),
		NOTIFY_TEST(ntime_stops_ten_minutes_ahead),
		NOTIFY_TEST(a_long_extranonce2_counts_in_its_last_bytes),
		NOTIFY_TEST(rolled_versions_follow_the_formula),
		NOTIFY_TEST(a_work_carries_as_many_versions_as_are_wanted_and_granted),
		NOTIFY_TEST(extranonce2_comes_before_versions_and_these_before_time),
		NOTIFY_TEST(no_header_is_ever_handed_out_twice),
		NOTIFY_TEST(the_same_job_again_is_not_searched_again),
		NOTIFY_TEST(a_later_time_that_was_stepped_to_is_not_searched_again),
		NOTIFY_TEST(an_earlier_time_steps_over_what_a_later_one_had),
		NOTIFY_TEST(a_job_that_returns_after_thousands_goes_on),
		NOTIFY_TEST(two_pools_with_the_same_headers_share_them),
		NOTIFY_TEST(fields_are_told_apart),
		NOTIFY_TEST(of_too_many_fields_the_least_used_is_forgotten),
		NOTIFY_TEST(threads_take_each_work_once),
		NOTIFY_TEST(jobs_live_until_cleaned_renamed_or_crowded_out),
		NOTIFY_TEST(work_that_is_out_stays_good_while_its_job_is_repeated),
		NOTIFY_TEST(the_job_whose_work_is_out_is_not_crowded_out),
		NOTIFY_TEST(work_that_is_out_of_a_dead_job_is_told_of),
		NOTIFY_TEST(another_place_of_extranonce2_repeats_nothing),
	};

	return cmocka_run_group_tests_name("searched", tests, NULL, NULL);
}
