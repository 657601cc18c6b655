/*
 * Skein-512-256, shaped like version 1.3: Threefish-512, one UBI step, and the
 * simple hash made of them. Words are little-endian. The position in the tweak
 * counts message bytes: the padding, which is zeros only, does not count.
 */
#include "sha3/skein256.h"

#include <string.h>

#include "base/bytes.h"

#define ROUNDS 72

const uint64_t skein256_iv[8] = {
	0xccd044a12fdb3e13, 0xe83590301a79a9eb, 0x55aea0614f816e6f, 0x2a2767a4ae9b94db,
	0xec06025e74dd7683, 0xe7a436cdc4746251, 0xc36fbaf9393ad185, 0x3eedba1833edfc13,
};

const uint8_t skein512_rotations[8][4] = {
	{ 46, 36, 19, 37 },
	{ 33, 27, 14, 42 },
	{ 17, 49, 36, 39 },
	{ 44,  9, 54, 56 },
	{ 39, 30, 34, 24 },
	{ 13, 50, 10, 17 },
	{ 25, 29, 39, 43 },
	{  8, 35, 56, 22 },
};

/* The word that moves to place i after each round's mixing. */
static const uint8_t permutation[8] = { 2, 1, 4, 7, 6, 5, 0, 3 };

/* Subkey s of section 3.3: key words in rotation, two tweak words and the number of the subkey. */
static void add_subkey(uint64_t v[8], const uint64_t key[9], const uint64_t tweak[3], unsigned s)
{
	for (unsigned i = 0; i < 8; i++)
		v[i] += key[(s + i) % 9];
	v[5] += tweak[s % 3];
	v[6] += tweak[(s + 1) % 3];
	v[7] += s;
}

static void round_of_mix(uint64_t v[8], const uint8_t rotations[4])
{
	uint64_t mixed[8];

	for (int j = 0; j < 4; j++) {
		mixed[2 * j] = v[2 * j] + v[2 * j + 1];
		mixed[2 * j + 1] = rotl64(v[2 * j + 1], rotations[j]) ^ mixed[2 * j];
	}
	for (int i = 0; i < 8; i++)
		v[i] = mixed[permutation[i]];
}

/* Threefish-512 with the chain value as key; the plaintext xored in makes it one-way. */
void skein512_compress(uint64_t g[8], const uint8_t block[64], uint64_t tweak_low, uint64_t tweak_high)
{
	uint64_t key[9], plain[8], v[8];
	const uint64_t tweak[3] = { tweak_low, tweak_high, tweak_low ^ tweak_high };

	key[8] = SKEIN_PARITY;
	for (int i = 0; i < 8; i++) {
		key[i] = g[i];
		key[8] ^= g[i];
		v[i] = plain[i] = load_le64(block + 8 * i);
	}

	for (unsigned r = 0; r < ROUNDS; r++) {
		if (r % 4 == 0)
			add_subkey(v, key, tweak, r / 4);
		round_of_mix(v, skein512_rotations[r % 8]);
	}
	add_subkey(v, key, tweak, ROUNDS / 4);

	for (int i = 0; i < 8; i++)
		g[i] = v[i] ^ plain[i];
}

/* The last block is never empty unless the message is; then the output block, a counter of zero. */
void skein256(uint8_t out[32], const uint8_t *in, size_t len)
{
	static const uint8_t counter[64] = { 0 };
	uint64_t g[8];
	uint8_t last[64] = { 0 };
	uint64_t first = SKEIN_FIRST;
	uint64_t position = 0;
	size_t rest = len;

	memcpy(g, skein256_iv, sizeof g);
	for (; rest > 64; rest -= 64, in += 64) {
		position += 64;
		skein512_compress(g, in, position, SKEIN_MESSAGE | first);
		first = 0;
	}
	if (rest > 0)
		memcpy(last, in, rest);
	skein512_compress(g, last, len, SKEIN_MESSAGE | first | SKEIN_FINAL);

	skein512_compress(g, counter, 8, SKEIN_OUTPUT | SKEIN_FIRST | SKEIN_FINAL);
	for (int i = 0; i < 4; i++)
		store_le64(out + 8 * i, g[i]);
}
