/* The proof a kernel must give before it is trusted. */
#ifndef SIMD_SELFTEST_H
#define SIMD_SELFTEST_H

#include "miner.h"

#define SELFTEST_QUICK	0	/* headers: no random batches, and each lane's edges at one of four nonces; milliseconds */
#define SELFTEST_FULL	4096	/* headers */
#define SELFTEST_WHY	160	/* bytes of a failure's text */

/*
 * Hold `kernel` against algo->hash:
 * - known answers, among their neighbours (nonces, or random versions where those are its lanes);
 * - masks and digests on the edge cases: a target that is one lane's own top word, one below it, 0 and 0xffffffff;
 *   nonces up to the last and over the end;
 * - the finds of walks in the miner's own loop (lanes_walk()) over ranges that end within a batch: shorter than it,
 *   longer, and up to the last nonce;
 * - batches of random headers, `headers` in all.
 * The work is aligned to what its type says and no more; the reference's input and the digests to nothing. `fault` is
 * flipped into every mask. Returns 0, or -1 with the reason in `why`.
 */
int selftest_kernel(const struct algo *, const struct kernel *, unsigned headers, uint32_t fault, char why[SELFTEST_WHY]);

#endif
