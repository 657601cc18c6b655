/*
 * What a stratum pool gives to mine, and that just this is mined: good jobs and bad
 * ones, replaced, repeated or used up, and the changes that hold from the next job on.
 */
#include "tests/pool_rig.h"

#include "base/bytes.h"
#include "base/log.h"

static void a_malformed_job_leaves_the_old_one(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.notify\",\"params\":"
		  "[\"b1\",\"00\",\"00\",\"00\",[],\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]}\n");
	wait_logged("job dropped: its previous block is not 64 hex digits");
	mine(rig, 3);
	assert_all_good(rig);
	assert_int_equal(stats_of(rig).jobs, 1);
	assert_int_equal(fake_connections(rig->fake), 1);
}

static void extranonce2_of_any_size_is_sent_at_its_length(void **state)
{
	static const int sizes[] = { FAKE_NONE, 1, 3, 8, 16 };
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		char reply[200];

		snprintf(reply, sizeof reply, "{\"id\":$,\"result\":[[],\"a1b2c3d4\",%d],\"error\":null}\n",
			 sizes[i] == FAKE_NONE ? 0 : sizes[i]);
		rig->script.subscribe_reply = reply;
		start(rig);
		assert_true(fake_wait_logins(rig->fake, 1));
		fake_announce(rig->fake, &(struct fake_job){ .xnonce2_len = sizes[i] });
		mine(rig, 2);
		assert_all_good(rig);
		rig = rig_again(state);
	}
}

/* A JSON list of that many merkle branches; to be freed. */
static char *branch_list(unsigned count)
{
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	for (unsigned i = 0; i < count; i++)
		fprintf(stream, "%s\"%064u\"", i ? "," : "[", i);
	fprintf(stream, "]");
	fclose(stream);
	return text;
}

static void big_jobs_are_mined_and_huge_ones_dropped(void **state)
{
	struct rig *rig = *state;
	char *outputs = padded("2f66782fffffffff", '0', 2000 * 62, "00000000");
	char *branches = branch_list(40), *huge = branch_list(100000);

	start_mining(rig);
	fake_announce(rig->fake, &(struct fake_job){ .id = "j2", .half2 = outputs });
	WAIT_UNTIL(stats_of(rig).jobs == 2);
	mine(rig, 1);
	fake_announce(rig->fake, &(struct fake_job){ .id = "j3", .branches = branches });
	WAIT_UNTIL(stats_of(rig).jobs == 3);
	mine(rig, 1);

	/* more than a line may hold; what was there is mined on */
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.notify\",\"params\":[\"b\",\"\",\"\",\"\",");
	fake_send(rig->fake, huge);
	fake_send(rig->fake, ",\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]}\n");
	wait_heard(rig);
	mine(rig, 1);
	assert_all_good(rig);
	assert_int_equal(stats_of(rig).jobs, 3);
	assert_int_equal(fake_connections(rig->fake), 1);
	free(outputs);
	free(branches);
	free(huge);
}

static void a_flood_of_jobs_does_not_flood_the_log(void **state)
{
	struct rig *rig = *state;
	double began = clock_now();
	unsigned shown = 0;

	log_setup(LOG_DEBUG, false);
	start_mining(rig);
	char *notifies[] = {
		fake_notify_text(rig->fake, &(struct fake_job){ .id = "jx" }), fake_notify_text(rig->fake, &(struct fake_job){ .id = "jy" }),
	};
	for (unsigned i = 0; i < 1000; i++)
		fake_send(rig->fake, notifies[i % 2]);
	wait_heard(rig);
	assert_int_equal(stats_of(rig).jobs, 1001);
	for (const char *at = log_text(); (at = strstr(at, ": job j")); at++)
		shown++;
	assert_in_range(shown, 1, 10 * (unsigned)(clock_now() - began + 2));	/* what a throttle passes in that time */
	free(notifies[0]);
	free(notifies[1]);
}

static void the_same_id_with_new_content_is_new_work(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	mine(rig, 2);
	struct share late = find(rig);
	fake_announce(rig->fake, &(struct fake_job){ .branches = "[]" });
	wait_new_work(rig);
	mine(rig, 2);
	pool_submit(rig->pool, &late);
	WAIT_UNTIL(stats_of(rig).stale == 1);
	assert_all_good(rig);
	assert_int_equal(fake_shares(rig->fake), 4);
}

static void the_same_job_again_brings_no_share_twice(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	for (unsigned i = 1; i < 5; i++) {
		mine(rig, 2);
		fake_notify(rig->fake, &(struct fake_job){ .keep = i % 2 });
		WAIT_UNTIL(stats_of(rig).jobs == i + 1);
	}
	assert_all_good(rig);
	assert_int_equal(stats_of(rig).accepted, 8);
}

static void a_job_that_returns_after_many_others_brings_no_share_twice(void **state)
{
	struct rig *rig = *state;
	unsigned jobs = 1;
	char id[16], branches[80];

	start_mining(rig);
	for (unsigned login = 1; login < 3; login++) {
		mine(rig, 2);
		for (unsigned i = 0; i < 20; i++) {	/* more than are kept */
			snprintf(id, sizeof id, "other%u", i);
			snprintf(branches, sizeof branches, "[\"%064u\"]", 100 * login + i);
			fake_notify(rig->fake, &(struct fake_job){ .id = id, .branches = branches, .keep = true });
		}
		jobs += 20;
		WAIT_UNTIL(stats_of(rig).jobs == jobs);
		if (login == 2) {
			fake_drop(rig->fake);
			assert_true(fake_wait_logins(rig->fake, 2));
		}
		fake_announce(rig->fake, &(struct fake_job){ .keep = true });
		jobs++;
		WAIT_UNTIL(stats_of(rig).jobs == jobs);
	}
	mine(rig, 2);
	assert_all_good(rig);
	assert_int_equal(stats_of(rig).accepted, 6);
}

static void a_clean_job_makes_older_shares_stale(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	struct share late = find(rig);
	fake_announce(rig->fake, &(struct fake_job){ .id = "j2" });
	wait_new_work(rig);
	pool_submit(rig->pool, &late);
	WAIT_UNTIL(stats_of(rig).stale == 1);
	mine(rig, 1);
	assert_int_equal(fake_shares(rig->fake), 1);
	assert_all_good(rig);
}

static void ten_clean_jobs_at_once_leave_the_last(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	for (int i = 0; i < 10; i++) {
		char id[16];

		snprintf(id, sizeof id, "fast%d", i);
		fake_notify(rig->fake, &(struct fake_job){ .id = id, .branches = i % 2 ? "[]" : NULL });
	}
	WAIT_UNTIL(stats_of(rig).jobs == 11);
	mine(rig, 2);
	assert_string_equal(fake_share(rig->fake, 0).job, "fast9");
	assert_all_good(rig);
}

static void late_shares_of_a_kept_job_go_out_as_they_were_found(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	struct share late = find(rig);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.set_extranonce\",\"params\":[\"0badc0de05\",3]}\n");
	fake_announce(rig->fake, &(struct fake_job){
		.id = "j2", .keep = true, .branches = "[]", .xnonce1 = "0badc0de05", .xnonce2_len = 3,
		.difficulty = 2e-7, .ntime = "65a0b1d0",
	});
	wait_new_work(rig);
	pool_submit(rig->pool, &late);
	WAIT_UNTIL(stats_of(rig).accepted == 1);
	mine(rig, 1);
	assert_string_equal(fake_share(rig->fake, 0).job, "j1");
	assert_string_equal(fake_share(rig->fake, 1).job, "j2");
	assert_all_good(rig);
}

static void extranonce_changes_with_the_next_job(void **state)
{
	static const char *const bad[] = {
		"[\"00\"]", "[\"zz\",3]", "[\"00\",-1]", "[\"00\",17]", "[]", "null", "[null,3]",
	};
	struct rig *rig = *state;
	char text[200];

	start_mining(rig);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.set_extranonce\",\"params\":[\"0badc0de05\",3]}\n");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		snprintf(text, sizeof text, "{\"id\":null,\"method\":\"mining.set_extranonce\",\"params\":%s}\n", bad[i]);
		fake_send(rig->fake, text);
	}
	wait_heard(rig);
	mine(rig, 2);
	fake_announce(rig->fake, &(struct fake_job){ .id = "j2", .xnonce1 = "0badc0de05", .xnonce2_len = 3 });
	wait_new_work(rig);
	mine(rig, 2);
	assert_all_good(rig);
	assert_logged("extranonce dropped: not hex and a size of 0 to 16");
}

static void nonces_that_run_out_step_extranonce2_then_time(void **state)
{
	struct rig *rig = *state;

	rig->nonce_end = 16;
	rig->script.subscribe_reply = "{\"id\":$,\"result\":[[],\"a1b2c3d4\",1],\"error\":null}\n";
	rig->script.after_login = "{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[1e-9]}\n";
	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	double began = clock_now();
	fake_notify(rig->fake, &(struct fake_job){ .xnonce2_len = 1, .difficulty = 1e-9 });

	struct work work;
	uint64_t first, end;
	unsigned works = 0;
	uint32_t ntime = 0;
	do {
		assert_true(board_claim(&rig->board, 1000, &work, &first, &end));
		assert_int_equal(first, 0);
		assert_int_equal(end, 16);
		assert_int_equal(work.xnonce2[0], works % 256);
		ntime = load_le32(work.header + 68);
		assert_int_equal(ntime, 0x65a0b1c0 + works / 256);
		assert_true(ntime - 0x65a0b1c0 <= clock_now() - began + 0.001);
		works++;
	} while (works <= 256);
	assert_true(clock_now() - began >= 1);
	assert_logged(": all nonces of job j1 are searched, waiting\n");
	rig->next = rig->end = 0;
	mine(rig, 3);
	assert_all_good(rig);
}

#define GRANTED "{\"id\":$,\"result\":{\"version-rolling\":true,\"version-rolling.mask\":\"0000e000\"},\"error\":null}\n"

static void without_extranonce2_the_version_bits_come_next(void **state)
{
	struct rig *rig = *state;
	struct work work;
	uint64_t first, end;

	rig->nonce_end = 1 << 12;
	rig->script.configure_reply = GRANTED;
	rig->script.subscribe_reply = "{\"id\":$,\"result\":[[],\"a1b2c3d4\",0],\"error\":null}\n";
	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	double began = clock_now();
	fake_announce(rig->fake, &(struct fake_job){ .xnonce2_len = FAKE_NONE, .version = 0x32ef0000, .mask = 0xe000 });
	for (unsigned i = 0; i < 8; i++) {
		assert_true(board_claim(&rig->board, 1 << 12, &work, &first, &end));
		assert_int_equal(work.version_count, 0);
		assert_int_equal(load_le32(work.header), 0x32ef0000 + 0x2000 * i);
		assert_int_equal(load_le32(work.header + 68), 0x65a0b1c0);
	}
	assert_true(board_claim(&rig->board, 1 << 12, &rig->work, &rig->next, &rig->end));
	assert_true(clock_now() - began >= 1);
	assert_int_equal(load_le32(rig->work.header + 68), 0x65a0b1c1);
	assert_logged(": all nonces of job j1 are searched, waiting\n");
	mine(rig, 20);
	assert_all_good(rig);
	assert_int_equal(stats_of(rig).accepted, 20);
}

static void a_job_with_nothing_left_idles(void **state)
{
	struct rig *rig = *state;
	struct timespec before, after;
	struct work work;
	uint64_t first, end;

	rig->nonce_end = 16;
	rig->script.subscribe_reply = "{\"id\":$,\"result\":[[],\"a1b2c3d4\",0],\"error\":null}\n";
	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	fake_announce(rig->fake, &(struct fake_job){ .xnonce2_len = FAKE_NONE });
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	for (unsigned i = 0; i < 3; i++)
		assert_true(board_claim(&rig->board, 16, &work, &first, &end));	/* two seconds, but for the first */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	assert_true((double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec) < 0.2);
	assert_logged("are searched, waiting\n");
}

static void version_lanes_reach_the_board_and_the_pool(void **state)
{
	struct rig *rig = *state;
	bool rolled = false;

	rig->config.versions = 8;
	rig->script.configure_reply = GRANTED;
	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	fake_announce(rig->fake, &(struct fake_job){ .version = 0x32ef0000, .mask = 0xe000 });
	mine(rig, 30);
	assert_int_equal(rig->work.version_count, 8);
	assert_all_good(rig);
	assert_int_equal(stats_of(rig).accepted, 30);
	for (unsigned i = 0; i < 30; i++)
		rolled = rolled || strcmp(fake_share(rig->fake, i).bits, "00000000") != 0;
	assert_true(rolled);
}

static void a_version_mask_changes_with_the_next_job(void **state)
{
	static const char *const bad[] = { "[]", "null", "[\"\"]", "[\"0000e000f\"]", "[\"xyz\"]", "[57344]", "[\"-e000\"]" };
	struct rig *rig = *state;
	char text[200];

	rig->config.versions = 8;
	rig->script.configure_reply = GRANTED;
	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	fake_announce(rig->fake, &(struct fake_job){ .mask = 0xe000 });
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.set_version_mask\",\"params\":[\"f0006000\"]}\n");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		snprintf(text, sizeof text, "{\"id\":null,\"method\":\"mining.set_version_mask\",\"params\":%s}\n", bad[i]);
		fake_send(rig->fake, text);
	}
	wait_heard(rig);
	mine(rig, 10);
	assert_int_equal(rig->work.version_count, 8);
	/* of the bits named, only those that BIP 320 leaves to miners */
	fake_announce(rig->fake, &(struct fake_job){ .id = "j2", .version = 0x32ef0000, .mask = 0x10006000 });
	wait_new_work(rig);
	mine(rig, 10);
	assert_int_equal(rig->work.version_count, 8);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.set_version_mask\",\"params\":[\"0\"]}\n");
	fake_announce(rig->fake, &(struct fake_job){ .id = "j3" });
	wait_new_work(rig);
	mine(rig, 2);
	assert_int_equal(rig->work.version_count, 0);
	assert_all_good(rig);
	assert_logged("version mask dropped: not hex, or");
}

static void difficulty_changes_with_the_next_job(void **state)
{
	static const double steps[] = { 1e-8, 5e-7 };	/* easier, harder */
	struct rig *rig = *state;

	start_mining(rig);
	for (unsigned i = 0; i < 2; i++) {
		char text[200];

		snprintf(text, sizeof text, "{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[%.17g]}\n",
			 steps[i]);
		fake_send(rig->fake, text);
		wait_heard(rig);
		struct share before = find(rig);
		fake_notify(rig->fake, &(struct fake_job){ .id = i ? "j3" : "j2", .difficulty = steps[i], .branches = "[]" });
		wait_new_work(rig);
		struct share after = find(rig);
		assert_true(before.work.difficulty == (i ? steps[0] : FAKE_DIFFICULTY));
		assert_true(after.work.difficulty == steps[i]);
		assert_memory_not_equal(before.work.target, after.work.target, sizeof after.work.target);
	}
	mine(rig, 3);
	assert_all_good(rig);
	assert_true(stats_of(rig).difficulty == 5e-7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_malformed_job_leaves_the_old_one),
		TEST(extranonce2_of_any_size_is_sent_at_its_length),
		TEST(big_jobs_are_mined_and_huge_ones_dropped),
		TEST(a_flood_of_jobs_does_not_flood_the_log),
		TEST(the_same_id_with_new_content_is_new_work),
		TEST(the_same_job_again_brings_no_share_twice),
		TEST(a_job_that_returns_after_many_others_brings_no_share_twice),
		TEST(a_clean_job_makes_older_shares_stale),
		TEST(ten_clean_jobs_at_once_leave_the_last),
		TEST(late_shares_of_a_kept_job_go_out_as_they_were_found),
		TEST(extranonce_changes_with_the_next_job),
		TEST(nonces_that_run_out_step_extranonce2_then_time),
		TEST(without_extranonce2_the_version_bits_come_next),
		TEST(a_job_with_nothing_left_idles),
		TEST(version_lanes_reach_the_board_and_the_pool),
		TEST(a_version_mask_changes_with_the_next_job),
		TEST(difficulty_changes_with_the_next_job),
	};

	return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
