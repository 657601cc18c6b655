/*
 * SHA-256d in the SHA extensions of x86 (Intel SDM vol. 2B, SHA256RNDS2, SHA256MSG1, SHA256MSG2; FIPS 180-4, 6.2.2),
 * LANES nonces or block versions at a time: one instruction makes two rounds but takes four cycles, in which others
 * can start.
 *
 * Only SSE encodings: one AVX instruction among these and the registers' upper halves cost
 * hundreds of cycles. So this file is compiled without AVX and includes nothing that uses it.
 *
 * Vectors are written lowest word first. The instructions keep a state as (f, e, b, a) and (h, g, d, c).
 */
#include <immintrin.h>

#include "simd/backend.h"
#include "simd/cpu.h"
#include "simd/scan.h"
#include "simd/sha256d_job.h"
#include "simd/unroll.h"

/*
 * Two lanes keep the unit busy where RNDS2 takes three cycles (Intel), four where it takes one (Zen 3):
 * a lane waits eight for its four rounds. More than two do not fit in 16 registers, but on the way to
 * memory and back none of the others waits. doc/BENCHMARKS.md counts what each port gets to do.
 */
#define LANES 4
#define KERNEL(name) name##_shani

struct forms_job {
	struct sha256d_job words;
	__m128i midstate_feba[LANES], midstate_hgdc[LANES];
	__m128i round3_feba[LANES], round3_hgdc[LANES];
	__m128i round0_feba, round0_hgdc;	/* of pass 2 */
	__m128i kw4, kw8, kw12;		/* K + W of pass 1's rounds 4-15 */
	__m128i w16, w20, w28;		/* of pass 1, less the terms with n */
};

/* One vector of four schedule words for each lane. Passed by address: passed by value, clang copies unused lanes, too. */
struct words {
	__m128i of[LANES];
};

/* (f, e, b, a) and (h, g, d, c) for each lane. */
struct state {
	__m128i feba[LANES], hgdc[LANES];
};

static inline __m128i load(const uint32_t words[4])
{
	return _mm_loadu_si128((const __m128i *)words);
}

static inline void store(uint32_t words[4], __m128i v)
{
	_mm_storeu_si128((__m128i *)words, v);
}

/* w0, w1, w2, w3, lowest first. */
static inline __m128i vec(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
	return _mm_set_epi32((int)w3, (int)w2, (int)w1, (int)w0);
}

static __m128i feba_of(const uint32_t s[8])
{
	return vec(s[5], s[4], s[1], s[0]);
}

static __m128i hgdc_of(const uint32_t s[8])
{
	return vec(s[7], s[6], s[3], s[2]);
}

/* What all lanes share. */
static void prepare(struct forms_job *job, const struct work *work)
{
	const uint32_t *w = job->words.w;

	sha256d_prepare(&job->words, work);
	job->round0_feba = feba_of(job->words.round0);
	job->round0_hgdc = hgdc_of(job->words.round0);
	job->kw4 = _mm_add_epi32(load(sha256d_k + 4), load(w + 4));
	job->kw8 = _mm_add_epi32(load(sha256d_k + 8), load(w + 8));
	job->kw12 = _mm_add_epi32(load(sha256d_k + 12), load(w + 12));
	job->w16 = load(w + 16);
	job->w20 = load(w + 20);
	job->w28 = load(w + 28);
}

/* One lane's own, from job->words. */
static void prepare_lane(struct forms_job *job, int lane)
{
	job->midstate_feba[lane] = feba_of(job->words.midstate);
	job->midstate_hgdc[lane] = hgdc_of(job->words.midstate);
	job->round3_feba[lane] = feba_of(job->words.round3);
	job->round3_hgdc[lane] = hgdc_of(job->words.round3);
}

/* RNDS2 takes its two words from the lower half. */
static inline __m128i high_half(__m128i kw)
{
	return _mm_shuffle_epi32(kw, _MM_SHUFFLE(1, 0, 3, 2));
}

/* Four rounds whose K + W is every lane's: all make two of them, then all the other two, and kw is shuffled once. */
INLINE void rounds_shared(struct state *s, __m128i kw)
{
	UNROLL
	for (int i = 0; i < LANES; i++)
		s->hgdc[i] = _mm_sha256rnds2_epu32(s->hgdc[i], s->feba[i], kw);
	kw = high_half(kw);
	UNROLL
	for (int i = 0; i < LANES; i++)
		s->feba[i] = _mm_sha256rnds2_epu32(s->feba[i], s->hgdc[i], kw);
}

/* Rounds t to t + 3, of each lane's own words w. */
INLINE void rounds(struct state *s, int t, const struct words *w)
{
	UNROLL
	for (int i = 0; i < LANES; i++) {
		__m128i kw = _mm_add_epi32(load(sha256d_k + t), w->of[i]);

		s->hgdc[i] = _mm_sha256rnds2_epu32(s->hgdc[i], s->feba[i], kw);
		s->feba[i] = _mm_sha256rnds2_epu32(s->feba[i], s->hgdc[i], high_half(kw));
	}
}

/* (a1, a2, a3, b0): the words that follow a by one, where b follows a. */
INLINE __m128i next(__m128i a, __m128i b)
{
	return _mm_alignr_epi8(b, a, 4);
}

/*
 * W[t..t+3] = sigma1(W[t-2..t+1]) + W[t-7..t-4] + sigma0(W[t-15..t-12]) + W[t-16..t-13]: the next four words
 * after a, b, c, d, in the first `lanes` lanes; they take the place of a. MSG1 adds the last two terms, MSG2 the
 * first.
 */
INLINE void schedule(int lanes, struct words *a, const struct words *b, const struct words *c, const struct words *d)
{
	UNROLL
	for (int i = 0; i < lanes; i++) {
		__m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(a->of[i], b->of[i]), next(c->of[i], d->of[i]));

		a->of[i] = _mm_sha256msg2_epu32(sum, d->of[i]);
	}
}

/* Pass 1's rounds t to t + 3: where lanes are versions, the first one's words are every lane's. */
INLINE void pass1_rounds(struct state *s, enum form form, int t, const struct words *w)
{
	if (form == VERSIONS)
		rounds_shared(s, _mm_add_epi32(load(sha256d_k + t), w->of[0]));
	else
		rounds(s, t, w);
}

/* Pass 1: the header's second block. Its digest, (a, b, c, d) and (e, f, g, h), becomes abcd and efgh. */
INLINE void pass1(const struct forms_job *job, enum form form, uint32_t nonce, struct words *abcd,
		  struct words *efgh)
{
	const int schedules = form == VERSIONS ? 1 : LANES;	/* that differ */
	const __m128i zero = _mm_setzero_si128();
	struct words n, w16, w20, w24, w28;
	struct state s;

	/* The state after round 3 needs n in e and a only; W18 needs sigma0(n) and W19 n, which are MSG1 of (0, 0, 0, n). */
	UNROLL
	for (int i = 0; i < schedules; i++) {
		n.of[i] = _mm_cvtsi32_si128((int)swap32(nonce + (uint32_t)i));
		w16.of[i] = _mm_add_epi32(job->w16, _mm_sha256msg1_epu32(_mm_slli_si128(n.of[i], 12), zero));
		n.of[i] = _mm_shuffle_epi32(n.of[i], _MM_SHUFFLE(0, 1, 0, 1));
	}
	UNROLL
	for (int i = 0; i < LANES; i++) {
		s.feba[i] = _mm_add_epi32(job->round3_feba[i], n.of[i % schedules]);
		s.hgdc[i] = job->round3_hgdc[i];
	}
	rounds_shared(&s, job->kw4);
	rounds_shared(&s, job->kw8);
	rounds_shared(&s, job->kw12);
	pass1_rounds(&s, form, 16, &w16);

	/* W5..W14 are zero: W20..W23 have only constants and sigma1, W24..W27 no sigma0, W28..W31 only a constant one. */
	UNROLL
	for (int i = 0; i < schedules; i++)
		w20.of[i] = _mm_sha256msg2_epu32(job->w20, w16.of[i]);
	pass1_rounds(&s, form, 20, &w20);
	UNROLL
	for (int i = 0; i < schedules; i++)
		w24.of[i] = _mm_sha256msg2_epu32(next(w16.of[i], w20.of[i]), w20.of[i]);
	pass1_rounds(&s, form, 24, &w24);
	UNROLL
	for (int i = 0; i < schedules; i++)
		w28.of[i] = _mm_sha256msg2_epu32(_mm_add_epi32(next(w20.of[i], w24.of[i]), job->w28), w24.of[i]);
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
		__m128i feba = _mm_add_epi32(s.feba[i], job->midstate_feba[i]);
		__m128i hgdc = _mm_add_epi32(s.hgdc[i], job->midstate_hgdc[i]);
		__m128i abef = _mm_shuffle_epi32(feba, _MM_SHUFFLE(0, 1, 2, 3));
		__m128i ghcd = _mm_shuffle_epi32(hgdc, _MM_SHUFFLE(2, 3, 0, 1));

		abcd->of[i] = _mm_blend_epi16(abef, ghcd, 0xf0);
		efgh->of[i] = _mm_alignr_epi8(ghcd, abef, 8);
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
	const __m128i w8 = vec(PADDING_BIT, 0, 0, 0), w12 = vec(0, 0, 0, DIGEST_BITS);
	struct words w1, w5, w13, w17, w21, w25, w29;
	struct state s;

	UNROLL
	for (int i = 0; i < LANES; i++) {
		__m128i a = _mm_slli_si128(abcd.of[i], 12);

		s.feba[i] = _mm_add_epi32(job->round0_feba, _mm_shuffle_epi32(a, _MM_SHUFFLE(3, 0, 3, 0)));
		s.hgdc[i] = job->round0_hgdc;
		w1.of[i] = next(abcd.of[i], efgh.of[i]);
		w5.of[i] = next(efgh.of[i], w8);
	}
	rounds(&s, 1, &w1);
	rounds(&s, 5, &w5);
	rounds_shared(&s, load(sha256d_k + 9));	/* W9..W12 are zero */

	/* W16 = W0 + sigma0(W1), as W9 and W14 are zero; W17..W20 have no W[t-7], W25..W28 no sigma0. */
	UNROLL
	for (int i = 0; i < LANES; i++) {
		__m128i sum16 = _mm_sha256msg1_epu32(abcd.of[i], efgh.of[i]);
		__m128i sum20 = _mm_sha256msg1_epu32(efgh.of[i], w8);

		w13.of[i] = next(w12, sum16);
		w17.of[i] = _mm_sha256msg2_epu32(next(sum16, sum20), w13.of[i]);
		w21.of[i] = _mm_add_epi32(next(sum20, w8), next(w13.of[i], w17.of[i]));
		w21.of[i] = _mm_sha256msg2_epu32(w21.of[i], w17.of[i]);
	}
	rounds(&s, 13, &w13);
	rounds(&s, 17, &w17);
	rounds(&s, 21, &w21);
	UNROLL
	for (int i = 0; i < LANES; i++)
		w25.of[i] = _mm_sha256msg2_epu32(next(w17.of[i], w21.of[i]), w21.of[i]);
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
		uint32_t h = (uint32_t)_mm_extract_epi32(s.feba[i], 1) + sha256d_iv[7];	/* h of round 63 is e of round 60 */

		mask |= (uint32_t)(swap32(h) <= job->words.top) << i;
	}
	return mask;
}

INLINE void digests(const struct forms_job *job, enum form form, uint32_t nonce, uint8_t (*out)[32])
{
	const __m128i k61 = vec(sha256d_k[61], sha256d_k[62], sha256d_k[63], 0);
	struct words abcd, efgh;

	pass1(job, form, nonce, &abcd, &efgh);
	struct after60 r60 = pass2(job, abcd, efgh);
	struct words w61 = r60.w45;
	schedule(LANES, &w61, &r60.w49, &r60.w53, &r60.w57);

	for (int i = 0; i < LANES; i++) {
		/* (f, e, b, a) after rounds 60, 62 and one that is not in the standard, 64, hold those of 59, 61 and 63 too */
		__m128i kw = _mm_add_epi32(k61, w61.of[i]);
		__m128i feba60 = r60.s.feba[i];
		__m128i feba62 = _mm_sha256rnds2_epu32(r60.s.hgdc[i], feba60, kw);
		__m128i feba64 = _mm_sha256rnds2_epu32(feba60, feba62, high_half(kw));
		uint32_t r60_feba[4], r62_feba[4], r64_feba[4];

		store(r60_feba, feba60);
		store(r62_feba, feba62);
		store(r64_feba, feba64);
		const uint32_t state[8] = {
			r64_feba[2], r62_feba[3], r62_feba[2], r60_feba[3],
			r64_feba[0], r62_feba[1], r62_feba[0], r60_feba[1],
		};
		for (int j = 0; j < 8; j++)
			store_be32(out[i] + 4 * j, state[j] + sha256d_iv[j]);
	}
}

#include "simd/sha256d_forms.h"

static bool supported(void)
{
	return cpu_has(CPU_SHA) && cpu_has(CPU_SSE41);
}

const struct backend backend_shani = {
	.name = "sha-ni", .supported = supported,
	.open = lanes_open, .scan = lanes_scan, .close = lanes_close, .kernels = sha256d_forms,
};
