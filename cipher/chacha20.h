/*
 * ChaCha20 (RFC 8439, sections 2.1 to 2.4): the plain reference that cores and kernels
 * are held against. A 256-bit key, a 96-bit nonce and a 32-bit count of 64-byte blocks
 * give one block of pad each; the same three never twice, or two texts share a pad.
 */
#ifndef CIPHER_CHACHA20_H
#define CIPHER_CHACHA20_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHACHA20_KEY	32	/* bytes */
#define CHACHA20_NONCE	12
#define CHACHA20_BLOCK	64

struct chacha20 {
	uint32_t state[16];	/* constants, key, count, nonce; the count is each block's own */
};

void chacha20_init(struct chacha20 *, const uint8_t key[CHACHA20_KEY], const uint8_t nonce[CHACHA20_NONCE]);

/* Column and diagonal rounds are this on four words of the state. */
void chacha20_quarter_round(uint32_t state[16], unsigned a, unsigned b, unsigned c, unsigned d);

/* All twenty rounds, eighty quarter rounds. */
void chacha20_rounds(uint32_t state[16]);

/* Block number `count` of the pad. */
void chacha20_block(const struct chacha20 *, uint32_t count, uint8_t pad[CHACHA20_BLOCK]);

/*
 * out = in XOR the pad from block `count` on; out may be in. False, and nothing is
 * written, where the text would need blocks beyond number 2^32 - 1.
 */
bool chacha20_xor(const struct chacha20 *, uint32_t count, uint8_t *out, const uint8_t *in, size_t len);

#endif
