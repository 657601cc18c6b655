/*
 * Addresses to output scripts. The addresses were made by an independent encoder
 * from the bytes 00 01 02 ... of a hash or key; the refused ones are each wrong in
 * one thing only.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "pool/address.h"

#define HASH "000102030405060708090a0b0c0d0e0f10111213"
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define KEY_HASH "76a914" HASH "88ac"
#define SCRIPT_HASH "a914" HASH "87"
#define WITNESS_KEY "0014" HASH
#define WITNESS_SCRIPT "0020" KEY
#define TAPROOT "5120" KEY

static void assert_script(const char *text, const char *algo, const char *want, const char *name)
{
	struct address address;
	char script[2 * SCRIPT_MAX + 1];
	const char *why = address_parse(&address, text, algo);

	if (why)
		fail_msg("%s: %s", text, why);
	hex_encode(script, address.script, address.script_len);
	assert_string_equal(script, want);
	if (!strstr(address.name, name))
		fail_msg("%s is of \"%s\", not of %s", text, address.name, name);
}

static void every_kind_of_every_coin_gives_its_script(void **state)
{
	static const struct { const char *text, *script, *name; } rows[] = {
		{ "112D2adLM3UKy4Z4giRbReR6gjWuvHUqB", KEY_HASH, "Bitcoin" },
		{ "mfWyW5fc9NUj75YAnFgoRLrjxgLDn2MMth", KEY_HASH, "Bitcoin testnet" },
		{ "31h38a54tFMrR8kzBnP2241MFD2EUHtGha", SCRIPT_HASH, "Bitcoin" },
		{ "2MsFFCK16VhsCcvPXruztdzzcTZEQCbNKjJ", SCRIPT_HASH, "Bitcoin regtest" },
		{ "LKDyUEtTR1HXamkiEphisSiBJu6o3ZPE34", KEY_HASH, "Litecoin" },
		{ "QLc1KKsLWovHm79aV22uihS3bwgECPid8z", SCRIPT_HASH, "Litecoin testnet" },
		{ "VZzr7jk5k9wgPjxhoUN42KyGnW2VLihkgc", KEY_HASH, "Vertcoin" },
		{ "Wn1f54dwshLJr3NxsjN1Uhndg1oKUA8CTh", KEY_HASH, "Vertcoin testnet" },
		{ "P8bCMzyUPGXfJojKQm2xGKcgiRuPxM4Vy6", SCRIPT_HASH, "Monacoin" },
		{ "p5YbQjTLQTFz1gNgvmgiL6VTjhst3zRG6Y", SCRIPT_HASH, "Monacoin testnet" },
		{ "bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn4v0345", WITNESS_KEY, "Bitcoin" },
		{ "tb1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnl25zw8", WITNESS_KEY, "Bitcoin testnet" },
		{ "bcrt1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnard0ew", WITNESS_KEY, "Bitcoin regtest" },
		{ "ltc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn3s44dy", WITNESS_KEY, "Litecoin" },
		{ "tltc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnxzku7w", WITNESS_KEY, "Litecoin testnet" },
		{ "rltc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnrwhxws", WITNESS_KEY, "Litecoin regtest" },
		{ "vtc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn9arr3m", WITNESS_KEY, "Vertcoin" },
		{ "tvtc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnj0q2z3", WITNESS_KEY, "Vertcoin testnet" },
		{ "mona1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn3lenc4", WITNESS_KEY, "Monacoin" },
		{ "tmona1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnfytvj0", WITNESS_KEY, "Monacoin testnet" },
		{ "rmona1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnhe8078", WITNESS_KEY, "Monacoin regtest" },
		{ "bcrt1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0scjhmyt", WITNESS_SCRIPT, "Bitcoin regtest" },
		{ "mona1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0st9j80k", WITNESS_SCRIPT, "Monacoin" },
		{ "bc1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sg5tmnz", TAPROOT, "Bitcoin" },
		{ "bcrt1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sj9hjuh", TAPROOT, "Bitcoin regtest" },
		{ "ltc1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sts9tf8", TAPROOT, "Litecoin" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_script(rows[i].text, "sha256d", rows[i].script, rows[i].name);
		assert_script(rows[i].text, "lyra2rev2", rows[i].script, rows[i].name);
	}
}

static void bech32_may_be_all_capitals(void **state)
{
	static const char *const texts[] = {
		"bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn4v0345", "vtc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn9arr3m",
	};
	char upper[100] = "";

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t c = 0; c <= strlen(texts[i]); c++)
			upper[c] = (char)toupper((unsigned char)texts[i][c]);
		assert_script(upper, "sha256d", WITNESS_KEY, "coin");
	}
}

/* Version 50 is Litecoin's script hash and Monacoin's key hash: only the algorithm tells them apart. */
static void a_version_of_two_meanings_goes_by_the_algorithm(void **state)
{
	static const char text[] = "M7uBSTV2qNDHDe2tHfNMqhFkZucgRMpJQk";
	struct address address;

	(void)state;
	assert_script(text, "lyra2rev2", KEY_HASH, "Monacoin");
	assert_script(text, "scrypt", SCRIPT_HASH, "Litecoin");
	assert_non_null(address_parse(&address, text, "sha256d"));
}

static void wrong_addresses_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"1",
		"bc1",
		"hello world",
		"112D2adLM3UKy4Z4giRbReR6gjWuvHUqC",			/* a typing error */
		"12D2adLM3UKy4Z4giRbReR6gjWuvHUqB",			/* a leading 1 too few */
		"1112D2adLM3UKy4Z4giRbReR6gjWuvHUqB",			/* and too many */
		"mfWyW5fc9NUj75YAnFgoRLrjxgLDn2MMt0",			/* 0 is no base58 digit */
		"D597kHXGdkwkryF9oGhz9Bp1ypTpD1u99Z",			/* good, but of a coin that is not known */
		"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
		"doge1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnkkqc73",
		"bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn4v0346",		/* a typing error */
		"bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysN4v0345",		/* mixed case */
		"bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnqslask",		/* version 0 by bech32m */
		"bc1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sagmhkq",	/* version 1 by bech32 */
		"bc1zqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sqfj5af",	/* version 2: no rules yet */
		"bc13qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0s5q3exw",	/* version 17 */
		"bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn0q9hgneg",		/* version 0 with 21 bytes */
		"bc1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysntwgkaa",		/* version 1 with 20 */
		"bc1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc034zlwws",	/* padding that is not zero */
		"bc1pqqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0nzv3nxs6nvdec8y6hz86n",	/* 41 bytes */
		"bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn4v0345bc1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn4v0345qqqqqqqqqqqq",
	};
	struct address address;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!address_parse(&address, texts[i], "sha256d"))
			fail_msg("taken: %s", texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_every_coin_gives_its_script),
		cmocka_unit_test(bech32_may_be_all_capitals),
		cmocka_unit_test(a_version_of_two_meanings_goes_by_the_algorithm),
		cmocka_unit_test(wrong_addresses_are_refused),
	};

	return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
