/*
 * The tally of a pool: what is counted of it, and what the operator reads about its
 * shares. Written by the pool thread, but for dropped shares, which any thread may
 * report; read by any. What became of a share is told before it is counted, so who
 * sees the count finds the line.
 */
#ifndef POOL_TALLY_H
#define POOL_TALLY_H

#include <pthread.h>

#include "pool/pool.h"
#include "pool/throttle.h"

struct tally {
	const char *name;			/* of the pool, for log lines; outlives the tally */
	struct throttle accepted, rejected, stale, difficulty, block;	/* the pool thread's */
	pthread_mutex_t lock;			/* of the next two */
	struct throttle dropped;
	struct pool_stats stats;
};

void tally_init(struct tally *, const char *name);
void tally_destroy(struct tally *);

void tally_read(struct tally *, struct pool_stats *);

void tally_connection(struct tally *);			/* one is made */
void tally_login(struct tally *, bool logged_in);	/* from now on, or no more */
void tally_work(struct tally *, double difficulty);	/* the pool gave some */
void tally_gave_up(struct tally *);

/* A share is about to be sent; `height` of its block, -1 when unknown, in case it is one: then true. */
bool tally_share_sent(struct tally *, const struct share *, long height);

/* The reply, `seconds` after; of a share of that difficulty. A reason means rejected, NULL accepted. */
void tally_share_replied(struct tally *, double difficulty, double seconds, const char *reason);

/* Not sent: its job is gone. */
void tally_share_stale(struct tally *, const struct share *);

/* Not sent: there are too many at once. */
void tally_share_dropped(struct tally *);

/* Sent, but the reply will not come. */
void tally_shares_unanswered(struct tally *, unsigned count);

#endif
