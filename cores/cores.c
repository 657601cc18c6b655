/* The cores' plain forms, and their list: see core.h. */
#include "cores/core.h"

#include <string.h>

#include "base/bytes.h"
#include "cipher/aes128.h"
#include "cipher/chacha20.h"
#include "cores/openssl.h"
#include "field/secp256k1.h"
#include "sha3/cubehash256.h"
#include "sha3/sha256.h"

static void chacha20(const struct batch *batch)
{
	struct chacha20 cipher;

	chacha20_init(&cipher, batch->params->key, batch->params->iv);
	chacha20_xor(&cipher, (uint32_t)batch->first, batch->out, batch->in, batch->items * CHACHA20_BLOCK);
}

static void aes128_ecb(const struct batch *batch)
{
	struct aes128 cipher;

	aes128_init(&cipher, batch->params->key);
	for (size_t i = 0; i < batch->items; i++)
		aes128_encrypt(&cipher, batch->out + AES128_BLOCK * i, batch->in + AES128_BLOCK * i);
}

static void aes128_counter(const struct batch *batch)
{
	struct aes128 cipher;
	uint8_t counter[AES128_BLOCK];

	aes128_init(&cipher, batch->params->key);
	aes128_ctr_at(counter, batch->params->iv, batch->first);
	aes128_ctr(&cipher, counter, batch->out, batch->in, AES128_BLOCK * batch->items);
}

static void sha256d(const struct batch *batch)
{
	for (size_t i = 0; i < batch->items; i++) {
		uint32_t state[8];
		uint8_t first[32];

		memcpy(state, sha256_iv, sizeof state);
		sha256_compress(state, batch->in + 64 * i);
		for (unsigned j = 0; j < 8; j++)
			store_be32(first + 4 * j, state[j]);
		sha256(batch->out + 32 * i, first, sizeof first);
	}
}

static void cubehash(const struct batch *batch)
{
	for (size_t i = 0; i < batch->items; i++)
		cubehash256(batch->out + 32 * i, batch->in + 32 * i, 32);
}

static void secp256k1(const struct batch *batch)
{
	for (size_t i = 0; i < batch->items; i++) {
		struct secp256k1_element a, b;

		secp256k1_load(&a, batch->in + 64 * i);
		secp256k1_load(&b, batch->in + 64 * i + 32);
		switch (batch->params->operation) {
		case FIELD_ADD: secp256k1_add(&a, &a, &b); break;
		case FIELD_SUB: secp256k1_sub(&a, &a, &b); break;
		case FIELD_MUL: secp256k1_mul(&a, &a, &b); break;
		}
		secp256k1_store(batch->out + 32 * i, &a);
	}
}

const struct core cores[] = {
	{ "chacha20", 64, 64, (uint64_t)1 << 32, chacha20, openssl_chacha20, false },
	{ "aes128-ecb", 16, 16, 0, aes128_ecb, openssl_aes128_ecb, false },
	{ "aes128-ctr", 16, 16, 0, aes128_counter, openssl_aes128_ctr, false },
	{ "sha256d", 64, 32, 0, sha256d, openssl_sha256d, false },
	{ "cubehash256", 32, 32, 0, cubehash, NULL, false },
	{ "secp256k1", 64, 32, 0, secp256k1, openssl_secp256k1, true },
	{ .name = NULL }
};

const struct core *core_find(const char *name)
{
	for (const struct core *core = cores; core->name; core++)
		if (strcmp(core->name, name) == 0)
			return core;
	return NULL;
}

void core_example(const struct core *core, uint8_t *in, size_t items)
{
	uint32_t x = 1;

	for (size_t i = 0; i < items * core->item_in; i++) {
		x = x * 1664525 + 1013904223;
		in[i] = (uint8_t)(x >> 24);
	}
	for (size_t i = 0; core->plain == sha256d && i < items; i++) {
		uint8_t message[SHA256_PAD_MAX];

		memcpy(message, in + 64 * i, sizeof message);
		sha256_pad(in + 64 * i, message, i % (SHA256_PAD_MAX + 1));
	}
}
