/*
 * BLAKE-256 of an 80-byte header over lanes (the SHA-3 proposal, section 2.1). Only the second block has
 * the nonce in it, as message word 3, which enters once a round: everything before its first use, and what
 * all other words add, is computed once per work. That first use is in the middle of the first round.
 */
#ifndef SIMD_BLAKE256_LANES_H
#define SIMD_BLAKE256_LANES_H

#include "sha3/blake256.h"
#include "simd/lanes.h"

#define BLAKE256_ROUNDS	14
#define BLAKE256_NONCE	3	/* the nonce's message word */
#define BLAKE256_BITS	640	/* the message's length: a header's */

struct blake256_job {
	v32 midstate[8];		/* after the header's first block */
	v32 state[16];			/* where the nonce is to be added */
	v32 message[BLAKE256_ROUNDS][16];	/* what every half of G adds, in order: message word ^ constant */
	v32 nonce_constants[BLAKE256_ROUNDS];	/* what the nonce is xored with to give its own entry of these */
	uint8_t nonce_places[BLAKE256_ROUNDS];	/* and which that is */
};

/* The first half of G: rotations by 16 and 12. The second is the same with 8 and 7. Section 2.1.2. */
INLINE void blake256_half(v32 v[16], int a, int b, int c, int d, v32 message, int d_rotation, int b_rotation)
{
	v[a] += v[b] + message;
	v[d] = v32_rotr(v[d] ^ v[a], d_rotation);
	v[c] += v[d];
	v[b] = v32_rotr(v[b] ^ v[c], b_rotation);
}

INLINE void blake256_g(v32 v[16], int a, int b, int c, int d, const v32 message[2])
{
	blake256_half(v, a, b, c, d, message[0], 16, 12);
	blake256_half(v, a, b, c, d, message[1], 8, 7);
}

INLINE void blake256_diagonals(v32 v[16], const v32 message[16])
{
	blake256_g(v, 0, 5, 10, 15, message + 8);
	blake256_g(v, 1, 6, 11, 12, message + 10);
	blake256_g(v, 2, 7,  8, 13, message + 12);
	blake256_g(v, 3, 4,  9, 14, message + 14);
}

static void blake256_prepare(struct blake256_job *job, const uint8_t header[80])
{
	uint32_t h[8], m[16] = { [4] = 0x80000000, [13] = 1, [15] = BLAKE256_BITS };
	v32 *v = job->state;

	memcpy(h, blake256_iv, sizeof h);
	blake256_compress(h, header, 512);
	for (int i = 0; i < BLAKE256_NONCE; i++)
		m[i] = load_be32(header + 64 + 4 * i);

	for (int i = 0; i < 8; i++) {
		job->midstate[i] = v[i] = v32_all(h[i]);
		v[8 + i] = v32_all(blake256_c[i] ^ (i == 4 || i == 5 ? BLAKE256_BITS : 0));
	}
	for (int r = 0; r < BLAKE256_ROUNDS; r++) {
		const uint8_t *sigma = blake256_sigma[r % 10];

		for (int i = 0; i < 16; i++) {
			uint32_t constant = blake256_c[sigma[i ^ 1]];

			job->message[r][i] = v32_all(m[sigma[i]] ^ constant);
			if (sigma[i] == BLAKE256_NONCE) {
				job->nonce_constants[r] = v32_all(constant);
				job->nonce_places[r] = (uint8_t)i;
			}
		}
	}

	blake256_g(v, 0, 4,  8, 12, job->message[0]);
	blake256_g(v, 2, 6, 10, 14, job->message[0] + 4);
	blake256_g(v, 3, 7, 11, 15, job->message[0] + 6);
	blake256_half(v, 1, 5, 9, 13, job->message[0][2], 16, 12);
}

/* The digests of LANES headers, in the digest's own words: big-endian ones. */
static inline void blake256_lanes(struct blake256_job *job, uint32_t nonce, v32 digest[8])
{
	v32 v[16], word = v32_swap(v32_count_from(nonce));

	for (int r = 0; r < BLAKE256_ROUNDS; r++)
		job->message[r][job->nonce_places[r]] = word ^ job->nonce_constants[r];

	UNROLL
	for (int i = 0; i < 16; i++)
		v[i] = job->state[i];
	blake256_half(v, 1, 5, 9, 13, job->message[0][3], 8, 7);
	blake256_diagonals(v, job->message[0]);
	for (int r = 1; r < BLAKE256_ROUNDS; r++) {
		const v32 *message = job->message[r];

		blake256_g(v, 0, 4,  8, 12, message);
		blake256_g(v, 1, 5,  9, 13, message + 2);
		blake256_g(v, 2, 6, 10, 14, message + 4);
		blake256_g(v, 3, 7, 11, 15, message + 6);
		blake256_diagonals(v, message);
	}
	UNROLL
	for (int i = 0; i < 8; i++)
		digest[i] = job->midstate[i] ^ v[i] ^ v[8 + i];
}

#endif
