/*
 * BMW-256 of 32 bytes over lanes (the submission of September 2009): two compressions, the second of the
 * first's result. Half the message and both chain values are constants, which the compiler folds when all
 * loops are unrolled.
 */
#ifndef SIMD_BMW256_LANES_H
#define SIMD_BMW256_LANES_H

#include "simd/chain_lanes.h"

INLINE v32 bmw_s0(v32 x) { return x >> 1 ^ x << 3 ^ v32_rotl(x, 4) ^ v32_rotl(x, 19); }
INLINE v32 bmw_s1(v32 x) { return x >> 1 ^ x << 2 ^ v32_rotl(x, 8) ^ v32_rotl(x, 23); }
INLINE v32 bmw_s2(v32 x) { return x >> 2 ^ x << 1 ^ v32_rotl(x, 12) ^ v32_rotl(x, 25); }
INLINE v32 bmw_s3(v32 x) { return x >> 2 ^ x << 2 ^ v32_rotl(x, 15) ^ v32_rotl(x, 29); }
INLINE v32 bmw_s4(v32 x) { return x >> 1 ^ x; }
INLINE v32 bmw_s5(v32 x) { return x >> 2 ^ x; }

/* f0: Q[0..15]. */
INLINE void bmw_f0(v32 q[32], const v32 m[16], const v32 h[16])
{
	v32 t[16];

	UNROLL
	for (int i = 0; i < 16; i++)
		t[i] = m[i] ^ h[i];

	q[0]  = bmw_s0(t[5] - t[7] + (t[10] + t[13] + t[14])) + h[1];
	q[1]  = bmw_s1(t[6] + (t[11] - t[8] + t[14] - t[15])) + h[2];
	q[2]  = bmw_s2(t[0] + t[7] + (t[9] - t[12] + t[15])) + h[3];
	q[3]  = bmw_s3(t[0] - t[1] + (t[8] - t[10] + t[13])) + h[4];
	q[4]  = bmw_s4(t[1] + t[2] + (t[9] - t[11] - t[14])) + h[5];
	q[5]  = bmw_s0(t[3] - t[2] + (t[10] - t[12] + t[15])) + h[6];
	q[6]  = bmw_s1(t[4] - t[0] - t[3] + (t[13] - t[11])) + h[7];
	q[7]  = bmw_s2(t[1] - t[4] - t[5] - (t[12] + t[14])) + h[8];
	q[8]  = bmw_s3(t[2] - t[5] - t[6] + (t[13] - t[15])) + h[9];
	q[9]  = bmw_s4(t[0] - t[3] + t[6] - t[7] + t[14]) + h[10];
	q[10] = bmw_s0((t[8] + t[15]) - t[1] - t[4] - t[7]) + h[11];
	q[11] = bmw_s1((t[8] + t[9]) - t[0] - t[2] - t[5]) + h[12];
	q[12] = bmw_s2(t[1] + t[3] - t[6] + (t[10] - t[9])) + h[13];
	q[13] = bmw_s3(t[2] + t[4] + t[7] + (t[10] + t[11])) + h[14];
	q[14] = bmw_s4(t[3] - t[5] + (t[8] - t[11] - t[12])) + h[15];
	q[15] = bmw_s0((t[12] + t[13] - t[9]) - t[4] - t[6]) + h[0];
}

/* What Q[i] takes from message and chain value, i in 16..31. */
INLINE v32 bmw_element(const v32 m[16], const v32 h[16], int i)
{
	int a = i % 16, b = (i + 3) % 16, c = (i + 10) % 16;
	v32 sum = v32_all((uint32_t)i * 0x05555555);

	sum += v32_rotl(m[a], a + 1) + v32_rotl(m[b], b + 1) - v32_rotl(m[c], c + 1);
	return sum ^ h[(i + 7) % 16];
}

/* f1: Q[16..31]. */
INLINE void bmw_f1(v32 q[32], const v32 m[16], const v32 h[16])
{
	v32 sums[2];	/* of Q[i - 16], Q[i - 14] .. Q[i - 4] for even i and for odd i */

	UNROLL
	for (int i = 16; i < 18; i++) {
		v32 sum = bmw_element(m, h, i);

		UNROLL
		for (int j = i - 16; j < i; j += 4)
			sum += bmw_s1(q[j]) + bmw_s2(q[j + 1]) + bmw_s3(q[j + 2]) + bmw_s0(q[j + 3]);
		q[i] = sum;
		sums[i - 16] = q[i - 16] + q[i - 14] + q[i - 12] + q[i - 10] + q[i - 8] + q[i - 6] + q[i - 4];
	}
	UNROLL
	for (int i = 18; i < 32; i++) {
		sums[i % 2] += q[i - 4] - q[i - 18];
		q[i] = bmw_element(m, h, i) + sums[i % 2] +
		       v32_rotl(q[i - 15], 3) + v32_rotl(q[i - 13], 7) + v32_rotl(q[i - 11], 13) +
		       v32_rotl(q[i - 9], 16) + v32_rotl(q[i - 7], 19) + v32_rotl(q[i - 5], 23) +
		       v32_rotl(q[i - 3], 27) + bmw_s4(q[i - 2]) + bmw_s5(q[i - 1]);
	}
}

/* One compression; the compiler leaves out the words of `out` that nobody reads. */
static void bmw_compress(v32 out[16], const v32 m[16], const v32 h[16])
{
	v32 q[32], xl, xh;

	bmw_f0(q, m, h);
	bmw_f1(q, m, h);

	xl = q[16] ^ q[17] ^ q[18] ^ q[19] ^ q[20] ^ q[21] ^ q[22] ^ q[23];
	xh = xl ^ q[24] ^ q[25] ^ q[26] ^ q[27] ^ q[28] ^ q[29] ^ q[30] ^ q[31];

	out[0] = (xh << 5 ^ q[16] >> 5 ^ m[0]) + (xl ^ q[24] ^ q[0]);
	out[1] = (xh >> 7 ^ q[17] << 8 ^ m[1]) + (xl ^ q[25] ^ q[1]);
	out[2] = (xh >> 5 ^ q[18] << 5 ^ m[2]) + (xl ^ q[26] ^ q[2]);
	out[3] = (xh >> 1 ^ q[19] << 5 ^ m[3]) + (xl ^ q[27] ^ q[3]);
	out[4] = (xh >> 3 ^ q[20] ^ m[4]) + (xl ^ q[28] ^ q[4]);
	out[5] = (xh << 6 ^ q[21] >> 6 ^ m[5]) + (xl ^ q[29] ^ q[5]);
	out[6] = (xh >> 4 ^ q[22] << 6 ^ m[6]) + (xl ^ q[30] ^ q[6]);
	out[7] = (xh >> 11 ^ q[23] << 2 ^ m[7]) + (xl ^ q[31] ^ q[7]);

	out[8]  = v32_rotl(out[4], 9)  + (xh ^ q[24] ^ m[8])  + (xl << 8 ^ q[23] ^ q[8]);
	out[9]  = v32_rotl(out[5], 10) + (xh ^ q[25] ^ m[9])  + (xl >> 6 ^ q[16] ^ q[9]);
	out[10] = v32_rotl(out[6], 11) + (xh ^ q[26] ^ m[10]) + (xl << 6 ^ q[17] ^ q[10]);
	out[11] = v32_rotl(out[7], 12) + (xh ^ q[27] ^ m[11]) + (xl << 4 ^ q[18] ^ q[11]);
	out[12] = v32_rotl(out[0], 13) + (xh ^ q[28] ^ m[12]) + (xl >> 3 ^ q[19] ^ q[12]);
	out[13] = v32_rotl(out[1], 14) + (xh ^ q[29] ^ m[13]) + (xl >> 4 ^ q[20] ^ q[13]);
	out[14] = v32_rotl(out[2], 15) + (xh ^ q[30] ^ m[14]) + (xl >> 7 ^ q[21] ^ q[14]);
	out[15] = v32_rotl(out[3], 16) + (xh ^ q[31] ^ m[15]) + (xl >> 2 ^ q[22] ^ q[15]);
}

/* LANES of the batch: the digest is out[8..15]. */
static inline void bmw256_lanes(v32 out[16], const uint64_t *words)
{
	v32 m[16], h[16], first[16];

	UNROLL
	for (int i = 0; i < 16; i++) {
		m[i] = v32_all(i == 8 ? 0x80 : i == 14 ? 256 : 0);
		h[i] = v32_all(0x40414243 + 0x04040404 * (uint32_t)i);
	}
	UNROLL
	for (int i = 0; i < 4; i++)
		v64_load_split(&m[2 * i], &m[2 * i + 1], words + i * CHAIN_LANES);
	bmw_compress(first, m, h);

	UNROLL
	for (int i = 0; i < 16; i++)
		h[i] = v32_all(0xaaaaaaa0 + (uint32_t)i);
	bmw_compress(out, first, h);
}

static void KERNEL(bmw256_stage)(void *job, uint64_t *words)
{
	(void)job;
	for (int lane = 0; lane < CHAIN_LANES; lane += LANES) {
		v32 out[16];

		bmw256_lanes(out, words + lane);
		for (int i = 0; i < 4; i++)
			v64_store_joined(words + i * CHAIN_LANES + lane, out[8 + 2 * i], out[9 + 2 * i]);
	}
}

/* The lanes of the batch whose digest's top word is at most `top`. */
static uint32_t KERNEL(bmw256_candidates)(const uint64_t *words, uint32_t top)
{
	uint32_t mask = 0;

	for (int lane = 0; lane < CHAIN_LANES; lane += LANES) {
		v32 out[16];

		bmw256_lanes(out, words + lane);
		mask |= v32_candidates(out[15], v32_all(top)) << lane;
	}
	return mask;
}

#endif
