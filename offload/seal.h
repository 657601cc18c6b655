/*
 * Sealed text: ChaCha20-Poly1305 (RFC 8439, section 2.8), apart. The text is encrypted
 * by anyone in any order, block 1 and up; the tag is taken here over what is encrypted,
 * in order, with Poly1305 by OpenSSL under the key that block 0 gives.
 */
#ifndef OFFLOAD_SEAL_H
#define OFFLOAD_SEAL_H

#include <openssl/evp.h>

#include "cores/core.h"

#define SEAL_TAG	16	/* bytes */
#define SEAL_FIRST	1	/* the number of the text's first block */

struct seal {
	EVP_PKEY *key;
	EVP_MD_CTX *context;
	uint64_t aad_len, text_len;
};

/* 0, or -1 logged; seal_end() releases it either way. params: key and nonce. */
int seal_begin(struct seal *, const struct core_params *, const uint8_t *aad, size_t aad_len);

/* The next part of the encrypted text. 0, or -1 logged. */
int seal_add(struct seal *, const uint8_t *text, size_t len);

/* 0, or -1 logged. tag NULL: only release. */
int seal_end(struct seal *, uint8_t tag[SEAL_TAG]);

#endif
