/*
 * SHA-256d in the SHA-256 instructions of ARMv8 (Arm Architecture Reference Manual, SHA256H, SHA256H2, SHA256SU0,
 * SHA256SU1; FIPS 180-4, 6.2.2), LANES nonces or block versions at a time: a pair of instructions makes four rounds,
 * and while its results are on their way others can start.
 *
 * Vectors are written lowest word first. The instructions keep a state as (a, b, c, d) and (e, f, g, h).
 */
#include <arm_neon.h>

#include "simd/backend.h"
#include "simd/cpu.h"
#include "simd/scan.h"
#include "simd/sha256d_job.h"
#include "simd/unroll.h"

#define LANES 4		/* six registers each, of 32 */
#define KERNEL(name) name##_armsha

struct forms_job {
	struct sha256d_job words;
	uint32x4_t midstate_abcd[LANES], midstate_efgh[LANES];
	uint32x4_t round3_abcd[LANES], round3_efgh[LANES];
	uint32x4_t round0_abcd, round0_efgh;	/* of pass 2 */
	uint32x4_t kw4, kw8, kw12;	/* K + W of pass 1's rounds 4-15 */
	uint32x4_t w16, w28;		/* of pass 1, less the terms with n */
};

/* One vector of four schedule words for each lane. */
struct words {
	uint32x4_t of[LANES];
};

/* (a, b, c, d) and (e, f, g, h) for each lane. */
struct state {
	uint32x4_t abcd[LANES], efgh[LANES];
};

/* w0, w1, w2, w3, lowest first. */
static inline uint32x4_t vec(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
	return (uint32x4_t){ w0, w1, w2, w3 };
}

/* What all lanes share. */
static void prepare(struct forms_job *job, const struct work *work)
{
	const uint32_t *w = job->words.w;

	sha256d_prepare(&job->words, work);
	job->round0_abcd = vld1q_u32(job->words.round0);
	job->round0_efgh = vld1q_u32(job->words.round0 + 4);
	job->kw4 = vld1q_u32(sha256d_k + 4) + vld1q_u32(w + 4);
	job->kw8 = vld1q_u32(sha256d_k + 8) + vld1q_u32(w + 8);
	job->kw12 = vld1q_u32(sha256d_k + 12) + vld1q_u32(w + 12);
	job->w16 = vld1q_u32(w + 16);
	job->w28 = vld1q_u32(w + 28);
}

/* One lane's own, from job->words. */
static void prepare_lane(struct forms_job *job, int lane)
{
	job->midstate_abcd[lane] = vld1q_u32(job->words.midstate);
	job->midstate_efgh[lane] = vld1q_u32(job->words.midstate + 4);
	job->round3_abcd[lane] = vld1q_u32(job->words.round3);
	job->round3_efgh[lane] = vld1q_u32(job->words.round3 + 4);
}

/* Four rounds of one lane. */
INLINE void four_rounds(struct state *s, int i, uint32x4_t kw)
{
	uint32x4_t abcd = s->abcd[i];

	s->abcd[i] = vsha256hq_u32(abcd, s->efgh[i], kw);
	s->efgh[i] = vsha256h2q_u32(s->efgh[i], abcd, kw);
}

/* Four rounds whose K + W is every lane's. */
INLINE void rounds_shared(struct state *s, uint32x4_t kw)
{
	UNROLL
	for (int i = 0; i < LANES; i++)
		four_rounds(s, i, kw);
}

/* Rounds t to t + 3, of each lane's own words w. */
INLINE void rounds(struct state *s, int t, const struct words *w)
{
	const uint32x4_t k = vld1q_u32(sha256d_k + t);

	UNROLL
	for (int i = 0; i < LANES; i++)
		four_rounds(s, i, w->of[i] + k);
}

/* (a1, a2, a3, b0): the words that follow a by one, where b follows a. */
INLINE uint32x4_t next(uint32x4_t a, uint32x4_t b)
{
	return vextq_u32(a, b, 1);
}

/*
 * W[t..t+3] = sigma1(W[t-2..t+1]) + W[t-7..t-4] + sigma0(W[t-15..t-12]) + W[t-16..t-13]: the next four words
 * after a, b, c, d, in the first `lanes` lanes; they take the place of a. SU0 adds the last two terms, SU1 the
 * first two.
 */
INLINE void schedule(int lanes, struct words *a, const struct words *b, const struct words *c, const struct words *d)
{
	UNROLL
	for (int i = 0; i < lanes; i++)
		a->of[i] = vsha256su1q_u32(vsha256su0q_u32(a->of[i], b->of[i]), c->of[i], d->of[i]);
}

/* Pass 1's rounds t to t + 3: where lanes are versions, the first one's words are every lane's. */
INLINE void pass1_rounds(struct state *s, enum form form, int t, const struct words *w)
{
	if (form == VERSIONS)
		rounds_shared(s, w->of[0] + vld1q_u32(sha256d_k + t));
	else
		rounds(s, t, w);
}

/* Pass 1: the header's second block. Its digest, (a, b, c, d) and (e, f, g, h), becomes abcd and efgh. */
INLINE void pass1(const struct forms_job *job, enum form form, uint32_t nonce, struct words *abcd,
		  struct words *efgh)
{
	const int schedules = form == VERSIONS ? 1 : LANES;	/* that differ */
	const uint32x4_t zero = vec(0, 0, 0, 0), w4 = vec(PADDING_BIT, 0, 0, 0), w12 = vec(0, 0, 0, HEADER_BITS);
	struct words n, w16, w20, w24, w28;
	struct state s;

	/* The state after round 3 needs n in a and e only; W18 needs sigma0(n) and W19 n, which are SU0 of (0, 0, 0, n). */
	UNROLL
	for (int i = 0; i < schedules; i++) {
		n.of[i] = vec(swap32(nonce + (uint32_t)i), 0, 0, 0);
		w16.of[i] = job->w16 + vsha256su0q_u32(vextq_u32(zero, n.of[i], 1), zero);
	}
	UNROLL
	for (int i = 0; i < LANES; i++) {
		s.abcd[i] = job->round3_abcd[i] + n.of[i % schedules];
		s.efgh[i] = job->round3_efgh[i] + n.of[i % schedules];
	}
	rounds_shared(&s, job->kw4);
	rounds_shared(&s, job->kw8);
	rounds_shared(&s, job->kw12);
	pass1_rounds(&s, form, 16, &w16);

	/* W5..W14 are zero: sigma0 adds nothing to W20..W27 and constants to W28..W31. */
	UNROLL
	for (int i = 0; i < schedules; i++)
		w20.of[i] = vsha256su1q_u32(w4, w12, w16.of[i]);
	pass1_rounds(&s, form, 20, &w20);
	UNROLL
	for (int i = 0; i < schedules; i++)
		w24.of[i] = vsha256su1q_u32(zero, w16.of[i], w20.of[i]);
	pass1_rounds(&s, form, 24, &w24);
	UNROLL
	for (int i = 0; i < schedules; i++)
		w28.of[i] = vsha256su1q_u32(job->w28, w20.of[i], w24.of[i]);
	pass1_rounds(&s, form, 28, &w28);

	UNROLL
	for (int t = 32; t < 64; t += 16) {
		schedule(schedules, &w16, &w20, &w24, &w28);
		pass1_rounds(&s, form, t, &w16);
		schedule(schedules, &w20, &w24, &w28, &w16);
		pass1_rounds(&s, form, t + 4, &w20);
		schedule(schedules, &w24, &w28, &w16, &w20);
		pass1_rounds(&s, form, t + 8, &w24);
		schedule(schedules, &w28, &w16, &w20, &w24);
		pass1_rounds(&s, form, t + 12, &w28);
	}

	UNROLL
	for (int i = 0; i < LANES; i++) {
		abcd->of[i] = s.abcd[i] + job->midstate_abcd[i];
		efgh->of[i] = s.efgh[i] + job->midstate_efgh[i];
	}
}

/* Where pass 2 stands after round 60. */
struct after60 {
	struct state s;
	struct words w45, w49, w53, w57;
};

/*
 * Pass 2 up to round 60, whose e decides. Round 0 is one addition, so the remaining sixty fall into
 * fours that start at 1, 5, ..., 57, and no word after W60 is made. w1 holds W1..W4, and so on.
 */
INLINE struct after60 pass2(const struct forms_job *job, struct words abcd, struct words efgh)
{
	const uint32x4_t zero = vec(0, 0, 0, 0), first = vec(UINT32_MAX, 0, 0, 0);
	const uint32x4_t w8 = vec(PADDING_BIT, 0, 0, 0), w12 = vec(0, 0, 0, DIGEST_BITS);
	struct words w1, w5, w13, w17, w21, w25, w29;
	struct state s;

	UNROLL
	for (int i = 0; i < LANES; i++) {
		s.abcd[i] = job->round0_abcd + (abcd.of[i] & first);
		s.efgh[i] = job->round0_efgh + (abcd.of[i] & first);
		w1.of[i] = next(abcd.of[i], efgh.of[i]);
		w5.of[i] = next(efgh.of[i], w8);
	}
	rounds(&s, 1, &w1);
	rounds(&s, 5, &w5);
	rounds_shared(&s, vld1q_u32(sha256d_k + 9));	/* W9..W12 are zero */

	/* W16 = W0 + sigma0(W1), as W9 and W14 are zero; W25..W28 have no sigma0. */
	UNROLL
	for (int i = 0; i < LANES; i++) {
		uint32x4_t sum16 = vsha256su0q_u32(abcd.of[i], efgh.of[i]);
		uint32x4_t sum20 = vsha256su0q_u32(efgh.of[i], w8);

		w13.of[i] = next(w12, sum16);
		w17.of[i] = vsha256su1q_u32(next(sum16, sum20), zero, w13.of[i]);
		w21.of[i] = vsha256su1q_u32(next(sum20, w8), w13.of[i], w17.of[i]);
		w25.of[i] = vsha256su1q_u32(zero, w17.of[i], w21.of[i]);
	}
	rounds(&s, 13, &w13);
	rounds(&s, 17, &w17);
	rounds(&s, 21, &w21);
	rounds(&s, 25, &w25);
	w29 = w13;
	schedule(LANES, &w29, &w17, &w21, &w25);
	rounds(&s, 29, &w29);

	schedule(LANES, &w17, &w21, &w25, &w29);
	rounds(&s, 33, &w17);
	schedule(LANES, &w21, &w25, &w29, &w17);
	rounds(&s, 37, &w21);
	schedule(LANES, &w25, &w29, &w17, &w21);
	rounds(&s, 41, &w25);
	schedule(LANES, &w29, &w17, &w21, &w25);
	rounds(&s, 45, &w29);
	schedule(LANES, &w17, &w21, &w25, &w29);
	rounds(&s, 49, &w17);
	schedule(LANES, &w21, &w25, &w29, &w17);
	rounds(&s, 53, &w21);
	schedule(LANES, &w25, &w29, &w17, &w21);
	rounds(&s, 57, &w25);
	return (struct after60){ s, w29, w17, w21, w25 };
}

INLINE uint32_t candidates(const struct forms_job *job, enum form form, uint32_t nonce)
{
	struct words abcd, efgh;
	uint32_t mask = 0;

	pass1(job, form, nonce, &abcd, &efgh);
	struct state s = pass2(job, abcd, efgh).s;

	UNROLL
	for (int i = 0; i < LANES; i++) {
		uint32_t h = vgetq_lane_u32(s.efgh[i], 0) + sha256d_iv[7];	/* h of round 63 is e of round 60 */

		mask |= (uint32_t)(swap32(h) <= job->words.top) << i;
	}
	return mask;
}

INLINE void digests(const struct forms_job *job, enum form form, uint32_t nonce, uint8_t (*out)[32])
{
	const uint32x4_t k61 = vec(sha256d_k[61], sha256d_k[62], sha256d_k[63], 0);
	struct words abcd, efgh;

	pass1(job, form, nonce, &abcd, &efgh);
	struct after60 r60 = pass2(job, abcd, efgh);
	struct state s = r60.s;
	struct words w61 = r60.w45;

	schedule(LANES, &w61, &r60.w49, &r60.w53, &r60.w57);
	for (int i = 0; i < LANES; i++) {
		/* four rounds, of which 64 is not in the standard: what it made is left out, what it pushed out is still in r60 */
		four_rounds(&s, i, w61.of[i] + k61);
		const uint32x4_t state[2] = {
			next(s.abcd[i], r60.s.abcd[i]), next(s.efgh[i], r60.s.efgh[i]),
		};
		for (int j = 0; j < 8; j++) {
			uint32_t words[4];

			vst1q_u32(words, state[j / 4]);
			store_be32(out[i] + 4 * j, words[j % 4] + sha256d_iv[j]);
		}
	}
}

#include "simd/sha256d_forms.h"

static bool supported(void)
{
	return cpu_has(CPU_SHA2);
}

const struct backend backend_armsha = {
	.name = "armv8-sha2", .supported = supported,
	.open = lanes_open, .scan = lanes_scan, .close = lanes_close, .kernels = sha256d_forms,
};
