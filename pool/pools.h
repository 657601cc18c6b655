/*
 * The pools of a run: which of them is mined on. Each has its own thread and
 * credentials; one at a time hangs its work on the board, and every share goes back
 * to the pool its work came from, whichever is mined on by then.
 *
 * What a newcomer would get wrong: only the pools that are needed are connected. A
 * later one is called once those before it have failed, and let go again, with a
 * delay for the replies to its last shares, when an earlier one works again.
 *
 * Order: pools_create(), board_init() with pools_next, pools_start(), ...,
 * pools_stop(), board_destroy(), pools_destroy().
 */
#ifndef POOL_POOLS_H
#define POOL_POOLS_H

#include "pool/pool.h"
#include "work/board.h"

#define POOLS_MAX	32
#define QUOTA_MAX	1000000

struct pools;

enum pools_strategy {
	POOLS_FAILOVER,		/* the first that works, in their order; back to an earlier one as soon as it works again */
	POOLS_ROUND_ROBIN,	/* stay with one until it fails or its slice is over, then go on to the next, in a circle */
	POOLS_QUOTA,		/* all at once, their slices of time in proportion to their quotas */
};

/*
 * A pool has failed after so many failures, a refused login, or without a new job for
 * so long. Its failures are forgotten once it has had work for a while: one that is
 * lost every other minute is mined on whenever it works, but with the next at hand.
 */
struct pools_config {
	struct pool_config pools[POOLS_MAX];	/* all but their sink, patience and searched */
	unsigned quotas[POOLS_MAX];	/* 1..QUOTA_MAX; for POOLS_QUOTA only */
	unsigned count;			/* 1..POOLS_MAX */
	enum pools_strategy strategy;
	unsigned failover_after;	/* failures, 1 or more */
	double job_timeout_s;
	double forget_s;
	double slice_s;			/* for POOLS_QUOTA; for POOLS_ROUND_ROBIN, where 0 means until it fails */
};

enum pools_state {
	POOLS_TRYING,
	POOLS_GAVE_UP,		/* every one of them */
	POOLS_REFUSED,		/* the same, and each because it refused our login */
};

/* NULL, logged, when a pool's URL or text is not usable. Before other threads start. */
struct pools *pools_create(const struct pools_config *);

/* Harmless on NULL. */
void pools_destroy(struct pools *);

/* Start all threads. 0, or -1 logged with none left running. */
int pools_start(struct pools *, struct board *);
void pools_stop(struct pools *);

/* Send a share to the pool its work came from. Never waits; any thread; in the shape of worker_found_fn. */
void pools_submit(void *pools, const struct share *);

/* The board's board_next_fn. */
bool pools_next(void *pools, struct work *);

enum pools_state pools_state(struct pools *);

/* Of pool `index`, less than the configured count. */
const char *pools_name(const struct pools *, unsigned index);
void pools_stats_of(struct pools *, unsigned index, struct pool_stats *);

/* The counters of shares and blocks, of all pools together; the rest is 0. */
void pools_stats(struct pools *, struct pool_stats *);

#endif
