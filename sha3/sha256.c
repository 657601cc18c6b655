/*
 * SHA-256, shaped like FIPS 180-4; names are the standard's. The length at the end
 * of the padding counts bits, not bytes.
 */
#include "sha3/sha256.h"

#include <string.h>

#include "base/bytes.h"

const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

const uint32_t sha256_iv[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* The functions of section 4.1.2. */
static uint32_t ch(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (~x & z); }
static uint32_t maj(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (x & z) ^ (y & z); }
static uint32_t big_sigma0(uint32_t x) { return rotr32(x, 2) ^ rotr32(x, 13) ^ rotr32(x, 22); }
static uint32_t big_sigma1(uint32_t x) { return rotr32(x, 6) ^ rotr32(x, 11) ^ rotr32(x, 25); }
static uint32_t sigma0(uint32_t x) { return rotr32(x, 7) ^ rotr32(x, 18) ^ x >> 3; }
static uint32_t sigma1(uint32_t x) { return rotr32(x, 17) ^ rotr32(x, 19) ^ x >> 10; }

/* Section 6.2.2. */
void sha256_compress(uint32_t state[8], const uint8_t block[64])
{
	uint32_t w[64];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

	for (int t = 0; t < 16; t++)
		w[t] = load_be32(block + 4 * t);
	for (int t = 16; t < 64; t++)
		w[t] = sigma1(w[t - 2]) + w[t - 7] + sigma0(w[t - 15]) + w[t - 16];

	for (int t = 0; t < 64; t++) {
		uint32_t t1 = h + big_sigma1(e) + ch(e, f, g) + sha256_k[t] + w[t];
		uint32_t t2 = big_sigma0(a) + maj(a, b, c);

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}

	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

/* Section 5.1.1: a 1 bit, zeros, and the length in bits as the last 64 bits of a block. */
void sha256(uint8_t out[32], const uint8_t *in, size_t len)
{
	uint32_t state[8];
	uint8_t tail[128] = { 0 };
	size_t rest = len % 64;
	size_t tail_len = rest < 56 ? 64 : 128;

	memcpy(state, sha256_iv, sizeof state);
	for (size_t i = 0; i < len - rest; i += 64)
		sha256_compress(state, in + i);

	if (rest > 0)
		memcpy(tail, in + len - rest, rest);
	tail[rest] = 0x80;
	store_be64(tail + tail_len - 8, (uint64_t)len * 8);
	for (size_t i = 0; i < tail_len; i += 64)
		sha256_compress(state, tail + i);

	for (int i = 0; i < 8; i++)
		store_be32(out + 4 * i, state[i]);
}

bool sha256_pad(uint8_t block[64], const uint8_t *message, size_t len)
{
	if (len > SHA256_PAD_MAX)
		return false;
	memset(block, 0, 64);
	memcpy(block, message, len);
	block[len] = 0x80;
	store_be64(block + 56, 8 * (uint64_t)len);
	return true;
}
