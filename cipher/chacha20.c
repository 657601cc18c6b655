/* See chacha20.h. Shaped like the RFC, not for speed. */
#include "cipher/chacha20.h"

#include <string.h>

#include "base/bytes.h"

#define DOUBLE_ROUNDS	10

void chacha20_init(struct chacha20 *cipher, const uint8_t key[CHACHA20_KEY], const uint8_t nonce[CHACHA20_NONCE])
{
	static const uint8_t constants[16] = "expand 32-byte k";	/* and no terminating zero */

	for (unsigned i = 0; i < 4; i++)
		cipher->state[i] = load_le32(constants + 4 * i);
	for (unsigned i = 0; i < 8; i++)
		cipher->state[4 + i] = load_le32(key + 4 * i);
	cipher->state[12] = 0;
	for (unsigned i = 0; i < 3; i++)
		cipher->state[13 + i] = load_le32(nonce + 4 * i);
}

void chacha20_quarter_round(uint32_t s[16], unsigned a, unsigned b, unsigned c, unsigned d)
{
	s[a] += s[b];
	s[d] = rotl32(s[d] ^ s[a], 16);
	s[c] += s[d];
	s[b] = rotl32(s[b] ^ s[c], 12);
	s[a] += s[b];
	s[d] = rotl32(s[d] ^ s[a], 8);
	s[c] += s[d];
	s[b] = rotl32(s[b] ^ s[c], 7);
}

void chacha20_rounds(uint32_t state[16])
{
	for (unsigned round = 0; round < DOUBLE_ROUNDS; round++) {
		chacha20_quarter_round(state, 0, 4, 8, 12);
		chacha20_quarter_round(state, 1, 5, 9, 13);
		chacha20_quarter_round(state, 2, 6, 10, 14);
		chacha20_quarter_round(state, 3, 7, 11, 15);
		chacha20_quarter_round(state, 0, 5, 10, 15);
		chacha20_quarter_round(state, 1, 6, 11, 12);
		chacha20_quarter_round(state, 2, 7, 8, 13);
		chacha20_quarter_round(state, 3, 4, 9, 14);
	}
}

void chacha20_block(const struct chacha20 *cipher, uint32_t count, uint8_t pad[CHACHA20_BLOCK])
{
	uint32_t state[16];

	memcpy(state, cipher->state, sizeof state);
	state[12] = count;
	chacha20_rounds(state);
	for (unsigned i = 0; i < 16; i++)
		store_le32(pad + 4 * i, state[i] + (i == 12 ? count : cipher->state[i]));
}

bool chacha20_xor(const struct chacha20 *cipher, uint32_t count, uint8_t *out, const uint8_t *in, size_t len)
{
	uint64_t blocks = len / CHACHA20_BLOCK + (len % CHACHA20_BLOCK > 0);
	uint8_t pad[CHACHA20_BLOCK];

	if (blocks > ((uint64_t)1 << 32) - count)
		return false;
	while (len > 0) {
		size_t part = len < CHACHA20_BLOCK ? len : CHACHA20_BLOCK;

		chacha20_block(cipher, count++, pad);
		for (size_t i = 0; i < part; i++)
			out[i] = in[i] ^ pad[i];
		out += part;
		in += part;
		len -= part;
	}
	return true;
}
