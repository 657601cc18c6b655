/*
 * Tasks on their way: filled in order, computed by any worker in any order, taken off in
 * order again. The ring is bounded, so a slow side holds up the fast one instead of
 * filling the memory, and a worker that fails gives its task back to the others.
 *
 * Each task passes through five hands: fill_begin, fill_end, take, done, and then, in the
 * order of filling, next and release.
 */
#ifndef OFFLOAD_RING_H
#define OFFLOAD_RING_H

#include <pthread.h>

#include "cores/core.h"

enum task_state { TASK_FREE, TASK_FILLING, TASK_READY, TASK_TAKEN, TASK_DONE };

struct task {
	enum task_state state;	/* under the ring's lock */
	struct batch batch;	/* the filler's, then the worker's, then the taker-off's */
	size_t len;		/* bytes that count, the last item may be short of some: the filler's word to the taker-off */
	size_t room;		/* bytes `in` can take */
	uint8_t *in, *out;	/* buffers of the ring's sizes; two, so that a task can be computed again by another */
};

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t room, ready, done;	/* what the filler, the workers and the taker-off wait for */
	struct task *tasks;
	unsigned count;
	uint64_t filled, released;	/* so many; task n stands at n % count */
	unsigned workers;		/* that still take tasks */
	bool closed, aborted;
};

/* `count` tasks of so many bytes. 0, or -1 logged: no memory. */
int ring_init(struct ring *, unsigned count, size_t in_size, size_t out_size);
void ring_destroy(struct ring *);

/* The filler: an empty task, waiting for one; NULL: aborted. Then hand it on. */
struct task *ring_fill_begin(struct ring *);
void ring_fill_end(struct ring *, struct task *);
void ring_unfill(struct ring *, struct task *);	/* or, of the newest: it was not needed */
void ring_close(struct ring *);			/* no more will be filled */

/* A worker joins before the first task can be taken; it leaves when it takes no more. The last to leave with work undone aborts. */
void ring_join(struct ring *);
void ring_leave(struct ring *);

/* A worker: the oldest task that waits, waiting for one; NULL: there will be none. Then done, or given back. */
struct task *ring_take(struct ring *);
void ring_done(struct ring *, struct task *);
void ring_give_back(struct ring *, struct task *);

/* The taker-off: the next task in order, once it is done; NULL: all are, or aborted. Then release it. */
struct task *ring_next(struct ring *);
void ring_release(struct ring *, struct task *);

/* All who wait return NULL, now and from now on. */
void ring_abort(struct ring *);
bool ring_aborted(struct ring *);

#endif
