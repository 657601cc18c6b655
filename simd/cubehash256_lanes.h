/*
 * CubeHash16/32-256 of 32 bytes over lanes (Bernstein, "CubeHash specification (2.B.1)"), with the state in
 * registers through all rounds. A register holds neighbouring words of a nonce, so that swaps of words
 * farther apart than that are only new names for registers, which cost nothing once two rounds, after which
 * all names are back, are written out.
 */
#ifndef SIMD_CUBEHASH256_LANES_H
#define SIMD_CUBEHASH256_LANES_H

#include "sha3/cubehash256.h"
#include "simd/chain_lanes.h"

/*
 * Words of one nonce in a register. With two, a state is 16 registers, laid out as the batch is anyway; AVX2,
 * which has no more than these, keeps a few in memory. SSE2 and 32-bit ARM have 16 of 128 bits: there four
 * words of one nonce make a state of 8, none is kept in memory, and one nonce has parallelism enough.
 */
#if LANES == 1
#define CUBEHASH_WORDS 1
#elif LANES == 8 || defined __aarch64__
#define CUBEHASH_WORDS 2
#else
#define CUBEHASH_WORDS 4
#endif
#define CUBEHASH_HALF (16 / CUBEHASH_WORDS)	/* registers */

/* A register of each nonce's words. */
static inline v32 cubehash_words(const uint32_t words[CUBEHASH_WORDS])
{
#if CUBEHASH_WORDS == 2
	return (v32)v64_all(words[0] | (uint64_t)words[1] << 32);
#else
	return v32_load(words);
#endif
}

/* Swap words whose index differs in `bit` alone. */
INLINE void cubehash_swap(v32 x[CUBEHASH_HALF], int bit)
{
	UNROLL
	for (int i = 0; i < CUBEHASH_HALF; i++) {
		int j = i ^ bit / CUBEHASH_WORDS;

		if (i < j) {
			v32 old = x[i];

			x[i] = x[j];
			x[j] = old;
		}
#if LANES == 8
		else if (i == j)
			x[i] = V_SHUFFLE(x[i], x[i], 1, 0, 3, 2, 5, 4, 7, 6);
#elif LANES == 4
		else if (i == j && bit == 1)
			x[i] = V_SHUFFLE(x[i], x[i], 1, 0, 3, 2);
		else if (i == j)
			x[i] = V_SHUFFLE(x[i], x[i], 2, 3, 0, 1);
#endif
	}
}

/*
 * Half a round, five steps of the specification's ten, on the low half x and the high half y of the words:
 * y += x, x rotates, x swaps, x ^= y, y swaps. A pair of registers that x swaps is done at a time.
 */
INLINE void cubehash_half_round(v32 *x, v32 *y, int rotation, int x_bit, int y_bit)
{
	UNROLL
	for (int i = 0; i < CUBEHASH_HALF; i++) {
		int j = i ^ x_bit / CUBEHASH_WORDS;

		if (i > j)
			continue;
		y[i] += x[i];
		y[j] += x[j];
		v32 swapped = v32_rotl(x[j], rotation) ^ y[i];

		x[j] = v32_rotl(x[i], rotation) ^ y[j];
		x[i] = swapped;
	}
	cubehash_swap(y, y_bit);
}

INLINE void cubehash_round(v32 *x, v32 *y)
{
	cubehash_half_round(x, y, 7, 8, 2);
	cubehash_half_round(x, y, 11, 4, 1);
}

/* `count` rounds, an even number. */
static void cubehash_rounds_lanes(v32 state[2 * CUBEHASH_HALF], int count)
{
	v32 x[CUBEHASH_HALF], y[CUBEHASH_HALF];

	UNROLL
	for (int i = 0; i < CUBEHASH_HALF; i++) {
		x[i] = state[i];
		y[i] = state[CUBEHASH_HALF + i];
	}
	for (; count > 0; count -= 2) {
		cubehash_round(x, y);
		cubehash_round(x, y);
	}
	UNROLL
	for (int i = 0; i < CUBEHASH_HALF; i++) {
		state[i] = x[i];
		state[CUBEHASH_HALF + i] = y[i];
	}
}

/* The digest of a register's nonces. */
static void cubehash256_registers(v32 s[8 / CUBEHASH_WORDS])
{
	static const uint32_t padding[4] = { 0x80, 0, 0, 0 }, final[4] = { 0, 0, 0, 1 };
	v32 state[2 * CUBEHASH_HALF];

	for (int i = 0; i < 2 * CUBEHASH_HALF; i++)
		state[i] = cubehash_words(cubehash256_iv + i * CUBEHASH_WORDS);
	for (int i = 0; i < 8 / CUBEHASH_WORDS; i++)
		state[i] ^= s[i];
	cubehash_rounds_lanes(state, CUBEHASH256_BLOCK_ROUNDS);
	state[0] ^= cubehash_words(padding);
	cubehash_rounds_lanes(state, CUBEHASH256_BLOCK_ROUNDS);
	state[2 * CUBEHASH_HALF - 1] ^= cubehash_words(final + 4 - CUBEHASH_WORDS);
	cubehash_rounds_lanes(state, CUBEHASH256_FINAL_ROUNDS);
	for (int i = 0; i < 8 / CUBEHASH_WORDS; i++)
		s[i] = state[i];
}

static inline void cubehash256_lanes(v64 s[4])
{
#if CUBEHASH_WORDS == 2
	v32 words[4] = { (v32)s[0], (v32)s[1], (v32)s[2], (v32)s[3] };

	cubehash256_registers(words);
	for (int i = 0; i < 4; i++)
		s[i] = (v64)words[i];
#elif CUBEHASH_WORDS == 4
	v64_transpose(&s[0], &s[1]);
	v64_transpose(&s[2], &s[3]);
	for (int nonce = 0; nonce < 2; nonce++) {
		v32 words[2] = { (v32)s[nonce], (v32)s[2 + nonce] };

		cubehash256_registers(words);
		s[nonce] = (v64)words[0];
		s[2 + nonce] = (v64)words[1];
	}
	v64_transpose(&s[0], &s[1]);
	v64_transpose(&s[2], &s[3]);
#else
	uint32_t words[8];

	for (int i = 0; i < 4; i++) {
		words[2 * i] = (uint32_t)s[i];
		words[2 * i + 1] = (uint32_t)(s[i] >> 32);
	}
	cubehash256_registers(words);
	for (int i = 0; i < 4; i++)
		s[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
#endif
}

static void KERNEL(cubehash256_stage)(void *job, uint64_t *words)
{
	(void)job;
	for (int lane = 0; lane < CHAIN_LANES; lane += V64_LANES) {
		v64 s[4];

		chain_load(s, words + lane);
		cubehash256_lanes(s);
		chain_store(words + lane, s);
	}
}

#endif
