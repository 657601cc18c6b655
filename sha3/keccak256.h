/*
 * Keccak-256 as submitted to SHA-3: the padding is 0x01, where SHA3-256 of FIPS 202
 * has 0x06, so the digests differ. ("The Keccak reference", version 3.0; rate 1088,
 * capacity 512.)
 */
#ifndef SHA3_KECCAK256_H
#define SHA3_KECCAK256_H

#include <stddef.h>
#include <stdint.h>

#define KECCAK256_RATE 136	/* bytes absorbed per permutation */

extern const uint64_t keccak_rc[24];	/* round constants of iota */

/* The digest of `len` bytes. `out` may overlap `in`. */
void keccak256(uint8_t out[32], const uint8_t *in, size_t len);

#endif
