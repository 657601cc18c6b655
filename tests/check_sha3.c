/*
 * The reference primitives and the proofs of work made of them, against their
 * standards' own vectors and the known answers in tests/kat/. Kernels are not tested
 * here: they are held against these references, so these must stand on their own.
 */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "base/target.h"
#include "sha3/blake256.h"
#include "sha3/bmw256.h"
#include "sha3/cubehash256.h"
#include "sha3/keccak256.h"
#include "sha3/lyra2.h"
#include "sha3/sha256.h"
#include "sha3/skein256.h"
#include "tests/kat.h"

#define SCRATCH_MAX (64 * 1024)

static void lyra2_of(const struct lyra2_variant *variant, uint8_t out[32], const uint8_t *in, size_t len)
{
	uint64_t matrix[LYRA2_SCRATCH_LEN(8, 8) / sizeof(uint64_t)];

	assert_int_equal(len, 32);
	memset(matrix, 0xa5, sizeof matrix);	/* what it holds before must not matter */
	lyra2(out, in, variant, matrix);
}

static void lyra2_1_4_4(uint8_t out[32], const uint8_t *in, size_t len)
{
	static const struct lyra2_variant lyra2rev2 = { .rows = 4, .cols = 4 };

	lyra2_of(&lyra2rev2, out, in, len);
}

/* No algorithm of ours yet, but the only one with rows enough for every step of the setup. */
static void lyra2_1_8_8(uint8_t out[32], const uint8_t *in, size_t len)
{
	static const struct lyra2_variant lyra2re = { .rows = 8, .cols = 8, .parameters_lost = true };

	lyra2_of(&lyra2re, out, in, len);
}

static const struct primitive {
	const char *name;	/* in the files */
	void (*hash)(uint8_t out[32], const uint8_t *in, size_t len);
} primitives[] = {
	{ "sha256", sha256 },
	{ "blake256", blake256 },
	{ "keccak256", keccak256 },
	{ "cubehash256", cubehash256 },
	{ "skein256", skein256 },
	{ "bmw256", bmw256 },
	{ "lyra2_1_4_4", lyra2_1_4_4 },
	{ "lyra2_1_8_8", lyra2_1_8_8 },
	{ 0 }
};

static void assert_digest(const char *name, const uint8_t got[32], const uint8_t want[32])
{
	char got_text[65], want_text[65];

	hex_encode(got_text, got, 32);
	hex_encode(want_text, want, 32);
	if (strcmp(got_text, want_text) != 0)
		fail_msg("%s: digest %s, should be %s", name, got_text, want_text);
}

static void assert_hash_of_text(void (*hash)(uint8_t *, const uint8_t *, size_t), const char *text, const char *want_hex)
{
	uint8_t got[32], want[32];

	assert_true(hex_decode(want, sizeof want, want_hex));
	hash(got, (const uint8_t *)text, strlen(text));
	assert_digest(text, got, want);
}

/* FIPS 180-4's examples, of one block, of two, and of many. */
static void sha256_meets_its_standard(void **state)
{
	static char million[1000001];

	(void)state;
	memset(million, 'a', 1000000);
	assert_hash_of_text(sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_hash_of_text(sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	assert_hash_of_text(sha256, million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The submission's two vectors, appendix: one zero byte, 72 of them. */
static void blake256_meets_its_submission(void **state)
{
	static const uint8_t zeros[72] = { 0 };
	uint8_t got[32], want[32];

	(void)state;
	assert_true(hex_decode(want, 32, "0ce8d4ef4dd7cd8d62dfded9d4edb0a774ae6a41929a74da23109e8f11139c87"));
	blake256(got, zeros, 1);
	assert_digest("1 zero byte", got, want);
	assert_true(hex_decode(want, 32, "d419bad32d504fb7d44d460c42c5593fe544fa4c135dec31e21bd9abdcc22d41"));
	blake256(got, zeros, 72);
	assert_digest("72 zero bytes", got, want);
}

/* Published digests of the empty message, which no padding rule of another version gives. */
static void empty_messages_have_their_published_digests(void **state)
{
	(void)state;
	assert_hash_of_text(keccak256, "", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
	assert_hash_of_text(cubehash256, "", "44c6de3ac6c73c391bf0906cb7482600ec06b216c7c54a2a8688a6a42676577d");
	assert_hash_of_text(skein256, "", "39ccc4554a8b31853b9de7a1fe638a24cce6b35a55f2431009e18780335d2621");
	assert_hash_of_text(bmw256, "", "82cac4bf6f4c2b41fbcc0e0984e9d8b76d7662f8e1789cdfbd85682acc55577a");
}

static void cubehash_iv_is_the_parameters_after_160_rounds(void **state)
{
	uint32_t x[32] = { 256 / 8, CUBEHASH256_BLOCK, CUBEHASH256_BLOCK_ROUNDS };

	(void)state;
	cubehash_rounds(x, 160);
	assert_memory_equal(x, cubehash256_iv, sizeof x);
}

static void skein_iv_is_the_compressed_configuration(void **state)
{
	uint64_t g[8] = { 0 };
	uint8_t configuration[64] = "SHA3\1";	/* schema, version; no tree */

	(void)state;
	store_le64(configuration + 8, 256);	/* bits of output */
	skein512_compress(g, configuration, 32, SKEIN_CONFIG | SKEIN_FIRST | SKEIN_FINAL);
	assert_memory_equal(g, skein256_iv, sizeof g);
}

/* What kernels' prepare() relies on. */
static void midstates_go_on_from_the_first_block(void **state)
{
	uint8_t header[80], second[64] = { 0 }, want[32];
	uint32_t sha[8], blake[8];

	(void)state;
	for (int i = 0; i < 80; i++)
		header[i] = (uint8_t)(7 * i);
	memcpy(second, header + 64, 16);
	second[16] = 0x80;
	store_be64(second + 56, 640);

	memcpy(sha, sha256_iv, sizeof sha);
	sha256_compress(sha, header);
	sha256_compress(sha, second);
	sha256(want, header, 80);
	for (int i = 0; i < 8; i++)
		assert_int_equal(sha[i], load_be32(want + 4 * i));

	second[55] = 1;
	memcpy(blake, blake256_iv, sizeof blake);
	blake256_compress(blake, header, 512);
	blake256_compress(blake, second, 640);
	blake256(want, header, 80);
	for (int i = 0; i < 8; i++)
		assert_int_equal(blake[i], load_be32(want + 4 * i));
}

static void digest_may_overwrite_its_input(void **state)
{
	(void)state;
	for (const struct primitive *p = primitives; p->name; p++) {
		uint8_t bytes[32] = { 1, 2, 3 }, want[32];

		p->hash(want, bytes, sizeof bytes);
		p->hash(bytes, bytes, sizeof bytes);
		assert_digest(p->name, bytes, want);
	}
}

static bool check_primitive(const struct vector *vector, const void *context)
{
	const struct primitive *p = context;
	uint8_t got[32];

	if (!strstr(vector->name, p->name))
		return false;
	p->hash(got, vector->input, vector->input_len);
	assert_digest(vector->name, got, vector->output);
	return true;
}

static void assert_primitive(const char *file, const struct primitive *p)
{
	size_t checked = kat_each(file, check_primitive, p);

	print_message("%s: %s: %u vectors\n", file, p->name, (unsigned)checked);
	assert_true(checked > 0);
}

static void sha256_matches_over_its_padding_edges(void **state)
{
	(void)state;
	assert_primitive("sha256-lengths.json", primitives);
}

/* The file holds Lyra2REv3's Lyra2 too; what no row of the table names is passed over. */
static void other_primitives_match_over_their_padding_edges(void **state)
{
	(void)state;
	for (const struct primitive *p = primitives + 1; p->name; p++)
		assert_primitive("stages-lengths.json", p);
}

static void primitives_match_as_stages_of_lyra2rev2(void **state)
{
	(void)state;
	for (const struct primitive *p = primitives + 1; p->hash != lyra2_1_8_8; p++)
		assert_primitive("lyra2rev2-stages.json", p);
}

static void algo_hash(const struct algo *algo, uint8_t out[32], const uint8_t *header)
{
	static alignas(CACHE_LINE) uint8_t scratch[SCRATCH_MAX];

	assert_true(algo->scratch_len <= sizeof scratch);
	memset(scratch, 0xa5, algo->scratch_len);
	algo->hash(out, header, scratch);
}

static bool check_header(const struct vector *vector, const void *context)
{
	const struct algo *algo = algo_find(context);
	uint8_t got[32];

	assert_non_null(algo);
	assert_int_equal(vector->input_len, algo->header_len);
	algo_hash(algo, got, vector->input);
	assert_digest(vector->name, got, vector->output);
	return true;
}

static void sha256d_headers_match(void **state)
{
	(void)state;
	assert_true(kat_each("sha256d.json", check_header, "sha256d") > 0);
}

static void lyra2rev2_headers_match(void **state)
{
	(void)state;
	assert_true(kat_each("lyra2rev2.json", check_header, "lyra2rev2") > 0);
}

/* As displayed: most significant byte first. */
static void read_display(uint32_t value[8], const char *text)
{
	uint8_t display[32], bytes[32];

	assert_true(hex_decode(display, sizeof display, text));
	for (int i = 0; i < 32; i++)
		bytes[i] = display[31 - i];
	target_load(value, bytes);
}

static bool check_mined_header(const struct vector *vector, const void *context)
{
	const struct algo *algo = algo_find(context);
	uint8_t digest[32];
	uint32_t value[8], target[8], target_of_bits[8];

	assert_non_null(algo);
	check_header(vector, context);
	algo_hash(algo, digest, vector->input);
	target_load(value, digest);
	read_display(target, kat_text(vector->json, "target_display"));
	target_from_bits(target_of_bits, load_le32(vector->input + 72));
	assert_memory_equal(target_of_bits, target, sizeof target);
	assert_true(target_met(value, target));
	return true;
}

static void monacoin_blocks_meet_their_targets(void **state)
{
	(void)state;
	assert_true(kat_each("lyra2rev2-real-headers.json", check_mined_header, "lyra2rev2") > 0);
}

static void every_algorithm_gives_its_own_known_answers(void **state)
{
	(void)state;
	for (const struct algo *const *algo = algos; *algo; algo++) {
		size_t checked = 0;

		assert_true((*algo)->header_len <= HEADER_MAX);
		assert_true((*algo)->nonce_off + 4 <= (*algo)->header_len);
		for (const struct kat *kat = (*algo)->kats; kat->header; kat++, checked++) {
			uint8_t header[HEADER_MAX], want[32], got[32];

			assert_true(hex_decode(header, (*algo)->header_len, kat->header));
			assert_true(hex_decode(want, sizeof want, kat->digest));
			algo_hash(*algo, got, header);
			assert_digest((*algo)->name, got, want);
		}
		assert_true(checked > 0);
	}
}

static void algorithms_are_found_by_name_and_alias(void **state)
{
	(void)state;
	for (const struct algo *const *algo = algos; *algo; algo++) {
		assert_ptr_equal(algo_find((*algo)->name), *algo);
		for (const char *const *alias = (*algo)->aliases; alias && *alias; alias++)
			assert_ptr_equal(algo_find(*alias), *algo);
	}
	assert_ptr_equal(algo_find("SHA256D"), algo_find("sha256d"));
	assert_ptr_equal(algo_find("Monacoin"), algo_find("lyra2rev2"));
	assert_null(algo_find("sha256dd"));
	assert_null(algo_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_meets_its_standard),
		cmocka_unit_test(blake256_meets_its_submission),
		cmocka_unit_test(empty_messages_have_their_published_digests),
		cmocka_unit_test(cubehash_iv_is_the_parameters_after_160_rounds),
		cmocka_unit_test(skein_iv_is_the_compressed_configuration),
		cmocka_unit_test(midstates_go_on_from_the_first_block),
		cmocka_unit_test(digest_may_overwrite_its_input),
		cmocka_unit_test(sha256_matches_over_its_padding_edges),
		cmocka_unit_test(other_primitives_match_over_their_padding_edges),
		cmocka_unit_test(primitives_match_as_stages_of_lyra2rev2),
		cmocka_unit_test(sha256d_headers_match),
		cmocka_unit_test(lyra2rev2_headers_match),
		cmocka_unit_test(monacoin_blocks_meet_their_targets),
		cmocka_unit_test(every_algorithm_gives_its_own_known_answers),
		cmocka_unit_test(algorithms_are_found_by_name_and_alias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
