/*
 * BMW-256, Blue Midnight Wish, in the version tweaked for round 2 of SHA-3: after
 * the last block the chain value itself is compressed once more. ("Cryptographic
 * hash function Blue Midnight Wish", submission document of September 2009.)
 */
#ifndef SHA3_BMW256_H
#define SHA3_BMW256_H

#include <stddef.h>
#include <stdint.h>

/* The digest of `len` bytes. `out` may overlap `in`. */
void bmw256(uint8_t out[32], const uint8_t *in, size_t len);

#endif
