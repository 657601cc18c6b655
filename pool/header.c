/* Coinbase -> merkle root -> header: see header.h. */
#include "pool/header.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "pool/double_sha256.h"
#include "pool/merkle.h"

/* where the fields stand in a header */
enum { VERSION = 0, PREVHASH = 4, ROOT = 36, NTIME = 68, NBITS = 72, NONCE = 76 };

int header_merkle_root(uint8_t root[32], const uint8_t *coinbase, size_t coinbase_len,
		       const uint8_t (*branches)[32], size_t branch_count)
{
	if (double_sha256(root, coinbase, coinbase_len) < 0)
		return -1;
	return merkle_climb(root, branches, branch_count);
}

void header_build(uint8_t header[HEADER_LEN], uint32_t version, const uint8_t prevhash[32],
		  const uint8_t root[32], uint32_t ntime, uint32_t nbits)
{
	memset(header, 0, HEADER_LEN);
	header_set_version(header, version);
	for (size_t i = 0; i < 32; i += 4)
		store_le32(header + PREVHASH + i, load_be32(prevhash + i));
	header_set_root(header, root);
	header_set_ntime(header, ntime);
	store_le32(header + NBITS, nbits);
}

void header_swap_words(uint8_t header[HEADER_LEN], const uint8_t words[HEADER_LEN])
{
	for (size_t i = 0; i < HEADER_LEN; i += 4)
		store_le32(header + i, load_be32(words + i));
}

void header_reverse(uint8_t out[32], const uint8_t in[32])
{
	for (size_t i = 0; i < 32; i++)
		out[i] = in[31 - i];
}

void header_set_version(uint8_t header[HEADER_LEN], uint32_t version)
{
	store_le32(header + VERSION, version);
}

void header_set_prevhash(uint8_t header[HEADER_LEN], const uint8_t prevhash[32])
{
	memcpy(header + PREVHASH, prevhash, 32);
}

void header_set_root(uint8_t header[HEADER_LEN], const uint8_t root[32])
{
	memcpy(header + ROOT, root, 32);
}

void header_set_ntime(uint8_t header[HEADER_LEN], uint32_t ntime)
{
	store_le32(header + NTIME, ntime);
}

void header_set_nonce(uint8_t header[HEADER_LEN], uint32_t nonce)
{
	store_le32(header + NONCE, nonce);
}

uint32_t header_version(const uint8_t header[HEADER_LEN])
{
	return load_le32(header + VERSION);
}

const uint8_t *header_prevhash(const uint8_t header[HEADER_LEN])
{
	return header + PREVHASH;
}

uint32_t header_ntime(const uint8_t header[HEADER_LEN])
{
	return load_le32(header + NTIME);
}

uint32_t header_nbits(const uint8_t header[HEADER_LEN])
{
	return load_le32(header + NBITS);
}

int header_block_name(char name[65], const uint8_t header[HEADER_LEN])
{
	uint8_t hash[32], reversed[32];

	if (double_sha256(hash, header, HEADER_LEN) < 0)
		return -1;
	header_reverse(reversed, hash);
	hex_encode(name, reversed, 32);
	return 0;
}
