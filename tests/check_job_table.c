/* The table of a pool's jobs: how long each is good, and what becomes of work that is out. */
#include "tests/notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/jobs.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTIFY_TEST(jobs_live_until_cleaned_renamed_or_crowded_out),
		NOTIFY_TEST(work_that_is_out_stays_good_while_its_job_is_repeated),
		NOTIFY_TEST(the_job_whose_work_is_out_is_not_crowded_out),
		NOTIFY_TEST(work_that_is_out_of_a_dead_job_is_told_of),
	};

	return cmocka_run_group_tests_name("job table", tests, NULL, NULL);
}
