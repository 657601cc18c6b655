/*
 * BLAKE-256 as it ended the SHA-3 competition: 14 rounds, no salt. ("The SHA-3
 * proposal BLAKE", version 1.3, section 2.1.) Earlier coins use 8 rounds; this is
 * not that, nor is it BLAKE2s.
 */
#ifndef SHA3_BLAKE256_H
#define SHA3_BLAKE256_H

#include <stddef.h>
#include <stdint.h>

extern const uint32_t blake256_c[16];		/* constants, section 2.1.1 */
extern const uint32_t blake256_iv[8];		/* initial value; SHA-256's */
extern const uint8_t blake256_sigma[10][16];	/* message permutations; round r uses row r mod 10 */

/* The digest of `len` bytes. `out` may overlap `in`. */
void blake256(uint8_t out[32], const uint8_t *in, size_t len);

/*
 * Add one 64-byte block to the chain value h. `bits` is the number of message bits
 * hashed so far, those of this block included and its padding not; 0 for a block
 * of padding alone. From blake256_iv, a first block and 512 this gives the midstate.
 */
void blake256_compress(uint32_t h[8], const uint8_t block[64], uint64_t bits);

#endif
