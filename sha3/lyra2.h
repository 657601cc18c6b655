/*
 * Lyra2 with a BLAKE2b sponge, as coins use it: time cost 1, one thread, and the
 * same 32 bytes for password and salt. (Simplício et al., "Lyra2: password hashing
 * scheme with improved security against time-memory trade-offs", submission to the
 * Password Hashing Competition, its basic algorithm.)
 */
#ifndef SHA3_LYRA2_H
#define SHA3_LYRA2_H

#include <stdbool.h>
#include <stdint.h>

#define LYRA2_BLOCK	12	/* 64-bit words in a cell of the matrix: the sponge's rate */

/* Bytes of the matrix. */
#define LYRA2_SCRATCH_LEN(rows, cols)	((rows) * (cols) * LYRA2_BLOCK * sizeof(uint64_t))

/* Lyra2REv2 is { 4, 4, false }, Lyra2RE { 8, 8, true }. */
struct lyra2_variant {
	unsigned rows;			/* a power of two, at least 4 */
	unsigned cols;			/* at least 1 */
	bool parameters_lost;		/* a slip that became consensus: zeros are absorbed in their place */
};

/*
 * 32 bytes of output. `matrix` has LYRA2_SCRATCH_LEN(rows, cols) bytes, whose content
 * does not matter. `out` may overlap `in`.
 */
void lyra2(uint8_t out[32], const uint8_t in[32], const struct lyra2_variant *variant, uint64_t *matrix);

#endif
