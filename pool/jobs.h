/*
 * The latest jobs of a pool, so that late shares find what they were made of. The
 * pool thread adds and looks up; workers, by way of the board, take further works
 * from the latest.
 *
 * What a newcomer would get wrong: they are few, and what was searched outlives them
 * (pool/searched.h). When a block is handed out again, hours later or by another pool,
 * the search goes on where it stopped.
 */
#ifndef POOL_JOBS_H
#define POOL_JOBS_H

#include <pthread.h>

#include "pool/job.h"

#define JOBS_KEPT 16

struct jobs {
	struct searched *searched;	/* not its own */
	pthread_mutex_t lock;		/* of all below, and of what job_next() changes in a job */
	struct job *table[JOBS_KEPT];	/* job n at n % JOBS_KEPT */
	uint32_t latest;		/* its number; 0 before the first */
	uint32_t out;			/* of the job whose work was given last; 0: that is used up */
	bool starved;			/* someone wanted a work and got none, and none is being searched */
};

/* What is searched outlives them. */
void jobs_init(struct jobs *, struct searched *);
void jobs_destroy(struct jobs *);

/*
 * Take over `job` as the latest, and kill the jobs it replaces: all if it is clean, else those of its id, but for those that
 * make the very same headers. The job whose work is out is not crowded out, however many come after it.
 */
void jobs_add(struct jobs *, struct job *);

/* No share of any of them is wanted any more. */
void jobs_kill(struct jobs *);

/* The one before is used up: the next work of the latest job; false when it is dead or has none to give now. Any thread. */
bool jobs_next(struct jobs *, struct work *);

/* What may be searched now, whatever is out. */
enum jobs_offer {
	JOBS_WORK,	/* this */
	JOBS_WAIT,	/* nothing new; the work that is out, if any, goes on */
	JOBS_DEAD	/* nothing new, and nobody wants the work that is out */
};
enum jobs_offer jobs_offer(struct jobs *, struct work *);

/* Is there nothing to search? Any thread. */
bool jobs_starved(struct jobs *);

/*
 * The live job of that number, or NULL; 0 asks for the latest. Pool thread only, and
 * what workers change, its coinbase and second, may not be read: valid until the next jobs_add().
 */
const struct job *jobs_find(const struct jobs *, uint32_t number);

#endif
