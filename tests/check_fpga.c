/*
 * Facts of the FPGA driver on a card in software: what a card may do wrong, none of it sends a
 * false or repeated share, loses work that others could do, or stops the mining.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "fpga/known_answer.h"
#include "fpga/regs.h"
#include "fpga/unit.h"
#include "simd/backend.h"
#include "tests/fake_card.h"
#include "work/crew.h"

#define PATIENCE_S	60
#define NONCES		20000	/* of a work here */
#define HIT_TOP		0x007fffff	/* one nonce in 512 */
#define SHARES_MAX	4096

static const struct algo *algo;

/* What the workers found, each a version and a nonce. */
struct shares {
	pthread_mutex_t lock;
	struct { uint32_t version, time, nonce; } share[SHARES_MAX];
	unsigned count;
};

static void keep(void *ctx, const struct share *share)
{
	struct shares *shares = ctx;

	pthread_mutex_lock(&shares->lock);
	if (shares->count < SHARES_MAX) {	/* of endless work the first are enough */
		shares->share[shares->count].version = load_le32(share->work.header);
		shares->share[shares->count].time = load_le32(share->work.header + 68);
		shares->share[shares->count++].nonce = share->nonce;
	}
	pthread_mutex_unlock(&shares->lock);
}

static unsigned times_found(struct shares *shares, const struct work *work, uint32_t version, uint32_t nonce)
{
	unsigned times = 0;

	for (unsigned i = 0; i < shares->count; i++)
		times += shares->share[i].version == version && shares->share[i].nonce == nonce &&
			 shares->share[i].time == load_le32(work->header + 68);
	return times;
}

/* How many were found of this header. */
static unsigned found_of(struct shares *shares, const struct work *work)
{
	unsigned found = 0;

	pthread_mutex_lock(&shares->lock);
	for (unsigned i = 0; i < shares->count; i++)
		found += shares->share[i].time == load_le32(work->header + 68);
	pthread_mutex_unlock(&shares->lock);
	return found;
}

/* A run with one card, and CPU threads beside it. */
struct rig {
	struct fake_card card;
	struct fpga_unit unit;
	struct board board;
	struct crew crew;
	struct crew helpers;		/* threads that come later */
	struct shares shares;
};

static int open_fake(struct fpga_unit *unit, struct transport *transport)
{
	struct fake_card *card = unit->open_ctx;

	if (card->fault == FAKE_UNPLUGGED)
		return -1;
	fake_card_open(card, transport);
	return 0;
}

static struct work some_work(unsigned versions)
{
	struct work work = { .version_count = (uint8_t)versions };

	for (unsigned i = 0; i < 76; i++)
		work.header[i] = (uint8_t)(i * i + 3);
	memset(work.target, 0xff, sizeof work.target);
	work.target[7] = HIT_TOP;
	for (unsigned i = 0; i < versions; i++)
		work.versions[i] = load_le32(work.header) ^ i << 13;
	return work;
}

/* Start card and threads; the fault comes once the card has passed its known-answer test. */
static struct rig *rig_start(unsigned threads, enum fake_fault fault)
{
	static struct cpu_list cpus;
	struct rig *rig = calloc(1, sizeof *rig);
	struct crew_device device = { &backend_fpga, &rig->unit };
	struct crew_config config = {
		.algo = algo, .backend = backend_find("scalar"), .threads = threads, .devices = &device, .device_count = 1,
		.cpus = &cpus, .board = &rig->board, .found = keep, .found_ctx = &rig->shares,
	};

	assert_non_null(rig);
	pthread_mutex_init(&rig->shares.lock, NULL);
	rig->unit = (struct fpga_unit){ .name = "fake", .open = open_fake, .open_ctx = &rig->card, .algo = algo };
	assert_int_equal(fpga_unit_start(&rig->unit), 0);
	rig->unit.card.stopped_s = 0.05;
	rig->card.fault = fault;
	board_init(&rig->board, NULL, NULL);
	rig->board.nonce_end = NONCES;
	assert_int_equal(cpus_allowed(&cpus), 0);
	assert_int_equal(crew_start(&rig->crew, &config), 0);
	return rig;
}

/* A CPU thread takes part from now on. */
static void rig_help(struct rig *rig)
{
	struct cpu_list cpus;
	struct crew_config config = {
		.algo = algo, .backend = backend_find("scalar"), .threads = 1, .cpus = &cpus, .board = &rig->board,
		.found = keep, .found_ctx = &rig->shares,
	};

	assert_int_equal(cpus_allowed(&cpus), 0);
	assert_int_equal(crew_start(&rig->helpers, &config), 0);
}

static uint64_t rig_hashes(const struct rig *rig)
{
	return crew_hashes(&rig->crew) + crew_hashes(&rig->helpers);
}

static void rig_end(struct rig *rig)
{
	board_close(&rig->board);
	crew_join(&rig->helpers);
	crew_free(&rig->helpers);
	crew_join(&rig->crew);
	assert_int_equal(crew_alive(&rig->crew), rig->crew.count);
	assert_int_equal(rig->card.opened, rig->card.closed);
	crew_free(&rig->crew);
	board_destroy(&rig->board);
	pthread_mutex_destroy(&rig->shares.lock);
	free(rig);
}

#define wait_until(condition) do { \
	double end_ = clock_now() + PATIENCE_S; \
	while (!(condition) && clock_now() < end_) \
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); \
	assert_true(condition); \
} while (0)

/* The shares of all nonces and versions, each once; `lost` true: some may be missing. Returns how many are. */
static unsigned check_shares(struct rig *rig, const struct work *work, bool lost)
{
	unsigned found = 0, missing = 0, versions = work->version_count ? work->version_count : 1;

	pthread_mutex_lock(&rig->shares.lock);
	for (unsigned v = 0; v < versions; v++) {
		uint8_t header[HEADER_MAX], digest[32];

		memcpy(header, work->header, sizeof header);
		if (work->version_count)
			store_le32(header, work->versions[v]);
		for (uint32_t nonce = 0; nonce < NONCES; nonce++) {
			store_le32(header + 76, nonce);
			algo->hash(digest, header, NULL);

			unsigned times = times_found(&rig->shares, work, load_le32(header), nonce);
			bool share = load_le32(digest + 28) <= HIT_TOP;

			assert_true(times <= share);	/* never a false one, never twice */
			found += times;
			missing += share && !times;
		}
	}
	pthread_mutex_unlock(&rig->shares.lock);
	assert_true(lost || missing == 0);
	assert_true(found > 0 || lost);
	return missing;
}

static void a_sound_card_passes_its_test_and_a_wrong_one_does_not(void **state)
{
	(void)state;
	for (enum fake_fault fault = FAKE_SOUND; fault <= FAKE_BUSY_WHEN_DONE; fault++) {
		struct fake_card card = { .fault = fault };
		struct fpga_unit unit = { .name = "fake", .open = open_fake, .open_ctx = &card, .algo = algo };
		bool good = fault == FAKE_SOUND || fault == FAKE_STUCK_IRQ || fault == FAKE_LOST_IRQ;

		if (fault == FAKE_STOPPED)
			continue;	/* takes its time: below */
		print_message("fault %d\n", (int)fault);
		assert_int_equal(fpga_unit_start(&unit), good ? 0 : -1);
		assert_int_equal(unit.on, good);
		fpga_unit_stop(&unit);
		assert_int_equal(card.opened, card.closed);
	}
}

static void a_job_is_at_most_24_writes(void **state)
{
	struct fake_card card = { .fault = FAKE_SOUND };
	struct work work = some_work(0);
	struct transport transport;
	struct card_job job;
	struct card driver;

	(void)state;
	fake_card_open(&card, &transport);
	card_init(&driver, &transport);
	assert_int_equal(card_identify(&driver, algo), 0);
	assert_int_equal(card_reset(&driver), 0);
	card_job_make(&job, 1, &work, 0, 1000);

	unsigned before = card.writes;
	card_prepare(&driver, &job);
	card_start(&driver, &job);
	assert_true(card.writes - before <= 24);
	card_close(&driver);
}

static void a_job_ends_at_the_last_nonce_of_all(void **state)
{
	struct work work = some_work(0);
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
		struct work work = some_work(versions);

		board_publish(&rig->board, &work);
		wait_until(crew_hashes(&rig->crew) == (uint64_t)NONCES * (versions ? versions : 1));
		check_shares(rig, &work, false);
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
	struct work work = some_work(8);

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
	struct work work = some_work(0);

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
	struct work work = some_work(0);
	const uint64_t first = rig->unit.want;

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	board_publish(&rig->board, &work);
	wait_until(rig->card.starts > 20 && rig->unit.want != first);
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
	struct work work = some_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	rig->unit.want = UINT64_C(1) << 40;
	board_publish(&rig->board, &work);
	wait_until(longest_job(rig) > UINT64_C(1) << 20);
	assert_true(longest_job(rig) <= UINT64_C(1) << 31);
	rig_end(rig);
}

static void a_card_and_threads_share_the_work_and_no_nonce(void **state)
{
	struct rig *rig = rig_start(2, FAKE_SOUND);
	struct work work = some_work(4);

	(void)state;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == 4 * NONCES);
	check_shares(rig, &work, false);
	rig_end(rig);
}

static void newer_work_replaces_the_running_job(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = some_work(0), newer = some_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;	/* more than the card could do */
	board_publish(&rig->board, &work);
	wait_until(rig->unit.hits > 20);
	newer.header[68]++;
	board_publish(&rig->board, &newer);
	wait_until(found_of(&rig->shares, &newer) > 0);
	assert_int_equal(crew_hw_errors(&rig->crew), 0);
	assert_int_equal(rig->unit.duplicates, 0);
	board_clear(&rig->board);
	wait_until(!rig->card.busy);
	board_publish(&rig->board, &work);
	wait_until(rig->card.busy);
	rig_end(rig);
}

/* A hit that lay in the queue when newer work came still finds its own work, and is counted. */
static void a_late_hit_finds_its_work(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = some_work(0), newer = some_work(0);

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

/* Whatever the fault: others do the rest, nothing is found twice, and a card that is well again mines again. */
static void a_card_that_fails_is_switched_off_and_comes_back(void **state)
{
	static const enum fake_fault faults[] = {
		FAKE_SILENT, FAKE_FALLS_SILENT, FAKE_STOPPED, FAKE_UNPLUGGED, FAKE_SKIPPING, FAKE_BUSY_WHEN_DONE, FAKE_STUCK_HITS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct rig *rig = rig_start(0, faults[i]);
		struct work work = some_work(3);

		print_message("fault %d\n", (int)faults[i]);
		board_publish(&rig->board, &work);
		wait_until(rig->unit.failures > 0);
		rig_help(rig);
		wait_until(rig_hashes(rig) == 3 * NONCES);
		check_shares(rig, &work, faults[i] > FAKE_UNPLUGGED);
		rig->card.fault = FAKE_SOUND;
		work.header[68]++;
		rig->board.nonce_end = UINT64_C(1) << 32;
		board_publish(&rig->board, &work);

		uint64_t hits = rig->unit.hits;
		wait_until(rig->unit.on && rig->unit.hits > hits);
		rig_end(rig);
	}
}

/* With no one to take over, the card itself gets its work back. */
static void a_lone_card_takes_its_own_work_up_again(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SILENT);
	struct work work = some_work(2);

	(void)state;
	board_publish(&rig->board, &work);
	wait_until(rig->unit.failures > 0);
	rig->card.fault = FAKE_SOUND;
	wait_until(crew_hashes(&rig->crew) == 2 * NONCES);
	check_shares(rig, &work, false);
	rig_end(rig);
}

static void the_pause_before_another_try_grows(void **state)
{
	struct rig *rig = rig_start(1, FAKE_SILENT);
	struct work work = some_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	board_publish(&rig->board, &work);
	wait_until(rig->unit.failures > 0);
	wait_until(rig->card.opened >= 3);
	board_close(&rig->board);
	crew_join(&rig->crew);
	assert_true(rig->unit.retry_s >= 4 * FPGA_RETRY_S && rig->unit.retry_s <= FPGA_RETRY_MAX_S);
	assert_int_equal(rig->card.opened, rig->card.closed);
	crew_free(&rig->crew);
	board_destroy(&rig->board);
	free(rig);
}

static void a_minute_of_mining_makes_the_pause_short_again(void **state)
{
	struct rig *rig = rig_start(0, FAKE_SOUND);
	struct work work = some_work(0);

	(void)state;
	rig->board.nonce_end = UINT64_C(1) << 32;
	rig->unit.retry_s = FPGA_RETRY_MAX_S;
	rig->unit.started_at -= 61;
	board_publish(&rig->board, &work);
	wait_until(rig->card.starts > 20);
	board_close(&rig->board);
	crew_join(&rig->crew);
	assert_true(rig->unit.retry_s <= FPGA_RETRY_S);
	crew_free(&rig->crew);
	board_destroy(&rig->board);
	free(rig);
}

static void a_card_that_lies_is_counted_and_believed_in_nothing(void **state)
{
	static const enum fake_fault faults[] = { FAKE_WRONG_NONCE, FAKE_FAR_NONCE, FAKE_BEYOND, FAKE_WRONG_TAG };

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct rig *rig = rig_start(1, faults[i]);
		struct work work = some_work(0);

		print_message("fault %d\n", (int)faults[i]);
		rig->board.nonce_end = UINT64_C(1) << 32;
		board_publish(&rig->board, &work);
		wait_until(rig->unit.failures > 0);	/* too many of them */
		assert_true(crew_hw_errors(&rig->crew) >= 16);
		assert_true(rig->crew.workers[1].hw_errors >= 16);
		assert_int_equal(rig->crew.workers[0].hw_errors, 0);
		rig->card.fault = FAKE_SOUND;
		board_clear(&rig->board);
		check_shares(rig, &work, true);
		rig_end(rig);
	}
}

static void a_hit_that_comes_twice_is_one_share(void **state)
{
	struct rig *rig = rig_start(0, FAKE_REPEATED_NONCE);
	struct work work = some_work(0);

	(void)state;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == NONCES);
	check_shares(rig, &work, false);
	assert_true(rig->shares.count > 10);
	assert_int_equal(rig->unit.duplicates, rig->shares.count);
	assert_int_equal(rig->unit.failures, 0);
	rig_end(rig);
}

static void interrupts_may_be_lost_stuck_or_missed(void **state)
{
	static const enum fake_fault faults[] = { FAKE_LOST_IRQ, FAKE_STUCK_IRQ, FAKE_SOUND };

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct rig *rig = rig_start(0, faults[i]);
		struct work work = some_work(0);

		print_message("fault %d\n", (int)faults[i]);
		rig->card.misses_one = faults[i] == FAKE_SOUND;
		board_publish(&rig->board, &work);
		wait_until(crew_hashes(&rig->crew) == NONCES);
		check_shares(rig, &work, false);
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
	struct work work = some_work(0);

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
	struct work work = some_work(0);

	(void)state;
	rig->card.target_floor = HIT_TOP / 4 * 5;
	board_publish(&rig->board, &work);
	wait_until(crew_hashes(&rig->crew) == NONCES);
	check_shares(rig, &work, false);
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
		cmocka_unit_test(a_late_hit_finds_its_work),
		cmocka_unit_test(a_card_that_fails_is_switched_off_and_comes_back),
		cmocka_unit_test(a_lone_card_takes_its_own_work_up_again),
		cmocka_unit_test(the_pause_before_another_try_grows),
		cmocka_unit_test(a_minute_of_mining_makes_the_pause_short_again),
		cmocka_unit_test(a_card_that_lies_is_counted_and_believed_in_nothing),
		cmocka_unit_test(a_hit_that_comes_twice_is_one_share),
		cmocka_unit_test(interrupts_may_be_lost_stuck_or_missed),
		cmocka_unit_test(a_stuck_interrupt_that_cannot_be_masked_burns_no_cpu),
		cmocka_unit_test(a_hit_above_the_target_is_a_hardware_error),
	};

	algo = algo_find("sha256d");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
