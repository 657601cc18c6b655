/*
 * Lyra2 with BLAKE2b's permutation as its sponge, shaped like the paper's
 * algorithm: bootstrapping, setup, wandering, wrap-up. The full 12 rounds run only
 * at both ends; every cell of the matrix costs a single one. Rows are written from
 * the last column to the first while they are made, and from the first on later.
 */
#include "sha3/lyra2.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"

#define FULL_ROUNDS	12
#define ABSORBED	8	/* words of input a block: less than the rate, so the paper's proof holds */

static const uint64_t blake2b_iv[8] = {		/* RFC 7693, section 2.6 */
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

struct matrix {
	uint64_t *words;
	unsigned rows, cols;
};

static uint64_t *cell(const struct matrix *m, unsigned row, unsigned col)
{
	return m->words + ((size_t)row * m->cols + col) * LYRA2_BLOCK;
}

/* BLAKE2b's G without message words. */
static void g(uint64_t v[16], int a, int b, int c, int d)
{
	v[a] += v[b];
	v[d] = rotr64(v[d] ^ v[a], 32);
	v[c] += v[d];
	v[b] = rotr64(v[b] ^ v[c], 24);
	v[a] += v[b];
	v[d] = rotr64(v[d] ^ v[a], 16);
	v[c] += v[d];
	v[b] = rotr64(v[b] ^ v[c], 63);
}

static void permute(uint64_t v[16], int rounds)
{
	for (int r = 0; r < rounds; r++) {
		g(v, 0, 4,  8, 12);
		g(v, 1, 5,  9, 13);
		g(v, 2, 6, 10, 14);
		g(v, 3, 7, 11, 15);
		g(v, 0, 5, 10, 15);
		g(v, 1, 6, 11, 12);
		g(v, 2, 7,  8, 13);
		g(v, 3, 4,  9, 14);
	}
}

static void xor_into(uint64_t *to, const uint64_t *from, int words)
{
	for (int i = 0; i < words; i++)
		to[i] ^= from[i];
}

/* Reduced duplexing: absorb the wordwise sum of two cells, one round. */
static void duplex_sum(uint64_t state[16], const uint64_t *one, const uint64_t *other)
{
	for (int i = 0; i < LYRA2_BLOCK; i++)
		state[i] ^= one[i] + other[i];
	permute(state, 1);
}

/* Xor the output into a cell one word further on, the last word into the first. */
static void xor_rotated(uint64_t *to, const uint64_t state[16])
{
	for (int i = 0; i < LYRA2_BLOCK; i++)
		to[(i + 1) % LYRA2_BLOCK] ^= state[i];
}

/*
 * Bootstrapping: absorb password and salt, which fill one block, then the parameters:
 * three lengths, time cost and size, padded by 0x80 ... 0x01.
 */
static void absorb_input(uint64_t state[16], const uint8_t in[32], const struct lyra2_variant *variant)
{
	const uint64_t parameters[ABSORBED] = {
		32, 32, 32, 1, variant->rows, variant->cols, 0x80, (uint64_t)0x01 << 56,
	};

	memset(state, 0, 8 * sizeof *state);
	memcpy(state + 8, blake2b_iv, sizeof blake2b_iv);
	for (int i = 0; i < ABSORBED; i++)
		state[i] ^= load_le64(in + 8 * (i % 4));
	permute(state, FULL_ROUNDS);
	if (!variant->parameters_lost)
		xor_into(state, parameters, ABSORBED);
	permute(state, FULL_ROUNDS);
}

static void make_row0(uint64_t state[16], const struct matrix *m)
{
	for (unsigned col = 0; col < m->cols; col++) {
		memcpy(cell(m, 0, m->cols - 1 - col), state, LYRA2_BLOCK * sizeof *state);
		permute(state, 1);
	}
}

static void make_row1(uint64_t state[16], const struct matrix *m)
{
	for (unsigned col = 0; col < m->cols; col++) {
		const uint64_t *prev = cell(m, 0, col);
		uint64_t *made = cell(m, 1, m->cols - 1 - col);

		xor_into(state, prev, LYRA2_BLOCK);
		permute(state, 1);
		memcpy(made, prev, LYRA2_BLOCK * sizeof *made);
		xor_into(made, state, LYRA2_BLOCK);
	}
}

/* A row of the setup after the first two: made from the one before and one older row, which changes too. */
static void make_row(uint64_t state[16], const struct matrix *m, unsigned row, unsigned revisited)
{
	for (unsigned col = 0; col < m->cols; col++) {
		const uint64_t *prev = cell(m, row - 1, col);
		uint64_t *old = cell(m, revisited, col);
		uint64_t *made = cell(m, row, m->cols - 1 - col);

		duplex_sum(state, prev, old);
		memcpy(made, prev, LYRA2_BLOCK * sizeof *made);
		xor_into(made, state, LYRA2_BLOCK);
		xor_rotated(old, state);
	}
}

/*
 * Setup. The older rows are revisited in windows that double: within a window,
 * steps of alternately one less and one more than half of it reach each row once.
 */
static void setup(uint64_t state[16], const struct matrix *m)
{
	unsigned window = 2, step = 1, revisited = 0;
	int gap = 1;

	make_row0(state, m);
	make_row1(state, m);
	for (unsigned row = 2; row < m->rows; row++) {
		make_row(state, m, row, revisited);
		revisited = (revisited + step) % window;
		if (revisited == 0) {
			step = window + (unsigned)gap;
			window *= 2;
			gap = -gap;
		}
	}
}

/* The rows may coincide: `prev` is read before `row` and `wandering` are written, in this order. */
static void wander_row(uint64_t state[16], const struct matrix *m, unsigned prev, unsigned row, unsigned wandering)
{
	for (unsigned col = 0; col < m->cols; col++) {
		duplex_sum(state, cell(m, prev, col), cell(m, wandering, col));
		xor_into(cell(m, row, col), state, LYRA2_BLOCK);
		xor_rotated(cell(m, wandering, col), state);
	}
}

/*
 * Wandering, one pass over all rows by steps of rows / 2 - 1; the state says which
 * other row to visit. Returns the last one of these.
 */
static unsigned wander(uint64_t state[16], const struct matrix *m)
{
	unsigned prev = m->rows - 1, row = 0, wandering;

	do {
		wandering = (unsigned)(state[0] % m->rows);
		wander_row(state, m, prev, row, wandering);
		prev = row;
		row = (row + m->rows / 2 - 1) % m->rows;
	} while (row != 0);
	return wandering;
}

void lyra2(uint8_t out[32], const uint8_t in[32], const struct lyra2_variant *variant, uint64_t *matrix)
{
	const struct matrix m = { matrix, variant->rows, variant->cols };
	uint64_t state[16];

	absorb_input(state, in, variant);
	setup(state, &m);
	unsigned last = wander(state, &m);

	/* Wrap-up: absorb the first cell of the row visited last, squeeze. */
	xor_into(state, cell(&m, last, 0), LYRA2_BLOCK);
	permute(state, FULL_ROUNDS);
	for (int i = 0; i < 4; i++)
		store_le64(out + 8 * i, state[i]);
}
