/* See openssl.h. */
#include "cores/openssl.h"

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/bytes.h"
#include "base/log.h"
#include "cipher/aes128.h"
#include "sha3/sha256.h"

#define PART_MAX	(1 << 30)	/* bytes EVP takes at a time: its lengths are ints */

static int encrypt(const struct batch *batch, const EVP_CIPHER *type, const uint8_t iv[16])
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	size_t len = batch->items * batch->core->item_in;
	bool done = context && EVP_EncryptInit_ex(context, type, NULL, batch->params->key, iv) == 1 &&
		    EVP_CIPHER_CTX_set_padding(context, 0) == 1;

	for (size_t at = 0, part; done && at < len; at += part) {
		int written;

		part = len - at < PART_MAX ? len - at : PART_MAX;
		done = EVP_EncryptUpdate(context, batch->out + at, &written, batch->in + at, (int)part) == 1 &&
		       written == (int)part;
	}
	EVP_CIPHER_CTX_free(context);
	return done ? 0 : log_error("%s: OpenSSL cannot encrypt", batch->core->name);
}

int openssl_chacha20(const struct batch *batch)
{
	uint8_t iv[16];		/* OpenSSL's: the block count, then the nonce */

	store_le32(iv, (uint32_t)batch->first);
	memcpy(iv + 4, batch->params->iv, 12);
	return encrypt(batch, EVP_chacha20(), iv);
}

int openssl_aes128_ecb(const struct batch *batch)
{
	return encrypt(batch, EVP_aes_128_ecb(), NULL);
}

int openssl_aes128_ctr(const struct batch *batch)
{
	uint8_t counter[16];

	aes128_ctr_at(counter, batch->params->iv, batch->first);
	return encrypt(batch, EVP_aes_128_ctr(), counter);
}

/* The length of the message in a padded block: 0..55, or -1 when it is none. */
static int message_len(const uint8_t block[64])
{
	uint64_t bits = load_be64(block + 56);

	return bits % 8 == 0 && bits / 8 <= SHA256_PAD_MAX && block[bits / 8] == 0x80 ? (int)(bits / 8) : -1;
}

int openssl_sha256d(const struct batch *batch)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool done = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL);

	for (size_t i = 0; done && i < batch->items; i++) {
		const uint8_t *block = batch->in + 64 * i;
		int len = message_len(block);
		uint8_t first[32];

		if (len < 0) {
			EVP_MD_CTX_free(context);
			return log_error("sha256d: item %zu is no padded block of a message of up to %d bytes", i, SHA256_PAD_MAX);
		}
		/* looking the hash up costs more than hashing: once is enough */
		done = EVP_DigestInit_ex(context, NULL, NULL) && EVP_DigestUpdate(context, block, (size_t)len) &&
		       EVP_DigestFinal_ex(context, first, NULL) && EVP_DigestInit_ex(context, NULL, NULL) &&
		       EVP_DigestUpdate(context, first, sizeof first) && EVP_DigestFinal_ex(context, batch->out + 32 * i, NULL);
	}
	EVP_MD_CTX_free(context);
	return done ? 0 : log_error("sha256d: OpenSSL cannot hash");
}

int openssl_secp256k1(const struct batch *batch)
{
	BN_CTX *context = BN_CTX_new();
	BIGNUM *p = NULL, *a = BN_new(), *b = BN_new();
	bool done = context && a && b &&
		    BN_hex2bn(&p, "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F");

	for (size_t i = 0; done && i < batch->items; i++) {
		done = BN_bin2bn(batch->in + 64 * i, 32, a) && BN_bin2bn(batch->in + 64 * i + 32, 32, b);
		if (!done)
			break;
		switch (batch->params->operation) {
		case FIELD_ADD: done = BN_mod_add(a, a, b, p, context); break;
		case FIELD_SUB: done = BN_mod_sub(a, a, b, p, context); break;
		case FIELD_MUL: done = BN_mod_mul(a, a, b, p, context); break;
		}
		done = done && BN_bn2binpad(a, batch->out + 32 * i, 32) == 32;
	}
	BN_free(a);
	BN_free(b);
	BN_free(p);
	BN_CTX_free(context);
	return done ? 0 : log_error("secp256k1: OpenSSL cannot compute");
}
