/*
 * Kernels against the reference. Every comparison here is of a whole candidate mask, a
 * whole digest or all that a walk finds: a kernel that is right about some lanes is wrong.
 */
#include "simd/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/scratch.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "simd/scan.h"

#define HEADERS_MAX	(2 * LANES_MAX)	/* whose digests are known at a time */
#define QUICK_STRIDE	4		/* the quick form tries every fourth lane's edge at each nonce */

/* One kernel under test and the reference's view of the headers it is asked about. */
struct bench {
	const struct algo *algo;
	const struct kernel *kernel;
	uint32_t fault;
	void *job;
	void *scratch;
	char *why;

	alignas(CACHE_LINE) char off[alignof(struct work)];	/* so that `work` is aligned to what its type says and no more */
	struct work work;
	uint32_t nonce;			/* the first that is known of */
	uint8_t expected[HEADERS_MAX][32];
	uint32_t tops[HEADERS_MAX];
};

/* What a walk reports. */
struct finds {
	unsigned count;			/* may be more than there is room for */
	struct {
		uint32_t version, nonce;
	} find[HEADERS_MAX];
};

/* splitmix64: random enough to exercise every bit, and the same on every run. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Versions of every kind, the header's own first. */
static void random_versions(struct bench *b, uint64_t *random)
{
	b->work.versions[0] = load_le32(b->work.header);
	for (unsigned i = 1; i < b->kernel->versions; i++)
		b->work.versions[i] = (uint32_t)next_random(random);
}

static void random_header(struct bench *b, uint64_t *random)
{
	for (size_t i = 0; i < b->algo->header_len; i++)
		b->work.header[i] = (uint8_t)next_random(random);
	random_versions(b, random);
}

/* How many headers a nonce makes, and how many nonces a batch has. */
static unsigned versions_of(const struct bench *b)
{
	return b->kernel->versions ? b->kernel->versions : 1;
}

static unsigned nonces_of(const struct bench *b)
{
	return b->kernel->lanes / versions_of(b);
}

/* The version that header i of those known has. */
static uint32_t version_of(const struct bench *b, unsigned i)
{
	return b->kernel->versions ? b->work.versions[i % b->kernel->versions] : load_le32(b->work.header);
}

/* Hash `count` headers by the reference, those of `nonce` first, from an address no word would have. */
static void expect(struct bench *b, uint32_t nonce, unsigned count)
{
	uint8_t odd[1 + HEADER_MAX];

	b->nonce = nonce;
	memcpy(odd + 1, b->work.header, b->algo->header_len);
	for (unsigned i = 0; i < count; i++) {
		store_le32(odd + 1, version_of(b, i));
		store_le32(odd + 1 + b->algo->nonce_off, nonce + i / versions_of(b));
		b->algo->hash(b->expected[i], odd + 1, b->scratch);
		b->tops[i] = load_le32(b->expected[i] + 28);
	}
}

static void expect_batch(struct bench *b, uint32_t nonce)
{
	expect(b, nonce, b->kernel->lanes);
}

static int check_digests(struct bench *b)
{
	uint8_t got[1 + LANES_MAX * 32];
	uint8_t (*out)[32] = (uint8_t (*)[32])(got + 1);

	b->kernel->prepare(b->job, b->algo, &b->work);
	b->kernel->digests(b->job, b->nonce, out);
	for (unsigned i = 0; i < b->kernel->lanes; i++) {
		if (memcmp(out[i], b->expected[i], 32) != 0) {
			snprintf(b->why, SELFTEST_WHY, "digest of lane %u differs at nonce %08x", i, b->nonce);
			return -1;
		}
	}
	return 0;
}

static int check_mask(struct bench *b, uint32_t target_top)
{
	uint32_t expected = 0;

	for (unsigned i = 0; i < b->kernel->lanes; i++)
		expected |= (uint32_t)(b->tops[i] <= target_top) << i;

	b->work.target[7] = target_top;
	b->kernel->prepare(b->job, b->algo, &b->work);
	uint32_t got = b->kernel->candidates(b->job, b->nonce) ^ b->fault;
	if (got == expected)
		return 0;
	snprintf(b->why, SELFTEST_WHY, "candidates %08x instead of %08x at nonce %08x, target %08x",
		 got, expected, b->nonce, target_top);
	return -1;
}

/* The targets at the edge of what lanes first, first + stride, ... decide, and those that none and all meet. */
static int check_edges(struct bench *b, unsigned first, unsigned stride)
{
	if (check_digests(b) < 0 || check_mask(b, 0) < 0 || check_mask(b, UINT32_MAX) < 0)
		return -1;
	for (unsigned i = first; i < b->kernel->lanes; i += stride) {
		if (check_mask(b, b->tops[i]) < 0)
			return -1;
		if (b->tops[i] > 0 && check_mask(b, b->tops[i] - 1) < 0)
			return -1;
	}
	return 0;
}

/* Each known header in the first and the last lane. */
static int check_known_answers(struct bench *b, uint64_t *random)
{
	for (const struct kat *kat = b->algo->kats; kat->header; kat++) {
		uint8_t digest[32], header[HEADER_MAX];

		if (!hex_decode(header, b->algo->header_len, kat->header) || !hex_decode(digest, 32, kat->digest)) {
			snprintf(b->why, SELFTEST_WHY, "a known answer is not hex of the right length");
			return -1;
		}
		for (unsigned lane = 0; lane < b->kernel->lanes; lane++) {
			memcpy(b->work.header, header, sizeof header);
			if (b->kernel->versions) {
				/* the known version is that lane's, and another one the header's own */
				if (lane > 0)
					store_le32(b->work.header, (uint32_t)next_random(random));
				random_versions(b, random);
				b->work.versions[lane] = load_le32(header);
			}
			expect_batch(b, load_le32(header + b->algo->nonce_off) - lane / versions_of(b));
			if (memcmp(b->expected[lane], digest, 32) != 0) {
				snprintf(b->why, SELFTEST_WHY, "the reference gives a wrong known answer");
				return -1;
			}
			if (check_digests(b) < 0 || check_mask(b, b->tops[lane]) < 0)
				return -1;
			if (lane == 0 && b->kernel->lanes > 2)
				lane = b->kernel->lanes - 2;	/* the reference's time is most of a quick test's */
		}
	}
	return 0;
}

static void keep_find(void *ctx, const struct share *share)
{
	struct finds *finds = ctx;

	if (finds->count < HEADERS_MAX) {
		finds->find[finds->count].version = load_le32(share->work.header);
		finds->find[finds->count].nonce = share->nonce;
	}
	finds->count++;
}

/* The finds are those that the reference expects of `headers` headers, in their order. */
static bool finds_are_expected(const struct bench *b, const struct finds *finds, unsigned headers, uint32_t target_top)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < headers; i++) {
		if (b->tops[i] > target_top)
			continue;
		if (seen == finds->count || finds->find[seen].nonce != b->nonce + i / versions_of(b) ||
		    finds->find[seen].version != version_of(b, i))
			return false;
		seen++;
	}
	return seen == finds->count;
}

/* Walk `nonces` nonces, all known of, in the miner's own loop. */
static int check_walk(struct bench *b, unsigned nonces, uint32_t target_top)
{
	static const struct backend backend = { .name = "the kernel under test" };
	const uint64_t end = (uint64_t)b->nonce + nonces;
	struct finds finds = { 0 };
	struct board board;
	struct worker worker = {
		.algo = b->algo, .backend = &backend, .board = &board, .scratch = b->scratch, .fault = b->fault,
		.found = keep_find, .found_ctx = &finds,
	};

	memset(b->work.target, 0xff, sizeof b->work.target);	/* below the top word, any digest will do */
	b->work.target[7] = target_top;
	board_init(&board, NULL, NULL);
	uint64_t hashes = lanes_walk(&worker, b->kernel, b->job, &b->work, b->nonce, end);
	board_destroy(&board);
	if (hashes == nonces * versions_of(b) && worker.hw_errors == 0 &&
	    finds_are_expected(b, &finds, nonces * versions_of(b), target_top))
		return 0;
	snprintf(b->why, SELFTEST_WHY, "a walk from nonce %08x over %u finds %u, %u of them false, or not the right ones, target %08x",
		 b->nonce, nonces, finds.count + (unsigned)worker.hw_errors, (unsigned)worker.hw_errors, target_top);
	return -1;
}

/*
 * Ranges that end within a batch: the second, the first, and the second and the last nonce there is. Every walk's finds
 * are hashed once more, so only two have a target that all meet.
 */
static int check_ranges(struct bench *b, uint64_t *random)
{
	const unsigned batch = nonces_of(b), longer = batch + 1, shorter = batch > 1 ? batch - 1 : 1;

	random_header(b, random);
	expect(b, 0x00ffffff, longer * versions_of(b));
	if (check_walk(b, longer, b->tops[0]) < 0 || check_walk(b, shorter, UINT32_MAX) < 0)
		return -1;
	random_header(b, random);
	expect(b, 0u - longer, longer * versions_of(b));
	return check_walk(b, longer, UINT32_MAX);
}

static int check_all(struct bench *b, unsigned headers)
{
	/* the first, one that carries through all its bytes, and the last whole and the last broken batch */
	const uint32_t nonces[] = { 0, 0x00ffffff, 0u - b->kernel->lanes, UINT32_MAX };
	const unsigned stride = headers > SELFTEST_QUICK || b->kernel->lanes < QUICK_STRIDE ? 1 : QUICK_STRIDE;
	uint64_t random = 1;

	if (check_known_answers(b, &random) < 0 || check_ranges(b, &random) < 0)
		return -1;
	for (unsigned i = 0; i < sizeof nonces / sizeof *nonces; i++) {
		random_header(b, &random);
		expect_batch(b, nonces[i]);
		if (check_edges(b, i % stride, stride) < 0)
			return -1;
	}
	for (unsigned done = 0; done < headers; done += b->kernel->lanes) {
		random_header(b, &random);
		expect_batch(b, (uint32_t)next_random(&random));
		if (check_digests(b) < 0 || check_mask(b, b->tops[done / b->kernel->lanes % b->kernel->lanes]) < 0)
			return -1;
	}
	return 0;
}

int selftest_kernel(const struct algo *algo, const struct kernel *kernel, unsigned headers, uint32_t fault, char why[SELFTEST_WHY])
{
	struct bench b = {
		.algo = algo, .kernel = kernel, .fault = fault, .why = why,
		.work.version_count = (uint8_t)kernel->versions,
	};
	int result = -1;

	b.job = lanes_job_alloc(kernel, algo);
	b.scratch = algo_scratch(algo);
	if (b.job && b.scratch)
		result = check_all(&b, headers);
	else
		snprintf(why, SELFTEST_WHY, "no memory");
	free(b.scratch);
	free(b.job);
	return result;
}
