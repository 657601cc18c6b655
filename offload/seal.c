/* See seal.h. */
#include "offload/seal.h"

#include <openssl/crypto.h>
#include <string.h>

#include "base/bytes.h"
#include "base/log.h"
#include "cipher/chacha20.h"

static int failed(void)
{
	return log_error("OpenSSL cannot compute Poly1305");
}

static int add(struct seal *seal, const uint8_t *bytes, size_t len)
{
	return EVP_DigestSignUpdate(seal->context, bytes, len) == 1 ? 0 : failed();
}

/* Each of the two parts is filled up to a multiple of 16. */
static int fill_up(struct seal *seal, uint64_t len)
{
	static const uint8_t zeros[16];

	return add(seal, zeros, (16 - len % 16) % 16);
}

int seal_begin(struct seal *seal, const struct core_params *params, const uint8_t *aad, size_t aad_len)
{
	struct chacha20 cipher;
	uint8_t pad[CHACHA20_BLOCK];

	chacha20_init(&cipher, params->key, params->iv);
	chacha20_block(&cipher, 0, pad);
	*seal = (struct seal){ .aad_len = aad_len };
	seal->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_POLY1305, NULL, pad, 32);
	seal->context = EVP_MD_CTX_new();
	OPENSSL_cleanse(&cipher, sizeof cipher);
	OPENSSL_cleanse(pad, sizeof pad);
	if (!seal->key || !seal->context || EVP_DigestSignInit(seal->context, NULL, NULL, NULL, seal->key) != 1)
		return failed();
	return add(seal, aad, aad_len) < 0 ? -1 : fill_up(seal, aad_len);
}

int seal_add(struct seal *seal, const uint8_t *text, size_t len)
{
	seal->text_len += len;
	return add(seal, text, len);
}

int seal_end(struct seal *seal, uint8_t tag[SEAL_TAG])
{
	int status = 0;

	if (tag) {
		uint8_t lengths[16];
		size_t tag_len = SEAL_TAG;

		store_le64(lengths, seal->aad_len);
		store_le64(lengths + 8, seal->text_len);
		status = fill_up(seal, seal->text_len);
		if (status == 0)
			status = add(seal, lengths, sizeof lengths);
		if (status == 0 && EVP_DigestSignFinal(seal->context, tag, &tag_len) != 1)
			status = failed();
	}
	EVP_MD_CTX_free(seal->context);
	EVP_PKEY_free(seal->key);
	seal->context = NULL;
	seal->key = NULL;
	return status;
}
