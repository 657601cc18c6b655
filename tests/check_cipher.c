/* The plain ciphers against their standards' own answers, and against OpenSSL over random texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "cipher/aes128.h"
#include "cipher/chacha20.h"

#define TEXT_MAX	1000

static void assert_hex(const uint8_t *got, const char *right)
{
	uint8_t bytes[256];
	size_t len = strlen(right) / 2;

	assert_true(hex_decode(bytes, len, right));
	assert_memory_equal(got, bytes, len);
}

static void from_hex(uint8_t *out, const char *hex)
{
	assert_true(hex_decode(out, strlen(hex) / 2, hex));
}

static void random_bytes(uint8_t *bytes, size_t len)
{
	while (len-- > 0)
		*bytes++ = (uint8_t)(rand() >> 7);
}

/* What OpenSSL makes of it. */
static void by_openssl(const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *iv, uint8_t *out, const uint8_t *in, size_t len)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int part;

	assert_int_equal(EVP_EncryptInit_ex(context, cipher, NULL, key, iv), 1);
	EVP_CIPHER_CTX_set_padding(context, 0);
	assert_int_equal(EVP_EncryptUpdate(context, out, &part, in, (int)len), 1);
	assert_int_equal(part, len);
	EVP_CIPHER_CTX_free(context);
}

/* RFC 8439, sections 2.1.1, 2.2.1, 2.3.2 and 2.4.2. */
static void chacha20_gives_the_answers_of_its_rfc(void **state)
{
	uint32_t words[16] = { 0x879531e0, 0xc5ecf37d, 0x516461b1, 0xc9a62f8a, 0x44c20ef3, 0x3390af7f, 0xd9fc690b, 0x2a5f714c,
			       0x53372767, 0xb00a5631, 0x974c541a, 0x359e9963, 0x5c971061, 0x3d631689, 0x2098d9d6, 0x91dbd320 };
	static const char text[] = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
	uint8_t key[32], nonce[12], pad[64], out[sizeof text - 1];
	struct chacha20 cipher;

	(void)state;
	chacha20_quarter_round(words, 2, 7, 8, 13);
	assert_int_equal(words[2], 0xbdb886dc);
	assert_int_equal(words[7], 0xcfacafd2);
	assert_int_equal(words[8], 0xe46bea80);
	assert_int_equal(words[13], 0xccc07c79);

	for (unsigned i = 0; i < sizeof key; i++)
		key[i] = (uint8_t)i;
	from_hex(nonce, "000000090000004a00000000");
	chacha20_init(&cipher, key, nonce);
	chacha20_block(&cipher, 1, pad);
	assert_hex(pad, "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");

	from_hex(nonce, "000000000000004a00000000");
	chacha20_init(&cipher, key, nonce);
	assert_true(chacha20_xor(&cipher, 1, out, (const uint8_t *)text, sizeof out));
	assert_hex(out, "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
			"07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d");
}

static void chacha20_agrees_with_openssl(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		uint8_t key[32], iv[16], in[TEXT_MAX], out[TEXT_MAX], right[TEXT_MAX];
		size_t len = (size_t)rand() % (TEXT_MAX + 1);
		struct chacha20 cipher;

		random_bytes(key, sizeof key);
		random_bytes(iv, sizeof iv);	/* OpenSSL's holds the count, then the nonce */
		random_bytes(in, len);
		by_openssl(EVP_chacha20(), key, iv, right, in, len);
		chacha20_init(&cipher, key, iv + 4);
		assert_true(chacha20_xor(&cipher, load_le32(iv), out, in, len));
		assert_memory_equal(out, right, len);
		assert_true(chacha20_xor(&cipher, load_le32(iv), in, in, len));
		assert_memory_equal(in, right, len);
	}
}

static void chacha20_ends_with_its_last_block(void **state)
{
	static const uint8_t key[32], nonce[12];
	uint8_t text[129] = { 1 };
	struct chacha20 cipher;

	(void)state;
	chacha20_init(&cipher, key, nonce);
	assert_false(chacha20_xor(&cipher, UINT32_MAX - 1, text, text, 129));
	assert_int_equal(text[0], 1);
	assert_true(chacha20_xor(&cipher, UINT32_MAX - 1, text, text, 128));
	assert_true(chacha20_xor(&cipher, UINT32_MAX, text, text, 64));
	assert_false(chacha20_xor(&cipher, UINT32_MAX, text, text, 65));
}

/* FIPS 197, appendices A.1 and B; SP 800-38A, appendices F.1.1 and F.5.1. */
static void aes128_gives_the_answers_of_its_standards(void **state)
{
	static const char *const blocks[] = { "6bc1bee22e409f96e93d7e117393172a", "ae2d8a571e03ac9c9eb76fac45af8e51",
					      "30c81c46a35ce411e5fbc1191a0a52ef", "f69f2445df4f9b17ad2b417be66c3710" };
	static const char *const ecb[] = { "3ad77bb40d7a3660a89ecaf32466ef97", "f5d3d58503b9699de785895a96fdbaaf",
					   "43b1cd7f598ece23881b00e3ed030688", "7b0c785e27e8ad3f8223207104725dd4" };
	static const char *const ctr[] = { "874d6191b620e3261bef6864990db6ce", "9806f66b7970fdff8617187bb9fffdff",
					   "5ae4df3edbd5d35e5b4f09020db03eab", "1e031dda2fbe03d1792170a0f3009cee" };
	uint8_t key[16], block[16], counter[16];
	struct aes128 cipher;

	(void)state;
	from_hex(key, "2b7e151628aed2a6abf7158809cf4f3c");
	aes128_init(&cipher, key);
	assert_hex(cipher.round_keys[1], "a0fafe1788542cb123a339392a6c7605");
	assert_hex(cipher.round_keys[10], "d014f9a8c9ee2589e13f0cc8b6630ca6");
	from_hex(block, "3243f6a8885a308d313198a2e0370734");
	aes128_encrypt(&cipher, block, block);
	assert_hex(block, "3925841d02dc09fbdc118597196a0b32");
	from_hex(counter, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
	for (unsigned i = 0; i < 4; i++) {
		uint8_t in[16];

		from_hex(in, blocks[i]);
		aes128_encrypt(&cipher, block, in);
		assert_hex(block, ecb[i]);
		aes128_ctr(&cipher, counter, block, in, 16);
		assert_hex(block, ctr[i]);
	}
}

static void aes128_agrees_with_openssl(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		uint8_t key[16], counter[16], in[TEXT_MAX], out[TEXT_MAX], right[TEXT_MAX];
		size_t len = (size_t)rand() % (TEXT_MAX + 1);
		struct aes128 cipher;

		random_bytes(key, sizeof key);
		random_bytes(counter, sizeof counter);
		memset(counter, 0xff, (size_t)rand() % 17);	/* carries that go far, round 2^128 too */
		if (round % 2)
			memset(counter + 4, 0xff, 12);
		random_bytes(in, len);
		aes128_init(&cipher, key);
		by_openssl(EVP_aes_128_ctr(), key, counter, right, in, len);
		aes128_ctr(&cipher, counter, out, in, len);
		assert_memory_equal(out, right, len);
		by_openssl(EVP_aes_128_ecb(), key, NULL, right, in, 16);
		aes128_encrypt(&cipher, out, in);
		assert_memory_equal(out, right, 16);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chacha20_gives_the_answers_of_its_rfc),
		cmocka_unit_test(chacha20_agrees_with_openssl),
		cmocka_unit_test(chacha20_ends_with_its_last_block),
		cmocka_unit_test(aes128_gives_the_answers_of_its_standards),
		cmocka_unit_test(aes128_agrees_with_openssl),
	};

	return cmocka_run_group_tests_name("cipher", tests, NULL, NULL);
}
