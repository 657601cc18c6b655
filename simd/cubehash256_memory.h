/*
 * CubeHash's rounds over lanes, a register for each of the 32 words, so that all swaps of words are only other
 * indices. x86 has half as many registers as that: the state is in memory, and a round reads it from
 * one place and writes it to another. Loads and stores have ports of their own, so they cost nothing as long as
 * a register holds no value longer than it is used, which is why a round goes by quads of words.
 *
 * Against two neighbouring words a register, which keeps the state in 16 registers but for a few, this saves
 * the shuffles of the swap inside a register: 80 instructions of arithmetic and not 88 for as many nonces.
 */
#ifndef SIMD_CUBEHASH256_MEMORY_H
#define SIMD_CUBEHASH256_MEMORY_H

#include "simd/chain_lanes.h"

#define CUBEHASH_WORDS	1	/* of one nonce in a register */
#define CUBEHASH_NONCES	LANES	/* of the batch in a register */

/*
 * A round's ten steps for the words whose index differs from `first` in the bits 2 and 4, which the two swaps in
 * the middle exchange: `near` are these of the low half, and `far` those at bit 8, which the first swap brings
 * here. The last swap, of bit 1, is where the results of the high half go.
 */
INLINE void cubehash_quad(v32 to[32], const v32 from[32], const v32 near[4], const v32 far[4], int first)
{
	v32 sum[4], middle[4];

	UNROLL
	for (int k = 0; k < 4; k++) {
		sum[k] = from[16 + first + 2 * k] + near[k];
		middle[k] = v32_rotl(far[k], 7) ^ sum[k];
	}
	UNROLL
	for (int k = 0; k < 4; k++) {
		v32 high = sum[k ^ 1] + middle[k];

		to[first + 2 * k] = v32_rotl(middle[k ^ 2], 11) ^ high;
		to[16 + (first ^ 1) + 2 * k] = high;
	}
}

/*
 * Two quads: what is far for the one is near for the other. The first uses up its far words, so these are read again.
 * They are loaded in the order of use: clang 14 keeps the order of the text, and loads all of `low` in a row cost it 12 %
 * of a round by LLVM's model of Zen 3.
 */
INLINE void cubehash_quads(v32 to[32], const v32 from[32], int first)
{
	v32 low[4], high[4];

	UNROLL
	for (int k = 0; k < 4; k++) {
		low[k] = from[first + 2 * k];
		high[k] = from[first + 8 + 2 * k];
	}
	cubehash_quad(to, from, low, high, first);
	UNROLL
	for (int k = 0; k < 4; k++)
		high[k] = from[first + 8 + 2 * k];
	cubehash_quad(to, from, high, low, first + 8);
}

INLINE void cubehash_round(v32 to[32], const v32 from[32])
{
	cubehash_quads(to, from, 0);
	cubehash_quads(to, from, 1);
	forget_memory();
}

/* Not inlined: where the compiler sees that the two places are apart, it puts loads before the stores of another quad. */
static __attribute__((noinline)) void KERNEL(cubehash_rounds)(v32 state[32], v32 other[32], int count)
{
	for (; count > 0; count -= 2) {
		cubehash_round(other, state);
		cubehash_round(state, other);
	}
}

/* `count` rounds, an even number. */
static void cubehash_rounds_lanes(v32 state[32], int count)
{
	alignas(CACHE_LINE) v32 other[32];

	KERNEL(cubehash_rounds)(state, other, count);
}

#endif
