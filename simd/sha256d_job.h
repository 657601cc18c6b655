/*
 * What no nonce changes in the SHA-256d of a header, computed once per work and
 * shared by all its kernels (FIPS 180-4, 6.2.2; names are the standard's).
 *
 * Pass 1 hashes the header's two blocks. The first is a midstate. The second holds
 *
 *	W0..W2		the end of the merkle root, time and bits
 *	W3		the nonce, called n here: a number read big-endian from little-endian bytes,
 *			so consecutive nonces are not consecutive n
 *	W4		0x80000000, the padding's first bit
 *	W5..W14		zero
 *	W15		640, the header's length in bits
 *
 * so rounds 0-2 do not know n, and round 3 only adds it: T1 is a sum, and n goes
 * through it unchanged into e = d + T1 and a = T1 + T2.
 *
 * The block version stands in the first block. So headers that differ only in it differ in their midstates,
 * and have one second block, whose whole message schedule serves them all.
 *
 * Pass 2 hashes pass 1's digest, W0..W7, padded in the same way with a length of 256.
 * It starts from constants, so its round 0 in turn only adds W0. Its end is early: the
 * word that decides, the digest's last, is h after round 63, and that is e after round 60.
 */
#ifndef SIMD_SHA256D_JOB_H
#define SIMD_SHA256D_JOB_H

#include <string.h>

#include "base/bytes.h"
#include "miner.h"
#include "sha3/sha256.h"

#define PADDING_BIT	0x80000000u	/* the word that holds the 1 bit after a message of whole words */
#define HEADER_BITS	640		/* of pass 1's message */
#define DIGEST_BITS	256		/* of pass 2's */

/* What a kernel's lanes are. Versions share pass 1's schedule, so what makes it is told, and drops what it need not do. */
enum form { NONCES, VERSIONS };

struct sha256d_job {
	alignas(16) uint32_t midstate[8];	/* after the header's first block */
	alignas(16) uint32_t round3[8];		/* a..h after round 3 of the second one, were n 0: a and e lack n */
	alignas(16) uint32_t round0[8];		/* a..h after round 0 of pass 2, were W0 0: a and e lack W0 */
	alignas(16) uint32_t w[32];		/* W[t] of pass 1 less its terms with n */
	uint32_t top;				/* of the target */
};

/* Section 4.2.2. Not sha256_k: a kernel wants these at compile time, and shares none with what checks it. */
static const uint32_t sha256d_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Section 5.3.3. */
static const uint32_t sha256d_iv[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* Does word t of pass 1's second block depend on n? W16 and W17 are made of W0..W2, W15 and zeros. */
static inline bool sha256d_has_nonce(int t)
{
	return t == 3 || t >= 18;
}

static inline bool sha256d_is_zero(int t)
{
	return t >= 5 && t <= 14;
}

/* Is there anything without n in W[t], 16 <= t < 32? Not in 21 and 25-29. */
static inline bool sha256d_has_constant(int t)
{
	return (!sha256d_has_nonce(t - 2) && !sha256d_is_zero(t - 2)) || (!sha256d_has_nonce(t - 7) && !sha256d_is_zero(t - 7))
		|| (!sha256d_has_nonce(t - 15) && !sha256d_is_zero(t - 15)) || (!sha256d_has_nonce(t - 16) && !sha256d_is_zero(t - 16));
}

/* One round of the state a..h (section 6.2.2). */
static void sha256d_plain_round(uint32_t s[8], uint32_t kw)
{
	uint32_t sum0 = rotr32(s[0], 2) ^ rotr32(s[0], 13) ^ rotr32(s[0], 22);
	uint32_t sum1 = rotr32(s[4], 6) ^ rotr32(s[4], 11) ^ rotr32(s[4], 25);
	uint32_t t1 = s[7] + sum1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kw;
	uint32_t t2 = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

	memmove(s + 1, s, 7 * sizeof *s);
	s[0] = t1 + t2;
	s[4] += t1;
}

/* What differs by block version: midstate and round3, of a job whose w is ready. */
static void sha256d_prepare_version(struct sha256d_job *job, const struct work *work, uint32_t version)
{
	uint8_t block[64];

	memcpy(block, work->header, sizeof block);
	store_le32(block, version);
	memcpy(job->midstate, sha256d_iv, sizeof job->midstate);
	sha256_compress(job->midstate, block);
	memcpy(job->round3, job->midstate, sizeof job->round3);
	for (int t = 0; t <= 3; t++)
		sha256d_plain_round(job->round3, sha256d_k[t] + job->w[t]);
}

/* For the header's own version. */
static void sha256d_prepare(struct sha256d_job *job, const struct work *work)
{
	uint32_t *w = job->w;

	memset(w, 0, sizeof job->w);
	for (int t = 0; t < 3; t++)
		w[t] = load_be32(work->header + 64 + 4 * t);
	w[4] = PADDING_BIT;
	w[15] = HEADER_BITS;
	for (int t = 16; t < 32; t++) {
		if (!sha256d_has_nonce(t - 2))
			w[t] += rotr32(w[t - 2], 17) ^ rotr32(w[t - 2], 19) ^ w[t - 2] >> 10;
		if (!sha256d_has_nonce(t - 7))
			w[t] += w[t - 7];
		if (!sha256d_has_nonce(t - 15))
			w[t] += rotr32(w[t - 15], 7) ^ rotr32(w[t - 15], 18) ^ w[t - 15] >> 3;
		if (!sha256d_has_nonce(t - 16))
			w[t] += w[t - 16];
	}

	sha256d_prepare_version(job, work, load_le32(work->header));
	memcpy(job->round0, sha256d_iv, sizeof job->round0);
	sha256d_plain_round(job->round0, sha256d_k[0]);
	job->top = work->target[7];
}

#endif
