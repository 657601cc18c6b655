/*
 * Chained algorithms over lanes: BLAKE-256 of the 80-byte header, then stages of 32 bytes each. A batch of
 * nonces goes through a whole stage before the next one begins, so that a stage's code and constants are
 * fetched once for all; between stages the words stay in lane layout (struct lane_stage in miner.h).
 *
 * An algorithm is a struct chain; its kernel is CHAIN_KERNEL() and a prepare() of one line.
 */
#ifndef SIMD_CHAIN_LANES_H
#define SIMD_CHAIN_LANES_H

#include "simd/blake256_lanes.h"
#include "simd/lanes.h"

/* Nonces in a batch: four registers of them, which AVX2 is 1 to 2 % faster with than with one, or the most there may be. */
#if LANES == 1
#define CHAIN_LANES 1
#elif 4 * LANES > LANES_MAX
#define CHAIN_LANES LANES_MAX
#else
#define CHAIN_LANES (4 * LANES)
#endif

struct chain {
	const struct lane_stage *stages;	/* after BLAKE-256, ended by name NULL */

	/* In place of the last of them: the bits of the lanes of which it would make a top word <= `top`. */
	uint32_t (*candidates)(const uint64_t *words, uint32_t top);
};

struct chain_job {
	struct blake256_job header;
	const struct chain *chain;
	uint32_t top;
	alignas(CACHE_LINE) uint64_t words[4 * CHAIN_LANES];	/* word w of lane l at w * CHAIN_LANES + l */
	alignas(CACHE_LINE) uint8_t scratch[];			/* of the stages; none keeps anything in it between calls */
};

/* A register's lanes of the batch, from their words[] on. */
INLINE void chain_load(v64 state[4], const uint64_t *words)
{
	UNROLL
	for (int i = 0; i < 4; i++)
		state[i] = v64_load(words + i * CHAIN_LANES);
}

INLINE void chain_store(uint64_t *words, const v64 state[4])
{
	UNROLL
	for (int i = 0; i < 4; i++)
		v64_store(words + i * CHAIN_LANES, state[i]);
}

static void chain_prepare(struct chain_job *job, const struct chain *chain, const struct work *work)
{
	blake256_prepare(&job->header, work->header);
	job->chain = chain;
	job->top = work->target[7];
}

static void KERNEL(chain_header)(void *memory, uint32_t nonce, uint64_t *words)
{
	struct chain_job *job = memory;

	for (unsigned lane = 0; lane < CHAIN_LANES; lane += LANES) {
		v32 digest[8];

		blake256_lanes(&job->header, nonce + lane, digest);
		for (int i = 0; i < 4; i++)
			v64_store_joined(words + i * CHAIN_LANES + lane,
					 v32_swap(digest[2 * i]), v32_swap(digest[2 * i + 1]));
	}
}

static uint32_t KERNEL(chain_last)(void *memory, const uint64_t *words)
{
	const struct chain_job *job = memory;

	return job->chain->candidates(words, job->top);
}

static uint32_t KERNEL(chain_candidates)(void *memory, uint32_t nonce)
{
	struct chain_job *job = memory;

	KERNEL(chain_header)(job, nonce, job->words);
	for (const struct lane_stage *stage = job->chain->stages; stage[1].name; stage++)
		stage->run(job, job->words);
	return KERNEL(chain_last)(job, job->words);
}

static void KERNEL(chain_digests)(void *memory, uint32_t nonce, uint8_t (*out)[32])
{
	struct chain_job *job = memory;

	KERNEL(chain_header)(job, nonce, job->words);
	for (const struct lane_stage *stage = job->chain->stages; stage->name; stage++)
		stage->run(job, job->words);
	for (int lane = 0; lane < CHAIN_LANES; lane++)
		for (int i = 0; i < 4; i++)
			store_le64(out[lane] + 8 * i, job->words[i * CHAIN_LANES + lane]);
}

/* A row of struct kernel; scratch_len is bytes of struct chain_job's scratch. */
#define CHAIN_KERNEL(name, prepare_, stages_, scratch_len) { \
	.algo = name, .lanes = CHAIN_LANES, .job_len = sizeof(struct chain_job) + (scratch_len), .prepare = prepare_, \
	.candidates = KERNEL(chain_candidates), .digests = KERNEL(chain_digests), .stages = stages_, \
	.header = KERNEL(chain_header), .last = KERNEL(chain_last), \
}

#endif
