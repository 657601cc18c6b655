/*
 * The kernel that serves any algorithm: its own reference, one nonce at a time.
 * A new algorithm mines with this from its first line on.
 */
#ifndef SIMD_REFERENCE_H
#define SIMD_REFERENCE_H

#include <string.h>

#include "base/bytes.h"
#include "miner.h"

struct reference_job {
	const struct algo *algo;
	uint32_t top;
	uint8_t header[HEADER_MAX];
	alignas(CACHE_LINE) uint8_t scratch[];	/* algo->scratch_len bytes: see lanes_job_alloc() */
};

static void reference_prepare(void *memory, const struct algo *algo, const struct work *work)
{
	struct reference_job *job = memory;

	job->algo = algo;
	job->top = work->target[7];
	memcpy(job->header, work->header, sizeof job->header);
}

static void reference_digests(void *memory, uint32_t nonce, uint8_t (*out)[32])
{
	struct reference_job *job = memory;

	store_le32(job->header + job->algo->nonce_off, nonce);
	job->algo->hash(out[0], job->header, job->scratch);
}

static uint32_t reference_candidates(void *memory, uint32_t nonce)
{
	const struct reference_job *job = memory;
	uint8_t digest[1][32];

	reference_digests(memory, nonce, digest);
	return load_le32(digest[0] + 28) <= job->top;
}

#define REFERENCE_KERNEL { \
	.algo = "*", .lanes = 1, .job_len = sizeof(struct reference_job), .prepare = reference_prepare, \
	.candidates = reference_candidates, .digests = reference_digests, \
}

#endif
