/*
 * Tasks on their way: filled in order, computed by any thread in any order, taken off in
 * order again. The ring is bounded, so a slow side holds up the fast one instead of
 * filling the memory, and a worker that fails gives its task back to the others.
 *
 * A thread asks the ring what to do next, of the duties that it can do, does it, and says
 * so. So one thread may do a single duty for all tasks, or every one of them as it comes.
 */
#ifndef OFFLOAD_RING_H
#define OFFLOAD_RING_H

#include <pthread.h>

#include "cores/core.h"

/* What is to be done with a task, one after the other. They are bits: a thread may have several duties. */
enum duty { DUTY_NONE = 0, DUTY_FILL = 1, DUTY_COMPUTE = 2, DUTY_TAKE_OFF = 4, DUTY_ALL = 7 };

enum task_state { TASK_FREE, TASK_FILLING, TASK_READY, TASK_COMPUTING, TASK_COMPUTED, TASK_TAKING_OFF };

struct task {
	enum task_state state;	/* under the ring's lock */
	struct batch batch;	/* of whoever has the duty */
	size_t len;		/* bytes that count, the last item may be short of some: the filler's word to the taker-off */
	size_t room;		/* bytes `in` can take */
	uint8_t *in, *out;	/* buffers of the ring's sizes; two, so that a task can be computed again by another */
};

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t wanted[DUTY_ALL + 1];	/* by the duties of those who wait for one of them */
	struct task *tasks;
	unsigned count;
	uint64_t filled, released;	/* so many; task n stands at n % count */
	unsigned workers;		/* that still compute */
	bool held, closed, aborted;
};

/* `count` tasks of so many bytes. 0, or -1 logged: no memory. */
int ring_init(struct ring *, unsigned count, size_t in_size, size_t out_size);
void ring_destroy(struct ring *);

/*
 * The next thing to do among `duties`, waiting for one: what makes room goes first. At most one thread fills at a time,
 * and one takes off, both in order. DUTY_NONE: there will be none, or the ring was aborted.
 */
enum duty ring_next(struct ring *, unsigned duties, struct task **);

void ring_done(struct ring *, struct task *);		/* the duty is done: it goes on to the next */
void ring_give_back(struct ring *, struct task *);	/* it was not computed: another shall */
void ring_close(struct ring *, struct task *);		/* it was not filled, nor will another be */

/* Who computes joins before the first task can be had, and leaves when it computes no more. The last to leave with work undone aborts. */
void ring_join(struct ring *);
void ring_leave(struct ring *);

/* From the first to the second nothing is filled. */
void ring_hold(struct ring *);
void ring_let_go(struct ring *);

/* There is nothing to do any more, now and from now on. */
void ring_abort(struct ring *);
bool ring_aborted(struct ring *);

#endif
