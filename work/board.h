/*
 * The board: where the pool hangs out work and the workers take it. It holds one
 * work at a time and hands out its nonces in chunks, each nonce once; when they are
 * all handed out it asks the pool for the next extranonce2.
 *
 * What a newcomer would get wrong: the lock is taken once per chunk (tens of
 * milliseconds of hashing), never in the nonce loop; that loop looks only at
 * `generation`.
 *
 * Who cannot finish a chunk (a card that fails) gives the rest back, and it goes to the next claimer.
 */
#ifndef WORK_BOARD_H
#define WORK_BOARD_H

#include <pthread.h>

#include "miner.h"

/* Chunks given back and not yet claimed again; more are lost. A device that fails gives back one for each version. */
#define BOARD_RETURNED_MAX (4 * VERSIONS_MAX)

/* The nonces [first, end) of a work, not searched by whoever claimed them. */
struct board_chunk {
	struct work work;
	uint64_t first, end;
};

/*
 * Replace *work by its successor: same job, a header no one has searched. Called
 * with the board locked, by whichever worker finds the nonces used up. Returns
 * false when the job has no more to give; the board then idles until a publication.
 */
typedef bool board_next_fn(void *ctx, struct work *work);

struct board {
	alignas(CACHE_LINE) _Atomic unsigned generation;	/* written under the lock */
	alignas(CACHE_LINE) pthread_mutex_t lock;
	pthread_cond_t changed;
	bool closed;
	bool has_work;
	struct work work;
	uint64_t next_nonce;		/* the first nonce of `work` not handed out */
	uint64_t nonce_end;		/* 2^32, or less in tests */
	board_next_fn *next;
	void *next_ctx;
	struct board_chunk returned[BOARD_RETURNED_MAX];	/* all of this generation */
	unsigned returned_count;
};

/* `next` may be NULL: a work then ends with its nonces. */
void board_init(struct board *, board_next_fn *next, void *next_ctx);
void board_destroy(struct board *);

/* Hang out new work and stop all search of the old; sets work->generation. */
void board_publish(struct board *, struct work *work);

/* Take the work away (the pool is gone): workers wait instead of hashing for nobody. */
void board_clear(struct board *);

/* Wake and turn away every worker, now and from now on. */
void board_close(struct board *);

/*
 * Claim up to `want` nonces, waiting for work if there is none. True: *work is a
 * copy of the work and [*first, *end) this caller's alone. False: the board is
 * closed.
 */
bool board_claim(struct board *, uint64_t want, struct work *work, uint64_t *first, uint64_t *end);

/* The same without waiting: false too when there is nothing to claim now. */
bool board_try_claim(struct board *, uint64_t want, struct work *work, uint64_t *first, uint64_t *end);

/*
 * Give back [first, end), claimed under `work` and not searched, nor will be: it is handed out once more, as part
 * or whole. `work` may have fewer versions than it was claimed with: those left to search. Nothing happens when
 * the work is stale.
 */
void board_give_back(struct board *, const struct work *work, uint64_t first, uint64_t end);

/* Sleep for so long, or until the board is closed: then true. */
bool board_wait_closed(struct board *, double seconds);

/* Has something newer been published, or this work been taken away? For the nonce loop. */
static inline bool board_is_stale(const struct board *board, const struct work *work)
{
	return atomic_load_explicit(&board->generation, memory_order_relaxed) != work->generation;
}

#endif
