/*
 * BLAKE-256, shaped like section 2.1 of the SHA-3 proposal; names are the
 * proposal's. Unlike SHA-256, the counter mixed into each block does not count
 * padding, and it is 0 for a block that holds no message bit at all.
 */
#include "sha3/blake256.h"

#include <string.h>

#include "base/bytes.h"

#define ROUNDS 14

/* The first 512 bits of the fraction of pi. */
const uint32_t blake256_c[16] = {
	0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
	0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
};

const uint32_t blake256_iv[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

const uint8_t blake256_sigma[10][16] = {
	{  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3 },
	{ 11,  8, 12,  0,  5,  2, 15, 13, 10, 14,  3,  6,  7,  1,  9,  4 },
	{  7,  9,  3,  1, 13, 12, 11, 14,  2,  6,  5, 10,  4,  0, 15,  8 },
	{  9,  0,  5,  7,  2,  4, 10, 15, 14,  1, 11, 12,  6,  8,  3, 13 },
	{  2, 12,  6, 10,  0, 11,  8,  3,  4, 13,  7,  5, 15, 14,  1,  9 },
	{ 12,  5,  1, 15, 14, 13,  4, 10,  0,  7,  6,  3,  9,  2,  8, 11 },
	{ 13, 11,  7, 14, 12,  1,  3,  9,  5,  0, 15,  4,  8,  6,  2, 10 },
	{  6, 15, 14,  9, 11,  3,  0,  8, 12,  2, 13,  7,  1,  4, 10,  5 },
	{ 10,  2,  8,  4,  7,  6,  1,  5, 15, 11,  9, 14,  3, 12, 13,  0 },
};

/* G_i of section 2.1.2 on one column or diagonal; `s` is the round's permutation. */
static void g(uint32_t v[16], int a, int b, int c, int d, int i, const uint8_t s[16], const uint32_t m[16])
{
	unsigned j = s[2 * i], k = s[2 * i + 1];

	v[a] += v[b] + (m[j] ^ blake256_c[k]);
	v[d] = rotr32(v[d] ^ v[a], 16);
	v[c] += v[d];
	v[b] = rotr32(v[b] ^ v[c], 12);
	v[a] += v[b] + (m[k] ^ blake256_c[j]);
	v[d] = rotr32(v[d] ^ v[a], 8);
	v[c] += v[d];
	v[b] = rotr32(v[b] ^ v[c], 7);
}

void blake256_compress(uint32_t h[8], const uint8_t block[64], uint64_t bits)
{
	uint32_t m[16], v[16];

	for (int i = 0; i < 16; i++)
		m[i] = load_be32(block + 4 * i);
	for (int i = 0; i < 8; i++) {
		v[i] = h[i];
		v[8 + i] = blake256_c[i];	/* the salt, all zero, would be added to four of them */
	}
	v[12] ^= (uint32_t)bits;
	v[13] ^= (uint32_t)bits;
	v[14] ^= (uint32_t)(bits >> 32);
	v[15] ^= (uint32_t)(bits >> 32);

	for (int r = 0; r < ROUNDS; r++) {
		const uint8_t *s = blake256_sigma[r % 10];

		g(v, 0, 4,  8, 12, 0, s, m);
		g(v, 1, 5,  9, 13, 1, s, m);
		g(v, 2, 6, 10, 14, 2, s, m);
		g(v, 3, 7, 11, 15, 3, s, m);
		g(v, 0, 5, 10, 15, 4, s, m);
		g(v, 1, 6, 11, 12, 5, s, m);
		g(v, 2, 7,  8, 13, 6, s, m);
		g(v, 3, 4,  9, 14, 7, s, m);
	}

	for (int i = 0; i < 8; i++)
		h[i] ^= v[i] ^ v[8 + i];
}

/* Section 2.1.3: a 1 bit, zeros, a 1 bit, and the length in bits as the last 64 bits of a block. */
void blake256(uint8_t out[32], const uint8_t *in, size_t len)
{
	uint32_t h[8];
	uint8_t tail[128] = { 0 };
	size_t rest = len % 64;
	size_t tail_len = rest < 56 ? 64 : 128;
	uint64_t bits = (uint64_t)len * 8;

	memcpy(h, blake256_iv, sizeof h);
	for (size_t i = 0; i < len - rest; i += 64)
		blake256_compress(h, in + i, (uint64_t)(i + 64) * 8);

	if (rest > 0)
		memcpy(tail, in + len - rest, rest);
	tail[rest] = 0x80;
	tail[tail_len - 9] |= 1;
	store_be64(tail + tail_len - 8, bits);
	blake256_compress(h, tail, rest > 0 ? bits : 0);
	if (tail_len > 64)
		blake256_compress(h, tail + 64, 0);

	for (int i = 0; i < 8; i++)
		store_be32(out + 4 * i, h[i]);
}
