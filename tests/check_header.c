/*
 * From mining.notify to the bytes that get hashed. The golden roots and headers come
 * from an independent implementation; every malformed notify is one that some pool
 * has really sent.
 */
#include "tests/notify.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/registry.h"
#include "base/target.h"
#include "pool/header.h"

static void notify_gives_the_golden_header(void **state)
{
	struct job *job = parse_standard("65a0b1c0");
	struct work work = next_of(state, job);

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
	struct work work = next_of(state, job);
	uint8_t digest[32];
	uint32_t value[8];
	char name[65];

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
	struct work work = next_of(state, job);

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

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct extranonce extranonce = extranonce_of(rows[i].first, rows[i].second_len);
		char params[2000];
		const char *why;

		snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s%s%s\",\"%s\",%s,\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]",
			 PREVHASH, HALF1_A, rows[i].script_len, HALF1_B, HALF2, BRANCHES);
		struct job *job = parse_with(&extranonce, params, &why);
		assert_non_null(job);
		struct work work = next_of(state, job);
		assert_int_equal(work.xnonce2_len, rows[i].second_len);
		assert_bytes(work.header + 36, 32, rows[i].root);
		job_free(job);
	}
}

static void malformed_notifies_are_refused(void **state)
{
#define HEAD "[\"b1\",\"" PREVHASH "\","
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
		NOTIFY_TEST(notify_gives_the_golden_header),
		NOTIFY_TEST(golden_nonce_gives_the_golden_hash),
		NOTIFY_TEST(root_without_branches_is_the_coinbase_hash),
		NOTIFY_TEST(every_size_of_extranonce2_gives_its_golden_root),
		NOTIFY_TEST(malformed_notifies_are_refused),
		NOTIFY_TEST(clean_flag_is_the_last_of_more_than_eight),
		NOTIFY_TEST(branches_have_a_bound),
		NOTIFY_TEST(a_coinbase_of_100_kilobytes_is_taken),
		NOTIFY_TEST(a_coinbase_of_nothing_but_extranonces_has_no_height),
		NOTIFY_TEST(target_counts_the_algorithms_factor),
	};

	return cmocka_run_group_tests_name("header", tests, NULL, NULL);
}
