/*
 * Facts of the FPGA driver on a card in software: what a card may do wrong, none of it sends a
 * false or repeated share, loses work that others could do, or stops the mining.
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
#include "base/clock.h"
#include "fpga/known_answer.h"
#include "tests/fpga_rig.h"

#define NONCES		RIG_NONCES
#define HIT_TOP		RIG_HIT_TOP

static const struct algo *algo;

static void a_sound_card_passes_its_test_and_a_wrong_one_does_not(void **state)
{
	(void)state;
	for (enum fake_fault fault = FAKE_SOUND; fault <= FAKE_BUSY_WHEN_DONE; fault++) {
		struct fake_card card = { .fault = fault };
		struct fpga_unit unit = { .name = "fake", .open = rig_open_fake, .open_ctx = &card, .algo = algo };
		bool good = fault == FAKE_SOUND || fault == FAKE_STUCK_IRQ || fault == FAKE_LOST_IRQ;
		bool foreign = fault >= FAKE_FOREIGN && fault <= FAKE_NONSENSE;

		if (fault == FAKE_STOPPED)
			continue;	/* takes its time: check_fpga_again.c */
		print_message("fault %d\n", (int)fault);
		assert_int_equal(fpga_unit_start(&unit), good ? 0 : foreign ? CARD_FOREIGN : -1);
		assert_int_equal(unit.on, good);
		fpga_unit_stop(&unit);
		assert_int_equal(card.opened, card.closed);
	}
}

/* A card that was just reset, and its driver. */
static void open_driver(struct fake_card *card, struct card *driver)
{
	struct transport transport;

	fake_card_open(card, &transport);
	card_init(driver, &transport);
	assert_int_equal(card_identify(driver, algo), 0);
	assert_int_equal(card_reset(driver), 0);
}

static void a_job_is_at_most_24_writes(void **state)
{
	struct fake_card card = { .fault = FAKE_SOUND };
	struct work work = rig_work(0);
	struct card_job job;
	struct card driver;

	(void)state;
	open_driver(&card, &driver);
	card_job_make(&job, 1, &work, 0, 1000);

	unsigned before = card.writes;
	card_prepare(&driver, &job);
	card_start(&driver, &job);
	assert_true(card.writes - before <= 24);
	card_close(&driver);
}

static void a_job_ends_at_the_last_nonce_of_all(void **state)
{
	struct work work = rig_work(0);
	struct card_job job;

	(void)state;
	card_job_make(&job, 1, &work, 0, UINT64_C(1) << 32);
	assert_int_equal(job.first, 0);
	assert_int_equal(job.last, UINT32_MAX);
	card_job_make(&job, 1, &work, UINT32_MAX, UINT64_C(1) << 32);
	assert_int_equal(job.first, UINT32_MAX);
	assert_int_equal(job.last, UINT32_MAX);
}

static void a_card_finds_each_share_of_each_version_once(void **state)
{
	(void)state;
	for (unsigned versions = 0; versions <= 5; versions += 5) {
		struct rig *rig = rig_start(0, FAKE_SOUND);
		struct work work = rig_work(versions);

		board_publish(&rig->board, &work);
		wait_until(crew_hashes(&rig->crew) == (uint64_t)NONCES * (versions ? versions : 1));
		rig_check_shares(rig, &work, false);
		assert_int_equal(rig->unit.hits, rig->shares.count);
		assert_int_equal(crew_hw_errors(&rig->crew), 0);
		assert_int_equal(rig->unit.stale + rig->unit.duplicates + rig->unit.failures, 0);
		assert_true(rig->unit.clock_khz > 0);
		rig_end(rig);
	}
}

static void the_next_job_is_in_its_registers_before_the_running_one_ends(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(8);

	(void)state;
	rig->card.late_writes = rig->card.starts = 0;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == 8 * NONCES);
	assert_true(rig->card.starts > 8);
	assert_int_equal(rig->card.late_writes, 0);
	rig_end(rig);
}

/* Its queue is full all the time, and the search waits for who empties it. */
static void a_card_that_finds_nothing_but_hits_is_not_taken_for_silent(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0);

	(void)state;
	work.target[7] = UINT32_MAX;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == NONCES || rig->unit.failures > 0);
	assert_int_equal(rig->unit.failures, 0);
	assert_int_equal(rig->unit.hits, NONCES);
	rig_end(rig);
}

static void a_claim_follows_the_rate(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0);
	const uint64_t first = rig->unit.want;

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	board_publish(&rig->board, &work);
	wait_until(rig->card.starts > 20);
	rig_stop(rig);
	assert_true(rig->unit.want != first);
	rig_end(rig);
}

static uint64_t longest_job(const struct rig *rig)
{
	uint64_t longest = 0;

	for (const struct fpga_job *job = rig->unit.jobs; job < rig->unit.jobs + FPGA_JOBS; job++)
		if (job->end - job->first > longest)
			longest = job->end - job->first;
	return longest;
}

/* Which could not be told from none at all by HASHES, modulo 2^32. */
static void no_job_is_of_all_nonces(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0);

	(void)state;
	const unsigned starts = rig->card.starts;

	rig->board.nonce_end = UINT64_C(1) << 32;
	rig->unit.want = UINT64_C(1) << 40;
	board_publish(&rig->board, &work);
	wait_until(rig->card.starts == starts + 2);	/* the worker's first claim, and the unit's own */
	rig_stop(rig);
	assert_true(longest_job(rig) > UINT64_C(1) << 20);
	assert_true(longest_job(rig) <= UINT64_C(1) << 31);
	rig_end(rig);
}

static void a_card_and_threads_share_the_work_and_no_nonce(void **state)
{
	struct rig *rig = rig_start(2, FAKE_SOUND);
	struct work work = rig_work(4);

	(void)state;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == 4 * NONCES);
	rig_check_shares(rig, &work, false);
	rig_end(rig);
}

static uint32_t highest_found(struct shares *shares, const struct work *work)
{
	uint32_t highest = 0;

	pthread_mutex_lock(&shares->lock);
	for (unsigned i = 0; i < shares->count; i++)
		if (shares->share[i].time == load_le32(work->header + 68) && shares->share[i].nonce > highest)
			highest = shares->share[i].nonce;
	pthread_mutex_unlock(&shares->lock);
	return highest;
}

static void newer_work_replaces_the_running_job(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0), newer = rig_work(0);
	uint32_t highest;

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;	/* more than the card could do */
	rig->unit.want = UINT64_C(1) << 30;
	board_publish(&rig->board, &work);
	wait_until(rig->unit.hits > 20);
	newer.header[68]++;
	highest = highest_found(&rig->shares, &work);
	board_publish(&rig->board, &newer);
	wait_until(rig_found(&rig->shares, &newer) > 0);
	assert_true(crew_hashes(&rig->crew) > highest);	/* those of the abandoned job, too */
	assert_int_equal(crew_hw_errors(&rig->crew), 0);
	assert_int_equal(rig->unit.duplicates, 0);
	board_clear(&rig->board);
	wait_until(!rig->card.busy);
	board_publish(&rig->board, &work);
	wait_until(rig->card.busy);
	rig_end(rig);
}

/* Its registers are all ones then, as if it had hashed no end of nonces. */
static void a_card_that_is_gone_has_hashed_nothing_more(void **state)
{
	struct fake_card card = { .fault = FAKE_SOUND };
	struct work work = rig_work(0);
	struct card_job job;
	struct card driver;

	(void)state;
	open_driver(&card, &driver);
	card_job_make(&job, 1, &work, 0, UINT64_C(1) << 31);
	card_prepare(&driver, &job);
	card_start(&driver, &job);
	card.hashes = 1000;
	assert_true(card_progress(&driver) >= 1000);
	card.fault = FAKE_UNPLUGGED;
	assert_int_equal(card_progress(&driver), 0);
	card_close(&driver);
}

/* A hit that lay in the queue when newer work came still finds its own work, and is counted. */
static void a_late_hit_finds_its_work(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0), newer = rig_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	newer.header[68]++;
	work.target[7] = newer.target[7] = 0x03ffffff;	/* so many that some always lie there */
	for (unsigned i = 0; rig->unit.stale == 0 && i < 1000; i++) {
		uint64_t hits = rig->unit.hits;

		board_publish(&rig->board, i % 2 ? &newer : &work);
		wait_until(rig->unit.hits > hits + 10);
	}
	assert_true(rig->unit.stale > 0);
	assert_int_equal(crew_hw_errors(&rig->crew), 0);
	rig_end(rig);
}

static void a_card_that_lies_is_counted_and_believed_in_nothing(void **state)
{
	static const enum fake_fault faults[] = { FAKE_WRONG_NONCE, FAKE_FAR_NONCE, FAKE_BEYOND, FAKE_WRONG_TAG };

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct rig *rig = rig_start(1, faults[i]);
		struct work work = rig_work(0);

		print_message("fault %d\n", (int)faults[i]);
		rig->board.nonce_end = UINT64_C(1) << 32;
		board_publish(&rig->board, &work);
		wait_until(rig->unit.failures > 0);	/* too many of them */
		assert_true(crew_hw_errors(&rig->crew) >= 16);
		assert_true(rig->crew.workers[1].hw_errors >= 16);
		assert_int_equal(rig->crew.workers[0].hw_errors, 0);
		rig->card.fault = FAKE_SOUND;
		board_clear(&rig->board);
		rig_check_shares(rig, &work, true);
		rig_end(rig);
	}
}

static void a_hit_that_comes_twice_is_one_share(void **state)
{
	struct rig *rig = rig_start(0, FAKE_REPEATED_NONCE);
	struct work work = rig_work(0);

	(void)state;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == NONCES);
	rig_check_shares(rig, &work, false);
	assert_true(rig->shares.count > 10);
	assert_int_equal(rig->unit.duplicates, rig->shares.count);
	assert_int_equal(rig->unit.failures, 0);
	rig_end(rig);
}

/* The card's queue hands a hit out before those that lie below it, so the same one comes some hits later again. */
static void a_hit_that_comes_again_later_is_one_share(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0);

	(void)state;
	work.target[7] = 0x03ffffff;
	rig->card.late_hit = (uint64_t)(rig->unit.tag + 1) << 32 | rig_share_of(&work, 512);
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == NONCES);
	assert_int_equal(rig->card.late_hit, 0);
	assert_int_equal(rig->unit.duplicates, 1);
	assert_int_equal(rig->shares.count, rig->unit.hits - 1);
	assert_int_equal(crew_hw_errors(&rig->crew) + rig->unit.failures, 0);
	rig_end(rig);
}

static void interrupts_may_be_lost_stuck_or_missed(void **state)
{
	static const enum fake_fault faults[] = { FAKE_LOST_IRQ, FAKE_STUCK_IRQ, FAKE_SOUND };

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct rig *rig = rig_start(0, faults[i]);
		struct work work = rig_work(0);

		print_message("fault %d\n", (int)faults[i]);
		rig->card.misses_one = faults[i] == FAKE_SOUND;
		board_publish(&rig->board, &work);
		wait_until(crew_hashes(&rig->crew) == NONCES);
		rig_check_shares(rig, &work, false);
		assert_int_equal(rig->unit.failures, 0);
		assert_int_equal(rig->unit.lost_irqs > 0, faults[i] == FAKE_LOST_IRQ);
		assert_true(rig->unit.missed_irqs > 0 || faults[i] != FAKE_SOUND);
		rig_end(rig);
	}
}

/* A line that is high all the time, of a kernel's driver that cannot keep it back: the card is looked at now and then. */
static void a_stuck_interrupt_that_cannot_be_masked_burns_no_cpu(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SILENT);
	struct work work = rig_work(0);

	(void)state;
	rig->card.stuck_high = true;
	board_publish(&rig->board, &work);
	wait_until(rig->card.waits > 200);	/* that it is stuck has been seen */

	const double start = clock_now();
	const unsigned before = rig->card.waits, unmasked = rig->card.unmasked;
	wait_until(rig->card.waits >= before + 50);
	assert_true(clock_now() - start > 49 * 0.01 / 2);
	assert_int_equal(rig->card.unmasked, unmasked);
	rig_end(rig);
}

/* It is hits that pool and reference disagree on, not hits that only miss the full target, that count against it. */
static void a_hit_above_the_target_is_a_hardware_error(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = rig_work(0);

	(void)state;
	rig->card.target_floor = HIT_TOP / 4 * 5;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == NONCES);
	rig_check_shares(rig, &work, false);
	assert_int_equal(crew_hw_errors(&rig->crew), rig->unit.hits - rig->shares.count);
	assert_true(crew_hw_errors(&rig->crew) > 0);
	assert_int_equal(rig->unit.failures, 0);
	rig_end(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_card_passes_its_test_and_a_wrong_one_does_not),
		cmocka_unit_test(a_job_is_at_most_24_writes),
		cmocka_unit_test(a_job_ends_at_the_last_nonce_of_all),
		cmocka_unit_test(a_card_finds_each_share_of_each_version_once),
		cmocka_unit_test(the_next_job_is_in_its_registers_before_the_running_one_ends),
		cmocka_unit_test(a_card_that_finds_nothing_but_hits_is_not_taken_for_silent),
		cmocka_unit_test(a_claim_follows_the_rate),
		cmocka_unit_test(no_job_is_of_all_nonces),
		cmocka_unit_test(a_card_and_threads_share_the_work_and_no_nonce),
		cmocka_unit_test(newer_work_replaces_the_running_job),
		cmocka_unit_test(a_card_that_is_gone_has_hashed_nothing_more),
		cmocka_unit_test(a_late_hit_finds_its_work),
		cmocka_unit_test(a_card_that_lies_is_counted_and_believed_in_nothing),
		cmocka_unit_test(a_hit_that_comes_twice_is_one_share),
		cmocka_unit_test(a_hit_that_comes_again_later_is_one_share),
		cmocka_unit_test(interrupts_may_be_lost_stuck_or_missed),
		cmocka_unit_test(a_stuck_interrupt_that_cannot_be_masked_burns_no_cpu),
		cmocka_unit_test(a_hit_above_the_target_is_a_hardware_error),
	};

	algo = algo_find("sha256d");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
