/*
 * Every kernel this CPU can run against the reference, and the nonce loop and the
 * choice of backends above them. Written apart from simd/selftest.c, which the
 * program trusts: here a fault in that one shows, too.
 *
 * ADIT_CPU_MASK in the environment is a mask like --cpu's, for machines that one does not have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "base/target.h"
#include "simd/backend.h"
#include "simd/cpu.h"
#include "simd/scan.h"
#include "simd/selftest.h"
#include "tests/kat.h"
#include "work/worker.h"

#define RANDOM_BATCHES 200

/* A kernel with its memory, and room for what it is held against. */
struct bench {
	const struct algo *algo;
	const struct backend *backend;
	const struct kernel *kernel;
	char name[BACKEND_KERNEL_NAME];
	void *job;
	void *scratch;
	struct work work;
	uint32_t seed;
	size_t facts;		/* checked so far */
};

typedef void bench_fn(struct bench *);

static void try_kernel(bench_fn *check, const struct algo *algo, const struct backend *backend, const struct kernel *kernel)
{
	struct bench b = { .algo = algo, .backend = backend, .kernel = kernel, .seed = 1 };

	if (!kernel || !backend->supported())
		return;
	backend_kernel_name(b.name, backend, kernel);
	b.job = lanes_job_alloc(b.kernel, b.algo);
	b.scratch = lanes_job_alloc(&(const struct kernel){ .job_len = CACHE_LINE }, b.algo);
	assert_non_null(b.job);
	assert_non_null(b.scratch);
	check(&b);
	print_message("%s %s: %zu checked\n", b.algo->name, b.name, b.facts);
	assert_true(b.facts > 0);
	free(b.scratch);
	free(b.job);
}

/* Run `check` on every kernel that this machine supports; one that nobody supports is no failure here. */
static void each_kernel(bench_fn *check)
{
	for (const struct algo *const *algo = algos; *algo; algo++) {
		for (const struct backend *const *backend = backends; *backend; backend++) {
			try_kernel(check, *algo, *backend, backend_kernel(*backend, *algo));
			try_kernel(check, *algo, *backend, backend_versions_kernel(*backend, *algo));
		}
	}
}

/* Run `check` on every backend, with its kernel for work without versions: for what is not about one kernel. */
static void each_backend(bench_fn *check)
{
	for (const struct algo *const *algo = algos; *algo; algo++)
		for (const struct backend *const *backend = backends; *backend; backend++)
			try_kernel(check, *algo, *backend, backend_kernel(*backend, *algo));
}

/* Numerical Recipes' linear congruential generator; the upper bits are good enough. */
static uint32_t next_random(struct bench *b)
{
	uint32_t high = b->seed = b->seed * 1664525 + 1013904223;

	b->seed = b->seed * 1664525 + 1013904223;
	return (high & 0xffff0000) | b->seed >> 16;
}

static void fill_random(struct bench *b, uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(next_random(b) >> 24);
}

/* Random versions for a kernel whose lanes they are, the header's own first. */
static void fill_versions(struct bench *b)
{
	b->work.version_count = (uint8_t)b->kernel->versions;
	for (unsigned i = 0; i < b->kernel->versions; i++)
		b->work.versions[i] = i ? next_random(b) : load_le32(b->work.header);
}

static void fill_random_work(struct bench *b)
{
	fill_random(b, b->work.header, sizeof b->work.header);
	fill_versions(b);
}

static void reference_digest(struct bench *b, uint8_t digest[32], uint32_t version, uint32_t nonce)
{
	uint8_t header[HEADER_MAX];

	memcpy(header, b->work.header, sizeof header);
	store_le32(header, version);
	store_le32(header + b->algo->nonce_off, nonce);
	b->algo->hash(digest, header, b->scratch);
}

/* Of one lane of the batch at `nonce`. */
static void lane_digest(struct bench *b, uint8_t digest[32], uint32_t nonce, unsigned lane)
{
	if (b->kernel->versions)
		reference_digest(b, digest, b->work.versions[lane], nonce);
	else
		reference_digest(b, digest, load_le32(b->work.header), nonce + lane);
}

static uint32_t top_word(const uint8_t digest[32])
{
	return load_le32(digest + 28);
}

static void assert_mask(struct bench *b, uint32_t nonce, uint32_t target_top, const uint32_t *tops)
{
	uint32_t want = 0;

	for (unsigned lane = 0; lane < b->kernel->lanes; lane++)
		if (tops[lane] <= target_top)
			want |= UINT32_C(1) << lane;
	b->work.target[7] = target_top;
	b->kernel->prepare(b->job, b->algo, &b->work);
	uint32_t got = b->kernel->candidates(b->job, nonce);
	if (got != want)
		fail_msg("%s %s: nonce %08x, target %08x: mask %08x, should be %08x",
			 b->algo->name, b->name, nonce, target_top, got, want);
	b->facts++;
}

/* Digests of the batch at `nonce` and, for targets of every kind, its masks. */
static void assert_batch(struct bench *b, uint32_t nonce)
{
	uint8_t got[LANES_MAX][32], want[32];
	uint32_t tops[LANES_MAX];
	unsigned lane = next_random(b) % b->kernel->lanes;

	b->kernel->prepare(b->job, b->algo, &b->work);
	b->kernel->digests(b->job, nonce, got);
	for (unsigned i = 0; i < b->kernel->lanes; i++) {
		lane_digest(b, want, nonce, i);
		if (memcmp(got[i], want, 32) != 0)
			fail_msg("%s %s: wrong digest in lane %u at nonce %08x", b->algo->name, b->name, i, nonce);
		tops[i] = top_word(want);
	}
	assert_mask(b, nonce, next_random(b), tops);
	assert_mask(b, nonce, tops[lane], tops);
	assert_mask(b, nonce, tops[lane] - 1, tops);
	assert_mask(b, nonce, tops[lane] ^ UINT32_C(0x80000000), tops);	/* a signed comparison would turn here */
}

static void check_random_batches(struct bench *b)
{
	for (unsigned i = 0; i < RANDOM_BATCHES / (b->kernel->lanes < 8 ? 1 : b->kernel->lanes / 8); i++) {
		fill_random_work(b);
		assert_batch(b, next_random(b));
	}
}

static void masks_and_digests_equal_the_references(void **state)
{
	(void)state;
	each_kernel(check_random_batches);
}

static void check_edges(struct bench *b)
{
	const uint32_t lanes = b->kernel->lanes;
	const uint32_t nonces[] = {
		0, 1, 0xff, 0xffff, 0xffffff, 0x7fffffff, 0x80000000,
		0 - lanes, 0 - lanes + 1, UINT32_MAX,
	};

	for (int fill = 0; fill < 3; fill++) {
		fill_random(b, b->work.header, sizeof b->work.header);
		if (fill < 2)
			memset(b->work.header, fill ? 0xff : 0, sizeof b->work.header);
		fill_versions(b);
		for (size_t i = 0; i < sizeof nonces / sizeof *nonces; i++) {
			uint32_t tops[LANES_MAX];
			uint8_t digest[32];

			assert_batch(b, nonces[i]);
			for (unsigned lane = 0; lane < lanes; lane++) {
				lane_digest(b, digest, nonces[i], lane);
				tops[lane] = top_word(digest);
			}
			assert_mask(b, nonces[i], 0, tops);
			assert_mask(b, nonces[i], UINT32_MAX, tops);
		}
	}
}

static void masks_equal_the_references_at_the_edges(void **state)
{
	(void)state;
	each_kernel(check_edges);
}

/* A job is prepared anew for every work: nothing of the last one may show, nor the bytes where the nonce goes. */
static void check_prepared_again(struct bench *b)
{
	uint8_t first[LANES_MAX][32], again[LANES_MAX][32];
	struct work work;

	fill_random_work(b);
	work = b->work;
	b->kernel->prepare(b->job, b->algo, &work);
	b->kernel->digests(b->job, 5, first);

	fill_random_work(b);
	b->kernel->prepare(b->job, b->algo, &b->work);
	b->kernel->candidates(b->job, 4);

	store_le32(work.header + b->algo->nonce_off, next_random(b));
	b->kernel->prepare(b->job, b->algo, &work);
	b->kernel->digests(b->job, 5, again);
	assert_memory_equal(first, again, 32 * b->kernel->lanes);
	b->facts++;
}

/* What a call remembers of the nonces before it must not show: by jumps, backwards, and on and on over the end. */
static void check_any_order(struct bench *b)
{
	const uint32_t jumps[] = { 0, 2, 0u - 1, 7, 0u - 8, 0x80000000, 0u - 3 };
	const size_t jump_count = sizeof jumps / sizeof *jumps;
	uint32_t nonce = 0x7fffffff;

	fill_random_work(b);
	b->kernel->prepare(b->job, b->algo, &b->work);
	for (size_t i = 0; i < jump_count + 20; i++) {
		uint8_t got[LANES_MAX][32], want[32];

		nonce += i < jump_count ? jumps[i] : 1;
		b->kernel->digests(b->job, nonce, got);
		for (unsigned lane = 0; lane < b->kernel->lanes; lane++) {
			lane_digest(b, want, nonce, lane);
			if (memcmp(got[lane], want, 32) != 0)
				fail_msg("%s %s: wrong digest in lane %u at nonce %08x", b->algo->name, b->name, lane, nonce);
		}
		b->facts++;
	}
}

static void nonces_may_come_in_any_order(void **state)
{
	(void)state;
	each_kernel(check_any_order);
}

static void a_job_prepared_again_knows_only_its_work(void **state)
{
	(void)state;
	each_kernel(check_prepared_again);
}

static bool check_known_answer(const struct vector *vector, const void *context)
{
	struct bench *b = *(struct bench *const *)context;
	uint8_t got[LANES_MAX][32];

	assert_int_equal(vector->input_len, b->algo->header_len);
	memcpy(b->work.header, vector->input, vector->input_len);
	uint32_t nonce = load_le32(vector->input + b->algo->nonce_off);

	for (unsigned lane = 0; lane < b->kernel->lanes; lane++) {
		uint32_t first = b->kernel->versions ? nonce : nonce - lane;

		if (b->kernel->versions) {
			store_le32(b->work.header, next_random(b));
			fill_versions(b);
			b->work.versions[lane] = load_le32(vector->input);
			store_le32(b->work.header, b->work.versions[0]);
		}
		b->work.target[7] = top_word(vector->output);
		b->kernel->prepare(b->job, b->algo, &b->work);
		b->kernel->digests(b->job, first, got);
		if (memcmp(got[lane], vector->output, 32) != 0)
			fail_msg("%s %s: %s is wrong in lane %u", b->algo->name, b->name, vector->name, lane);
		if (!(b->kernel->candidates(b->job, first) >> lane & 1))
			fail_msg("%s %s: %s is no candidate in lane %u", b->algo->name, b->name, vector->name, lane);
		b->facts++;
	}
	return true;
}

static void check_known_answers(struct bench *b)
{
	char file[64];

	snprintf(file, sizeof file, "%s.json", b->algo->name);
	assert_true(kat_each(file, check_known_answer, &b) > 0);
}

static void known_answers_come_out_of_every_lane(void **state)
{
	(void)state;
	each_kernel(check_known_answers);
}

/* A stage of a chain and the bench it belongs to. */
struct stage_bench {
	struct bench *b;
	const struct lane_stage *stage;
};

static bool check_stage_answer(const struct vector *vector, const void *context)
{
	const struct stage_bench *s = context;
	const unsigned lanes = s->b->kernel->lanes;
	const size_t name_len = strlen(s->stage->name), vector_len = strlen(vector->name);

	/* header0-stage3-cubehash256 */
	if (vector_len < name_len || strcmp(vector->name + vector_len - name_len, s->stage->name) != 0 || vector->input_len != 32)
		return false;
	for (unsigned lane = 0; lane < lanes; lane++) {
		alignas(CACHE_LINE) uint64_t words[4 * LANES_MAX];

		fill_random(s->b, (uint8_t *)words, sizeof words);
		for (unsigned w = 0; w < 4; w++)
			words[w * lanes + lane] = load_le64(vector->input + 8 * w);
		s->stage->run(s->b->job, words);
		for (unsigned w = 0; w < 4; w++)
			if (words[w * lanes + lane] != load_le64(vector->output + 8 * w))
				fail_msg("%s %s: %s is wrong in lane %u", s->b->algo->name, s->b->name, vector->name, lane);
		s->b->facts++;
	}
	return true;
}

static void check_stages(struct bench *b)
{
	char file[64];

	b->facts++;	/* having no stages is all right */
	if (!b->kernel->stages)
		return;
	snprintf(file, sizeof file, "%s-stages.json", b->algo->name);
	b->kernel->prepare(b->job, b->algo, &b->work);
	for (const struct lane_stage *stage = b->kernel->stages; stage->name; stage++)
		assert_true(kat_each(file, check_stage_answer, &(struct stage_bench){ b, stage }) > 0);
}

static void stages_match_their_known_answers_in_every_lane(void **state)
{
	(void)state;
	each_kernel(check_stages);
}

/* The program's own self-test agrees, and sees a single flipped bit. */
static void check_selftest(struct bench *b)
{
	char why[SELFTEST_WHY] = "";

	if (selftest_kernel(b->algo, b->kernel, SELFTEST_QUICK, 0, why) < 0)
		fail_msg("%s %s: %s", b->algo->name, b->name, why);
	for (unsigned lane = 0; lane < b->kernel->lanes; lane++) {
		assert_int_equal(selftest_kernel(b->algo, b->kernel, SELFTEST_QUICK, UINT32_C(1) << lane, why), -1);
		b->facts++;
	}
}

static void self_test_sees_one_flipped_bit(void **state)
{
	(void)state;
	each_kernel(check_selftest);
}

/* A worker without its thread, so that scan() can be called and looked at. */
struct rig {
	struct board board;
	struct worker worker;
	struct work work;
	struct {
		uint32_t version, nonce;
	} found[4 * LANES_MAX];		/* in the order of their finding */
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
	const unsigned counts[] = { 0, 1, 3, 4, 5, 7, 8 };
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

static void check_forced(struct bench *b)
{
	const struct backend_fault none = { 0 }, broken = { .backend = b->backend->name };
	const struct backend_fault later = { .backend = b->backend->name, .spare_selftest = true };

	assert_ptr_equal(backend_choose(b->algo, b->backend->name, &none), b->backend);
	assert_null(backend_choose(b->algo, b->backend->name, &broken));
	assert_ptr_equal(backend_choose(b->algo, b->backend->name, &later), b->backend);
	assert_int_not_equal(backend_fault_mask(&later, b->backend, false), 0);
	assert_int_equal(backend_fault_mask(&none, b->backend, false), 0);
	b->facts++;
}

static void forced_backend_that_fails_is_refused(void **state)
{
	(void)state;
	each_backend(check_forced);
}

static void forced_backend_that_is_not_there_is_refused(void **state)
{
	(void)state;
	for (const struct backend *const *b = backends; *b; b++)
		if (!(*b)->supported())
			assert_null(backend_choose(algos[0], (*b)->name, &(struct backend_fault){ 0 }));
	assert_null(backend_choose(algos[0], "abacus", &(struct backend_fault){ 0 }));
}

/* The first in list order that is supported, has a kernel, and comes after `after` (NULL: any). */
static const struct backend *expected_choice(const struct algo *algo, const struct backend *after)
{
	for (const struct backend *const *b = backends; *b; b++) {
		if (after)
			after = *b == after ? NULL : after;
		else if ((*b)->supported() && backend_kernel(*b, algo))
			return *b;
	}
	return NULL;
}

static void choice_falls_through_a_failing_backend(void **state)
{
	(void)state;
	for (const struct algo *const *algo = algos; *algo; algo++) {
		const struct backend *best = expected_choice(*algo, NULL);

		assert_ptr_equal(backend_choose(*algo, NULL, &(struct backend_fault){ 0 }), best);
		assert_ptr_equal(backend_choose(*algo, NULL, &(struct backend_fault){ .backend = best->name }),
				 expected_choice(*algo, best));
	}
}

/* What a backend must not be without, and how --cpu takes that away. */
static const struct need {
	const char *backend;
	const char *mask;
} needs[] = {
	{ "sha-ni", "-sha" }, { "sha-ni", "-sse4.1" }, { "avx2", "-avx2" }, { "sse2", "-sse2" },
	{ "armv8-sha2", "-sha2" }, { "neon", "-neon" },
};

static void no_backend_is_supported_without_its_feature(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
		const struct backend *backend = backend_find(needs[i].backend);
		int status;

		if (!backend)
			continue;
		pid_t child = fork();	/* a mask cannot be taken back */
		if (child == 0)
			_exit(cpu_mask(needs[i].mask) < 0 || backend->supported());
		assert_true(child > 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status != 0)
			fail_msg("%s is supported under %s", needs[i].backend, needs[i].mask);
	}
}

/* The names in ADIT_CPU_MASK, which main() has applied. */
static void no_masked_feature_is_reported(void **state)
{
	const char *mask = getenv("ADIT_CPU_MASK");
	char have[256], text[256], *rest = text;

	(void)state;
	if (!mask)
		return;
	cpu_feature_names(have, sizeof have - 1);
	strcat(have, " ");
	snprintf(text, sizeof text, "%s", mask);
	for (char *item; (item = strsep(&rest, ",")); ) {
		char word[64];

		snprintf(word, sizeof word, "%s ", item + 1);
		assert_null(strstr(have, word));
	}
}

/* Intel SDM vol. 2A, CPUID: leaf 1 ECX and EDX, leaf 7 EBX. */
#define SSSE3		(1u << 9)
#define SSE41		(1u << 19)
#define OSXSAVE		(1u << 27)
#define AVX		(1u << 28)
#define SSE2		(1u << 26)
#define AVX2		(1u << 5)
#define SHA		(1u << 29)

static const struct cpu_x86_ids modern = {
	.max_leaf = 7, .leaf1_ecx = SSSE3 | SSE41 | OSXSAVE | AVX, .leaf1_edx = SSE2, .leaf7_ebx = AVX2 | SHA, .xcr0 = 7,
};

static bool decodes(struct cpu_x86_ids id, enum cpu_feature feature)
{
	return cpu_decode_x86(&id) >> feature & 1;
}

static void a_modern_cpu_has_everything(void **state)
{
	(void)state;
	for (enum cpu_feature f = CPU_SSE2; f <= CPU_SHA; f++)
		assert_true(decodes(modern, f));
	assert_false(decodes(modern, CPU_NEON));
	assert_false(decodes(modern, CPU_SHA2));
}

static void avx_needs_a_system_that_uses_xsave(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.leaf1_ecx &= ~OSXSAVE;
	id.xcr0 = 0;
	assert_false(decodes(id, CPU_AVX));
	assert_false(decodes(id, CPU_AVX2));
	assert_true(decodes(id, CPU_SSE2));
	assert_true(decodes(id, CPU_SHA));
}

static void avx_needs_a_system_that_keeps_upper_halves(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.xcr0 = 3;	/* x87 and SSE */
	assert_false(decodes(id, CPU_AVX));
	assert_false(decodes(id, CPU_AVX2));
	assert_true(decodes(id, CPU_SHA));
	id.xcr0 = 5;	/* the upper halves without the lower: nothing may be used */
	for (enum cpu_feature f = CPU_SSE2; f <= CPU_SHA; f++)
		assert_false(decodes(id, f));
}

static void sha_needs_sse41(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.leaf1_ecx &= ~SSE41;
	assert_false(decodes(id, CPU_SHA));
	assert_true(decodes(id, CPU_AVX2));
}

static void leaf_7_counts_only_where_there_is_one(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.max_leaf = 6;
	assert_false(decodes(id, CPU_AVX2));
	assert_false(decodes(id, CPU_SHA));
	assert_true(decodes(id, CPU_AVX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers_come_out_of_every_lane),
		cmocka_unit_test(masks_and_digests_equal_the_references),
		cmocka_unit_test(masks_equal_the_references_at_the_edges),
		cmocka_unit_test(nonces_may_come_in_any_order),
		cmocka_unit_test(a_job_prepared_again_knows_only_its_work),
		cmocka_unit_test(stages_match_their_known_answers_in_every_lane),
		cmocka_unit_test(self_test_sees_one_flipped_bit),
		cmocka_unit_test(scan_covers_a_range_that_is_no_multiple_of_the_lanes),
		cmocka_unit_test(scan_reaches_the_last_nonce),
		cmocka_unit_test(scan_stops_within_one_batch),
		cmocka_unit_test(scan_searches_each_version_and_nonce_once),
		cmocka_unit_test(scan_of_versions_stops_within_one_batch),
		cmocka_unit_test(fault_is_counted_as_hardware_error_and_sends_nothing),
		cmocka_unit_test(a_near_miss_is_neither_share_nor_error),
		cmocka_unit_test(known_shares_are_found_among_thousands),
		cmocka_unit_test(forced_backend_that_fails_is_refused),
		cmocka_unit_test(forced_backend_that_is_not_there_is_refused),
		cmocka_unit_test(choice_falls_through_a_failing_backend),
		cmocka_unit_test(no_backend_is_supported_without_its_feature),
		cmocka_unit_test(no_masked_feature_is_reported),
		cmocka_unit_test(a_modern_cpu_has_everything),
		cmocka_unit_test(avx_needs_a_system_that_uses_xsave),
		cmocka_unit_test(avx_needs_a_system_that_keeps_upper_halves),
		cmocka_unit_test(sha_needs_sse41),
		cmocka_unit_test(leaf_7_counts_only_where_there_is_one),
	};
	const char *mask = getenv("ADIT_CPU_MASK");

	if (mask && cpu_mask(mask) < 0)
		return 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
