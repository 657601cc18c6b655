/*
 * Skein-512-256 of 32 bytes over lanes (version 1.3): two Threefish-512 encryptions. The key of the first is
 * the initial chain value, the same for every nonce, so its subkeys are made once a batch; the second's key is
 * the first's result, and its plaintext is zero.
 */
#ifndef SIMD_SKEIN256_LANES_H
#define SIMD_SKEIN256_LANES_H

#include "sha3/skein256.h"
#include "simd/chain_lanes.h"

#define SKEIN_SUBKEYS 19	/* one before every fourth round, one after the last */

#define SKEIN_ONLY (SKEIN_FIRST | SKEIN_FINAL)	/* block of its type */

/* What subkey s adds of the tweak and its own number to its word i; section 3.3. */
static inline uint64_t skein_tweak(int s, int i, uint64_t low, uint64_t high)
{
	const uint64_t tweak[3] = { low, high, low ^ high };

	return i == 5 ? tweak[s % 3] : i == 6 ? tweak[(s + 1) % 3] : i == 7 ? (uint64_t)s : 0;
}

/* The subkeys of the block that holds the message. */
INLINE void skein_message_subkeys(v64 subkeys[SKEIN_SUBKEYS][8])
{
	v64 key[9] = { [8] = v64_all(SKEIN_PARITY) };

	UNROLL
	for (int i = 0; i < 8; i++) {
		key[i] = v64_all(skein256_iv[i]);
		key[8] ^= key[i];
	}
	UNROLL
	for (int s = 0; s < SKEIN_SUBKEYS; s++) {
		UNROLL
		for (int i = 0; i < 8; i++)
			subkeys[s][i] = key[(s + i) % 9] + v64_all(skein_tweak(s, i, 32, SKEIN_MESSAGE | SKEIN_ONLY));
	}
}

INLINE void skein_mix(v64 *even, v64 *odd, int rotation)
{
	*even += *odd;
	*odd = v64_rotl(*odd, rotation) ^ *even;
}

/* Four rounds; section 3.3.2, table 4. The permutation is in the indices, and complete after the fourth. */
INLINE void skein_rounds_0_to_3(v64 v[8])
{
	skein_mix(&v[0], &v[1], 46), skein_mix(&v[2], &v[3], 36), skein_mix(&v[4], &v[5], 19), skein_mix(&v[6], &v[7], 37);
	skein_mix(&v[2], &v[1], 33), skein_mix(&v[4], &v[7], 27), skein_mix(&v[6], &v[5], 14), skein_mix(&v[0], &v[3], 42);
	skein_mix(&v[4], &v[1], 17), skein_mix(&v[6], &v[3], 49), skein_mix(&v[0], &v[5], 36), skein_mix(&v[2], &v[7], 39);
	skein_mix(&v[6], &v[1], 44), skein_mix(&v[0], &v[7],  9), skein_mix(&v[2], &v[5], 54), skein_mix(&v[4], &v[3], 56);
}

INLINE void skein_rounds_4_to_7(v64 v[8])
{
	skein_mix(&v[0], &v[1], 39), skein_mix(&v[2], &v[3], 30), skein_mix(&v[4], &v[5], 34), skein_mix(&v[6], &v[7], 24);
	skein_mix(&v[2], &v[1], 13), skein_mix(&v[4], &v[7], 50), skein_mix(&v[6], &v[5], 10), skein_mix(&v[0], &v[3], 17);
	skein_mix(&v[4], &v[1], 25), skein_mix(&v[6], &v[3], 29), skein_mix(&v[0], &v[5], 39), skein_mix(&v[2], &v[7], 43);
	skein_mix(&v[6], &v[1],  8), skein_mix(&v[0], &v[7], 35), skein_mix(&v[2], &v[5], 56), skein_mix(&v[4], &v[3], 22);
}

INLINE void skein_add_subkey(v64 v[8], const v64 subkey[8])
{
	UNROLL
	for (int i = 0; i < 8; i++)
		v[i] += subkey[i];
}

/* The same with subkey s made from the output block's key, repeated so that its words are consecutive. */
INLINE void skein_add_output_subkey(v64 v[8], const v64 key[SKEIN_SUBKEYS + 7], int s)
{
	skein_add_subkey(v, key + s);
	UNROLL
	for (int i = 5; i < 8; i++)
		v[i] += v64_all(skein_tweak(s, i, 8, SKEIN_OUTPUT | SKEIN_ONLY));
}

static inline void skein256_lanes(v64 digest[4], const v64 subkeys[SKEIN_SUBKEYS][8])
{
	v64 key[SKEIN_SUBKEYS + 7], v[8];

	UNROLL
	for (int i = 0; i < 8; i++)
		v[i] = i < 4 ? subkeys[0][i] + digest[i] : subkeys[0][i];
	for (int s = 1; s < SKEIN_SUBKEYS; s += 2) {
		skein_rounds_0_to_3(v);
		skein_add_subkey(v, subkeys[s]);
		skein_rounds_4_to_7(v);
		skein_add_subkey(v, subkeys[s + 1]);
	}

	key[8] = v64_all(SKEIN_PARITY);
	UNROLL
	for (int i = 0; i < 8; i++) {
		key[i] = i < 4 ? v[i] ^ digest[i] : v[i];
		key[8] ^= key[i];
		v[i] = v64_all(0);
	}
	UNROLL
	for (int i = 9; i < SKEIN_SUBKEYS + 7; i++)
		key[i] = key[i - 9];
	skein_add_output_subkey(v, key, 0);
	for (int s = 1; s < SKEIN_SUBKEYS; s += 2) {
		skein_rounds_0_to_3(v);
		skein_add_output_subkey(v, key, s);
		skein_rounds_4_to_7(v);
		skein_add_output_subkey(v, key, s + 1);
	}
	UNROLL
	for (int i = 0; i < 4; i++)
		digest[i] = v[i];
}

static void KERNEL(skein256_stage)(void *job, uint64_t *words)
{
	v64 subkeys[SKEIN_SUBKEYS][8];

	(void)job;
	skein_message_subkeys(subkeys);
	for (int lane = 0; lane < CHAIN_LANES; lane += V64_LANES) {
		v64 s[4];

		chain_load(s, words + lane);
		skein256_lanes(s, subkeys);
		chain_store(words + lane, s);
	}
}

#endif
