/* The proof a kernel must give before it is trusted. */
#ifndef SIMD_SELFTEST_H
#define SIMD_SELFTEST_H

#include "miner.h"

#define SELFTEST_QUICK	0	/* headers: known answers and edge cases only; a few ms */
#define SELFTEST_FULL	4096	/* headers */
#define SELFTEST_WHY	160	/* bytes of a failure's text */

/*
 * Hold `kernel` against algo->hash: known answers found among their neighbours (nonces, or
 * random versions where those are its lanes),
 * candidate masks and digests equal to the reference on the edge cases (a target
 * that is one lane's own top word, one below it, 0 and 0xffffffff; nonces up to the
 * last and over the end; an unaligned header) and on batches of random headers,
 * `headers` nonces in all. `fault` is flipped into every mask.
 * Returns 0, or -1 with the reason in `why`.
 */
int selftest_kernel(const struct algo *, const struct kernel *, unsigned headers, uint32_t fault, char why[SELFTEST_WHY]);

#endif
