/*
 * AES-128, encryption (FIPS 197): the plain reference that cores and kernels are held
 * against, one function for each transformation of the standard, so that a profile can
 * show where the time goes.
 *
 * The S-box is read at places that depend on the text and the key: a reference, and
 * never to be used where somebody can time it.
 */
#ifndef CIPHER_AES128_H
#define CIPHER_AES128_H

#include <stddef.h>
#include <stdint.h>

#define AES128_KEY	16	/* bytes */
#define AES128_BLOCK	16
#define AES128_ROUNDS	10

struct aes128 {
	uint8_t round_keys[AES128_ROUNDS + 1][AES128_BLOCK];	/* section 5.2 */
};

extern const uint8_t aes128_sbox[256];

void aes128_init(struct aes128 *, const uint8_t key[AES128_KEY]);

/* The state: 16 bytes, column by column (section 3.4). */
void aes128_sub_bytes(uint8_t state[AES128_BLOCK]);
void aes128_shift_rows(uint8_t state[AES128_BLOCK]);
void aes128_mix_columns(uint8_t state[AES128_BLOCK]);
void aes128_add_round_key(uint8_t state[AES128_BLOCK], const uint8_t key[AES128_BLOCK]);

/* One block: ECB (SP 800-38A, section 6.1). out may be in. */
void aes128_encrypt(const struct aes128 *, uint8_t out[AES128_BLOCK], const uint8_t in[AES128_BLOCK]);

/*
 * CTR (SP 800-38A, section 6.5): out = in XOR the encrypted counters counter, counter + 1, ..., each a number of 128
 * bits, most significant byte first. The last block may be short. counter is left at the next. out may be in.
 */
void aes128_ctr(const struct aes128 *, uint8_t counter[AES128_BLOCK], uint8_t *out, const uint8_t *in, size_t len);

/* The counter of block number `block` of a text whose first block has `first`. */
void aes128_ctr_at(uint8_t counter[AES128_BLOCK], const uint8_t first[AES128_BLOCK], uint64_t block);

#endif
