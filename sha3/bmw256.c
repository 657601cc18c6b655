/*
 * BMW-256, shaped like the submission: f0 bijects message and chain value to half
 * of a quadrupled pipe Q, f1 expands it to the other half, f2 folds all of it into
 * the new chain value. Words are little-endian; so is the length that ends the padding.
 */
#include "sha3/bmw256.h"

#include <string.h>

#include "base/bytes.h"

static const uint32_t initial[16] = {
	0x40414243, 0x44454647, 0x48494a4b, 0x4c4d4e4f, 0x50515253, 0x54555657, 0x58595a5b, 0x5c5d5e5f,
	0x60616263, 0x64656667, 0x68696a6b, 0x6c6d6e6f, 0x70717273, 0x74757677, 0x78797a7b, 0x7c7d7e7f,
};

/* The chain value of the last compression, whose message is the chain value of the first ones. */
static const uint32_t final[16] = {
	0xaaaaaaa0, 0xaaaaaaa1, 0xaaaaaaa2, 0xaaaaaaa3, 0xaaaaaaa4, 0xaaaaaaa5, 0xaaaaaaa6, 0xaaaaaaa7,
	0xaaaaaaa8, 0xaaaaaaa9, 0xaaaaaaaa, 0xaaaaaaab, 0xaaaaaaac, 0xaaaaaaad, 0xaaaaaaae, 0xaaaaaaaf,
};

static uint32_t s0(uint32_t x) { return x >> 1 ^ x << 3 ^ rotl32(x, 4) ^ rotl32(x, 19); }
static uint32_t s1(uint32_t x) { return x >> 1 ^ x << 2 ^ rotl32(x, 8) ^ rotl32(x, 23); }
static uint32_t s2(uint32_t x) { return x >> 2 ^ x << 1 ^ rotl32(x, 12) ^ rotl32(x, 25); }
static uint32_t s3(uint32_t x) { return x >> 2 ^ x << 2 ^ rotl32(x, 15) ^ rotl32(x, 29); }
static uint32_t s4(uint32_t x) { return x >> 1 ^ x; }
static uint32_t s5(uint32_t x) { return x >> 2 ^ x; }

/* Q[0..15]: sums of five words of m ^ h, stirred by s0 to s4 in turn, plus a word of h. */
static void f0(uint32_t q[32], const uint32_t m[16], const uint32_t h[16])
{
	uint32_t t[16];

	for (int i = 0; i < 16; i++)
		t[i] = m[i] ^ h[i];

	q[0]  = s0(t[5]  - t[7] + t[10] + t[13] + t[14]) + h[1];
	q[1]  = s1(t[6]  - t[8] + t[11] + t[14] - t[15]) + h[2];
	q[2]  = s2(t[0]  + t[7] + t[9]  - t[12] + t[15]) + h[3];
	q[3]  = s3(t[0]  - t[1] + t[8]  - t[10] + t[13]) + h[4];
	q[4]  = s4(t[1]  + t[2] + t[9]  - t[11] - t[14]) + h[5];
	q[5]  = s0(t[3]  - t[2] + t[10] - t[12] + t[15]) + h[6];
	q[6]  = s1(t[4]  - t[0] - t[3]  - t[11] + t[13]) + h[7];
	q[7]  = s2(t[1]  - t[4] - t[5]  - t[12] - t[14]) + h[8];
	q[8]  = s3(t[2]  - t[5] - t[6]  + t[13] - t[15]) + h[9];
	q[9]  = s4(t[0]  - t[3] + t[6]  - t[7]  + t[14]) + h[10];
	q[10] = s0(t[8]  - t[1] - t[4]  - t[7]  + t[15]) + h[11];
	q[11] = s1(t[8]  - t[0] - t[2]  - t[5]  + t[9])  + h[12];
	q[12] = s2(t[1]  + t[3] - t[6]  - t[9]  + t[10]) + h[13];
	q[13] = s3(t[2]  + t[4] + t[7]  + t[10] + t[11]) + h[14];
	q[14] = s4(t[3]  - t[5] + t[8]  - t[11] - t[12]) + h[15];
	q[15] = s0(t[12] - t[4] - t[6]  - t[9]  + t[13]) + h[0];
}

/* A message word enters rotated by one more than its index. */
static uint32_t rotated(const uint32_t m[16], unsigned i)
{
	return rotl32(m[i % 16], i % 16 + 1);
}

/* What Q[i] takes from message and chain value, for i of 16..31. */
static uint32_t add_element(const uint32_t m[16], const uint32_t h[16], unsigned i)
{
	uint32_t k = i * 0x05555555;

	return (rotated(m, i) + rotated(m, i + 3) - rotated(m, i + 10) + k) ^ h[(i + 7) % 16];
}

/* The 16 words before Q[i], each stirred. */
static uint32_t expand1(const uint32_t *q)
{
	uint32_t sum = 0;

	for (int i = -16; i < 0; i += 4)
		sum += s1(q[i]) + s2(q[i + 1]) + s3(q[i + 2]) + s0(q[i + 3]);
	return sum;
}

/* The same, but cheaper: every other word as it is, or turned. */
static uint32_t expand2(const uint32_t *q)
{
	return q[-16] + rotl32(q[-15], 3) + q[-14] + rotl32(q[-13], 7) + q[-12] + rotl32(q[-11], 13) +
	       q[-10] + rotl32(q[-9], 16) + q[-8] + rotl32(q[-7], 19) + q[-6] + rotl32(q[-5], 23) +
	       q[-4] + rotl32(q[-3], 27) + s4(q[-2]) + s5(q[-1]);
}

/* Q[16..31] */
static void f1(uint32_t q[32], const uint32_t m[16], const uint32_t h[16])
{
	for (unsigned i = 16; i < 18; i++)
		q[i] = expand1(q + i) + add_element(m, h, i);
	for (unsigned i = 18; i < 32; i++)
		q[i] = expand2(q + i) + add_element(m, h, i);
}

static void f2(uint32_t h[16], const uint32_t q[32], const uint32_t m[16])
{
	uint32_t xl = 0, xh;

	for (int i = 16; i < 24; i++)
		xl ^= q[i];
	xh = xl;
	for (int i = 24; i < 32; i++)
		xh ^= q[i];

	h[0] = (xh << 5 ^ q[16] >> 5 ^ m[0]) + (xl ^ q[24] ^ q[0]);
	h[1] = (xh >> 7 ^ q[17] << 8 ^ m[1]) + (xl ^ q[25] ^ q[1]);
	h[2] = (xh >> 5 ^ q[18] << 5 ^ m[2]) + (xl ^ q[26] ^ q[2]);
	h[3] = (xh >> 1 ^ q[19] << 5 ^ m[3]) + (xl ^ q[27] ^ q[3]);
	h[4] = (xh >> 3 ^ q[20] ^ m[4]) + (xl ^ q[28] ^ q[4]);
	h[5] = (xh << 6 ^ q[21] >> 6 ^ m[5]) + (xl ^ q[29] ^ q[5]);
	h[6] = (xh >> 4 ^ q[22] << 6 ^ m[6]) + (xl ^ q[30] ^ q[6]);
	h[7] = (xh >> 11 ^ q[23] << 2 ^ m[7]) + (xl ^ q[31] ^ q[7]);

	h[8]  = rotl32(h[4], 9)  + (xh ^ q[24] ^ m[8])  + (xl << 8 ^ q[23] ^ q[8]);
	h[9]  = rotl32(h[5], 10) + (xh ^ q[25] ^ m[9])  + (xl >> 6 ^ q[16] ^ q[9]);
	h[10] = rotl32(h[6], 11) + (xh ^ q[26] ^ m[10]) + (xl << 6 ^ q[17] ^ q[10]);
	h[11] = rotl32(h[7], 12) + (xh ^ q[27] ^ m[11]) + (xl << 4 ^ q[18] ^ q[11]);
	h[12] = rotl32(h[0], 13) + (xh ^ q[28] ^ m[12]) + (xl >> 3 ^ q[19] ^ q[12]);
	h[13] = rotl32(h[1], 14) + (xh ^ q[29] ^ m[13]) + (xl >> 4 ^ q[20] ^ q[13]);
	h[14] = rotl32(h[2], 15) + (xh ^ q[30] ^ m[14]) + (xl >> 7 ^ q[21] ^ q[14]);
	h[15] = rotl32(h[3], 16) + (xh ^ q[31] ^ m[15]) + (xl >> 2 ^ q[22] ^ q[15]);
}

static void compress(uint32_t h[16], const uint32_t m[16])
{
	uint32_t q[32];

	f0(q, m, h);
	f1(q, m, h);
	f2(h, q, m);
}

static void add_block(uint32_t h[16], const uint8_t block[64])
{
	uint32_t m[16];

	for (int i = 0; i < 16; i++)
		m[i] = load_le32(block + 4 * i);
	compress(h, m);
}

/* Padding is a 1 bit, zeros, and the length in bits as the last 64 bits of a block. */
void bmw256(uint8_t out[32], const uint8_t *in, size_t len)
{
	uint32_t h[16], last[16];
	uint8_t tail[128] = { 0 };
	size_t rest = len % 64;
	size_t tail_len = rest < 56 ? 64 : 128;

	memcpy(h, initial, sizeof h);
	for (size_t i = 0; i < len - rest; i += 64)
		add_block(h, in + i);

	if (rest > 0)
		memcpy(tail, in + len - rest, rest);
	tail[rest] = 0x80;
	store_le64(tail + tail_len - 8, (uint64_t)len * 8);
	for (size_t i = 0; i < tail_len; i += 64)
		add_block(h, tail + i);

	memcpy(last, final, sizeof last);
	compress(last, h);
	for (int i = 0; i < 8; i++)
		store_le32(out + 4 * i, last[8 + i]);
}
