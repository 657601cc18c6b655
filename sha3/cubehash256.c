/*
 * CubeHash16/32-256, shaped like the specification: ten steps a round, on halves of
 * 32 words told apart by one bit of the index. Words are little-endian.
 */
#include "sha3/cubehash256.h"

#include <string.h>

#include "base/bytes.h"

const uint32_t cubehash256_iv[32] = {
	0xea2bd4b4, 0xccd6f29f, 0x63117e71, 0x35481eae, 0x22512d5b, 0xe5d94e63, 0x7e624131, 0xf4cc12be,
	0xc2d0b696, 0x42af2070, 0xd0720c35, 0x3361da8c, 0x28cceca4, 0x8ef8ad83, 0x4680ac00, 0x40e5fbab,
	0xd89041c3, 0x6107fbd5, 0x6c859d41, 0xf0b26679, 0x09392549, 0x5fa25603, 0x65c892fd, 0x93cb6285,
	0x2af2b5ae, 0x9e4b4e60, 0x774abfdd, 0x85254725, 0x15815aeb, 0x4ab6aad6, 0x9cdaf8af, 0xd6032c0a,
};

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t old = *a;

	*a = *b;
	*b = old;
}

static void add_low_to_high(uint32_t x[32])
{
	for (int i = 0; i < 16; i++)
		x[16 + i] += x[i];
}

static void rotate_low(uint32_t x[32], unsigned n)
{
	for (int i = 0; i < 16; i++)
		x[i] = rotl32(x[i], n);
}

static void xor_high_into_low(uint32_t x[32])
{
	for (int i = 0; i < 16; i++)
		x[i] ^= x[16 + i];
}

/* Swap words of one half, low (0) or high (16), whose indices differ in `bit` alone. */
static void swap_across(uint32_t x[32], int half, int bit)
{
	for (int i = half; i < half + 16; i++)
		if (!(i & bit))
			swap(&x[i], &x[i | bit]);
}

void cubehash_rounds(uint32_t x[32], int count)
{
	for (int round = 0; round < count; round++) {
		add_low_to_high(x);
		rotate_low(x, 7);
		swap_across(x, 0, 8);
		xor_high_into_low(x);
		swap_across(x, 16, 2);
		add_low_to_high(x);
		rotate_low(x, 11);
		swap_across(x, 0, 4);
		xor_high_into_low(x);
		swap_across(x, 16, 1);
	}
}

static void add_block(uint32_t x[32], const uint8_t block[CUBEHASH256_BLOCK])
{
	for (int i = 0; i < CUBEHASH256_BLOCK / 4; i++)
		x[i] ^= load_le32(block + 4 * i);
	cubehash_rounds(x, CUBEHASH256_BLOCK_ROUNDS);
}

/* Padding is a 1 bit and zeros to the end of the block: no length, so a whole block when the message ends with one. */
void cubehash256(uint8_t out[32], const uint8_t *in, size_t len)
{
	uint32_t x[32];
	uint8_t last[CUBEHASH256_BLOCK] = { 0 };

	memcpy(x, cubehash256_iv, sizeof x);
	for (; len >= CUBEHASH256_BLOCK; len -= CUBEHASH256_BLOCK, in += CUBEHASH256_BLOCK)
		add_block(x, in);
	if (len > 0)
		memcpy(last, in, len);
	last[len] = 0x80;
	add_block(x, last);

	x[31] ^= 1;
	cubehash_rounds(x, CUBEHASH256_FINAL_ROUNDS);
	for (int i = 0; i < 8; i++)
		store_le32(out + 4 * i, x[i]);
}
