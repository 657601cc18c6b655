/*
 * The nonce loop (simd/scan.c) over every backend this CPU can run: each nonce of a range
 * once under each version, none outside it, and no further than a batch once there is newer work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/target.h"
#include "tests/kernel_bench.h"
#include "work/worker.h"

/* A worker without its thread, so that scan() can be called and looked at. */
struct rig {
	struct board board;
	struct worker worker;
	struct work work;
	struct {
		uint32_t version, nonce;
	} found[VERSIONS_MAX * LANES_MAX];	/* in the order of their finding */
	size_t found_len;
	bool publish_when_found;
};

static void rig_found(void *ctx, const struct share *share)
{
	struct rig *rig = ctx;

	assert_true(rig->found_len < sizeof rig->found / sizeof *rig->found);
	rig->found[rig->found_len].version = load_le32(share->work.header);
	rig->found[rig->found_len++].nonce = share->nonce;
	if (rig->publish_when_found)
		board_publish(&rig->board, &(struct work){ .header = { 1 } });
}

/* With work whose target every nonce meets, or none. */
static struct rig *rig_open(const struct bench *b, bool every_nonce)
{
	struct rig *rig = aligned_alloc(CACHE_LINE, (sizeof *rig + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);

	assert_non_null(rig);
	memset(rig, 0, sizeof *rig);
	memset(rig->work.target, every_nonce ? 0xff : 0, sizeof rig->work.target);
	rig->worker.algo = b->algo;
	rig->worker.backend = b->backend;
	rig->worker.scratch = b->scratch;
	rig->worker.board = &rig->board;
	rig->worker.found = rig_found;
	rig->worker.found_ctx = rig;
	board_init(&rig->board, NULL, NULL);
	board_publish(&rig->board, &rig->work);
	assert_int_equal(b->backend->open(&rig->worker), 0);
	return rig;
}

static void rig_close(struct rig *rig)
{
	rig->worker.backend->close(&rig->worker);
	board_destroy(&rig->board);
	free(rig);
}

static int64_t rig_scan(struct rig *rig, uint64_t first, uint64_t end)
{
	return rig->worker.backend->scan(&rig->worker, &rig->work, first, end);
}

/* Every nonce of [first, end) once, in order, and no other. */
static void assert_scan_covers(struct bench *b, uint64_t first, uint64_t end)
{
	struct rig *rig = rig_open(b, true);

	assert_int_equal(rig_scan(rig, first, end), end - first);
	assert_int_equal(rig->found_len, end - first);
	for (size_t i = 0; i < rig->found_len; i++)
		assert_int_equal(rig->found[i].nonce, first + i);
	assert_int_equal(rig->worker.hashes, end - first);
	assert_int_equal(rig->worker.hw_errors, 0);
	rig_close(rig);
	b->facts++;
}

static void check_ranges(struct bench *b)
{
	const uint64_t lanes = b->kernel->lanes;

	assert_scan_covers(b, 7, 7 + lanes);
	assert_scan_covers(b, 7, 7 + 2 * lanes + 1);
	assert_scan_covers(b, 7, 7 + 3 * lanes - 1);
	assert_scan_covers(b, 7, 8);
	assert_scan_covers(b, 7, 7);
}

static void scan_covers_a_range_that_is_no_multiple_of_the_lanes(void **state)
{
	(void)state;
	each_backend(check_ranges);
}

static void check_last_nonce(struct bench *b)
{
	const uint64_t all = UINT64_C(1) << 32;

	assert_scan_covers(b, all - 1, all);
	assert_scan_covers(b, all - b->kernel->lanes - 1, all);
}

static void scan_reaches_the_last_nonce(void **state)
{
	(void)state;
	each_backend(check_last_nonce);
}

static void check_stop(struct bench *b)
{
	struct rig *rig = rig_open(b, true);

	rig->publish_when_found = true;
	assert_int_equal(rig_scan(rig, 0, UINT64_C(1) << 32), b->kernel->lanes);
	assert_true(rig->found_len <= b->kernel->lanes);
	assert_int_equal(rig_scan(rig, 0, UINT64_C(1) << 32), 0);
	rig_close(rig);
	b->facts++;
}

static void scan_stops_within_one_batch(void **state)
{
	(void)state;
	each_backend(check_stop);
}

/* Versions of a work for rig_scan(): `count` of them, none of which tells its place by its value. */
static void rig_versions(struct rig *rig, unsigned count)
{
	rig->work.version_count = (uint8_t)count;
	for (unsigned i = 0; i < count; i++)
		rig->work.versions[i] = 0x20000000 ^ i * 0x9e3779b9;
	store_le32(rig->work.header, rig->work.versions[0]);
}

/* Each pair of [first, end) and the work's versions once, and no other. */
static void assert_scan_covers_versions(struct bench *b, unsigned count, uint64_t first, uint64_t end)
{
	struct rig *rig = rig_open(b, true);
	unsigned seen[VERSIONS_MAX][LANES_MAX] = { { 0 } };
	const unsigned versions = count ? count : 1;

	rig_versions(rig, count);
	const uint32_t own = load_le32(rig->work.header);
	assert_int_equal(rig_scan(rig, first, end), end - first);
	assert_int_equal(rig->found_len, versions * (end - first));
	for (size_t i = 0; i < rig->found_len; i++) {
		unsigned version = 0;

		if (count == 0)
			assert_int_equal(rig->found[i].version, own);
		else
			while (rig->found[i].version != rig->work.versions[version])
				assert_true(++version < count);
		assert_in_range(rig->found[i].nonce, first, end - 1);
		seen[version][rig->found[i].nonce - first]++;
	}
	for (unsigned version = 0; version < versions; version++)
		for (uint64_t i = 0; i < end - first; i++)
			assert_int_equal(seen[version][i], 1);
	assert_int_equal(rig->worker.hashes, versions * (end - first));
	assert_int_equal(rig->worker.hw_errors, 0);
	rig_close(rig);
	b->facts++;
}

static void check_versions(struct bench *b)
{
	const unsigned counts[] = { 0, 1, 3, 4, 5, 7, 8, 15, 16 };
	const uint64_t all = UINT64_C(1) << 32;

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		assert_scan_covers_versions(b, counts[i], 7, 7 + 11);
		assert_scan_covers_versions(b, counts[i], 7, 7 + 1);
		assert_scan_covers_versions(b, counts[i], all - 9, all);
	}
}

static void scan_searches_each_version_and_nonce_once(void **state)
{
	(void)state;
	each_backend(check_versions);
}

/* A batch is the lanes of one kernel; what had begun with another version must not begin again. */
static void check_versions_stop(struct bench *b)
{
	const struct kernel *versions = backend_versions_kernel(b->backend, b->algo);
	const unsigned batch = versions ? versions->lanes : b->kernel->lanes;
	struct rig *rig = rig_open(b, true);

	rig_versions(rig, VERSIONS_MAX);
	rig->publish_when_found = true;
	assert_true(rig_scan(rig, 0, UINT64_C(1) << 32) <= batch);
	assert_int_equal(rig->worker.hashes, batch);
	assert_true(rig->found_len <= batch);
	assert_int_equal(rig_scan(rig, 0, UINT64_C(1) << 32), 0);
	assert_int_equal(rig->worker.hashes, batch);
	rig_close(rig);
	b->facts++;
}

static void scan_of_versions_stops_within_one_batch(void **state)
{
	(void)state;
	each_backend(check_versions_stop);
}

static void check_fault(struct bench *b)
{
	struct rig *rig = rig_open(b, false);

	rig->worker.fault = 1;
	assert_int_equal(rig_scan(rig, 0, 3 * b->kernel->lanes), 3 * b->kernel->lanes);
	assert_int_equal(rig->worker.hw_errors, 3);
	assert_int_equal(rig->found_len, 0);
	rig_close(rig);
	b->facts++;
}

static void fault_is_counted_as_hardware_error_and_sends_nothing(void **state)
{
	(void)state;
	each_backend(check_fault);
}

/* A candidate by its top word that misses the rest of the target. */
static void check_near_miss(struct bench *b)
{
	struct rig *rig = rig_open(b, false);
	uint8_t digest[32];

	reference_digest(b, digest, 0, 9);
	rig->work.target[7] = top_word(digest);
	assert_int_equal(rig_scan(rig, 9, 10), 1);
	assert_int_equal(rig->worker.hw_errors, 0);
	assert_int_equal(rig->found_len, 0);
	memset(rig->work.target, 0xff, 7 * sizeof *rig->work.target);
	assert_int_equal(rig_scan(rig, 9, 10), 1);
	assert_int_equal(rig->found_len, 1);
	rig_close(rig);
	b->facts++;
}

static void a_near_miss_is_neither_share_nor_error(void **state)
{
	(void)state;
	each_backend(check_near_miss);
}

/* Headers of which it is known that in the thousands of nonces below theirs nothing meets the target. */
static const struct golden {
	const char *algo;
	const char *header;	/* without the nonce */
	uint32_t nonce;
	double difficulty;
} goldens[] = {
	{	/* Bitcoin's first block */
		"sha256d",
		"0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd"
		"7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d",
		0x7c2bac1d, 1
	},
	{	/* a pool's job; this is its lowest nonce at this difficulty */
		"sha256d",
		"000000204536271809f8e7d6c5b4a39281706f5e4d3c2b0a1f4e030000000000000000009291a7b5"
		"514a22b5c667bf612368fcf1424e9dfb06d78731984cb1e06ee85b52c0b1a065ffff001d",
		0x0035635f, 1.0 / 4096
	},
};

static void check_goldens(struct bench *b)
{
	for (const struct golden *g = goldens; g < goldens + sizeof goldens / sizeof *goldens; g++) {
		if (strcmp(g->algo, b->algo->name) != 0)
			continue;
		struct rig *rig = rig_open(b, false);

		target_from_difficulty(rig->work.target, g->difficulty);
		assert_true(hex_decode(rig->work.header, b->algo->nonce_off, g->header));
		assert_int_equal(rig_scan(rig, g->nonce - 4001, (uint64_t)g->nonce + 1), 4002);
		assert_int_equal(rig->found_len, 1);
		assert_int_equal(rig->found[0].nonce, g->nonce);
		assert_int_equal(rig->worker.hw_errors, 0);
		rig_close(rig);
	}
	b->facts++;
}

static void known_shares_are_found_among_thousands(void **state)
{
	(void)state;
	each_backend(check_goldens);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scan_covers_a_range_that_is_no_multiple_of_the_lanes),
		cmocka_unit_test(scan_reaches_the_last_nonce),
		cmocka_unit_test(scan_stops_within_one_batch),
		cmocka_unit_test(scan_searches_each_version_and_nonce_once),
		cmocka_unit_test(scan_of_versions_stops_within_one_batch),
		cmocka_unit_test(fault_is_counted_as_hardware_error_and_sends_nothing),
		cmocka_unit_test(a_near_miss_is_neither_share_nor_error),
		cmocka_unit_test(known_shares_are_found_among_thousands),
	};

	return run_masked(tests);
}
