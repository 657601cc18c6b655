/*
 * From mining.notify to the bytes that get hashed. The golden roots and headers come
 * from an independent implementation; every malformed notify is one that some pool
 * has really sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "algo/registry.h"
#include "base/hex.h"
#include "base/target.h"
#include "pool/header.h"
#include "pool/job.h"
#include "pool/jobs.h"

#define PREVHASH "18273645d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000"
/* the first half of the coinbase, but for the byte that is the length of the input script */
#define HALF1_A "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff"
#define HALF1_B "0340d10c"
#define HALF1 HALF1_A "10" HALF1_B
#define HALF2 "2f66782fffffffff01205fa01200000000160014000102030405060708090a0b0c0d0e0f1011121300000000"
#define BRANCHES "[\"bbce6b6ce5b7abfb64b54a0af04a950b290dfbf208bb2773a3ede53ec5e59f12\"," \
	"\"321aaa67193b1f38b526f1881e3a3b04b60b4d32083fa99005567e52f15a4491\"," \
	"\"428df247e5df83d4da868646083f513827294de8d8bc79ab653316b2344081e1\"]"

static struct extranonce extranonce_of(const char *first, uint8_t second_len)
{
	struct extranonce extranonce = { .first_len = strlen(first) / 2, .second_len = second_len };

	assert_true(hex_decode(extranonce.first, extranonce.first_len, first));
	return extranonce;
}

static struct job *parse_with(const struct extranonce *extranonce, const char *params, const char **why)
{
	json_t *json = json_loads(params, 0, NULL);

	assert_non_null(json);
	struct job *job = job_parse(json, extranonce, 1.0 / 4096, algo_find("sha256d"), why);
	json_decref(json);
	return job;
}

static struct job *parse(const char *params)
{
	struct extranonce extranonce = extranonce_of("a1b2c3d4", 4);
	const char *why;
	struct job *job = parse_with(&extranonce, params, &why);

	if (!job)
		fail_msg("refused: %s", why);
	return job;
}

static struct job *parse_standard(const char *ntime)
{
	char params[2000];

	snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s\",\"%s\",%s,\"20000000\",\"1d00ffff\",\"%s\",true]",
		 PREVHASH, HALF1, HALF2, BRANCHES, ntime);
	return parse(params);
}

static struct work next_of(struct job *job)
{
	struct work work = { 0 };

	assert_true(job_next(job, &work, job->arrived));
	return work;
}

static void assert_bytes(const uint8_t *bytes, size_t len, const char *want)
{
	char text[2 * HEADER_LEN + 1];

	hex_encode(text, bytes, len);
	assert_string_equal(text, want);
}

static void notify_gives_the_golden_header(void **state)
{
	struct job *job = parse_standard("65a0b1c0");
	struct work work = next_of(job);

	(void)state;
	assert_bytes(work.header, 76,
		     "000000204536271809f8e7d6c5b4a39281706f5e4d3c2b0a1f4e030000000000000000009291a7b5514a22b5c667bf61"
		     "2368fcf1424e9dfb06d78731984cb1e06ee85b52c0b1a065ffff001d");
	assert_string_equal(job->id, "j1");
	assert_true(job->clean);
	assert_int_equal(job->height, 840000);
	assert_int_equal(header_ntime(work.header), 0x65a0b1c0);
	assert_int_equal(header_nbits(work.header), 0x1d00ffff);
	assert_int_equal(work.xnonce2_len, 4);
	assert_bytes(work.xnonce2, 4, "00000000");
	job_free(job);
}

static void golden_nonce_gives_the_golden_hash(void **state)
{
	struct job *job = parse_standard("65a0b1c0");
	struct work work = next_of(job);
	uint8_t digest[32];
	uint32_t value[8];
	char name[65];

	(void)state;
	work.header[76] = 0x5f;		/* nonce 0035635f, least significant byte first */
	work.header[77] = 0x63;
	work.header[78] = 0x35;
	algo_find("sha256d")->hash(digest, work.header, NULL);
	target_load(value, digest);
	assert_true(target_met(value, work.target));
	assert_int_equal(header_block_name(name, work.header), 0);
	assert_string_equal(name, "000008c8a5340544067db234d25a6e7ec73e988c4065a67b8d031ae723d8ed31");
	job_free(job);
}

static void root_without_branches_is_the_coinbase_hash(void **state)
{
	struct job *job = parse("[\"j1\",\"" PREVHASH "\",\"" HALF1 "\",\"" HALF2 "\","
				"[],\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]");
	struct work work = next_of(job);

	(void)state;
	assert_bytes(work.header + 36, 32, "4dd0bab06db248d6da827557c1d0b45326befa4b581c3b4e0b751528d9006a52");
	job_free(job);
}

static void every_size_of_extranonce2_gives_its_golden_root(void **state)
{
	static const struct {
		const char *first;
		uint8_t second_len;
		const char *script_len, *root;
	} rows[] = {
		{ "a1b2c3d4", 1, "0d", "786509addb030f6804f871bdefaa2dbbeb88a5c76bc98b8557d3719332aff672" },
		{ "a1b2c3d4", 2, "0e", "6503bb9b660d0d93a3da4711fa7b9cdd40b4b65466fa3635524a333d3f5a817d" },
		{ "a1b2c3d4", 3, "0f", "022a6c673616b8289c05a547e5d5de0d9768fd2681df5aa2a0424949b0a8f7d8" },
		{ "a1b2c3d4", 8, "14", "ca95513ec69c1bca906ba64266ddbd9781df97aa3880f8ecbb1d1c1a5850e8b3" },
		{ "0badc0de05", 3, "10", "9c80068affadd67d05cdddfa8a20f4eaa3d78a0d24b6bf430957dbbd6a9af526" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct extranonce extranonce = extranonce_of(rows[i].first, rows[i].second_len);
		char params[2000];
		const char *why;

		snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s%s%s\",\"%s\",%s,\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]",
			 PREVHASH, HALF1_A, rows[i].script_len, HALF1_B, HALF2, BRANCHES);
		struct job *job = parse_with(&extranonce, params, &why);
		assert_non_null(job);
		struct work work = next_of(job);
		assert_int_equal(work.xnonce2_len, rows[i].second_len);
		assert_bytes(work.header + 36, 32, rows[i].root);
		job_free(job);
	}
}

static void malformed_notifies_are_refused(void **state)
{
#define HEAD "[\"b1\",\"" PREVHASH "\","
#define TAIL ",\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]"
	static const char *const rows[] = {
		"[\"b1\",12345,\"00\",\"00\",[]" TAIL,
		"[\"b1\",\"00\",\"" HALF1 "\",\"" HALF2 "\",[]" TAIL,
		HEAD "\"" HALF1 "\",\"" HALF2 "\",[],\"20000000\",\"1d00ff\",\"65a0b1c0\",true]",
		HEAD "\"" HALF1 "\",\"" HALF2 "\",[],\"0020000000\",\"1d00ffff\",\"65a0b1c0\",true]",
		HEAD "\"" HALF1 "\",\"" HALF2 "\",[],\"20000000\",\"1d00ffff\",\"65a0b1\",true]",
		HEAD "\"" HALF1 "\",\"" HALF2 "\",[],\"20000000\",\"1d00ffff\",1705030080,true]",
		HEAD "\"" HALF1 "0\",\"" HALF2 "\",[]" TAIL,
		HEAD "\"zz" HALF1 "\",\"" HALF2 "\",[]" TAIL,
		HEAD "\"" HALF1 "\",\"" HALF2 " \",[]" TAIL,
		HEAD "null,\"" HALF2 "\",[]" TAIL,
		HEAD "\"" HALF1 "\",[],[]" TAIL,
		HEAD "\"" HALF1 "\",\"" HALF2 "\",[null]" TAIL,
		HEAD "\"" HALF1 "\",\"" HALF2 "\",[\"00\"]" TAIL,
		HEAD "\"" HALF1 "\",\"" HALF2 "\",\"x\"" TAIL,
		HEAD "\"" HALF1 "\",\"" HALF2 "\",{}" TAIL,
		"[\"b1\",\"" PREVHASH "\"]",
		"[null,\"" PREVHASH "\",\"" HALF1 "\",\"" HALF2 "\",[]" TAIL,
		"[]",
		"{}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct extranonce extranonce = extranonce_of("a1b2c3d4", 4);
		const char *why = NULL;
		struct job *job = parse_with(&extranonce, rows[i], &why);

		if (job)
			fail_msg("taken: %s", rows[i]);
		assert_non_null(why);
	}
}

static void clean_flag_is_the_last_of_more_than_eight(void **state)
{
	static const struct {
		const char *tail;
		bool clean;
	} rows[] = {
		{ "", false }, { ",true", true }, { ",false", false }, { ",1", true }, { ",0", false }, { ",null", false },
		{ ",\"future\",7,true", true }, { ",true,7,false", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char params[2000];

		snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s\",\"%s\",[],\"20000000\",\"1d00ffff\",\"65a0b1c0\"%s]",
			 PREVHASH, HALF1, HALF2, rows[i].tail);
		struct job *job = parse(params);
		assert_int_equal(job->clean, rows[i].clean);
		job_free(job);
	}
}

static void branches_have_a_bound(void **state)
{
	json_t *params = json_loads("[\"j1\",\"" PREVHASH "\",\"" HALF1 "\",\"" HALF2 "\",[]" TAIL, 0, NULL);
	json_t *branches = json_array_get(params, 4);
	struct extranonce extranonce = extranonce_of("a1b2c3d4", 4);
	const char *why;

	(void)state;
	for (int count = 1; count <= 65; count++) {
		json_array_append_new(branches, json_string(PREVHASH));
		struct job *job = job_parse(params, &extranonce, 1, algo_find("sha256d"), &why);
		assert_int_equal(job != NULL, count <= 64);
		job_free(job);
	}
	json_decref(params);
}

static void a_coinbase_of_100_kilobytes_is_taken(void **state)
{
	size_t len = 200000;
	char *half2 = malloc(len + 1), *params = malloc(len + 2000);

	(void)state;
	memset(half2, '5', len);
	half2[len] = '\0';
	sprintf(params, "[\"j1\",\"%s\",\"%s\",\"%s\",[]%s", PREVHASH, HALF1, half2, TAIL);
	struct job *job = parse(params);
	assert_int_equal(job->coinbase_len, strlen(HALF1) / 2 + 8 + len / 2);
	job_free(job);
	free(params);
	free(half2);
}

static void a_coinbase_of_nothing_but_extranonces_has_no_height(void **state)
{
	struct job *job = parse("[\"j1\",\"" PREVHASH "\",\"\",\"\",[]" TAIL);

	(void)state;
	assert_int_equal(job->coinbase_len, 8);
	assert_int_equal(job->height, -1);
	job_free(job);
}

static void extranonce2_counts_with_carry(void **state)
{
	struct job *job = parse_standard("65a0b1c0");

	(void)state;
	for (unsigned i = 0; i < 0x10001; i++) {
		struct work work = next_of(job);
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

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(next_of(job).xnonce2[0], i);
	assert_false(job_next(job, &work, job->arrived));
	assert_false(job_next(job, &work, job->arrived + 0.99));
	assert_true(job_next(job, &work, job->arrived + 1));
	assert_int_equal(work.xnonce2[0], 0);
	assert_int_equal(header_ntime(work.header), 0x65a0b1c1);
	job_free(job);
}

static void ntime_stops_ten_minutes_ahead(void **state)
{
	struct job *job = parse_sized(0, "65a0b1c0");
	struct work work;
	unsigned works = 0;

	(void)state;
	while (job_next(job, &work, job->arrived + 1e6)) {
		assert_int_equal(work.xnonce2_len, 0);
		assert_int_equal(header_ntime(work.header), 0x65a0b1c0 + works);
		works++;
	}
	assert_int_equal(works, 601);
	job_free(job);
}

static void the_longest_extranonce2_has_no_end(void **state)
{
	struct job *job = parse_sized(16, "65a0b1c0");
	struct work work;

	(void)state;
	job->position = UINT64_MAX;
	assert_true(job_next(job, &work, job->arrived));
	assert_bytes(work.xnonce2, 16, "0000000000000000ffffffffffffffff");
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

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const size_t count = (size_t)1 << __builtin_popcount(rows[i].mask);
		struct job *job = parse_rolled(0, rows[i].version, "65a0b1c0", rows[i].mask, 0);
		uint8_t *met = calloc(count, 1);
		bool found = false;

		for (size_t n = 0; n < count; n++) {
			struct work work = next_of(job);
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
		assert_false(job_next(job, &(struct work){ 0 }, job->arrived));	/* that is all of them, for this second */
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

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct job *job = parse_rolled(4, "20000000", "65a0b1c0", rows[i].mask, rows[i].wanted);
		struct work work = next_of(job);

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

	(void)state;
	for (unsigned i = 0; i < 2 * 2 * 256; i++) {
		assert_true(job_next(job, &work, job->arrived + 1.5));
		assert_int_equal(work.xnonce2[0], i % 256);
		assert_int_equal(header_version(work.header), i / 256 % 2 ? 0x20010000 : 0x20000000);
		assert_int_equal(header_ntime(work.header), 0x65a0b1c0 + i / 512);
	}
	assert_false(job_next(job, &work, job->arrived + 1.5));
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
 * A pool that announces the same block over and over, with other times, version bits
 * and masks, as after reconnections: however it does, no header is handed out twice.
 */
static void no_header_is_ever_handed_out_twice(void **state)
{
	static const uint32_t masks[] = { 0, 0x2000, 0xe000, 0x1e000, 0x18000 };
	static const char *const versions[] = { "20000000", "20002000", "20010000" };
	static const unsigned wanted[] = { 0, 4, 8 };
	struct job *kept[JOBS_KEPT] = { NULL };
	uint32_t chance = 12345;

	(void)state;
	for (uint8_t len = 0; len < 2; len++) {
		struct key_set *set = calloc(1, sizeof *set);
		unsigned works = 0;

		for (unsigned round = 0; round < 3000; round++) {
			char ntime[9];

			chance = chance * 1664525 + 1013904223;
			snprintf(ntime, sizeof ntime, "%08x", 0x65a0b1c0 + (chance >> 8) % 12);
			struct job *job = parse_rolled(len, versions[(chance >> 12) % 3], ntime, masks[(chance >> 16) % 5],
						       wanted[(chance >> 20) % 3]);
			for (size_t i = 0; i < JOBS_KEPT; i++)
				if (kept[i])
					job_resume(job, kept[i]);
			job_free(kept[round % JOBS_KEPT]);
			kept[round % JOBS_KEPT] = job;

			/* jobs fall out of memory by and by: only those remembered count, so all begin with none */
			if (round % JOBS_KEPT == 0) {
				for (size_t i = 0; i < JOBS_KEPT; i++) {
					job_free(kept[i]);
					kept[i] = NULL;
				}
				memset(set, 0, sizeof *set);
				continue;
			}
			for (unsigned n = (chance >> 24) % (len ? 700 : 9); n > 0; n--) {
				struct work work;

				if (!job_next(job, &work, job->arrived + 4))
					break;
				works++;
				if (work.version_count == 0)
					assert_true(add_key(set, key_of(&work, header_version(work.header))));
				for (unsigned v = 0; v < work.version_count; v++)
					assert_true(add_key(set, key_of(&work, work.versions[v])));
			}
		}
		assert_true(works > 3000);
		for (size_t i = 0; i < JOBS_KEPT; i++) {
			job_free(kept[i]);
			kept[i] = NULL;
		}
		free(set);
	}
}

static void the_same_job_again_is_not_searched_again(void **state)
{
	struct work first = { 0 }, second = { 0 }, third = { 0 };
	struct jobs jobs;

	(void)state;
	jobs_init(&jobs);
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
	struct job *old = parse_sized(1, "65a0b1c0"), *job = parse_sized(1, "65a0b1c2");

	(void)state;
	old->position = 2 * 256 + 7;	/* seven works of its third second, which is the new one's first */
	job_resume(job, old);
	assert_int_equal(job->position, 7);
	job_free(old);

	old = parse_sized(1, "65a0b1c0");
	job->position = 0;
	old->position = 256 + 7;
	job_resume(job, old);
	assert_int_equal(job->position, 0);
	job_free(old);
	job_free(job);
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

	(void)state;
	jobs_init(&jobs);
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

static void target_counts_the_algorithms_factor(void **state)
{
	const struct algo *lyra2rev2 = algo_find("lyra2rev2");
	struct extranonce extranonce = extranonce_of("", 4);
	json_t *params = json_loads("[\"j1\",\"" PREVHASH "\",\"" HALF1 "\",\"" HALF2 "\",[]" TAIL, 0, NULL);
	const char *why;
	struct job *job = job_parse(params, &extranonce, 32, lyra2rev2, &why);

	(void)state;
	assert_non_null(job);
	assert_int_equal(job->target[7], 0x00000007);
	assert_int_equal(job->target[6], 0xfff80000);
	assert_true(job->difficulty == 32);
	job_free(job);
	json_decref(params);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notify_gives_the_golden_header),
		cmocka_unit_test(golden_nonce_gives_the_golden_hash),
		cmocka_unit_test(root_without_branches_is_the_coinbase_hash),
		cmocka_unit_test(every_size_of_extranonce2_gives_its_golden_root),
		cmocka_unit_test(malformed_notifies_are_refused),
		cmocka_unit_test(clean_flag_is_the_last_of_more_than_eight),
		cmocka_unit_test(branches_have_a_bound),
		cmocka_unit_test(a_coinbase_of_100_kilobytes_is_taken),
		cmocka_unit_test(a_coinbase_of_nothing_but_extranonces_has_no_height),
		cmocka_unit_test(extranonce2_counts_with_carry),
		cmocka_unit_test(ntime_steps_on_when_extranonce2_is_used_up_and_time_has_passed),
		cmocka_unit_test(ntime_stops_ten_minutes_ahead),
		cmocka_unit_test(the_longest_extranonce2_has_no_end),
		cmocka_unit_test(rolled_versions_follow_the_formula),
		cmocka_unit_test(a_work_carries_as_many_versions_as_are_wanted_and_granted),
		cmocka_unit_test(extranonce2_comes_before_versions_and_these_before_time),
		cmocka_unit_test(no_header_is_ever_handed_out_twice),
		cmocka_unit_test(the_same_job_again_is_not_searched_again),
		cmocka_unit_test(a_later_time_that_was_stepped_to_is_not_searched_again),
		cmocka_unit_test(jobs_live_until_cleaned_renamed_or_crowded_out),
		cmocka_unit_test(target_counts_the_algorithms_factor),
	};

	return cmocka_run_group_tests_name("header", tests, NULL, NULL);
}
