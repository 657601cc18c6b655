/* SHA-256d: Bitcoin's proof of work, SHA-256 twice over the 80-byte header. */
#include "miner.h"
#include "sha3/sha256.h"

static void sha256d_hash(uint8_t out[32], const uint8_t *header, void *scratch)
{
	uint8_t first[32];

	(void)scratch;
	sha256(first, header, 80);
	sha256(out, first, sizeof first);
}

static const struct kat kats[] = {
	{	/* Bitcoin's first block */
		"0100000000000000000000000000000000000000000000000000000000000000"
		"000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa"
		"4b1e5e4a29ab5f49ffff001d1dac2b7c",
		"6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"
	},
	{ 0 }
};

static const char *const aliases[] = { "sha256", "bitcoin", NULL };

const struct algo algo_sha256d = {
	.name = "sha256d", .aliases = aliases, .hash = sha256d_hash,
	.header_len = 80, .nonce_off = 76, .diff1 = 1, .kats = kats,
};
