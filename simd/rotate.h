/*
 * Rotations of every lane: of all verbs the one that instruction sets differ in most. For simd/lanes.h.
 *
 * The count must be a constant once the caller is inlined, and 0 < n < the word's bits. It is then a single
 * shuffle where whole bytes move and there is an instruction for it, else two shifts: NEON's second one
 * inserts, elsewhere an or joins them. AVX-512 rotates by itself, which compilers see in the shifts.
 */
#ifndef SIMD_ROTATE_H
#define SIMD_ROTATE_H

#if LANES == 4 && defined __ARM_NEON
#include <arm_neon.h>

/* The shifts of NEON take their count as part of the instruction: a case for each. */
#define SEVEN(CASE, n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4) CASE(n + 5) CASE(n + 6) CASE(n + 7)
#define EIGHT(CASE, n) CASE(n) SEVEN(CASE, n)

INLINE v32 v32_rotl_shifting(v32 v, int n)
{
#define CASE(n) case n: return (v32)vsriq_n_u32(vshlq_n_u32((uint32x4_t)v, n), (uint32x4_t)v, 32 - (n));
	switch (n) { SEVEN(CASE, 0) EIGHT(CASE, 8) EIGHT(CASE, 16) EIGHT(CASE, 24) }
#undef CASE
	return v;
}

INLINE v64 v64_rotl_shifting(v64 v, int n)
{
#define CASE(n) case n: return (v64)vsriq_n_u64(vshlq_n_u64((uint64x2_t)v, n), (uint64x2_t)v, 64 - (n));
	switch (n) {
		SEVEN(CASE, 0) EIGHT(CASE, 8) EIGHT(CASE, 16) EIGHT(CASE, 24)
		EIGHT(CASE, 32) EIGHT(CASE, 40) EIGHT(CASE, 48) EIGHT(CASE, 56)
	}
#undef CASE
	return v;
}

#undef EIGHT
#undef SEVEN

#else

INLINE v32 v32_rotl_shifting(v32 v, int n)
{
	return v << n | v >> (32 - n);
}

INLINE v64 v64_rotl_shifting(v64 v, int n)
{
	if (n == 1 && LANES < 16)
		return (v + v) | v >> 63;	/* more ports add than shift */
	return v << n | v >> (64 - n);
}

#endif

#if LANES > 1

/*
 * The vector, as a whole that clang does not look into: where what is rotated is a xor of something rotated
 * before, it would rotate both sides of the xor instead, and take two shuffles for every one.
 */
INLINE v8 v8_settled(v8 v)
{
#if defined __clang__ && defined __SSE2__
	__asm__("" : "+x"(v));
#endif
	return v;
}

#endif

#if LANES == 8 || (LANES == 4 && defined __aarch64__)

/* Rotate words of `size` bytes to the left by n bytes: byte i of a word from byte i - n. */
INLINE v8 v8_rotl(v8 v, int size, int n)
{
#if LANES == 8
	const v8 i = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		       0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#else
	const v8 i = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#endif
	const v8 in_word = i - i + (uint8_t)(size - 1);
	const v8 from = (i & ~in_word) | ((i - (uint8_t)n) & in_word);

#if LANES == 8
	return (v8)_mm256_shuffle_epi8((__m256i)v8_settled(v), (__m256i)from);
#else
	return (v8)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)from);
#endif
}

#endif

INLINE v32 v32_rotl(v32 v, int n)
{
#if LANES == 4
	if (n == 16) {
		v16 whole = (v16)v8_settled((v8)v);

		return (v32)V_SHUFFLE(whole, whole, 1, 0, 3, 2, 5, 4, 7, 6);
	}
#endif
#if LANES == 8 || (LANES == 4 && defined __aarch64__)
	if (n % 8 == 0)
		return (v32)v8_rotl((v8)v, 4, n / 8);
#endif
	return v32_rotl_shifting(v, n);
}

INLINE v32 v32_rotr(v32 v, int n)
{
	return v32_rotl(v, 32 - n);
}

/* Words of 64 bits rotated by half of their length. */
INLINE v64 v64_halves_swapped(v64 v)
{
#if LANES == 1 || LANES == 16
	return v << 32 | v >> 32;
#else
	v32 whole = (v32)v8_settled((v8)v);

#if LANES == 8
	return (v64)V_SHUFFLE(whole, whole, 1, 0, 3, 2, 5, 4, 7, 6);
#else
	return (v64)V_SHUFFLE(whole, whole, 1, 0, 3, 2);
#endif
#endif
}

INLINE v64 v64_rotl(v64 v, int n)
{
	if (n == 32)
		return v64_halves_swapped(v);
#if LANES == 8 || (LANES == 4 && defined __aarch64__)
	if (n % 8 == 0)
		return (v64)v8_rotl((v8)v, 8, n / 8);
#elif LANES == 4 && defined __SSE2__
	if (n == 48) {	/* two shuffles, of the lower and of the upper half */
		v16 whole = (v16)v8_settled((v8)v);

		return (v64)V_SHUFFLE(whole, whole, 1, 2, 3, 0, 5, 6, 7, 4);
	}
#endif
	return v64_rotl_shifting(v, n);
}

INLINE v64 v64_rotr(v64 v, int n)
{
	return v64_rotl(v, 64 - n);
}

/* The bytes of every word reversed. */
INLINE v32 v32_swap(v32 v)
{
#if LANES == 8
	return (v32)V_SHUFFLE((v8)v, (v8)v, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
			      19, 18, 17, 16, 23, 22, 21, 20, 27, 26, 25, 24, 31, 30, 29, 28);
#elif LANES == 4 && defined __ARM_NEON
	return (v32)vrev32q_u8((uint8x16_t)v);
#else
	v = (v & v32_all(0x00ff00ff)) << 8 | (v >> 8 & v32_all(0x00ff00ff));
	return v32_rotl(v, 16);
#endif
}

#endif
