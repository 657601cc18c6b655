/*
 * The two kernels of a file in a CPU's SHA-256 instructions, from the one text of both: lanes that are nonces, and lanes
 * that are versions of one nonce. Included at the end of that file, which has defined LANES, KERNEL(name) and
 *
 *	struct forms_job			begins with a struct sha256d_job, `words`
 *	prepare(job, work)			what all lanes share
 *	prepare_lane(job, lane)			and what is one lane's own, from job->words
 *	candidates(job, form, nonce)		INLINE, so that form is a constant in each
 *	digests(job, form, nonce, out)
 */
#ifndef SIMD_SHA256D_FORMS_H
#define SIMD_SHA256D_FORMS_H

static void KERNEL(sha256d_prepare)(void *job, const struct algo *algo, const struct work *work)
{
	(void)algo;
	prepare(job, work);
	for (int lane = 0; lane < LANES; lane++)
		prepare_lane(job, lane);
}

static void KERNEL(sha256d_prepare_versions)(void *memory, const struct algo *algo, const struct work *work)
{
	struct forms_job *job = memory;

	(void)algo;
	prepare(job, work);
	for (int lane = 0; lane < LANES; lane++) {
		sha256d_prepare_version(&job->words, work, work->versions[lane]);
		prepare_lane(job, lane);
	}
}

static uint32_t KERNEL(sha256d_candidates)(void *job, uint32_t nonce)
{
	return candidates(job, NONCES, nonce);
}

static uint32_t KERNEL(sha256d_candidates_versions)(void *job, uint32_t nonce)
{
	return candidates(job, VERSIONS, nonce);
}

static void KERNEL(sha256d_digests)(void *job, uint32_t nonce, uint8_t (*out)[32])
{
	digests(job, NONCES, nonce, out);
}

static void KERNEL(sha256d_digests_versions)(void *job, uint32_t nonce, uint8_t (*out)[32])
{
	digests(job, VERSIONS, nonce, out);
}

static const struct kernel sha256d_forms[] = {
	{
		.algo = "sha256d", .lanes = LANES, .job_len = sizeof(struct forms_job), .prepare = KERNEL(sha256d_prepare),
		.candidates = KERNEL(sha256d_candidates), .digests = KERNEL(sha256d_digests),
	},
	{
		.algo = "sha256d", .lanes = LANES, .versions = LANES, .job_len = sizeof(struct forms_job),
		.prepare = KERNEL(sha256d_prepare_versions), .candidates = KERNEL(sha256d_candidates_versions),
		.digests = KERNEL(sha256d_digests_versions),
	},
	{ 0 }
};

#endif
