/*
 * SHA-256d over lanes, one nonce each (FIPS 180-4, 6.2.2; simd/sha256d_job.h says what no nonce changes).
 *
 * Read it with every loop unrolled and every t a constant, which is what the compiler makes of it: conditions
 * on t cost nothing, and what is constant, zero or never needed drops out. The last of these is why the digest's
 * last word alone is cheaper than a digest.
 */
#ifndef SIMD_SHA256D_LANES_H
#define SIMD_SHA256D_LANES_H

#include "simd/lanes.h"
#include "simd/sha256d_job.h"

/*
 * Constants are whole vectors here, ready to be operands in memory: gcc would build those
 * it knows in general registers, three instructions each.
 */
struct sha256d_lane_job {
	struct sha256d_job words;
	v32 midstate[8];
	v32 round3[8];
	v32 round0[8];
	v32 w[32];	/* of pass 1, less the terms with n */
	v32 k[64];
	v32 kw1[18];	/* K[t] + W[t] where pass 1's has no n: 4..17 */
	v32 kw2[16];	/* K[t] + W[t] where pass 2's is padding: 8..15 */
};

struct sha256d_state {
	v32 a, b, c, d, e, f, g, h;
};

/* W8..W15 of pass 2. */
static inline uint32_t sha256d_padding(int t)
{
	return t == 8 ? PADDING_BIT : t == 15 ? DIGEST_BITS : 0;
}

static void KERNEL(sha256d_prepare)(void *memory, const struct algo *algo, const struct work *work)
{
	struct sha256d_lane_job *job = memory;

	(void)algo;
	sha256d_prepare(&job->words, work);
	for (int i = 0; i < 8; i++) {
		job->midstate[i] = v32_all(job->words.midstate[i]);
		job->round3[i] = v32_all(job->words.round3[i]);
		job->round0[i] = v32_all(job->words.round0[i]);
	}
	for (int t = 0; t < 32; t++)
		job->w[t] = v32_all(job->words.w[t]);
	for (int t = 0; t < 64; t++)
		job->k[t] = v32_all(sha256d_k[t]);
	for (int t = 4; t < 18; t++)
		job->kw1[t] = job->k[t] + job->w[t];
	for (int t = 8; t < 16; t++)
		job->kw2[t] = job->k[t] + sha256d_padding(t);
}

INLINE v32 sha256d_sigma0(v32 w)
{
	return v32_rotr(w, 7) ^ v32_rotr(w, 18) ^ w >> 3;
}

INLINE v32 sha256d_sigma1(v32 w)
{
	return v32_rotr(w, 17) ^ v32_rotr(w, 19) ^ w >> 10;
}

/*
 * One round, of K + W. Ch is a choice of f or g by e, and Maj one by b ^ c. So each is three operations, of the four in
 * the standard's formulas, or one where there is an instruction for it; of Maj's three, b ^ c is the a ^ b of the round
 * before.
 */
INLINE struct sha256d_state sha256d_round(struct sha256d_state s, v32 kw)
{
	v32 ch = v32_select(s.e, s.f, s.g);
	v32 maj = v32_majority(s.a, s.b, s.c);
	v32 t1 = s.h + kw + (v32_rotr(s.e, 6) ^ v32_rotr(s.e, 11) ^ v32_rotr(s.e, 25)) + ch;
	v32 t2 = (v32_rotr(s.a, 2) ^ v32_rotr(s.a, 13) ^ v32_rotr(s.a, 22)) + maj;

	return (struct sha256d_state){ t1 + t2, s.a, s.b, s.c, s.d + t1, s.e, s.f, s.g };
}

/* The next schedule word, W[t] mod 16, of a ring with the last sixteen. */
INLINE v32 sha256d_word(v32 w[16], int t)
{
	return w[t & 15] += sha256d_sigma1(w[(t - 2) & 15]) + w[(t - 7) & 15] + sha256d_sigma0(w[(t - 15) & 15]);
}

/* Rounds first to end - 1 with their schedule words. */
INLINE struct sha256d_state sha256d_rounds(struct sha256d_state s, v32 w[16], const v32 *k, int first, int end)
{
	UNROLL
	for (int t = first; t < end; t++)
		s = sha256d_round(s, sha256d_word(w, t) + k[t]);
	return s;
}

/*
 * Rounds 32-47 or 48-63; k belongs to the first of them. A function, not inlined three times: the
 * kernel then is 22 kB of AVX2 code and not 33, and first-level instruction caches hold 32.
 */
static __attribute__((noinline)) void KERNEL(sha256d_16_rounds)(struct sha256d_state *s, v32 w[16], const v32 *k)
{
	*s = sha256d_rounds(*s, w, k, 0, 16);
}

/* The ring before pass 1's W18, and its next word W[t], 18 <= t < 32. */
INLINE void sha256d_begin_schedule(const struct sha256d_lane_job *job, v32 n, v32 w[16])
{
	w[0] = job->w[16];
	w[1] = job->w[17];
	w[3] = n;
}

INLINE v32 sha256d_early_word(const struct sha256d_lane_job *job, v32 w[16], int t)
{
	v32 word = sha256d_has_constant(t) ? job->w[t] : v32_all(0);

	if (sha256d_has_nonce(t - 2))
		word += sha256d_sigma1(w[(t - 2) & 15]);
	if (sha256d_has_nonce(t - 7))
		word += w[(t - 7) & 15];
	if (sha256d_has_nonce(t - 15))
		word += sha256d_sigma0(w[(t - 15) & 15]);
	if (sha256d_has_nonce(t - 16))
		word += w[t & 15];
	return w[t & 15] = word;
}

/* Pass 1 after round 3. */
INLINE struct sha256d_state sha256d_begin_pass1(const struct sha256d_lane_job *job, v32 n)
{
	const v32 *r = job->round3;

	return (struct sha256d_state){ r[0] + n, r[1], r[2], r[3], r[4] + n, r[5], r[6], r[7] };
}

/* Pass 1's digest into w[0..7]. */
INLINE void sha256d_end_pass1(const struct sha256d_lane_job *job, struct sha256d_state s, v32 w[16])
{
	const v32 state[8] = { s.a, s.b, s.c, s.d, s.e, s.f, s.g, s.h };

	for (int i = 0; i < 8; i++)
		w[i] = state[i] + job->midstate[i];
}

/* Pass 1: the header's second block, whose digest becomes w[0..7]. */
INLINE void sha256d_pass1(const struct sha256d_lane_job *job, v32 n, v32 w[16])
{
	struct sha256d_state s = sha256d_begin_pass1(job, n);

	UNROLL
	for (int t = 4; t < 18; t++)
		s = sha256d_round(s, job->kw1[t]);
	sha256d_begin_schedule(job, n, w);
	UNROLL
	for (int t = 18; t < 32; t++)
		s = sha256d_round(s, sha256d_early_word(job, w, t) + job->k[t]);
	KERNEL(sha256d_16_rounds)(&s, w, job->k + 32);
	KERNEL(sha256d_16_rounds)(&s, w, job->k + 48);
	sha256d_end_pass1(job, s, w);
}

/* Pass 2 over w[0..7], rounds 0-47. Of its first schedule words much is constant. */
INLINE struct sha256d_state sha256d_pass2(const struct sha256d_lane_job *job, v32 w[16])
{
	const v32 *r = job->round0;
	struct sha256d_state s = { r[0] + w[0], r[1], r[2], r[3], r[4] + w[0], r[5], r[6], r[7] };

	UNROLL
	for (int t = 1; t < 8; t++)
		s = sha256d_round(s, w[t] + job->k[t]);
	UNROLL
	for (int t = 8; t < 16; t++) {
		w[t] = v32_all(sha256d_padding(t));
		s = sha256d_round(s, job->kw2[t]);
	}
	s = sha256d_rounds(s, w, job->k, 16, 32);
	KERNEL(sha256d_16_rounds)(&s, w, job->k + 32);
	return s;
}

/* Up to round 47 of pass 2: all that a candidate and a digest have in common. Lanes are nonces. */
static __attribute__((noinline)) struct sha256d_state
KERNEL(sha256d_begin)(const struct sha256d_lane_job *job, uint32_t nonce, v32 w[16])
{
	sha256d_pass1(job, v32_swap(v32_count_from(nonce)), w);
	return sha256d_pass2(job, w);
}

/* Only e of round 60 is asked for, so the last rounds have no a and the last words do not exist. */
INLINE uint32_t sha256d_end_candidates(const struct sha256d_lane_job *job, struct sha256d_state s, v32 w[16])
{
	v32 word = sha256d_rounds(s, w, job->k, 48, 61).e + sha256d_iv[7];

	return v32_candidates(v32_swap(word), v32_all(job->words.top));
}

static void sha256d_end_digests(const struct sha256d_lane_job *job, struct sha256d_state s, v32 w[16], uint8_t (*out)[32])
{
	s = sha256d_rounds(s, w, job->k, 48, 64);
	const v32 state[8] = { s.a, s.b, s.c, s.d, s.e, s.f, s.g, s.h };
	for (int i = 0; i < 8; i++) {
		uint32_t lanes[LANES];

		v32_store(lanes, state[i] + sha256d_iv[i]);
		for (int lane = 0; lane < LANES; lane++)
			store_be32(out[lane] + 4 * i, lanes[lane]);
	}
}

static uint32_t KERNEL(sha256d_candidates)(void *job, uint32_t nonce)
{
	v32 w[16];
	struct sha256d_state s = KERNEL(sha256d_begin)(job, nonce, w);

	return sha256d_end_candidates(job, s, w);
}

static void KERNEL(sha256d_digests)(void *job, uint32_t nonce, uint8_t (*out)[32])
{
	v32 w[16];
	struct sha256d_state s = KERNEL(sha256d_begin)(job, nonce, w);

	sha256d_end_digests(job, s, w, out);
}

#define SHA256D_KERNEL { \
	.algo = "sha256d", .lanes = LANES, .job_len = sizeof(struct sha256d_lane_job), \
	.prepare = KERNEL(sha256d_prepare), .candidates = KERNEL(sha256d_candidates), .digests = KERNEL(sha256d_digests), \
}

#if LANES > 1
/*
 * Lanes that are versions. The lanes of midstate and round3 then differ, and those of pass 1's words are all the
 * same: its schedule is needed once a nonce. To make it in plain words would be as many instructions for one nonce
 * as for LANES of them in lanes, so it is made for LANES nonces at a time, and a round takes one lane's K + W for all.
 */
struct sha256d_versions_job {
	struct sha256d_lane_job lanes;
	uint32_t first;			/* the first of the LANES nonces whose words are in kw */
	uint32_t kw[64 * LANES];	/* K + W of pass 1's rounds 16-63: round t's for nonce first + i at LANES * t + i */
};

static __attribute__((noinline)) void KERNEL(sha256d_schedule)(struct sha256d_versions_job *job, uint32_t nonce)
{
	const struct sha256d_lane_job *lanes = &job->lanes;
	v32 w[16];

	job->first = nonce;
	sha256d_begin_schedule(lanes, v32_swap(v32_count_from(nonce)), w);
	for (int t = 16; t < 18; t++)
		v32_store(job->kw + LANES * t, lanes->kw1[t]);
	UNROLL
	for (int t = 18; t < 32; t++)
		v32_store(job->kw + LANES * t, sha256d_early_word(lanes, w, t) + lanes->k[t]);
	for (int block = 32; block < 64; block += 16) {
		UNROLL
		for (int t = 0; t < 16; t++)
			v32_store(job->kw + LANES * (block + t), sha256d_word(w, t) + lanes->k[block + t]);
	}
}

static void KERNEL(sha256d_prepare_versions)(void *memory, const struct algo *algo, const struct work *work)
{
	struct sha256d_versions_job *job = memory;
	struct sha256d_lane_job *lanes = &job->lanes;

	KERNEL(sha256d_prepare)(lanes, algo, work);
	for (int lane = 0; lane < LANES; lane++) {
		sha256d_prepare_version(&lanes->words, work, work->versions[lane]);
		for (int i = 0; i < 8; i++) {
			lanes->midstate[i][lane] = lanes->words.midstate[i];
			lanes->round3[i][lane] = lanes->words.round3[i];
		}
	}
	KERNEL(sha256d_schedule)(job, 0);
}

/* Like sha256d_begin(). The rounds are a loop for the code's size. */
static __attribute__((noinline)) struct sha256d_state
KERNEL(sha256d_begin_versions)(struct sha256d_versions_job *job, uint32_t nonce, v32 w[16])
{
	const struct sha256d_lane_job *lanes = &job->lanes;

	if (nonce - job->first >= LANES)
		KERNEL(sha256d_schedule)(job, nonce);

	struct sha256d_state s = sha256d_begin_pass1(lanes, v32_all(swap32(nonce)));
	const uint32_t *kw = job->kw + (nonce - job->first);

	UNROLL
	for (int t = 4; t < 16; t++)
		s = sha256d_round(s, lanes->kw1[t]);
	for (int block = 16; block < 64; block += 16) {
		UNROLL
		for (int t = 0; t < 16; t++)
			s = sha256d_round(s, v32_all(kw[LANES * (block + t)]));
	}
	sha256d_end_pass1(lanes, s, w);
	return sha256d_pass2(lanes, w);
}

static uint32_t KERNEL(sha256d_candidates_versions)(void *memory, uint32_t nonce)
{
	struct sha256d_versions_job *job = memory;
	v32 w[16];
	struct sha256d_state s = KERNEL(sha256d_begin_versions)(job, nonce, w);

	return sha256d_end_candidates(&job->lanes, s, w);
}

static void KERNEL(sha256d_digests_versions)(void *memory, uint32_t nonce, uint8_t (*out)[32])
{
	struct sha256d_versions_job *job = memory;
	v32 w[16];
	struct sha256d_state s = KERNEL(sha256d_begin_versions)(job, nonce, w);

	sha256d_end_digests(&job->lanes, s, w, out);
}

#define SHA256D_VERSIONS_KERNEL { \
	.algo = "sha256d", .lanes = LANES, .versions = LANES, .job_len = sizeof(struct sha256d_versions_job), \
	.prepare = KERNEL(sha256d_prepare_versions), .candidates = KERNEL(sha256d_candidates_versions), \
	.digests = KERNEL(sha256d_digests_versions), \
}
#endif

#endif
