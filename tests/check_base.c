/*
 * Hex text, targets and difficulties. Expected targets were computed with exact
 * fractions of the doubles as they are, so that one wrong bit shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "base/target.h"

#define ZEROS_32 "00000000000000000000000000000000"
#define ALL_ZEROS ZEROS_32 ZEROS_32
#define ALL_ONES "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

/* Most significant byte first, as targets are usually written. */
static void target_text(char text[65], const uint32_t target[8])
{
	uint8_t display[32];

	for (int i = 0; i < 8; i++)
		store_be32(display + 4 * i, target[7 - i]);
	hex_encode(text, display, sizeof display);
}

static void assert_target(const uint32_t target[8], const char *want)
{
	char text[65];

	target_text(text, target);
	assert_string_equal(text, want);
}

static void assert_near(double got, double want, double relative)
{
	if (!(fabs(got / want - 1) <= relative))
		fail_msg("%.17g, should be %.17g", got, want);
}

struct difficulty_case {
	double difficulty;
	const char *target;
};

static void difficulty_gives_the_exact_quotient(void **state)
{
	static const struct difficulty_case cases[] = {
		{ 1, "00000000ffff0000000000000000000000000000000000000000000000000000" },
		{ 0.5, "00000001fffe0000000000000000000000000000000000000000000000000000" },
		{ 0.07142857142857142, "0000000dfff20000000037ffc800000000dfff20000000037ffc800000000dff" },
		{ 1024, "00000000003fffc0000000000000000000000000000000000000000000000000" },
		{ 20650.5, "0000000000032c6c8583730c672a86f6c218bb4a6fc1d153794be310dda79934" },
		{ 4294967296.0, "0000000000000000ffff00000000000000000000000000000000000000000000" },
		{ 1e15, "00000000000000000000480e766cdedcb914316213b20a7a5f0d26cb45f4f354" },
		{ 0.00035, "00000b2919692492492cbe172cfac687dc2fbeaea5515a537e6276b90946b3fc" },
		{ 1e-9, "3b9a8e6535fffef481b5fe088151b0791619e09d7e3f36fccfbaa4c14955fdb7" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t target[8];

		target_from_difficulty(target, cases[i].difficulty);
		assert_target(target, cases[i].target);
	}
}

static void tiny_difficulties_saturate(void **state)
{
	static const double tiny[] = { 1e-12, 1e-100, DBL_MIN, DBL_MIN / 4503599627370496.0 };
	uint32_t target[8];

	(void)state;
	for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++) {
		assert_true(tiny[i] > 0);
		target_from_difficulty(target, tiny[i]);
		assert_target(target, ALL_ONES);
	}
	target_from_difficulty(target, ldexp(1, -32));	/* the easiest that still fits */
	assert_target(target, "ffff0000000000000000000000000000" ZEROS_32);
	target_from_difficulty(target, ldexp(1, -33));
	assert_target(target, ALL_ONES);
}

static void impossible_difficulties_give_target_0(void **state)
{
	static const double impossible[] = { 0, -1, -1e-300, INFINITY, -INFINITY, NAN, DBL_MAX, 1e100 };

	(void)state;
	for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
		uint32_t target[8];

		target_from_difficulty(target, impossible[i]);
		assert_target(target, ALL_ZEROS);
	}
}

static void lyra2rev2_targets_are_256_times_as_easy(void **state)
{
	static const struct difficulty_case cases[] = {
		{ 1, "000000ffff000000000000000000000000000000000000000000000000000000" },
		{ 32, "00000007fff80000000000000000000000000000000000000000000000000000" },
		{ 1024, "000000003fffc000000000000000000000000000000000000000000000000000" },
		{ 0.00035, "000b2919692492492cbe172cfac687dc2fbeaea5515a537e6276b90946b3fc88" },
		{ 1e-9, ALL_ONES },
	};
	const struct algo *algo = algo_find("lyra2rev2");

	(void)state;
	assert_non_null(algo);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t target[8];

		target_from_difficulty(target, cases[i].difficulty / algo->diff1);
		assert_target(target, cases[i].target);
	}
	assert_true(algo_find("sha256d")->diff1 == 1);
}

static void difficulty_survives_its_target(void **state)
{
	(void)state;
	for (double difficulty = 1e-9; difficulty < 1e40; difficulty *= 1.7) {
		uint32_t target[8];

		target_from_difficulty(target, difficulty);
		assert_near(target_difficulty(target), difficulty, 1e-9);
	}
}

/* Bitcoin's first block was 2536 times as hard as it had to be. */
static void digest_has_its_share_difficulty(void **state)
{
	static const uint32_t zero[8] = { 0 };
	uint8_t digest[32];
	uint32_t value[8];

	(void)state;
	assert_true(hex_decode(digest, 32, "6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"));
	target_load(value, digest);
	assert_target(value, "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
	assert_true(fabs(target_difficulty(value) - 2536.426) < 0.0005);
	assert_true(isinf(target_difficulty(zero)));
}

static void bits_give_their_target(void **state)
{
	static const struct { uint32_t bits; const char *target; } cases[] = {
		{ 0x1d00ffff, "00000000ffff0000000000000000000000000000000000000000000000000000" },
		{ 0x1b0404cb, "00000000000404cb000000000000000000000000000000000000000000000000" },
		{ 0x1c009842, "0000000000984200000000000000000000000000000000000000000000000000" },
		{ 0x207fffff, "7fffff0000000000000000000000000000000000000000000000000000000000" },
		{ 0x05009234, ZEROS_32 "00000000000000000000000092340000" },
		{ 0x03123456, ZEROS_32 "00000000000000000000000000123456" },
		{ 0x02123456, ZEROS_32 "00000000000000000000000000001234" },	/* low bytes fall off */
		{ 0x01123456, ZEROS_32 "00000000000000000000000000000012" },
		{ 0x00123456, ALL_ZEROS },
		{ 0x2100ffff, "ffff000000000000000000000000000000000000000000000000000000000000" },
		{ 0x220000ff, "ff00000000000000000000000000000000000000000000000000000000000000" },
		{ 0x2101ffff, ALL_ZEROS },	/* overflows by a byte */
		{ 0x22000100, ALL_ZEROS },
		{ 0x23000001, ALL_ZEROS },
		{ 0xff7fffff, ALL_ZEROS },
		{ 0x1d80ffff, ALL_ZEROS },	/* negative */
		{ 0x04923456, ALL_ZEROS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t target[8];

		target_from_bits(target, cases[i].bits);
		assert_target(target, cases[i].target);
	}
}

/* The shortest compact form, whose mantissa must not look negative. */
static uint32_t bits_of(const uint32_t target[8])
{
	uint8_t bytes[3 + 32] = { 0 };	/* little-endian, above three bytes of nothing */
	unsigned size = 32;

	for (int i = 0; i < 8; i++)
		store_le32(bytes + 3 + 4 * i, target[i]);
	while (size > 0 && bytes[3 + size - 1] == 0)
		size--;
	if (bytes[3 + size - 1] & 0x80)
		size++;

	uint32_t top = size > 32 ? 0 : bytes[3 + size - 1];

	return (uint32_t)size << 24 | top << 16 | (uint32_t)bytes[3 + size - 2] << 8 | bytes[3 + size - 3];
}

static void bits_survive_their_target(void **state)
{
	static const uint32_t mantissas[] = { 0x008000, 0x00ffff, 0x010000, 0x123456, 0x7fffff };

	(void)state;
	for (uint32_t size = 3; size <= 32; size++)
		for (size_t i = 0; i < sizeof mantissas / sizeof *mantissas; i++) {
			uint32_t bits = size << 24 | mantissas[i];
			uint32_t target[8];

			target_from_bits(target, bits);
			assert_int_equal(bits_of(target), bits);
		}
}

static void difficulty_1_is_the_same_by_bits(void **state)
{
	uint32_t by_bits[8], by_difficulty[8];

	(void)state;
	target_from_bits(by_bits, 0x1d00ffff);
	target_from_difficulty(by_difficulty, 1);
	assert_memory_equal(by_bits, by_difficulty, sizeof by_bits);
	target_from_bits(by_bits, 0x1b0404cb);
	assert_near(target_difficulty(by_bits), 16307.420938523983, 1e-14);
}

static void higher_words_decide_first(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		uint32_t target[8] = { 5, 5, 5, 5, 5, 5, 5, 5 };
		uint32_t value[8];

		memcpy(value, target, sizeof value);
		assert_true(target_met(value, target));		/* equal meets */
		value[i]++;
		assert_false(target_met(value, target));
		memset(value, 0, (size_t)i * sizeof *value);	/* lower words no longer matter */
		assert_false(target_met(value, target));
		value[i] -= 2;
		memset(value, 0xff, (size_t)i * sizeof *value);
		assert_true(target_met(value, target));
	}
}

static void hex_survives_both_ways(void **state)
{
	uint8_t bytes[256], back[256];
	char text[2 * sizeof bytes + 1];

	(void)state;
	for (int i = 0; i < 256; i++)
		bytes[i] = (uint8_t)i;
	hex_encode(text, bytes, sizeof bytes);
	assert_memory_equal(text, "000102030405060708090a0b", 24);
	assert_string_equal(text + 2 * 254, "feff");
	assert_true(hex_decode(back, sizeof back, text));
	assert_memory_equal(back, bytes, sizeof bytes);

	assert_true(hex_decode(back, 3, "aBCdEF"));
	assert_memory_equal(back, "\xab\xcd\xef", 3);
	hex_encode(text, bytes, 0);
	assert_string_equal(text, "");
	assert_true(hex_decode(back, 0, ""));
}

/* Each text is on the heap to its last byte, so that a sanitizer sees a read past it. */
static void hex_that_is_not_two_bytes_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "0", "00", "000", "00000", "000000", "0x00", " 0000", "0000 ", "00 00", "00\n0", "000g", "g000",
		"00/0", "00:0", "00@0", "00G0", "00`0", "-100", "+100", "00\xc3\xa9",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		size_t size = strlen(bad[i]) + 1;
		char *text = malloc(size);
		uint8_t bytes[2];

		assert_non_null(text);
		memcpy(text, bad[i], size);
		if (hex_decode(bytes, sizeof bytes, text))
			fail_msg("\"%s\" was taken for two bytes", text);
		free(text);
	}
}

static void bytes_have_their_order_at_any_address(void **state)
{
	const uint8_t in[9] = { 0xee, 1, 2, 3, 4, 5, 6, 7, 0x88 };
	uint8_t out[9];

	(void)state;
	assert_true(load_le32(in + 1) == 0x04030201);
	assert_true(load_be32(in + 1) == 0x01020304);
	assert_true(load_le64(in + 1) == 0x8807060504030201);
	store_le32(out + 1, 0x04030201);
	assert_memory_equal(out + 1, in + 1, 4);
	store_be32(out + 1, 0x01020304);
	assert_memory_equal(out + 1, in + 1, 4);
	store_le64(out + 1, 0x8807060504030201);
	assert_memory_equal(out + 1, in + 1, 8);
	store_be64(out + 1, 0x0102030405060788);
	assert_memory_equal(out + 1, in + 1, 8);
	assert_true(swap32(0x01020384) == 0x84030201);
	assert_true(rotl32(0x80000001, 4) == 0x00000018);
	assert_true(rotr32(0x80000001, 4) == 0x18000000);
	assert_true(rotl64(0x8000000000000001, 36) == 0x0000001800000000);
	assert_true(rotr64(0x8000000000000001, 4) == 0x1800000000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(difficulty_gives_the_exact_quotient),
		cmocka_unit_test(tiny_difficulties_saturate),
		cmocka_unit_test(impossible_difficulties_give_target_0),
		cmocka_unit_test(lyra2rev2_targets_are_256_times_as_easy),
		cmocka_unit_test(difficulty_survives_its_target),
		cmocka_unit_test(digest_has_its_share_difficulty),
		cmocka_unit_test(bits_give_their_target),
		cmocka_unit_test(bits_survive_their_target),
		cmocka_unit_test(difficulty_1_is_the_same_by_bits),
		cmocka_unit_test(higher_words_decide_first),
		cmocka_unit_test(hex_survives_both_ways),
		cmocka_unit_test(hex_that_is_not_two_bytes_is_refused),
		cmocka_unit_test(bytes_have_their_order_at_any_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
