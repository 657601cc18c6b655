/*
 * Every kernel this CPU can run against the reference: masks, digests, the stages of a
 * chain. Written apart from simd/selftest.c, which the program trusts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "tests/kat.h"
#include "tests/kernel_bench.h"

#define RANDOM_BATCHES 200

/* Of one lane of the batch at `nonce`. */
static void lane_digest(struct bench *b, uint8_t digest[32], uint32_t nonce, unsigned lane)
{
	if (b->kernel->versions)
		reference_digest(b, digest, b->work.versions[lane], nonce);
	else
		reference_digest(b, digest, load_le32(b->work.header), nonce + lane);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers_come_out_of_every_lane),
		cmocka_unit_test(masks_and_digests_equal_the_references),
		cmocka_unit_test(masks_equal_the_references_at_the_edges),
		cmocka_unit_test(nonces_may_come_in_any_order),
		cmocka_unit_test(a_job_prepared_again_knows_only_its_work),
		cmocka_unit_test(stages_match_their_known_answers_in_every_lane),
	};

	return run_masked(tests);
}
