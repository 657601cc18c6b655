/*
 * CubeHash's rounds over lanes with the state in registers through all of them, for NEON and AVX-512. A register holds
 * neighbouring words of a nonce, so that swaps of words farther apart than that are only new names for
 * registers, which cost nothing once two rounds, after which all names are back, are written out.
 */
#ifndef SIMD_CUBEHASH256_REGISTERS_H
#define SIMD_CUBEHASH256_REGISTERS_H

#include "simd/chain_lanes.h"

/*
 * Words of one nonce in a register. AVX-512 has a register for each of the 32, and needs no other: it rotates a word
 * where it is. With two, a state is 16 registers, and laid out as the batch is anyway: that is
 * half of what 64-bit ARM has, and the rest serves the rotations. 32-bit ARM has 16 in all; there four
 * words of one nonce make a state of 8, none is kept in memory, and one nonce has parallelism enough.
 */
#if LANES == 16
#define CUBEHASH_WORDS	1
#elif defined __aarch64__
#define CUBEHASH_WORDS	2
#else
#define CUBEHASH_WORDS	4
#endif
#define CUBEHASH_NONCES	(LANES / CUBEHASH_WORDS)	/* of the batch in a register */
#define CUBEHASH_HALF	(16 / CUBEHASH_WORDS)		/* of the state, in registers */

#if CUBEHASH_WORDS == 2

/* A register of these words of each nonce. */
static inline v32 cubehash_words(const uint32_t words[CUBEHASH_WORDS])
{
	return (v32)v64_all(words[0] | (uint64_t)words[1] << 32);
}

/* The 32 bytes of a register's nonces, from their words[] of the batch on. */
INLINE void cubehash_load(v32 io[4], const uint64_t *words)
{
	for (int i = 0; i < 4; i++)
		io[i] = (v32)v64_load(words + i * CHAIN_LANES);
}

INLINE void cubehash_store(uint64_t *words, const v32 io[4])
{
	for (int i = 0; i < 4; i++)
		v64_store(words + i * CHAIN_LANES, (v64)io[i]);
}

#elif CUBEHASH_WORDS == 4

static inline v32 cubehash_words(const uint32_t words[CUBEHASH_WORDS])
{
	return v32_load(words);
}

INLINE void cubehash_load(v32 io[2], const uint64_t *words)
{
	for (int i = 0; i < 2; i++)
		io[i] = (v32)(v64){ words[2 * i * CHAIN_LANES], words[(2 * i + 1) * CHAIN_LANES] };
}

INLINE void cubehash_store(uint64_t *words, const v32 io[2])
{
	for (int i = 0; i < 4; i++)
		words[i * CHAIN_LANES] = ((v64)io[i / 2])[i % 2];
}

#endif

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
#if CUBEHASH_WORDS > 1
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
static __attribute__((noinline)) void cubehash_rounds_lanes(v32 state[2 * CUBEHASH_HALF], int count)
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

#endif
