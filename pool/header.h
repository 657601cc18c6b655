/*
 * From a coinbase to the 80 bytes that get hashed (Bitcoin's block header: version,
 * previous block, merkle root, time, bits, nonce; numbers least significant byte
 * first). This is the only file that swaps bytes: protocols pass on what they were
 * sent, and everything after a header is in hashing order.
 */
#ifndef POOL_HEADER_H
#define POOL_HEADER_H

#include <stddef.h>
#include <stdint.h>

#define HEADER_LEN	80		/* bytes */
#define ROLLED_BITS	UINT32_C(0x1fffe000)	/* of the version, that are free for miners (BIP 320) */

/*
 * The merkle root of a block whose first transaction is `coinbase` and whose other
 * ones are given by the branches up its side of the tree; all in hashing order.
 * 0, or -1 when the crypto library refuses.
 */
int header_merkle_root(uint8_t root[32], const uint8_t *coinbase, size_t coinbase_len,
		       const uint8_t (*branches)[32], size_t branch_count);

/*
 * `prevhash` is as stratum sends it: eight words, each most significant byte first,
 * in the order the header has them. The nonce is left 0.
 */
void header_build(uint8_t header[HEADER_LEN], uint32_t version, const uint8_t prevhash[32],
		  const uint8_t root[32], uint32_t ntime, uint32_t nbits);

/* getwork sends a header as twenty words, each most significant byte first; `header` gets the bytes that are hashed. */
void header_swap_words(uint8_t header[HEADER_LEN], const uint8_t words[HEADER_LEN]);

/* From the order in which nodes show a hash, most significant byte first, to hashing order, or back. */
void header_reverse(uint8_t out[32], const uint8_t in[32]);

void header_set_version(uint8_t header[HEADER_LEN], uint32_t version);
void header_set_prevhash(uint8_t header[HEADER_LEN], const uint8_t prevhash[32]);	/* hashing order */
void header_set_root(uint8_t header[HEADER_LEN], const uint8_t root[32]);
void header_set_ntime(uint8_t header[HEADER_LEN], uint32_t ntime);
void header_set_nonce(uint8_t header[HEADER_LEN], uint32_t nonce);
uint32_t header_version(const uint8_t header[HEADER_LEN]);
const uint8_t *header_prevhash(const uint8_t header[HEADER_LEN]);
uint32_t header_ntime(const uint8_t header[HEADER_LEN]);
uint32_t header_nbits(const uint8_t header[HEADER_LEN]);

/* The block's name, as explorers show it: 64 hex digits, most significant first, and a NUL. 0 or -1. */
int header_block_name(char name[65], const uint8_t header[HEADER_LEN]);

#endif
