/*
 * Shares on their way from the workers to the pool thread: a ring of fixed size
 * that refuses when it is full, so that no difficulty, however absurd, eats memory.
 * Any thread may push, one may take.
 */
#ifndef POOL_QUEUE_H
#define POOL_QUEUE_H

#include <pthread.h>

#include "miner.h"

#define QUEUE_MAX 256	/* shares */

struct queue {
	pthread_mutex_t lock;
	unsigned first, count;
	struct share shares[QUEUE_MAX];
};

void queue_init(struct queue *);
void queue_destroy(struct queue *);

/* False: full, the share is not taken. */
bool queue_push(struct queue *, const struct share *);

/* Copy the oldest without taking it out; false: empty. */
bool queue_peek(struct queue *, struct share *);

/* Take the oldest out, after queue_peek(). */
void queue_drop(struct queue *);

#endif
