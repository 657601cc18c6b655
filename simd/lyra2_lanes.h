/*
 * Lyra2 of 32 bytes over lanes, as Lyra2REv2 has it: time cost 1, a matrix of 4 rows and 4 columns (what it
 * computes is told in sha3/lyra2.c). The rows it visits depend on the nonce, so lanes cannot be one nonce
 * each, as elsewhere: two neighbouring words of a nonce stand together in 128 bits, and a register holds one,
 * two or four nonces. A strand is what one register's width computes; several alternate by half rounds, because in
 * one alone nearly every step waits for the one before.
 *
 * Four strands are twice the sixteen registers of SSE2 and AVX2. So there, in between, only row b of BLAKE2b's state
 * stays in registers: a half round needs it first and has it last. The other rows wait in memory; loads and stores
 * have ports of their own.
 */
#ifndef SIMD_LYRA2_LANES_H
#define SIMD_LYRA2_LANES_H

#include "sha3/lyra2.h"
#include "simd/chain_lanes.h"

#define LYRA2_ROWS	4
#define LYRA2_COLS	4
#define LYRA2_FULL_ROUNDS	12

#if LANES == 1
#define LYRA2_WORDS	1	/* of one nonce in a register */
#else
#define LYRA2_WORDS	2
#endif

/* On 32-bit ARM a second strand would be as many loads and stores as it hides: a state is half of its registers. */
#if LANES == 1 || (defined __arm__ && !defined __aarch64__)
#define LYRA2_STRANDS	1
#elif defined __SSE2__ && LANES < 16
#define LYRA2_STRANDS	4
#else
#define LYRA2_STRANDS	2
#endif
#define LYRA2_GROUPS	(LYRA2_STRANDS > 2 ? LYRA2_STRANDS / 2 : 1)	/* of V64_LANES nonces, that are taken at a time */
#define LYRA2_NONCES	(V64_LANES / LYRA2_WORDS)	/* in a register */

/* Registers: */
#define LYRA2_QUARTER	(4 / LYRA2_WORDS)		/* of BLAKE2b's 4 x 4 state, a row; so much are input and output */
#define LYRA2_CELL	(LYRA2_BLOCK / LYRA2_WORDS)	/* of the matrix */

/* BLAKE2b's state but for its row b. */
struct lyra2_rows {
	v64 a[LYRA2_QUARTER], c[LYRA2_QUARTER], d[LYRA2_QUARTER];
};

struct lyra2_state {
	struct lyra2_rows rows[LYRA2_STRANDS];
	v64 b[LYRA2_STRANDS][LYRA2_QUARTER];
};

struct lyra2_strand {
	v64 cells[LYRA2_ROWS][LYRA2_COLS][LYRA2_CELL];
};

/* The matrices of the nonces that run at one time. */
struct lyra2_scratch {
	struct lyra2_strand strands[LYRA2_STRANDS];
};

#if LANES > 1
/* Of each nonce, the second word of `begin` and the first of `end`. */
INLINE v64 lyra2_straddle(v64 begin, v64 end)
{
#if LANES == 4
	return V_SHUFFLE(begin, end, 1, 2);
#elif LANES == 16
	/* gcc left to choose takes VPERMT2Q, which is good for any two words and takes three cycles. */
	return (v64)_mm512_shuffle_pd((__m512d)begin, (__m512d)end, 0x55);
#else
	/*
	 * VSHUFPD: compilers left to choose take VPALIGNR, of which Intel's cores start half as many. clang
	 * takes it for anything it has seen to be integers.
	 */
	__m256d first = (__m256d)v8_settled((v8)begin), second = (__m256d)v8_settled((v8)end);

	return (v64)_mm256_shuffle_pd(first, second, 5);
#endif
}
#endif

/* The register that begins with word `word` (mod the ring's words) of a ring of registers. */
INLINE v64 lyra2_at(const v64 *ring, int registers, int word)
{
	int i = word / LYRA2_WORDS;
	v64 begin = ring[i % registers];

#if LYRA2_WORDS == 2
	v64 end = ring[(i + 1) % registers];

	if (word % 2 == 1)
		return lyra2_straddle(begin, end);
#endif
	return begin;
}

/* Turn a row of BLAKE2b's state: word i from word i + n (mod 4). */
INLINE void lyra2_turn(v64 row[LYRA2_QUARTER], int n)
{
	v64 turned[LYRA2_QUARTER];

	UNROLL
	for (int i = 0; i < LYRA2_QUARTER; i++)
		turned[i] = lyra2_at(row, LYRA2_QUARTER, i * LYRA2_WORDS + n);
	UNROLL
	for (int i = 0; i < LYRA2_QUARTER; i++)
		row[i] = turned[i];
}

INLINE void lyra2_add(v64 to[LYRA2_QUARTER], const v64 from[LYRA2_QUARTER])
{
	UNROLL
	for (int i = 0; i < LYRA2_QUARTER; i++)
		to[i] += from[i];
}

INLINE void lyra2_xor_rotate(v64 to[LYRA2_QUARTER], const v64 from[LYRA2_QUARTER], int n)
{
	UNROLL
	for (int i = 0; i < LYRA2_QUARTER; i++)
		to[i] ^= from[i];
	UNROLL
	for (int i = 0; i < LYRA2_QUARTER; i++)
		to[i] = v64_rotr(to[i], n);
}

/* Have these rows in memory now, if there are more strands than fit into registers. */
INLINE void lyra2_park(struct lyra2_rows *s)
{
#if LYRA2_STRANDS == 4
	__asm__("" : "+m"(*s));
#else
	(void)s;
#endif
}

/*
 * Half a round: BLAKE2b's G without message words on all four columns (RFC 7693, section 3.1). Then the first half of a
 * round (turn 3) makes diagonals columns and the second (turn 1) brings them back. Row b, ready last, is the one that
 * does not turn, so that the next half round need not wait for that; the others turn by so much less.
 */
INLINE void lyra2_half_round(struct lyra2_rows *s, v64 b[LYRA2_QUARTER], int turn)
{
	lyra2_add(s->a, b), lyra2_xor_rotate(s->d, s->a, 32);
	lyra2_add(s->c, s->d), lyra2_xor_rotate(b, s->c, 24);
	lyra2_add(s->a, b), lyra2_xor_rotate(s->d, s->a, 16);
	lyra2_add(s->c, s->d), lyra2_xor_rotate(b, s->c, 63);
	lyra2_turn(s->a, turn);
	lyra2_turn(s->c, 4 - turn);
	lyra2_turn(s->d, 2);
}

/* Row b of every strand, between the state and an array that stays in registers. */
INLINE void lyra2_load_b(v64 b[LYRA2_STRANDS][LYRA2_QUARTER], const struct lyra2_state *state)
{
	UNROLL
	for (int n = 0; n < LYRA2_STRANDS; n++) {
		UNROLL
		for (int i = 0; i < LYRA2_QUARTER; i++)
			b[n][i] = state->b[n][i];
	}
}

INLINE void lyra2_store_b(struct lyra2_state *state, v64 b[LYRA2_STRANDS][LYRA2_QUARTER])
{
	UNROLL
	for (int n = 0; n < LYRA2_STRANDS; n++) {
		UNROLL
		for (int i = 0; i < LYRA2_QUARTER; i++)
			state->b[n][i] = b[n][i];
	}
}

static __attribute__((noinline)) void lyra2_full_rounds(struct lyra2_state *state)
{
	struct lyra2_rows *rows = state->rows;
	v64 b[LYRA2_STRANDS][LYRA2_QUARTER];

	lyra2_load_b(b, state);
	for (int i = 0; i < LYRA2_FULL_ROUNDS; i++) {
		UNROLL
		for (int n = 0; n < LYRA2_STRANDS; n++) {
			lyra2_half_round(&rows[n], b[n], 3);
			lyra2_park(&rows[n]);
		}
		UNROLL
		for (int n = 0; n < LYRA2_STRANDS; n++) {
			lyra2_half_round(&rows[n], b[n], 1);
			lyra2_park(&rows[n]);
		}
	}
	lyra2_store_b(state, b);
}

/* A register of `words`, the same for every nonce. */
static inline v64 lyra2_words(const uint64_t words[LYRA2_WORDS])
{
#if LYRA2_WORDS == 1
	return words[0];
#elif LANES == 4
	return v64_load(words);
#elif LANES == 8
	return (v64){ words[0], words[1], words[0], words[1] };
#else
	return (v64){ words[0], words[1], words[0], words[1], words[0], words[1], words[0], words[1] };
#endif
}

/* Bootstrapping: the input twice, as password and salt, then the parameters, each half a state of words. */
static void lyra2_absorb_input(struct lyra2_state *state, v64 in[LYRA2_STRANDS][LYRA2_QUARTER])
{
	static const uint64_t iv[8] = {		/* RFC 7693, section 2.6 */
		0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
		0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
	};
	static const uint64_t parameters[8] = {	/* three lengths, time cost, size, padding */
		32, 32, 32, 1, LYRA2_ROWS, LYRA2_COLS, 0x80, (uint64_t)0x01 << 56,
	};

	for (int n = 0; n < LYRA2_STRANDS; n++) {
		for (int i = 0; i < LYRA2_QUARTER; i++) {
			state->rows[n].a[i] = state->b[n][i] = in[n][i];
			state->rows[n].c[i] = lyra2_words(iv + i * LYRA2_WORDS);
			state->rows[n].d[i] = lyra2_words(iv + 4 + i * LYRA2_WORDS);
		}
	}
	lyra2_full_rounds(state);
	for (int n = 0; n < LYRA2_STRANDS; n++) {
		for (int i = 0; i < LYRA2_QUARTER; i++) {
			state->rows[n].a[i] ^= lyra2_words(parameters + i * LYRA2_WORDS);
			state->b[n][i] ^= lyra2_words(parameters + 4 + i * LYRA2_WORDS);
		}
	}
	lyra2_full_rounds(state);
}

/* The part of a state that meets cells: rows a, b and c. */
INLINE void lyra2_block(v64 block[LYRA2_CELL], const struct lyra2_rows *s, const v64 b[LYRA2_QUARTER])
{
	UNROLL
	for (int i = 0; i < LYRA2_QUARTER; i++) {
		block[i] = s->a[i];
		block[LYRA2_QUARTER + i] = b[i];
		block[2 * LYRA2_QUARTER + i] = s->c[i];
	}
}

INLINE void lyra2_absorb(struct lyra2_rows *s, v64 b[LYRA2_QUARTER], const v64 cell[LYRA2_CELL])
{
	UNROLL
	for (int i = 0; i < LYRA2_QUARTER; i++) {
		s->a[i] ^= cell[i];
		b[i] ^= cell[LYRA2_QUARTER + i];
		s->c[i] ^= cell[2 * LYRA2_QUARTER + i];
	}
}

INLINE void lyra2_absorb_sum(struct lyra2_rows *s, v64 b[LYRA2_QUARTER], const v64 one[LYRA2_CELL],
			     const v64 other[LYRA2_CELL])
{
	v64 sum[LYRA2_CELL];

	UNROLL
	for (int i = 0; i < LYRA2_CELL; i++)
		sum[i] = one[i] + other[i];
	lyra2_absorb(s, b, sum);
}

/* Write the state over a cell. */
INLINE void lyra2_squeeze(v64 cell[LYRA2_CELL], const v64 block[LYRA2_CELL])
{
	UNROLL
	for (int i = 0; i < LYRA2_CELL; i++)
		cell[i] = block[i];
}

/* Make a cell of another one and the state; the two may be the same. */
INLINE void lyra2_make(v64 cell[LYRA2_CELL], const v64 from[LYRA2_CELL], const v64 block[LYRA2_CELL])
{
	UNROLL
	for (int i = 0; i < LYRA2_CELL; i++)
		cell[i] = from[i] ^ block[i];
}

/* Register i of what changes a cell that is revisited: the state, each word in the place of the next. */
INLINE v64 lyra2_rotated(const v64 block[LYRA2_CELL], int i)
{
	return lyra2_at(block, LYRA2_CELL, i * LYRA2_WORDS + LYRA2_BLOCK - 1);
}

INLINE void lyra2_change(v64 cell[LYRA2_CELL], const v64 block[LYRA2_CELL])
{
	UNROLL
	for (int i = 0; i < LYRA2_CELL; i++)
		cell[i] ^= lyra2_rotated(block, i);
}

/* Setup: rows are made from their last column to their first. */
static __attribute__((noinline)) void lyra2_setup(struct lyra2_state *state, struct lyra2_strand *strands)
{
	struct lyra2_rows *rows = state->rows;
	v64 b[LYRA2_STRANDS][LYRA2_QUARTER], block[LYRA2_CELL];

	lyra2_load_b(b, state);
	for (int col = LYRA2_COLS - 1; col >= 0; col--) {
		UNROLL
		for (int n = 0; n < LYRA2_STRANDS; n++) {
			lyra2_block(block, &rows[n], b[n]);
			lyra2_squeeze(strands[n].cells[0][col], block);
			lyra2_half_round(&rows[n], b[n], 3);
			lyra2_park(&rows[n]);
		}
		UNROLL
		for (int n = 0; n < LYRA2_STRANDS; n++) {
			lyra2_half_round(&rows[n], b[n], 1);
			lyra2_park(&rows[n]);
		}
	}
	for (int col = 0; col < LYRA2_COLS; col++) {
		UNROLL
		for (int n = 0; n < LYRA2_STRANDS; n++) {
			lyra2_absorb(&rows[n], b[n], strands[n].cells[0][col]);
			lyra2_half_round(&rows[n], b[n], 3);
			lyra2_park(&rows[n]);
		}
		UNROLL
		for (int n = 0; n < LYRA2_STRANDS; n++) {
			lyra2_half_round(&rows[n], b[n], 1);
			lyra2_block(block, &rows[n], b[n]);
			lyra2_make(strands[n].cells[1][LYRA2_COLS - 1 - col], strands[n].cells[0][col], block);
			lyra2_park(&rows[n]);
		}
	}
	for (int row = 2; row < LYRA2_ROWS; row++) {
		for (int col = 0; col < LYRA2_COLS; col++) {
			UNROLL
			for (int n = 0; n < LYRA2_STRANDS; n++) {
				lyra2_absorb_sum(&rows[n], b[n], strands[n].cells[row - 1][col],
						 strands[n].cells[row - 2][col]);
				lyra2_half_round(&rows[n], b[n], 3);
				lyra2_park(&rows[n]);
			}
			UNROLL
			for (int n = 0; n < LYRA2_STRANDS; n++) {
				lyra2_half_round(&rows[n], b[n], 1);
				lyra2_block(block, &rows[n], b[n]);
				lyra2_make(strands[n].cells[row][LYRA2_COLS - 1 - col], strands[n].cells[row - 1][col],
					   block);
				lyra2_change(strands[n].cells[row - 2][col], block);
				lyra2_park(&rows[n]);
			}
		}
	}
	lyra2_store_b(state, b);
}

/* A column of the matrix in which each nonce of a register has a row of its own: the one its state says to visit. */
struct lyra2_visited {
	v64 *row[LYRA2_NONCES];
};

INLINE struct lyra2_visited lyra2_visit(struct lyra2_strand *strand, v64 state0)
{
	struct lyra2_visited visited;

	UNROLL
	for (int i = 0; i < LYRA2_NONCES; i++) {
#if LANES == 1
		uint64_t word = state0;
#else
		uint64_t word = state0[i * LYRA2_WORDS];
#endif
		visited.row[i] = strand->cells[word % LYRA2_ROWS][0];
	}
	return visited;
}

/* Register i of the visited rows. */
INLINE v64 lyra2_load(const struct lyra2_visited *visited, int i)
{
#if LYRA2_NONCES == 1
	return visited->row[0][i];
#elif LYRA2_NONCES == 4
	__m512i v = _mm512_castsi128_si512(_mm_load_si128((const __m128i *)&visited->row[0][i]));

	v = _mm512_inserti64x2(v, _mm_load_si128((const __m128i *)&visited->row[1][i] + 1), 1);
	v = _mm512_inserti64x2(v, _mm_load_si128((const __m128i *)&visited->row[2][i] + 2), 2);
	return (v64)_mm512_inserti64x2(v, _mm_load_si128((const __m128i *)&visited->row[3][i] + 3), 3);
#else
	__m128i first = _mm_load_si128((const __m128i *)&visited->row[0][i]);
	__m128i second = _mm_load_si128((const __m128i *)&visited->row[1][i] + 1);

	return (v64)_mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
#endif
}

INLINE void lyra2_store(const struct lyra2_visited *visited, int i, v64 value)
{
#if LYRA2_NONCES == 1
	visited->row[0][i] = value;
#elif LYRA2_NONCES == 4
	_mm_store_si128((__m128i *)&visited->row[0][i], _mm512_castsi512_si128((__m512i)value));
	_mm_store_si128((__m128i *)&visited->row[1][i] + 1, _mm512_extracti64x2_epi64((__m512i)value, 1));
	_mm_store_si128((__m128i *)&visited->row[2][i] + 2, _mm512_extracti64x2_epi64((__m512i)value, 2));
	_mm_store_si128((__m128i *)&visited->row[3][i] + 3, _mm512_extracti64x2_epi64((__m512i)value, 3));
#else
	_mm_store_si128((__m128i *)&visited->row[0][i], _mm256_castsi256_si128((__m256i)value));
	_mm_store_si128((__m128i *)&visited->row[1][i] + 1, _mm256_extracti128_si256((__m256i)value, 1));
#endif
}

INLINE void lyra2_absorb_sum_visited(struct lyra2_rows *s, v64 b[LYRA2_QUARTER], const v64 one[LYRA2_CELL],
				     const struct lyra2_visited *visited, int col)
{
	v64 other[LYRA2_CELL];

	UNROLL
	for (int i = 0; i < LYRA2_CELL; i++)
		other[i] = lyra2_load(visited, col * LYRA2_CELL + i);
	lyra2_absorb_sum(s, b, one, other);
}

INLINE void lyra2_change_visited(const struct lyra2_visited *visited, int col, const v64 block[LYRA2_CELL])
{
	UNROLL
	for (int i = 0; i < LYRA2_CELL; i++)
		lyra2_store(visited, col * LYRA2_CELL + i,
			    lyra2_load(visited, col * LYRA2_CELL + i) ^ lyra2_rotated(block, i));
}

/*
 * Wandering, and absorbing the first cell of the row visited last. The last row is not read again, so of
 * what it would write only that cell is kept.
 */
static __attribute__((noinline)) void lyra2_wander(struct lyra2_state *state, struct lyra2_strand *strands)
{
	struct lyra2_rows *rows = state->rows;
	struct lyra2_visited visited[LYRA2_STRANDS];
	v64 b[LYRA2_STRANDS][LYRA2_QUARTER], block[LYRA2_CELL];
	int prev = LYRA2_ROWS - 1;

	lyra2_load_b(b, state);
	for (int row = 0; row < LYRA2_ROWS; prev = row++) {
		UNROLL
		for (int n = 0; n < LYRA2_STRANDS; n++)
			visited[n] = lyra2_visit(&strands[n], rows[n].a[0]);
		for (int col = 0; col < LYRA2_COLS; col++) {
			const bool last = row == LYRA2_ROWS - 1 && col > 0;

			UNROLL
			for (int n = 0; n < LYRA2_STRANDS; n++) {
				lyra2_absorb_sum_visited(&rows[n], b[n], strands[n].cells[prev][col], &visited[n], col);
				lyra2_half_round(&rows[n], b[n], 3);
				lyra2_park(&rows[n]);
			}
			UNROLL
			for (int n = 0; n < LYRA2_STRANDS; n++) {
				lyra2_half_round(&rows[n], b[n], 1);
				if (!last) {
					lyra2_block(block, &rows[n], b[n]);
					lyra2_make(strands[n].cells[row][col], strands[n].cells[row][col], block);
					/* after that: it may be the same cell */
					lyra2_change_visited(&visited[n], col, block);
				}
				lyra2_park(&rows[n]);
			}
		}
	}
	UNROLL
	for (int n = 0; n < LYRA2_STRANDS; n++) {
		for (int i = 0; i < LYRA2_CELL; i++)
			block[i] = lyra2_load(&visited[n], i);
		lyra2_absorb(&rows[n], b[n], block);
	}
	lyra2_store_b(state, b);
}

/* The digest of each nonce's input, in its place. */
static void lyra2_strands(v64 io[LYRA2_STRANDS][LYRA2_QUARTER], struct lyra2_scratch *scratch)
{
	struct lyra2_state state;

	lyra2_absorb_input(&state, io);
	lyra2_setup(&state, scratch->strands);
	lyra2_wander(&state, scratch->strands);
	lyra2_full_rounds(&state);
	for (int n = 0; n < LYRA2_STRANDS; n++)
		for (int i = 0; i < LYRA2_QUARTER; i++)
			io[n][i] = state.rows[n].a[i];
}

static void KERNEL(lyra2_stage)(void *memory, uint64_t *words)
{
	struct chain_job *job = memory;
	struct lyra2_scratch *scratch = (struct lyra2_scratch *)job->scratch;

	for (int lane = 0; lane < CHAIN_LANES; lane += LYRA2_GROUPS * V64_LANES) {
#if LANES == 1
		v64 io[1][4];

		chain_load(io[0], words + lane);
		lyra2_strands(io, scratch);
		chain_store(words + lane, io[0]);
#else
		v64 io[2 * LYRA2_GROUPS][2];

		for (int group = 0; group < LYRA2_GROUPS; group++) {
			v64 s[4], (*pair)[2] = io + 2 * group;

			chain_load(s, words + lane + group * V64_LANES);
			v64_transpose(&s[0], &s[1]);
			v64_transpose(&s[2], &s[3]);
			pair[0][0] = s[0], pair[0][1] = s[2];
			pair[1][0] = s[1], pair[1][1] = s[3];
		}
		for (int n = 0; n < 2 * LYRA2_GROUPS; n += LYRA2_STRANDS)
			lyra2_strands(io + n, scratch);
		for (int group = 0; group < LYRA2_GROUPS; group++) {
			v64 (*pair)[2] = io + 2 * group;
			v64 s[4] = { pair[0][0], pair[1][0], pair[0][1], pair[1][1] };

			v64_transpose(&s[0], &s[1]);
			v64_transpose(&s[2], &s[3]);
			chain_store(words + lane + group * V64_LANES, s);
		}
#endif
	}
}

#endif
