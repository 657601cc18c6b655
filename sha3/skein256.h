/*
 * Skein-512-256: the 512-bit state with a 256-bit digest, the primary proposal cut
 * short, and not Skein-256-256. ("The Skein hash function family", version 1.3.)
 */
#ifndef SHA3_SKEIN256_H
#define SHA3_SKEIN256_H

#include <stddef.h>
#include <stdint.h>

/*
 * High tweak word, section 3.4: the type of the block and whether it is the first
 * or last of its kind. The low word is the bytes hashed so far, this block's included.
 */
#define SKEIN_CONFIG	((uint64_t)4 << 56)
#define SKEIN_MESSAGE	((uint64_t)48 << 56)
#define SKEIN_OUTPUT	((uint64_t)63 << 56)
#define SKEIN_FIRST	((uint64_t)1 << 62)
#define SKEIN_FINAL	((uint64_t)1 << 63)

#define SKEIN_PARITY	0x1bd11bdaa9fc1a22	/* C240: what all key words are xored with to give one more */

/*
 * The chain value after the configuration block, which is the same for every
 * message: "SHA3", version 1, 256 bits of output (section 3.5).
 */
extern const uint64_t skein256_iv[8];

/* Threefish-512's rotations; round r uses row r mod 8. Section 3.3. */
extern const uint8_t skein512_rotations[8][4];

/* The digest of `len` bytes. `out` may overlap `in`. */
void skein256(uint8_t out[32], const uint8_t *in, size_t len);

/* Add one block, zero-padded to 64 bytes, to the chain value; one step of UBI, section 3.4. */
void skein512_compress(uint64_t g[8], const uint8_t block[64], uint64_t tweak_low, uint64_t tweak_high);

#endif
