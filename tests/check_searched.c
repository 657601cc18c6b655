/*
 * The record of what is searched: no header is handed out twice, whatever pools send, how often, and how many of
 * them.
 */
#include "tests/notify.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pool/header.h"
#include "pool/jobs.h"

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
	static const unsigned wanted[] = { 0, 4, 8, VERSIONS_MAX };
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
							  wanted[(chance >> 20) % 4]);
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
		NOTIFY_TEST(no_header_is_ever_handed_out_twice),
		NOTIFY_TEST(the_same_job_again_is_not_searched_again),
		NOTIFY_TEST(a_later_time_that_was_stepped_to_is_not_searched_again),
		NOTIFY_TEST(an_earlier_time_steps_over_what_a_later_one_had),
		NOTIFY_TEST(a_job_that_returns_after_thousands_goes_on),
		NOTIFY_TEST(two_pools_with_the_same_headers_share_them),
		NOTIFY_TEST(fields_are_told_apart),
		NOTIFY_TEST(of_too_many_fields_the_least_used_is_forgotten),
		NOTIFY_TEST(threads_take_each_work_once),
		NOTIFY_TEST(another_place_of_extranonce2_repeats_nothing),
	};

	return cmocka_run_group_tests_name("searched", tests, NULL, NULL);
}
