/*
 * The self-test put to the test: kernels that are wrong on purpose, each in one way only,
 * are refused by name. They hash by the reference, so that all else about them is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "simd/selftest.h"
#include "tests/kernel_bench.h"

#define NONCES		8	/* lanes of the one kernel */
#define VERSIONS	4	/* lanes of the other */

/* What is wrong, if anything. */
enum flaw {
	NO_FLAW,
	DIGEST_OF_ONE_LANE, MASK_OF_ONE_LANE, ONE_MASK_BIT_TOO_MANY,
	KNOWN_ANSWER_DIGEST, KNOWN_ANSWER_MASK,
	LESS_FOR_LESS_OR_EQUAL, NONE_AT_TARGET_0XFFFFFFFF, ALL_AT_TARGET_0, SIGNED_COMPARE, FIRST_TARGET_FOR_EVER,
	LAST_NONCE_MASK, NONCE_WITHOUT_WRAP, NONCE_WITHOUT_CARRY, NONCE_OF_THE_FIRST_BATCH, NOTHING_AFTER_THE_FIRST_BATCH,
	FOUND_A_LANE_LATE,
	VERSIONS_IN_ANOTHER_ORDER, VERSION_OF_THE_HEADER,
	FLAWS
};

/* A kernel has no other context than its job, which prepare() fills. */
static enum flaw flaw_of_nonces, flaw_of_versions;

/* Addresses that the self-test used, or-ed. */
static struct {
	uintptr_t work, out;
} seen;

struct job {
	struct work work;
	enum flaw flaw;
	unsigned lanes, versions;
	bool prepared_before;
	uint32_t first_target;		/* it was ever prepared for */
	bool called_before;		/* since then */
	uint32_t first_nonce;
};

static bool is_known(const uint8_t *header)
{
	uint8_t known[HEADER_MAX];

	assert_true(hex_decode(known, sizeof known, algos[0]->kats[0].header));
	return memcmp(header, known, sizeof known) == 0;
}

static uint32_t nonce_of(const struct job *job, uint32_t batch, unsigned lane)
{
	const uint32_t offset = job->versions ? 0 : lane;

	if (job->flaw == NONCE_WITHOUT_WRAP && batch > UINT32_MAX - offset)
		return UINT32_MAX;
	if (job->flaw == NONCE_WITHOUT_CARRY)
		return (batch & 0xff000000) | ((batch + offset) & 0x00ffffff);
	return batch + offset;
}

static uint32_t version_of(const struct job *job, unsigned lane)
{
	if (!job->versions || job->flaw == VERSION_OF_THE_HEADER)
		return load_le32(job->work.header);
	return job->work.versions[job->flaw == VERSIONS_IN_ANOTHER_ORDER ? lane ^ 1 : lane];
}

/* The digest of a lane; its header too. */
static void hash_lane(const struct job *job, uint8_t digest[32], uint8_t header[HEADER_MAX], uint32_t batch, unsigned lane)
{
	memcpy(header, job->work.header, HEADER_MAX);
	store_le32(header, version_of(job, lane));
	store_le32(header + algos[0]->nonce_off, nonce_of(job, batch, lane));
	algos[0]->hash(digest, header, NULL);
}

static void fake_digests(void *memory, uint32_t nonce, uint8_t (*out)[32])
{
	const struct job *job = memory;
	uint8_t header[HEADER_MAX];

	seen.out |= (uintptr_t)out;
	for (unsigned lane = 0; lane < job->lanes; lane++) {
		hash_lane(job, out[lane], header, nonce, lane);
		if ((job->flaw == DIGEST_OF_ONE_LANE && lane == 1) || (job->flaw == KNOWN_ANSWER_DIGEST && is_known(header)))
			out[lane][0] ^= 1;
	}
}

static bool meets(const struct job *job, uint32_t top)
{
	const uint32_t target = job->flaw == FIRST_TARGET_FOR_EVER ? job->first_target : job->work.target[7];

	switch (job->flaw) {
	case LESS_FOR_LESS_OR_EQUAL:
		return top < target || target == UINT32_MAX;
	case NONE_AT_TARGET_0XFFFFFFFF:
		return top <= target && target < UINT32_MAX;
	case ALL_AT_TARGET_0:
		return top <= target || target == 0;
	case SIGNED_COMPARE:
		return (int32_t)top <= (int32_t)target;
	default:
		return top <= target;
	}
}

static uint32_t fake_candidates(void *memory, uint32_t nonce)
{
	struct job *job = memory;
	uint8_t digest[32], header[HEADER_MAX];
	uint32_t mask = 0;

	if (job->flaw == NONCE_OF_THE_FIRST_BATCH && job->called_before)
		nonce = job->first_nonce;
	if (job->flaw == NOTHING_AFTER_THE_FIRST_BATCH && job->called_before)
		return 0;
	job->called_before = true;
	job->first_nonce = nonce;
	for (unsigned lane = 0; lane < job->lanes; lane++) {
		hash_lane(job, digest, header, nonce, lane);
		bool found = meets(job, load_le32(digest + 28));

		if ((job->flaw == MASK_OF_ONE_LANE && lane == 1) || (job->flaw == KNOWN_ANSWER_MASK && is_known(header)) ||
		    (job->flaw == LAST_NONCE_MASK && nonce_of(job, nonce, lane) == UINT32_MAX))
			found = false;
		mask |= (uint32_t)found << lane;
	}
	if (job->flaw == ONE_MASK_BIT_TOO_MANY)
		mask |= UINT32_C(1) << job->lanes;
	if (job->flaw == FOUND_A_LANE_LATE)
		mask = mask << 1 & ((UINT32_C(1) << job->lanes) - 1);
	return mask;
}

static void fake_prepare(struct job *job, const struct work *work, enum flaw flaw, unsigned lanes, unsigned versions)
{
	*job = (struct job){
		.work = *work, .flaw = flaw, .lanes = lanes, .versions = versions, .prepared_before = true,
		.first_target = job->prepared_before ? job->first_target : work->target[7],
	};
	seen.work |= (uintptr_t)work;
}

static void prepare_nonces(void *memory, const struct algo *algo, const struct work *work)
{
	(void)algo;
	fake_prepare(memory, work, flaw_of_nonces, NONCES, 0);
}

static void prepare_versions(void *memory, const struct algo *algo, const struct work *work)
{
	(void)algo;
	fake_prepare(memory, work, flaw_of_versions, VERSIONS, VERSIONS);
}

static const struct kernel kernels[] = {
	{ .algo = "sha256d", .lanes = NONCES, .job_len = sizeof(struct job),
	  .prepare = prepare_nonces, .candidates = fake_candidates, .digests = fake_digests },
	{ .algo = "sha256d", .lanes = VERSIONS, .versions = VERSIONS, .job_len = sizeof(struct job),
	  .prepare = prepare_versions, .candidates = fake_candidates, .digests = fake_digests },
	{ .algo = NULL }
};

static bool yes(void)
{
	return true;
}

static const struct backend fake = { .name = "fake", .supported = yes, .kernels = kernels };

/* What the quick self-test of the fake says: "" when it passes. */
static const char *verdict(enum flaw of_nonces, enum flaw of_versions)
{
	static char why[BACKEND_WHY];

	why[0] = '\0';
	flaw_of_nonces = of_nonces;
	flaw_of_versions = of_versions;
	int result = backend_self_test(algos[0], &fake, &(struct backend_fault){ 0 }, why);
	assert_int_equal(result, why[0] ? -1 : 0);
	return why;
}

static void assert_begins(const char *text, const char *begin)
{
	if (strncmp(text, begin, strlen(begin)) != 0)
		fail_msg("\"%s\" does not begin with \"%s\"", text, begin);
}

static void a_right_kernel_passes(void **state)
{
	(void)state;
	assert_string_equal(verdict(NO_FLAW, NO_FLAW), "");
	for (size_t i = 0; i < 2; i++) {
		char why[SELFTEST_WHY] = "";

		if (selftest_kernel(algos[0], &kernels[i], SELFTEST_FULL, 0, why) < 0)
			fail_msg("%s", why);
	}
}

static void refuses_as_nonces(enum flaw flaw)
{
	assert_begins(verdict(flaw, NO_FLAW), "backend fake: self-test failed on sha256d: ");
}

static void refuses_as_versions(enum flaw flaw)
{
	assert_begins(verdict(NO_FLAW, flaw), "backend fake, 4 versions: self-test failed on sha256d: ");
}

static void refuses(enum flaw flaw)
{
	refuses_as_nonces(flaw);
	refuses_as_versions(flaw);
}

static void one_wrong_lane_is_refused(void **state)
{
	(void)state;
	refuses(DIGEST_OF_ONE_LANE);
	refuses(MASK_OF_ONE_LANE);
	refuses(ONE_MASK_BIT_TOO_MANY);
	refuses(FOUND_A_LANE_LATE);
}

static void a_wrong_known_answer_alone_is_refused(void **state)
{
	(void)state;
	refuses(KNOWN_ANSWER_DIGEST);
	refuses(KNOWN_ANSWER_MASK);
}

static void a_wrong_edge_of_the_target_alone_is_refused(void **state)
{
	(void)state;
	refuses(LESS_FOR_LESS_OR_EQUAL);
	refuses(NONE_AT_TARGET_0XFFFFFFFF);
	refuses(ALL_AT_TARGET_0);
	refuses(SIGNED_COMPARE);
	refuses(FIRST_TARGET_FOR_EVER);
}

static void a_wrong_end_of_the_nonces_alone_is_refused(void **state)
{
	(void)state;
	refuses(LAST_NONCE_MASK);
	refuses_as_nonces(NONCE_WITHOUT_WRAP);
	refuses_as_nonces(NONCE_WITHOUT_CARRY);
}

/* Only a walk asks for two batches of the same work. */
static void a_wrong_second_batch_alone_is_refused(void **state)
{
	(void)state;
	refuses(NONCE_OF_THE_FIRST_BATCH);
	refuses(NOTHING_AFTER_THE_FIRST_BATCH);
	assert_non_null(strstr(verdict(NOTHING_AFTER_THE_FIRST_BATCH, NO_FLAW), "walk"));
}

static void wrong_versions_alone_are_refused(void **state)
{
	(void)state;
	refuses_as_versions(VERSIONS_IN_ANOTHER_ORDER);
	refuses_as_versions(VERSION_OF_THE_HEADER);
}

static void every_flaw_was_tried(void **state)
{
	(void)state;
	for (enum flaw flaw = NO_FLAW + 1; flaw < FLAWS; flaw++)
		assert_true(verdict(flaw, NO_FLAW)[0] != '\0' || verdict(NO_FLAW, flaw)[0] != '\0');
}

/* A work is aligned to what its type says and no more, the digests to nothing. */
static void memory_that_vectors_would_not_like_is_used(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof seen);
	assert_string_equal(verdict(NO_FLAW, NO_FLAW), "");
	assert_int_equal(seen.work % 16, alignof(struct work));
	assert_int_equal(seen.out % 2, 1);
}

static void a_wrong_reference_is_seen(void **state)
{
	static const uint8_t zeros[HEADER_MAX];
	char header[2 * HEADER_MAX + 1], why[SELFTEST_WHY] = "";
	const struct kat kats[] = { { header, algos[0]->kats[0].digest }, { 0 } };
	struct algo algo = *algos[0];

	(void)state;
	hex_encode(header, zeros, sizeof zeros);
	algo.kats = kats;
	flaw_of_nonces = NO_FLAW;
	assert_int_equal(selftest_kernel(&algo, &kernels[0], SELFTEST_QUICK, 0, why), -1);
	assert_non_null(strstr(why, "reference"));
}

/* The kernels of this machine pass, and with one bit of each mask flipped they do not. */
static void check_flips(struct bench *b)
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
	each_kernel(check_flips);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_kernel_passes),
		cmocka_unit_test(one_wrong_lane_is_refused),
		cmocka_unit_test(a_wrong_known_answer_alone_is_refused),
		cmocka_unit_test(a_wrong_edge_of_the_target_alone_is_refused),
		cmocka_unit_test(a_wrong_end_of_the_nonces_alone_is_refused),
		cmocka_unit_test(a_wrong_second_batch_alone_is_refused),
		cmocka_unit_test(wrong_versions_alone_are_refused),
		cmocka_unit_test(every_flaw_was_tried),
		cmocka_unit_test(memory_that_vectors_would_not_like_is_used),
		cmocka_unit_test(a_wrong_reference_is_seen),
		cmocka_unit_test(self_test_sees_one_flipped_bit),
	};

	return run_masked(tests);
}
