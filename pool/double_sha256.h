/* SHA-256 twice: what Bitcoin's transactions, merkle trees, block names and address checksums are hashed with. */
#ifndef POOL_DOUBLE_SHA256_H
#define POOL_DOUBLE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* `out` may be part of `data`. 0, or -1 when the crypto library refuses. */
int double_sha256(uint8_t out[32], const uint8_t *data, size_t len);

#endif
