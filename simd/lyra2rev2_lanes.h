/* Lyra2REv2 over lanes: the stages after the header's hash, and the kernel. */
#ifndef SIMD_LYRA2REV2_LANES_H
#define SIMD_LYRA2REV2_LANES_H

#include "simd/bmw256_lanes.h"
#include "simd/chain_lanes.h"
#include "simd/cubehash256_lanes.h"
#include "simd/keccak256_lanes.h"
#include "simd/lyra2_lanes.h"
#include "simd/skein256_lanes.h"

static const struct lane_stage KERNEL(lyra2rev2_stages)[] = {
	{ "keccak256", KERNEL(keccak256_stage) },
	{ "cubehash256", KERNEL(cubehash256_stage) },
	{ "lyra2_1_4_4", KERNEL(lyra2_stage) },
	{ "skein256", KERNEL(skein256_stage) },
	{ "cubehash256", KERNEL(cubehash256_stage) },
	{ "bmw256", KERNEL(bmw256_stage) },
	{ 0 }
};

static const struct chain KERNEL(lyra2rev2_chain) = {
	.stages = KERNEL(lyra2rev2_stages), .candidates = KERNEL(bmw256_candidates),
};

static void KERNEL(lyra2rev2_prepare)(void *memory, const struct algo *algo, const struct work *work)
{
	(void)algo;
	chain_prepare(memory, &KERNEL(lyra2rev2_chain), work);
}

#define LYRA2REV2_KERNEL \
	CHAIN_KERNEL("lyra2rev2", KERNEL(lyra2rev2_prepare), KERNEL(lyra2rev2_stages), sizeof(struct lyra2_scratch))

#endif
