/*
 * What the benches hold the RTL against: the project's own SHA-256, a header as a job,
 * real blocks, and a way to say what was checked.
 */
#ifndef FPGA_TB_REFERENCE_H
#define FPGA_TB_REFERENCE_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

extern "C" {
#include "base/bytes.h"
#include "sha3/sha256.h"
}

/* Four blocks of Bitcoin: 0, 1, 170 and 125552. Each nonce (the last four bytes) solves its header. */
static const char *const real_blocks[] = {
	"0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e"
	"67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c",
	"010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe680e"
	"1fee14677ba1a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e36299",
	"0100000055bd840a78798ad0da853f68974f3d183e2bd1db6a842c1feecf222a00000000ff104ccb05421ab93e63f8c3"
	"ce5c2c2e9dbb37de2764b3a3175c8166562cac7d51b96a49ffff001d283e9e70",
	"0100000081cd02ab7e569e8bcd9317e2fe99f2de44d49ab2b8851ba4a308000000000000e320b6c2fffc8d750423db8b"
	"1eb942ae710e951ed797f7affc8892b0f1fc122bc7f5d74df2b9441a42a14695",
};

/* A header as a card sees it. */
struct job {
	uint32_t midstate[8];
	uint32_t tail[3];
	uint32_t nonce;		/* that stood in the header */

	explicit job(const uint8_t header[80])
	{
		memcpy(midstate, sha256_iv, sizeof midstate);
		sha256_compress(midstate, header);
		for (int i = 0; i < 3; i++)
			tail[i] = load_be32(header + 64 + 4 * i);
		nonce = load_le32(header + 76);
	}

	/* The most significant 32 bits of the digest of `n`: what is compared with the target. */
	uint32_t top_word(uint32_t n) const
	{
		uint32_t first[8], second[8];
		uint8_t block[64] = { 0 };

		for (int i = 0; i < 3; i++)
			store_be32(block + 4 * i, tail[i]);
		store_le32(block + 12, n);
		block[16] = 0x80;
		store_be64(block + 56, 640);
		memcpy(first, midstate, sizeof first);
		sha256_compress(first, block);

		memset(block, 0, sizeof block);
		for (int i = 0; i < 8; i++)
			store_be32(block + 4 * i, first[i]);
		block[32] = 0x80;
		store_be64(block + 56, 256);
		memcpy(second, sha256_iv, sizeof second);
		sha256_compress(second, block);
		return swap32(second[7]);
	}
};

static inline job real_job(unsigned block)
{
	uint8_t header[80];

	for (unsigned i = 0; i < sizeof header; i++) {
		unsigned byte;
		if (sscanf(real_blocks[block] + 2 * i, "%2x", &byte) != 1)
			abort();
		header[i] = (uint8_t)byte;
	}
	return job(header);
}

static inline job random_job(std::mt19937 &random)
{
	uint8_t header[80];

	for (uint8_t &byte : header)
		byte = (uint8_t)random();
	return job(header);
}

/* A fact that held. */
static inline void ok(const char *fact)
{
	printf("ok %s\n", fact);
	fflush(stdout);
}

/* A bench ends at the first thing that is wrong. */
#define FATAL(...) do { \
	printf("FAILED line %d: ", __LINE__); \
	printf(__VA_ARGS__); \
	printf("\n"); \
	fflush(stdout); \
	_Exit(1); \
} while (0)

#endif
