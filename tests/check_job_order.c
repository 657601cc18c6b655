/* The nonce space of one job: in which order its headers are handed out, and when it is through. */
#include "tests/notify.h"

#include <stdio.h>
#include <stdlib.h>

#include "pool/header.h"

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
		{ 0x1fffe000, VERSIONS_MAX, VERSIONS_MAX }, { 0x3e000, 16, 16 }, { 0x1e000, 16, 16 }, { 0xe000, 16, 8 },
		{ 0x1fffe000, 15, 8 },
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
	};

	return cmocka_run_group_tests_name("job order", tests, NULL, NULL);
}
