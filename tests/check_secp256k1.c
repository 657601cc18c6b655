/* The field of secp256k1 against OpenSSL's big numbers, over edges and random values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/bn.h>

#include "base/bytes.h"
#include "field/secp256k1.h"

#define RANDOM_PAIRS	100000
#define INVERSES	1000

static BN_CTX *context;
static BIGNUM *p;

static int make_p(void **state)
{
	(void)state;
	context = BN_CTX_new();
	return context && BN_hex2bn(&p, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f") == 64 ? 0 : -1;
}

static int free_p(void **state)
{
	(void)state;
	BN_free(p);
	BN_CTX_free(context);
	return 0;
}

static uint64_t random_word(void)
{
	static uint64_t x = 0x9e3779b97f4a7c15;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/* Any 32 bytes; often with runs of zeros or ones, where carries go far. */
static void random_bytes(uint8_t bytes[32])
{
	for (unsigned i = 0; i < 32; i += 8) {
		uint64_t word = random_word();

		switch (random_word() % 6) {
		case 0: word = 0; break;
		case 1: word = UINT64_MAX; break;
		case 2: word &= UINT32_MAX; break;
		}
		store_be64(bytes + i, word);
	}
}

static void assert_is(const struct secp256k1_element *e, const BIGNUM *value)
{
	uint8_t got[32], right[32];

	secp256k1_store(got, e);
	assert_int_equal(BN_bn2binpad(value, right, 32), 32);
	assert_memory_equal(got, right, 32);
}

/* Every operation of two values; the operands may be the result's own place. */
static void check_pair(const uint8_t bytes_a[32], const uint8_t bytes_b[32])
{
	struct secp256k1_element a, b, out;
	BIGNUM *x = BN_bin2bn(bytes_a, 32, NULL), *y = BN_bin2bn(bytes_b, 32, NULL), *right = BN_new();

	assert_int_equal(secp256k1_load(&a, bytes_a), BN_cmp(x, p) < 0);
	assert_int_equal(secp256k1_load(&b, bytes_b), BN_cmp(y, p) < 0);
	BN_nnmod(x, x, p, context);
	BN_nnmod(y, y, p, context);
	assert_is(&a, x);

	BN_mod_add(right, x, y, p, context);
	secp256k1_add(&out, &a, &b);
	assert_is(&out, right);
	BN_mod_sub(right, x, y, p, context);
	secp256k1_sub(&out, &a, &b);
	assert_is(&out, right);
	BN_mod_mul(right, x, y, p, context);
	secp256k1_mul(&out, &a, &b);
	assert_is(&out, right);
	BN_mod_sqr(right, x, p, context);
	secp256k1_square(&out, &a);
	assert_is(&out, right);

	out = a;
	secp256k1_add(&out, &out, &out);
	BN_mod_add(right, x, x, p, context);
	assert_is(&out, right);
	secp256k1_sub(&out, &out, &out);
	BN_zero(right);
	assert_is(&out, right);
	secp256k1_mul(&a, &a, &a);
	BN_mod_sqr(right, x, p, context);
	assert_is(&a, right);
	secp256k1_square(&b, &b);
	BN_mod_sqr(right, y, p, context);
	assert_is(&b, right);
	BN_free(x);
	BN_free(y);
	BN_free(right);
}

/* Each of these with each: around 0, p, 2^256, and the places where a fold carries. */
static void edges_meet(void **state)
{
	static const char *const edges[] = { "0", "1", "2", "3d1", "1000003d0", "1000003d1", "1000003d2", "ffffffff", "100000000",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffff00000000", "8000000000000000000000000000000000000000000000000000000000000000",
		"7fffffffffffffffffffffffffffffffffffffffffffffffffffffff7ffffe17", "7fffffffffffffffffffffffffffffffffffffffffffffffffffffff7ffffe18",
		"fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2d", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2e",
		"fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc30",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000",
		"00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "fffffffffffffffffffffffffffffffffffffffffffffffefffffffffffffc2f" };
	enum { COUNT = sizeof edges / sizeof edges[0] };
	uint8_t bytes[COUNT][32];

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		BIGNUM *value = NULL;

		assert_true(BN_hex2bn(&value, edges[i]) > 0);
		assert_int_equal(BN_bn2binpad(value, bytes[i], 32), 32);
		BN_free(value);
	}
	for (unsigned i = 0; i < COUNT; i++)
		for (unsigned j = 0; j < COUNT; j++)
			check_pair(bytes[i], bytes[j]);
}

static void random_pairs_agree(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RANDOM_PAIRS; i++) {
		uint8_t a[32], b[32];

		random_bytes(a);
		random_bytes(b);
		check_pair(a, b);
	}
}

static void an_inverse_times_its_element_is_one(void **state)
{
	const uint8_t nothing[32] = { 0 };
	struct secp256k1_element e, inverse;
	BIGNUM *one = BN_new(), *zero = BN_new();

	(void)state;
	BN_one(one);
	BN_zero(zero);
	for (unsigned i = 0; i < INVERSES; i++) {
		uint8_t bytes[32];

		random_bytes(bytes);
		secp256k1_load(&e, bytes);
		secp256k1_store(bytes, &e);
		if (memcmp(bytes, nothing, 32) == 0)
			continue;
		secp256k1_inverse(&inverse, &e);
		secp256k1_mul(&inverse, &inverse, &e);
		assert_is(&inverse, one);
	}
	secp256k1_load(&e, nothing);
	secp256k1_inverse(&e, &e);
	assert_is(&e, zero);
	BN_free(one);
	BN_free(zero);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_meet),
		cmocka_unit_test(random_pairs_agree),
		cmocka_unit_test(an_inverse_times_its_element_is_one),
	};

	return cmocka_run_group_tests_name("secp256k1", tests, make_p, free_p);
}
