/*
 * Keccak[r=1088, c=512], shaped like "The Keccak reference" 3.0, chapter 1.
 * Lane (x, y) of the state is a[x + 5 * y], loaded little-endian.
 */
#include "sha3/keccak256.h"

#include "base/bytes.h"

const uint64_t keccak_rc[24] = {
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static void theta(uint64_t a[25])
{
	uint64_t c[5];

	for (int x = 0; x < 5; x++)
		c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
	for (int x = 0; x < 5; x++)
		for (int y = 0; y < 5; y++)
			a[x + 5 * y] ^= c[(x + 4) % 5] ^ rotl64(c[(x + 1) % 5], 1);
}

/*
 * Rho and pi as one walk: pi moves lane (x, y) to (y, 2x + 3y), and from (1, 0)
 * that visits all 24 lanes but (0, 0); rho turns the t-th lane visited by the
 * triangular number (t + 1)(t + 2) / 2.
 */
static void rho_pi(uint64_t a[25])
{
	int x = 1, y = 0;
	uint64_t moving = a[x + 5 * y];

	for (unsigned t = 0; t < 24; t++) {
		int next_y = (2 * x + 3 * y) % 5;

		x = y;
		y = next_y;

		uint64_t displaced = a[x + 5 * y];

		a[x + 5 * y] = rotl64(moving, (t + 1) * (t + 2) / 2 % 64);
		moving = displaced;
	}
}

static void chi(uint64_t a[25])
{
	for (int y = 0; y < 25; y += 5) {
		uint64_t row[5];

		for (int x = 0; x < 5; x++)
			row[x] = a[x + y];
		for (int x = 0; x < 5; x++)
			a[x + y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
	}
}

static void keccak_f1600(uint64_t a[25])
{
	for (int round = 0; round < 24; round++) {
		theta(a);
		rho_pi(a);
		chi(a);
		a[0] ^= keccak_rc[round];	/* iota */
	}
}

void keccak256(uint8_t out[32], const uint8_t *in, size_t len)
{
	uint64_t a[25] = { 0 };
	uint8_t last[KECCAK256_RATE] = { 0 };

	for (; len >= KECCAK256_RATE; len -= KECCAK256_RATE, in += KECCAK256_RATE) {
		for (int i = 0; i < KECCAK256_RATE / 8; i++)
			a[i] ^= load_le64(in + 8 * i);
		keccak_f1600(a);
	}

	for (size_t i = 0; i < len; i++)
		last[i] = in[i];
	last[len] ^= 0x01;	/* pad10*1: first bit and last bit of the padding; one byte may hold both */
	last[KECCAK256_RATE - 1] ^= 0x80;
	for (int i = 0; i < KECCAK256_RATE / 8; i++)
		a[i] ^= load_le64(last + 8 * i);
	keccak_f1600(a);

	for (int i = 0; i < 4; i++)
		store_le64(out + 8 * i, a[i]);
}
