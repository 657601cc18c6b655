/*
 * Keccak-256 of 32 bytes over lanes ("The Keccak reference" 3.0, section 1.2; padding 0x01). A round goes
 * from one array to another, because then rho and pi cost no moves: each word is read from where it was.
 */
#ifndef SIMD_KECCAK256_LANES_H
#define SIMD_KECCAK256_LANES_H

#include "sha3/keccak256.h"
#include "simd/chain_lanes.h"

#define KECCAK_ROUNDS 24

/* Rotations of rho, word (x, y) at x + 5 y. */
static const uint8_t keccak_rho[25] = {
	 0,  1, 62, 28, 27,
	36, 44,  6, 55, 20,
	 3, 10, 43, 25, 39,
	41, 45, 15, 21,  8,
	18,  2, 61, 56, 14,
};

/* One round, of which the first `rows` rows, words 5 y to 5 y + 4, are wanted. */
INLINE void keccak_round(v64 to[25], const v64 from[25], uint64_t round_constant, int rows)
{
	v64 sum[5], change[5];

	UNROLL
	for (int x = 0; x < 5; x++)
		sum[x] = from[x] ^ from[x + 5] ^ from[x + 10] ^ from[x + 15] ^ from[x + 20];
	UNROLL
	for (int x = 0; x < 5; x++)
		change[x] = sum[(x + 4) % 5] ^ v64_rotl(sum[(x + 1) % 5], 1);
	UNROLL
	for (int y = 0; y < rows; y++) {
		v64 row[5];

		UNROLL
		for (int x = 0; x < 5; x++) {	/* pi moves word (i, x) to (x, y) when y is 2 i + 3 x */
			int i = (x + 3 * y) % 5;
			v64 word = from[i + 5 * x] ^ change[i];

			row[x] = keccak_rho[i + 5 * x] ? v64_rotl(word, keccak_rho[i + 5 * x]) : word;
		}
		UNROLL
		for (int x = 0; x < 5; x++)
			to[x + 5 * y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
	}
	to[0] ^= v64_all(round_constant);
}

static inline void keccak256_lanes(v64 s[4])
{
	v64 a[25], b[25];

	UNROLL
	for (int i = 0; i < 25; i++)
		a[i] = i < 4 ? s[i] : v64_all(0);
	a[4] = v64_all(0x01);
	a[KECCAK256_RATE / 8 - 1] = v64_all((uint64_t)0x80 << 56);

	for (int round = 0; round < KECCAK_ROUNDS - 2; round += 2) {
		keccak_round(b, a, keccak_rc[round], 5);
		keccak_round(a, b, keccak_rc[round + 1], 5);
	}
	keccak_round(b, a, keccak_rc[KECCAK_ROUNDS - 2], 5);
	keccak_round(a, b, keccak_rc[KECCAK_ROUNDS - 1], 1);	/* the digest lies in the first row */
	UNROLL
	for (int i = 0; i < 4; i++)
		s[i] = a[i];
}

static void KERNEL(keccak256_stage)(void *job, uint64_t *words)
{
	(void)job;
	for (int lane = 0; lane < CHAIN_LANES; lane += V64_LANES) {
		v64 s[4];

		chain_load(s, words + lane);
		keccak256_lanes(s);
		chain_store(words + lane, s);
	}
}

#endif
