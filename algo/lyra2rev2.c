/*
 * Lyra2REv2: Monacoin's proof of work, a chain of six primitives in seven stages. It
 * is not Lyra2RE with another version number: the stages and Lyra2's matrix differ.
 */
#include "miner.h"
#include "algo/chain.h"
#include "sha3/blake256.h"
#include "sha3/bmw256.h"
#include "sha3/cubehash256.h"
#include "sha3/keccak256.h"
#include "sha3/lyra2.h"
#include "sha3/skein256.h"

#define ROWS	4
#define COLS	4

static const struct lyra2_variant lyra2_4_4 = { .rows = ROWS, .cols = COLS };

static void lyra2_stage(uint8_t out[32], const uint8_t *in, size_t len, void *scratch)
{
	(void)len;	/* 32: never the first stage */
	lyra2(out, in, &lyra2_4_4, scratch);
}

static const struct chain_stage stages[] = {
	{ .name = "blake256", .hash = blake256 },
	{ .name = "keccak256", .hash = keccak256 },
	{ .name = "cubehash256", .hash = cubehash256 },
	{ .name = "lyra2", .hash_with = lyra2_stage },
	{ .name = "skein256", .hash = skein256 },
	{ .name = "cubehash256", .hash = cubehash256 },
	{ .name = "bmw256", .hash = bmw256 },
	{ 0 }
};

static void lyra2rev2_hash(uint8_t out[32], const uint8_t *header, void *scratch)
{
	chain_hash(out, stages, header, 80, scratch);
}

static const struct kat kats[] = {
	{	/* Bitcoin's first block, hashed as Monacoin's would be */
		"0100000000000000000000000000000000000000000000000000000000000000"
		"000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa"
		"4b1e5e4a29ab5f49ffff001d1dac2b7c",
		"7226dab76fa2696d8b46d7cd5e4de31a69d38412236cbda046d7b0ff90b8d377"
	},
	{	/* Monacoin block 461663 */
		"030000007078d995fd09e73367ab8f1297f955d84d74b97069491786c1ae1777"
		"e2f1879c3b6ca87e6b24c2364f0045a6f393b6ecacf2c407ce57b0a1142bb91a"
		"00e9227fc46518564298001cef290e00",
		"ba0aab5abea1171fb284fdb58d9d53cbcab01e92881ce5f17d89230000000000"
	},
	{	/* Monacoin block 2618790 */
		"00000020e3bae5483c726227a705972d4fb842a618347959e25d6116636a9631"
		"c023442325c33190f4d83102f48229e0150fbdb58e623a544a97537b9e172520"
		"d7f9a1a5db6d4162d1b5021a2be53fad",
		"ef4b7fab5360a776789383065462a7f1bb9a674fcc14f7618900000000000000"
	},
	{ 0 }
};

static const char *const aliases[] = { "lyra2v2", "lyra2re2", "monacoin", NULL };

const struct algo algo_lyra2rev2 = {
	.name = "lyra2rev2", .aliases = aliases, .hash = lyra2rev2_hash,
	.header_len = 80, .nonce_off = 76, .scratch_len = LYRA2_SCRATCH_LEN(ROWS, COLS),
	.diff1 = 256, .kats = kats,
};
