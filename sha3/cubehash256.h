/*
 * CubeHash16/32-256 as submitted to round 2 of SHA-3: 16 rounds after each 32-byte
 * block, 160 to initialise and 160 to finish. (Bernstein, "CubeHash specification
 * (2.B.1)", 2009.)
 */
#ifndef SHA3_CUBEHASH256_H
#define SHA3_CUBEHASH256_H

#include <stddef.h>
#include <stdint.h>

#define CUBEHASH256_BLOCK	32	/* bytes */
#define CUBEHASH256_BLOCK_ROUNDS	16
#define CUBEHASH256_FINAL_ROUNDS	160

/* The state before the first block: the parameters 32, 32, 16, then zeros, after 160 rounds. */
extern const uint32_t cubehash256_iv[32];

/* The digest of `len` bytes. `out` may overlap `in`. */
void cubehash256(uint8_t out[32], const uint8_t *in, size_t len);

/* `count` rounds of the permutation; x[16 i + 8 j + 4 k + 2 l + m] is the specification's x_ijklm. */
void cubehash_rounds(uint32_t x[32], int count);

#endif
