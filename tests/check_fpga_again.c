/*
 * Facts of the FPGA driver on a card in software: how a card starts, fails and comes back, and
 * what of it must not outlive that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "tests/fpga_rig.h"

#define NONCES		RIG_NONCES

static const struct algo *algo;

/* Whatever the fault: others do the rest, nothing is found twice, and a card that is well again mines again. */
static void a_card_that_fails_is_switched_off_and_comes_back(void **state)
{
	static const enum fake_fault faults[] = {
		FAKE_SILENT, FAKE_FALLS_SILENT, FAKE_STOPPED, FAKE_UNPLUGGED, FAKE_SKIPPING, FAKE_BUSY_WHEN_DONE, FAKE_STUCK_HITS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct rig *rig = rig_start(0, faults[i]);
		struct work work = rig_work(3);

		print_message("fault %d\n", (int)faults[i]);
		board_publish(&rig->board, &work);
		wait_until(rig->unit.failures > 0);
		rig_help(rig);
		wait_until(rig_hashes(rig) == 3 * NONCES);
		rig_check_shares(rig, &work, faults[i] > FAKE_UNPLUGGED);
		rig->card.fault = FAKE_SOUND;
		work.header[68]++;
		pthread_mutex_lock(&rig->board.lock);	/* its workers are there already */
		rig->board.nonce_end = UINT64_C(1) << 32;
		pthread_mutex_unlock(&rig->board.lock);
		board_publish(&rig->board, &work);

		uint64_t hits = rig->unit.hits;
		wait_until(rig->unit.on && rig->unit.hits > hits);
		rig_end(rig);
	}
}

/* What it learned of its card ends with it; its pause is counted from it. */
static void a_start_begins_anew(void **state)
{
	struct fake_card card = { .fault = FAKE_SILENT };
	struct fpga_unit unit = { .name = "fake", .open = rig_open_fake, .open_ctx = &card, .algo = algo };
	const double before = clock_now();

	(void)state;
	assert_int_equal(fpga_unit_start(&unit), -1);
	assert_true(unit.retry.started_at == 0);
	card.fault = FAKE_SOUND;
	assert_int_equal(fpga_unit_start(&unit), 0);
	assert_true(unit.retry.started_at >= before);

	const uint64_t want = unit.want;

	assert_true(want > 0);
	fpga_unit_stop(&unit);
	unit.want = 1000 * want;
	unit.good = unit.bad = 7;
	assert_int_equal(fpga_unit_start(&unit), 0);
	assert_int_equal(unit.want, want);
	assert_int_equal(unit.good + unit.bad, 0);
	fpga_unit_stop(&unit);
}

/* Interrupts are counted in the card, which forgets them. */
static void its_counters_outlive_a_failure(void **state)
{
	struct rig *rig = rig_start(0, FAKE_LOST_IRQ);
	struct work work = rig_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	rig->card.misses_one = true;
	board_publish(&rig->board, &work);
	wait_until(rig->unit.lost_irqs > 20);
	rig->card.fault = FAKE_SOUND;
	wait_until(rig->unit.missed_irqs > 20);
	rig->card.fault = FAKE_UNPLUGGED;
	wait_until(rig->unit.failures > 0);
	rig->card.misses_one = false;
	rig->card.fault = FAKE_SOUND;
	wait_until(rig->unit.on && rig->card.starts > 10);	/* those of its test, and some more */
	rig_stop(rig);
	assert_true(rig->unit.lost_irqs > 20 && rig->unit.missed_irqs > 20);
	rig_end(rig);
}

/* But prepared, in the place of one that was. It would be found again by who gets the job then. */
static void a_hit_of_a_job_that_was_not_started_is_not_sent(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work earlier = rig_work(0), work = rig_work(2), second = work;

	(void)state;
	earlier.header[68]++;
	board_publish(&rig->board, &earlier);
	wait_until(crew_hashes(&rig->crew) == NONCES);

	store_le32(second.header, work.versions[1]);
	rig->card.late_hit = (uint64_t)(rig->unit.tag + 2) << 32 | rig_share_of(&second, 0);
	rig->card.fault = FAKE_FALLS_SILENT;
	board_publish(&rig->board, &work);
	wait_until(rig->unit.failures > 0);
	rig_help(rig);
	wait_until(rig_hashes(rig) == 3 * NONCES);
	assert_int_equal(rig->card.late_hit, 0);
	rig_check_shares(rig, &work, false);
	assert_int_equal(crew_hw_errors(&rig->crew), 1);
	assert_int_equal(rig->unit.stale, 0);
	rig_end(rig);
}

/* With no one to take over, the card itself gets its work back. */
static void a_lone_card_takes_its_own_work_up_again(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SILENT);
	struct work work = rig_work(2);

	(void)state;
	board_publish(&rig->board, &work);
	wait_until(rig->unit.failures > 0);
	rig->card.fault = FAKE_SOUND;
	wait_until(crew_hashes(&rig->crew) == 2 * NONCES);
	rig_check_shares(rig, &work, false);
	rig_end(rig);
}

/* Also one that is silent from the start. */
static void a_card_that_its_owner_did_not_start_is_started_by_its_worker(void **state)
{
	(void)state;
	for (int silent = 0; silent <= 1; silent++) {
		struct rig *rig = rig_make(silent ? FAKE_SILENT : FAKE_SOUND);
		struct work work = rig_work(0);

		rig_run(rig, 0);
		board_publish(&rig->board, &work);
		if (silent)
			wait_until(rig->card.closed > 0);
		rig->card.fault = FAKE_SOUND;
		wait_until(crew_hashes(&rig->crew) == NONCES);
		rig_check_shares(rig, &work, false);
		assert_int_equal(rig->card.opened, 1 + silent);
		rig_end(rig);
	}
}

static void a_card_of_another_design_is_given_up_at_its_start(void **state)
{
	struct rig *rig = rig_make(FAKE_FOREIGN);

	(void)state;
	rig_run(rig, 0);
	wait_until(crew_alive(&rig->crew) == 0);
	board_close(&rig->board);
	crew_join(&rig->crew);
	assert_int_equal(rig->card.opened, 1);
	assert_int_equal(rig->card.closed, 1);
	assert_null(rig->unit.board);
	crew_free(&rig->crew);
	board_destroy(&rig->board);
	free(rig);
}

/* Its clock stands, which takes seconds to tell, and nobody waits for that who is to end. */
static void the_test_of_a_card_ends_with_the_board(void **state)
{
	struct rig *rig = rig_make(FAKE_STOPPED);

	(void)state;
	board_close(&rig->board);
	rig_run(rig, 0);
	rig_stop(rig);
	assert_int_equal(rig->card.opened, 1);
	assert_true(rig->card.waits < 10);
	rig_end(rig);
}

/* Whose range may have gone back to the board, and have been searched by others meanwhile. */
static void a_hit_of_a_job_from_before_its_start_is_not_sent(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0), newer = rig_work(0);
	struct fpga_job before[FPGA_JOBS];
	const struct fpga_job *job = before;

	(void)state;
	work.target[7] = newer.target[7] = 0x03ffffff;
	newer.header[68]++;
	rig->board.nonce_end = UINT64_C(1) << 32;
	board_publish(&rig->board, &work);
	wait_until(rig->card.starts > 2 * FPGA_JOBS);
	board_close(&rig->board);
	crew_join(&rig->crew);
	crew_free(&rig->crew);
	board_destroy(&rig->board);
	memcpy(before, rig->unit.jobs, sizeof before);
	memset(rig->unit.seen, 0, sizeof rig->unit.seen);	/* it need not have been heard of before */

	assert_int_equal(fpga_unit_start(&rig->unit), 0);
	while (!job->started || (job->regs.tag - rig->unit.tag - 1) % FPGA_JOBS < 2)	/* the next two jobs take their places anyway */
		job++;
	rig->card.late_hit = (uint64_t)job->regs.tag << 32 | rig_share_of(&job->work, job->first);

	const unsigned sent = rig_found(&rig->shares, &work);
	board_init(&rig->board, NULL, NULL);
	rig_run(rig, 0);
	board_publish(&rig->board, &newer);
	wait_until(rig->card.late_hit == 0 && rig_found(&rig->shares, &newer) > 2 * FAKE_HITS);
	assert_int_equal(rig_found(&rig->shares, &work), sent);
	assert_int_equal(crew_hw_errors(&rig->crew), 1);
	assert_int_equal(rig->unit.duplicates + rig->unit.failures, 0);
	rig_end(rig);
}

static void the_pause_before_another_try_grows(void **state)
{
	struct rig *rig = rig_start(1, FAKE_SILENT);
	struct work work = rig_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	board_publish(&rig->board, &work);
	wait_until(rig->unit.failures > 0);
	wait_until(rig->card.opened >= 3);
	rig_stop(rig);
	assert_true(rig->unit.retry.pause_s >= 4 * RETRY_S && rig->unit.retry.pause_s <= RETRY_MAX_S);
	rig_end(rig);
}

static void a_minute_of_mining_makes_the_pause_short_again(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	rig->unit.retry.pause_s = RETRY_MAX_S;
	rig->unit.retry.started_at -= RETRY_FORGET_S + 1;
	board_publish(&rig->board, &work);
	wait_until(rig->card.starts > 20);
	rig_stop(rig);
	assert_true(retry_pause(&rig->unit.retry) <= RETRY_S);
	rig_end(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_that_fails_is_switched_off_and_comes_back),
		cmocka_unit_test(a_start_begins_anew),
		cmocka_unit_test(its_counters_outlive_a_failure),
		cmocka_unit_test(a_hit_of_a_job_that_was_not_started_is_not_sent),
		cmocka_unit_test(a_lone_card_takes_its_own_work_up_again),
		cmocka_unit_test(a_card_that_its_owner_did_not_start_is_started_by_its_worker),
		cmocka_unit_test(a_card_of_another_design_is_given_up_at_its_start),
		cmocka_unit_test(the_test_of_a_card_ends_with_the_board),
		cmocka_unit_test(a_hit_of_a_job_from_before_its_start_is_not_sent),
		cmocka_unit_test(the_pause_before_another_try_grows),
		cmocka_unit_test(a_minute_of_mining_makes_the_pause_short_again),
	};

	algo = algo_find("sha256d");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
