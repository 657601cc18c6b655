/*
 * See secp256k1.h. Because p = 2^256 - C with C = 2^32 + 977 so small, a product is
 * reduced by folding: its upper half, times C, is added to its lower half. After two
 * folds what is left is below 2p, and one subtraction that is made or not, by a mask
 * and not a branch, ends it.
 */
#include "field/secp256k1.h"

#include <string.h>

#include "base/bytes.h"

#define WORDS	SECP256K1_WORDS
#define C_LOW	977u	/* C = 2^32 + this: the 2^32 is one word up */

/*
 * For value = carry * 2^256 + r, below 2p: r becomes value mod p. Adding C overflows 2^256 exactly when r is p or
 * more, and then leaves r - p.
 */
static void reduce_once(uint32_t r[WORDS], uint32_t carry)
{
	uint32_t less[WORDS];
	uint64_t sum = (uint64_t)r[0] + C_LOW;

	less[0] = (uint32_t)sum;
	sum = (sum >> 32) + r[1] + 1;
	less[1] = (uint32_t)sum;
	for (unsigned i = 2; i < WORDS; i++) {
		sum = (sum >> 32) + r[i];
		less[i] = (uint32_t)sum;
	}
	uint32_t take = 0 - (carry | (uint32_t)(sum >> 32));	/* all ones or none */

	for (unsigned i = 0; i < WORDS; i++)
		r[i] ^= (r[i] ^ less[i]) & take;
}

/* r = wide modulo p. */
static void reduce(uint32_t r[WORDS], const uint32_t wide[2 * WORDS])
{
	const uint32_t *high = wide + WORDS;
	uint64_t sum = 0;

	/* The upper half times C: each word 977 times at its own place, and once at the next. At most 2^34 * 2^256. */
	for (unsigned i = 0; i < WORDS; i++) {
		sum += wide[i] + (uint64_t)high[i] * C_LOW + (i > 0 ? high[i - 1] : 0);
		r[i] = (uint32_t)sum;
		sum >>= 32;
	}
	sum += high[WORDS - 1];

	/* What went beyond 2^256, less than 2^34, once more. */
	uint64_t low = (uint32_t)sum, top = sum >> 32;
	sum = r[0] + low * C_LOW;
	r[0] = (uint32_t)sum;
	sum = (sum >> 32) + r[1] + low + top * C_LOW;
	r[1] = (uint32_t)sum;
	sum = (sum >> 32) + r[2] + top;
	r[2] = (uint32_t)sum;
	for (unsigned i = 3; i < WORDS; i++) {
		sum = (sum >> 32) + r[i];
		r[i] = (uint32_t)sum;
	}
	reduce_once(r, (uint32_t)(sum >> 32));
}

bool secp256k1_load(struct secp256k1_element *e, const uint8_t bytes[SECP256K1_BYTES])
{
	struct secp256k1_element given;
	uint32_t changed = 0;

	for (unsigned i = 0; i < WORDS; i++)
		given.word[i] = load_be32(bytes + 4 * (WORDS - 1 - i));
	*e = given;
	reduce_once(e->word, 0);
	for (unsigned i = 0; i < WORDS; i++)
		changed |= e->word[i] ^ given.word[i];
	return changed == 0;
}

void secp256k1_store(uint8_t bytes[SECP256K1_BYTES], const struct secp256k1_element *e)
{
	for (unsigned i = 0; i < WORDS; i++)
		store_be32(bytes + 4 * (WORDS - 1 - i), e->word[i]);
}

void secp256k1_add(struct secp256k1_element *sum, const struct secp256k1_element *a, const struct secp256k1_element *b)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		carry += (uint64_t)a->word[i] + b->word[i];
		sum->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	reduce_once(sum->word, (uint32_t)carry);
}

void secp256k1_sub(struct secp256k1_element *difference, const struct secp256k1_element *from,
		   const struct secp256k1_element *b)
{
	int64_t borrow = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		borrow += (int64_t)from->word[i] - b->word[i];
		difference->word[i] = (uint32_t)borrow;
		borrow = -(borrow < 0);
	}
	/* Below zero it is 2^256 too high; p too high would be right: so C too high. */
	uint32_t below = (uint32_t)borrow;	/* all ones or none */
	borrow = (int64_t)difference->word[0] - (C_LOW & below);
	difference->word[0] = (uint32_t)borrow;
	borrow = (int64_t)difference->word[1] - (1 & below) - (borrow < 0);
	difference->word[1] = (uint32_t)borrow;
	for (unsigned i = 2; i < WORDS; i++) {
		borrow = (int64_t)difference->word[i] - (borrow < 0);
		difference->word[i] = (uint32_t)borrow;
	}
}

/* A sum of products of two words: 64 bits and what they carry. */
struct column {
	uint64_t sum;
	uint32_t carry;
};

static inline void column_add(struct column *column, uint64_t product)
{
	column->sum += product;
	column->carry += column->sum < product;
}

/* The lowest word is done; go on to the next place. */
static inline uint32_t column_next(struct column *column)
{
	uint32_t word = (uint32_t)column->sum;

	column->sum = column->sum >> 32 | (uint64_t)column->carry << 32;
	column->carry = 0;
	return word;
}

void secp256k1_mul(struct secp256k1_element *product, const struct secp256k1_element *a,
		   const struct secp256k1_element *b)
{
	uint32_t wide[2 * WORDS];
	struct column column = { 0, 0 };

	for (unsigned place = 0; place < 2 * WORDS - 1; place++) {
		unsigned first = place < WORDS ? 0 : place - (WORDS - 1);

		for (unsigned i = first; i < WORDS && i <= place; i++)
			column_add(&column, (uint64_t)a->word[i] * b->word[place - i]);
		wide[place] = column_next(&column);
	}
	wide[2 * WORDS - 1] = (uint32_t)column.sum;
	reduce(product->word, wide);
}

/* As a product of two, but each pair of different words is multiplied once and counted twice. */
void secp256k1_square(struct secp256k1_element *square, const struct secp256k1_element *a)
{
	uint32_t wide[2 * WORDS];
	struct column column = { 0, 0 };

	for (unsigned place = 0; place < 2 * WORDS - 1; place++) {
		unsigned i = place < WORDS ? 0 : place - (WORDS - 1), j = place - i;

		for (; i < j; i++, j--) {
			uint64_t pair = (uint64_t)a->word[i] * a->word[j];

			column_add(&column, pair);
			column_add(&column, pair);
		}
		if (i == j)
			column_add(&column, (uint64_t)a->word[i] * a->word[i]);
		wide[place] = column_next(&column);
	}
	wide[2 * WORDS - 1] = (uint32_t)column.sum;
	reduce(square->word, wide);
}

/* e^(2^count): appends `count` zero bits to an exponent. */
static void square_times(struct secp256k1_element *e, unsigned count)
{
	while (count-- > 0)
		secp256k1_square(e, e);
}

/* With ones = e^(2^n - 1), that is an exponent of n one bits: appends `count` more of them. */
static void append(struct secp256k1_element *e, unsigned count, const struct secp256k1_element *ones)
{
	square_times(e, count);
	secp256k1_mul(e, e, ones);
}

/*
 * e^(p - 2), by Fermat. In binary p - 2 is 223 ones, a zero, 22 ones, four zeros, then 101101: runs of ones that
 * build on one another, 255 squares and 15 products in all.
 */
void secp256k1_inverse(struct secp256k1_element *inverse, const struct secp256k1_element *a)
{
	struct secp256k1_element one = *a, ones2, ones3, ones11, ones22, ones44, ones88, run;

	ones2 = one;
	append(&ones2, 1, &one);
	ones3 = ones2;
	append(&ones3, 1, &one);
	ones11 = ones3;
	append(&ones11, 3, &ones3);	/* 6 */
	append(&ones11, 3, &ones3);	/* 9 */
	append(&ones11, 2, &ones2);
	ones22 = ones11;
	append(&ones22, 11, &ones11);
	ones44 = ones22;
	append(&ones44, 22, &ones22);
	ones88 = ones44;
	append(&ones88, 44, &ones44);
	run = ones88;
	append(&run, 88, &ones88);	/* 176 */
	append(&run, 44, &ones44);	/* 220 */
	append(&run, 3, &ones3);	/* 223 */

	append(&run, 23, &ones22);	/* ...0, 22 ones */
	append(&run, 5, &one);		/* 00001 */
	append(&run, 3, &ones2);	/* 011 */
	append(&run, 2, &one);		/* 01 */
	*inverse = run;
}
