/*
 * SHA-256 (FIPS 180-4). Words are big-endian in the message and the digest; a
 * state here is eight plain words, a to h, of the machine's own order.
 */
#ifndef SHA3_SHA256_H
#define SHA3_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const uint32_t sha256_k[64];	/* round constants, section 4.2.2 */
extern const uint32_t sha256_iv[8];	/* initial hash value, section 5.3.3 */

/* The digest of `len` bytes. `out` may overlap `in`. */
void sha256(uint8_t out[32], const uint8_t *in, size_t len);

/*
 * Add one 64-byte block to the state. From sha256_iv and the first block of a
 * longer message this gives the midstate from which its second block goes on.
 */
void sha256_compress(uint32_t state[8], const uint8_t block[64]);

#define SHA256_PAD_MAX	55	/* bytes; the longest message that is one block with its padding */

/* The one padded block of a message of up to SHA256_PAD_MAX bytes: section 5.1.1. False: it is longer. */
bool sha256_pad(uint8_t block[64], const uint8_t *message, size_t len);

#endif
