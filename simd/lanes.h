/*
 * The vector types and verbs that lane kernels are written in, once for all widths.
 * A file for an instruction set defines LANES (32-bit lanes of its register: 1, 4, 8 or 16)
 * and KERNEL(name) (which appends the set's own suffix) and includes this; kernels then use
 * ordinary operators on v32 and v64.
 *
 * With one lane the types are plain integers, so the same kernel is the scalar one.
 * Because a comparison then yields 1 and not all ones, kernels compare with
 * v32_candidates() only.
 */
#ifndef SIMD_LANES_H
#define SIMD_LANES_H

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "miner.h"
#include "simd/unroll.h"

#ifndef LANES
#error "define LANES and KERNEL before including simd/lanes.h"
#endif
#ifdef __SSE2__
#include <immintrin.h>
#endif

#if LANES == 1
typedef uint32_t v32;
typedef uint64_t v64;
#define V64_LANES 1	/* 64-bit lanes in a v64 */
#else
typedef uint8_t v8 __attribute__((vector_size(4 * LANES)));
typedef uint16_t v16 __attribute__((vector_size(4 * LANES)));
typedef uint32_t v32 __attribute__((vector_size(4 * LANES)));
typedef uint64_t v64 __attribute__((vector_size(4 * LANES)));
#define V64_LANES (LANES / 2)
#endif

/* Elements of two vectors by number: those of b follow those of a. */
#if defined __clang__ || __GNUC__ >= 12
#define V_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define V_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (__typeof__(a)){ __VA_ARGS__ })
#endif

/* The same word in every lane. */
static inline v32 v32_all(uint32_t word)
{
	return word - (v32){ 0 };
}

static inline v64 v64_all(uint64_t word)
{
	return word - (v64){ 0 };
}

/* Lane i holds first + i. */
static inline v32 v32_count_from(uint32_t first)
{
#if LANES == 1
	return first;
#elif LANES == 4
	return v32_all(first) + (v32){ 0, 1, 2, 3 };
#elif LANES == 8
	return v32_all(first) + (v32){ 0, 1, 2, 3, 4, 5, 6, 7 };
#else
	return v32_all(first) + (v32){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#endif
}

#include "simd/rotate.h"

/* The bits of `set` where the mask has ones, and those of `clear` where it has zeros. */
static inline v32 v32_select(v32 mask, v32 set, v32 clear)
{
#if LANES == 4 && defined __ARM_NEON && !defined __aarch64__	/* where compilers make one instruction of it themselves */
	return (v32)vbslq_u32((uint32x4_t)mask, (uint32x4_t)set, (uint32x4_t)clear);
#else
	return clear ^ (mask & (set ^ clear));
#endif
}

/* The bits that two or all of the three have. Where b and c differ, a decides, else they do: a choice, too. */
static inline v32 v32_majority(v32 a, v32 b, v32 c)
{
#if LANES == 16	/* any function of three bits is one instruction; compilers see that in v32_select(), but not here */
	return (v32)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
#else
	return v32_select(b ^ c, a, b);
#endif
}

/* Bit i is set when lane i is <= limit, as unsigned numbers. */
static inline uint32_t v32_candidates(v32 v, v32 limit)
{
#if LANES == 1
	return v <= limit;
#elif LANES == 8
	return (uint32_t)_mm256_movemask_ps((__m256)(v <= limit));
#elif LANES == 16
	return _mm512_cmple_epu32_mask((__m512i)v, (__m512i)limit);
#elif defined __SSE2__
	return (uint32_t)_mm_movemask_ps((__m128)(v <= limit));
#else
	v32 bits = (v32)(v <= limit) & (v32){ 1, 2, 4, 8 };

	return bits[0] | bits[1] | bits[2] | bits[3];
#endif
}

static inline v32 v32_load(const uint32_t *words)	/* from any address */
{
	v32 v;

	memcpy(&v, words, sizeof v);
	return v;
}

static inline void v32_store(uint32_t *words, v32 v)
{
	memcpy(words, &v, sizeof v);
}

static inline v64 v64_load(const uint64_t *words)
{
	v64 v;

	memcpy(&v, words, sizeof v);
	return v;
}

static inline void v64_store(uint64_t *words, v64 v)
{
	memcpy(words, &v, sizeof v);
}

/* 64-bit words of LANES lanes from their halves, lane 0 first, to any address. */
static inline void v64_store_joined(uint64_t *words, v32 low, v32 high)
{
#if LANES == 1
	*words = low | (uint64_t)high << 32;
#elif LANES == 4
	v64_store(words, (v64)V_SHUFFLE(low, high, 0, 4, 1, 5));
	v64_store(words + V64_LANES, (v64)V_SHUFFLE(low, high, 2, 6, 3, 7));
#elif LANES == 8
	v64_store(words, (v64)V_SHUFFLE(low, high, 0, 8, 1, 9, 2, 10, 3, 11));
	v64_store(words + V64_LANES, (v64)V_SHUFFLE(low, high, 4, 12, 5, 13, 6, 14, 7, 15));
#else
	v64_store(words, (v64)V_SHUFFLE(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
	v64_store(words + V64_LANES,
		  (v64)V_SHUFFLE(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
#endif
}

static inline void v64_load_split(v32 *low, v32 *high, const uint64_t *words)
{
#if LANES == 1
	*low = (uint32_t)*words;
	*high = (uint32_t)(*words >> 32);
#else
	v32 first = (v32)v64_load(words), second = (v32)v64_load(words + V64_LANES);
#if LANES == 4
	*low = V_SHUFFLE(first, second, 0, 2, 4, 6);
	*high = V_SHUFFLE(first, second, 1, 3, 5, 7);
#elif LANES == 8
	*low = V_SHUFFLE(first, second, 0, 2, 4, 6, 8, 10, 12, 14);
	*high = V_SHUFFLE(first, second, 1, 3, 5, 7, 9, 11, 13, 15);
#else
	*low = V_SHUFFLE(first, second, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	*high = V_SHUFFLE(first, second, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#endif
#endif
}

#if LANES > 1
/*
 * Of every two lanes l, l + 1, as rows x and y of a square: transposed. Turns words w, w + 1
 * of neighbouring lanes into two registers, each with both words of its lane, and back.
 */
static inline void v64_transpose(v64 *x, v64 *y)
{
	v64 upper = *x, lower = *y;

#if LANES == 4
	*x = V_SHUFFLE(upper, lower, 0, 2);
	*y = V_SHUFFLE(upper, lower, 1, 3);
#elif LANES == 8
	*x = V_SHUFFLE(upper, lower, 0, 4, 2, 6);
	*y = V_SHUFFLE(upper, lower, 1, 5, 3, 7);
#else
	*x = V_SHUFFLE(upper, lower, 0, 8, 2, 10, 4, 12, 6, 14);
	*y = V_SHUFFLE(upper, lower, 1, 9, 3, 11, 5, 13, 7, 15);
#endif
}
#endif

#endif
