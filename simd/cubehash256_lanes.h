/*
 * CubeHash16/32-256 of 32 bytes over lanes (Bernstein, "CubeHash specification (2.B.1)"): 192 rounds on a state of
 * 32 words, and all that instruction sets differ in is how that state is laid out in registers.
 */
#ifndef SIMD_CUBEHASH256_LANES_H
#define SIMD_CUBEHASH256_LANES_H

#include "sha3/cubehash256.h"
#include "simd/chain_lanes.h"

/* The layout: CUBEHASH_WORDS of a nonce share a register with those of other nonces. */
#if LANES == 16 || (LANES > 1 && defined __ARM_NEON)
#include "simd/cubehash256_registers.h"
#else
#include "simd/cubehash256_memory.h"
#endif

#if CUBEHASH_WORDS == 1

/* A register of these words of each nonce. */
static inline v32 cubehash_words(const uint32_t words[CUBEHASH_WORDS])
{
	return v32_all(words[0]);
}

/* The 32 bytes of a register's nonces, from their words[] of the batch on. */
INLINE void cubehash_load(v32 io[8], const uint64_t *words)
{
	for (int i = 0; i < 4; i++)
		v64_load_split(&io[2 * i], &io[2 * i + 1], words + i * CHAIN_LANES);
}

INLINE void cubehash_store(uint64_t *words, const v32 io[8])
{
	for (int i = 0; i < 4; i++)
		v64_store_joined(words + i * CHAIN_LANES, io[2 * i], io[2 * i + 1]);
}

#endif

#define CUBEHASH_STATE	(32 / CUBEHASH_WORDS)	/* registers */
#define CUBEHASH_IO	(8 / CUBEHASH_WORDS)	/* of input and of output */

/* The digest of a register's nonces, in the place of their input. */
static void cubehash256_registers(v32 io[CUBEHASH_IO])
{
	static const uint32_t padding[4] = { 0x80, 0, 0, 0 }, final[4] = { 0, 0, 0, 1 };
	alignas(CACHE_LINE) v32 state[CUBEHASH_STATE];

	for (int i = 0; i < CUBEHASH_STATE; i++)
		state[i] = cubehash_words(cubehash256_iv + i * CUBEHASH_WORDS);
	for (int i = 0; i < CUBEHASH_IO; i++)
		state[i] ^= io[i];
	cubehash_rounds_lanes(state, CUBEHASH256_BLOCK_ROUNDS);
	state[0] ^= cubehash_words(padding);
	cubehash_rounds_lanes(state, CUBEHASH256_BLOCK_ROUNDS);
	state[CUBEHASH_STATE - 1] ^= cubehash_words(final + 4 - CUBEHASH_WORDS);
	cubehash_rounds_lanes(state, CUBEHASH256_FINAL_ROUNDS);
	for (int i = 0; i < CUBEHASH_IO; i++)
		io[i] = state[i];
}

static void KERNEL(cubehash256_stage)(void *job, uint64_t *words)
{
	(void)job;
	for (int lane = 0; lane < CHAIN_LANES; lane += CUBEHASH_NONCES) {
		v32 io[CUBEHASH_IO];

		cubehash_load(io, words + lane);
		cubehash256_registers(io);
		cubehash_store(words + lane, io);
	}
}

#endif
