/*
 * A chain with a stage at a device: what workers find together is what the reference finds,
 * each nonce once, also when the device is lost on the way; and a card that is off keeps nothing from others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "algo/scratch.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "fpga/lent_card.h"
#include "fpga/lent_stage.h"
#include "sha3/cubehash256.h"
#include "simd/backend.h"
#include "work/crew.h"

#define NONCES		20000
#define TOP		0x03ffffff	/* a share in every 64 hashes */
#define PATIENCE	120		/* s */

static const struct algo *algo;
static uint8_t times_found[NONCES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A device for the tests: computes by the reference. */
struct fake {
	unsigned calls, lost_after;	/* calls; 0: never */
	unsigned wrong_item;		/* of each batch, from 1; 0: none */
	unsigned wrong_after;		/* calls, before all items are; 0: never */
	struct board *silent_until;	/* once lost it says so only when this is closed; NULL: at once */
	_Atomic bool silent;
	bool opens;
	unsigned opened;
	struct timespec slow;
};

static int open_fake(void *ctx)
{
	struct fake *fake = ctx;

	fake->opened++;
	return fake->opens ? 0 : -1;
}

static int run_fake(void *ctx, uint8_t *out, const uint8_t *in, size_t items)
{
	struct fake *fake = ctx;

	fake->calls++;
	if (fake->lost_after > 0 && fake->calls > fake->lost_after) {
		fake->silent = true;
		while (fake->silent_until && !board_wait_closed(fake->silent_until, 1))
			;
		return -1;
	}
	nanosleep(&fake->slow, NULL);
	for (size_t i = 0; i < items; i++)
		cubehash256(out + 32 * i, in + 32 * i, 32);
	if (fake->wrong_item > 0)
		out[32 * (fake->wrong_item - 1) + 31] ^= 0x80;
	for (size_t i = 0; fake->wrong_after > 0 && fake->calls > fake->wrong_after && i < items; i++)
		out[32 * i] ^= 1;
	return 0;
}

static void close_fake(void *ctx)
{
	struct fake *fake = ctx;

	fake->opened--;
}

static const struct lent_device fake_device = { "fake", open_fake, run_fake, close_fake };

static const struct backend *cpu(void)
{
	const struct backend *chosen = backend_choose(algo, NULL, &(struct backend_fault){ .backend = NULL });

	assert_non_null(chosen);
	return chosen;
}

static struct lent_stage stage_at(struct fake *fake, const struct kernel *kernel, unsigned batch, unsigned depth)
{
	return (struct lent_stage){ .name = "cubehash256", .kernel = kernel, .device = &fake_device, .ctx = fake, .batch = batch,
				    .depth = depth };
}

static void note(void *ctx, const struct share *share)
{
	(void)ctx;
	pthread_mutex_lock(&lock);
	if (share->nonce < NONCES)
		times_found[share->nonce]++;
	pthread_mutex_unlock(&lock);
}

static struct work easy_work(void)
{
	struct work work = { .target = { 0, 0, 0, 0, 0, 0, 0, TOP } };

	for (size_t i = 0; i < HEADER_MAX; i++)
		work.header[i] = (uint8_t)(i * 31 + 5);
	return work;
}

/* Which nonces are shares of the one work of all tests, by the reference. */
static bool is_share[NONCES];

static int ask_the_reference(void **state)
{
	struct work work = easy_work();
	void *scratch = aligned_alloc(CACHE_LINE, (algo->scratch_len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
	unsigned shares = 0;

	(void)state;
	for (uint32_t nonce = 0; nonce < NONCES; nonce++) {
		uint8_t digest[32];

		store_le32(work.header + algo->nonce_off, nonce);
		algo->hash(digest, work.header, scratch);
		is_share[nonce] = load_le32(digest + 28) < TOP;
		shares += is_share[nonce];
	}
	free(scratch);
	return shares > 100 ? 0 : -1;
}

/* The nonces that the reference finds, and no other, were found once. */
static void assert_found_once(void)
{
	for (uint32_t nonce = 0; nonce < NONCES; nonce++)
		if (times_found[nonce] != is_share[nonce])
			fail_msg("nonce %u found %u times", nonce, times_found[nonce]);
}

static void begin_work(struct board *board)
{
	struct work work = easy_work();

	memset(times_found, 0, sizeof times_found);
	board_init(board, NULL, NULL);
	board->nonce_end = NONCES;
	board_publish(board, &work);
}

/* So many hashes with these devices and CPU threads, or until all have failed; the devices' workers are the crew's last. */
static void mine(struct crew *crew, struct board *board, const struct crew_device *devices, unsigned device_count,
		 unsigned threads, uint64_t hashes)
{
	static struct cpu_list cpus;
	double end = clock_now() + PATIENCE;

	assert_int_equal(cpus_allowed(&cpus), 0);
	assert_int_equal(crew_start(crew, &(struct crew_config){ .algo = algo, .backend = cpu(), .threads = threads, .devices = devices,
		.device_count = device_count, .cpus = &cpus, .board = board, .found = note }), 0);
	while (crew_hashes(crew) < hashes && crew_alive(crew) > 0 && clock_now() < end)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Search all nonces. */
static void mine_all(struct crew *crew, const struct crew_device *devices, unsigned device_count, unsigned threads)
{
	struct board board;

	begin_work(&board);
	mine(crew, &board, devices, device_count, threads, NONCES);
	board_close(&board);
	crew_join(crew);
	board_destroy(&board);
}

static void every_nonce_is_searched_once_and_rightly(void **state)
{
	static const struct { unsigned batch, depth; long slow_ns; } rows[] = { { 1, 2, 0 }, { 256, 4, 0 }, { 1000, 3, 2000000 }, { 2048, 2, 0 } };

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct fake fake = { .opens = true, .slow.tv_nsec = rows[i].slow_ns };
		struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), rows[i].batch, rows[i].depth);
		struct crew crew;

		assert_true(lent_stage_fits(&lent));
		mine_all(&crew, &(struct crew_device){ &backend_lent_stage, &lent }, 1, 0);
		assert_int_equal(crew_hashes(&crew), NONCES);
		assert_int_equal(crew_hw_errors(&crew), 0);
		assert_found_once();
		assert_int_equal(fake.opened, 0);
		assert_true(lent.searched > 0 && lent.cpu_busy > 0 && lent.device_busy > 0);
		crew_free(&crew);
	}
}

static void a_device_lost_on_the_way_loses_and_repeats_nothing(void **state)
{
	(void)state;
	for (unsigned after = 10; after < 60; after += 7) {
		struct fake fake = { .opens = true, .lost_after = after };
		struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), 300, 4);
		struct board board;
		struct crew crew, others;

		begin_work(&board);
		mine(&crew, &board, &(struct crew_device){ &backend_lent_stage, &lent }, 1, 0, NONCES);
		assert_int_equal(lent.failures, 1);
		crew_join(&crew);
		mine(&others, &board, NULL, 0, 1, NONCES - crew_hashes(&crew));
		board_close(&board);
		crew_join(&others);
		board_destroy(&board);
		assert_int_equal(crew_hashes(&crew) + crew_hashes(&others), NONCES);
		assert_int_equal(crew_hw_errors(&crew), 0);
		assert_found_once();
		crew_free(&crew);
		crew_free(&others);
	}
}

/* Those that were not begun when it was lost, each with the nonces of all. */
static void versions_that_a_lost_device_did_not_search_go_back(void **state)
{
	enum { VERSIONS = 3, CLAIM = 1000 };
	struct fake fake = { .opens = true };
	struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), 300, 2);
	struct board board;
	struct worker worker = { .algo = algo, .backend = &backend_lent_stage, .device = &lent, .board = &board, .found = note };
	struct work work = easy_work();
	uint64_t first, end, returned[VERSIONS] = { 0 };

	(void)state;
	work.version_count = VERSIONS;
	for (unsigned i = 0; i < VERSIONS; i++)
		work.versions[i] = 0x20000000 + i;
	worker.scratch = algo_scratch(algo);
	assert_non_null(worker.scratch);
	board_init(&board, NULL, NULL);
	board.nonce_end = CLAIM;
	board_publish(&board, &work);
	assert_int_equal(worker.backend->open(&worker), 0);
	assert_true(board_try_claim(&board, CLAIM, &work, &first, &end));
	fake.lost_after = fake.calls + 5;	/* within the first version: of its 4 batches each goes there twice */
	assert_int_equal(lent_stage_scan(&worker, &work, first, end), -1);
	while (board_try_claim(&board, CLAIM, &work, &first, &end)) {
		const uint32_t version = load_le32(work.header) - 0x20000000;

		assert_true(work.version_count == 0 && version < VERSIONS);
		returned[version] += end - first;
	}
	assert_int_equal(returned[0] + worker.hashes, CLAIM);
	assert_true(worker.hashes < CLAIM);
	assert_int_equal(returned[1], CLAIM);
	assert_int_equal(returned[2], CLAIM);
	worker.backend->close(&worker);
	board_destroy(&board);
	free(worker.scratch);
}

static void a_device_that_is_silent_when_the_run_ends_has_not_failed(void **state)
{
	struct board board;
	struct fake fake = { .opens = true, .lost_after = 40, .silent_until = &board };
	struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), 300, 4);
	struct crew crew;
	double end = clock_now() + PATIENCE;

	(void)state;
	begin_work(&board);
	mine(&crew, &board, &(struct crew_device){ &backend_lent_stage, &lent }, 1, 0, 1);
	while (!fake.silent && clock_now() < end)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	board_close(&board);
	crew_join(&crew);
	assert_true(fake.silent);
	assert_int_equal(crew_alive(&crew), 1);
	assert_true(lent.on);
	assert_int_equal(lent.failures, 0);
	crew_free(&crew);
	board_destroy(&board);
}

static void a_lost_device_is_off_and_was_lost_once(void **state)
{
	struct fake fake = { .opens = true, .lost_after = 40 };
	struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), 300, 4);
	struct crew crew;

	(void)state;
	mine_all(&crew, &(struct crew_device){ &backend_lent_stage, &lent }, 1, 0);
	assert_true(crew.workers[0].failed && crew_hashes(&crew) > 0);
	assert_false(lent.on);
	assert_int_equal(lent.failures, 1);
	crew_free(&crew);
}

static void a_device_that_becomes_wrong_is_not_used_any_more(void **state)
{
	struct fake fake = { .opens = true, .wrong_after = 40 };
	struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), 300, 4);
	struct crew crew;

	(void)state;
	mine_all(&crew, &(struct crew_device){ &backend_lent_stage, &lent }, 1, 0);
	assert_true(crew.workers[0].failed && crew_hashes(&crew) < NONCES);
	assert_true(crew_hw_errors(&crew) >= 16);
	assert_int_equal(lent.failures, 1);
	crew_free(&crew);
}

static void a_device_that_is_wrong_or_absent_is_not_used(void **state)
{
	(void)state;
	for (unsigned item = 0; item <= 256; item += 37) {
		struct fake fake = { .opens = item > 0, .wrong_item = item };
		struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), 256, 2);
		struct crew crew;

		mine_all(&crew, &(struct crew_device){ &backend_lent_stage, &lent }, 1, 1);
		assert_true(crew.workers[1].failed);
		assert_int_equal(crew.workers[1].hashes, 0);
		assert_found_once();		/* the CPU mined on */
		crew_free(&crew);
	}
}

/* On a machine without the card that was named. */
static void a_card_that_is_off_gives_back_what_it_claims_and_waits_longer_each_time(void **state)
{
	const struct fpga_spec spec = { .miner = "none", .dma = "none", .buffer = "none", .length_bits = 14 };
	struct cards *cards = cards_create(&(struct cards_config){ .root = "/nowhere", .specs = &spec, .count = 1 });
	struct lent_card lent;
	struct crew_device device = lent_card_init(&lent, cards, 0, algo, backend_kernel(cpu(), algo));
	struct board board;
	struct worker worker = { .algo = algo, .backend = device.backend, .device = device.device, .board = &board };
	struct work work = easy_work();
	uint64_t first, end, again, again_end;

	(void)state;
	board_init(&board, NULL, NULL);
	board_publish(&board, &work);
	assert_int_equal(worker.backend->open(&worker), 0);
	assert_true(board_try_claim(&board, 100, &work, &first, &end));
	assert_true(retry_pause(&lent.retry) == RETRY_S);
	assert_int_equal(worker.backend->scan(&worker, &work, first, end), 0);
	assert_true(retry_pause(&lent.retry) == 2 * RETRY_S);
	assert_true(board_try_claim(&board, 100, &work, &again, &again_end));
	assert_true(again == first && again_end == end);
	assert_false(lent.lent.on);

	board_close(&board);
	assert_int_equal(worker.backend->scan(&worker, &work, first, end), 0);
	assert_true(retry_pause(&lent.retry) == 2 * RETRY_S);	/* it was not tried */
	worker.backend->close(&worker);

	worker.board = NULL;
	assert_int_equal(worker.backend->open(&worker), -1);	/* nobody would try it again */
	board_destroy(&board);
	cards_destroy(cards);
}

static void a_minute_of_work_makes_the_pause_short_again(void **state)
{
	struct retry retry = { .pause_s = RETRY_MAX_S };

	(void)state;
	retry_started(&retry);
	retry_worked(&retry);
	assert_true(retry_pause(&retry) == RETRY_MAX_S);
	retry.started_at -= RETRY_FORGET_S + 1;
	retry_worked(&retry);
	assert_true(retry_pause(&retry) == RETRY_S);
}

static void a_stage_that_the_chain_has_not_is_refused(void **state)
{
	struct fake fake = { .opens = true };
	struct lent_stage lent = stage_at(&fake, backend_kernel(cpu(), algo), 256, 2);

	(void)state;
	lent.name = "bmw256";		/* the last one's digest is never whole */
	assert_false(lent_stage_fits(&lent));
	lent.name = "sha256";
	assert_false(lent_stage_fits(&lent));
	lent.name = "cubehash256";
	lent.kernel = backend_kernel(cpu(), algo_find("sha256d"));
	assert_false(lent_stage_fits(&lent));
	lent.kernel = NULL;
	assert_false(lent_stage_fits(&lent));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_nonce_is_searched_once_and_rightly),
		cmocka_unit_test(a_device_lost_on_the_way_loses_and_repeats_nothing),
		cmocka_unit_test(versions_that_a_lost_device_did_not_search_go_back),
		cmocka_unit_test(a_device_that_is_silent_when_the_run_ends_has_not_failed),
		cmocka_unit_test(a_lost_device_is_off_and_was_lost_once),
		cmocka_unit_test(a_device_that_becomes_wrong_is_not_used_any_more),
		cmocka_unit_test(a_device_that_is_wrong_or_absent_is_not_used),
		cmocka_unit_test(a_card_that_is_off_gives_back_what_it_claims_and_waits_longer_each_time),
		cmocka_unit_test(a_minute_of_work_makes_the_pause_short_again),
		cmocka_unit_test(a_stage_that_the_chain_has_not_is_refused),
	};

	algo = algo_find("lyra2rev2");
	log_setup(LOG_ERROR, false);
	return cmocka_run_group_tests_name("lent_stage", tests, ask_the_reference, NULL);
}
