/* See ring.h. One lock: it is taken a few times a task, and a task is a millisecond of work. */
#include "offload/ring.h"

#include <stdlib.h>

#include "base/log.h"

#define PAGE	4096	/* bytes; buffers begin on one, which transfers by DMA want */

int ring_init(struct ring *ring, unsigned count, size_t in_size, size_t out_size)
{
	*ring = (struct ring){ .tasks = calloc(count, sizeof *ring->tasks), .count = count };
	pthread_mutex_init(&ring->lock, NULL);
	for (unsigned duties = 0; duties <= DUTY_ALL; duties++)
		pthread_cond_init(&ring->wanted[duties], NULL);
	size_t room = in_size;
	in_size = (in_size + PAGE - 1) / PAGE * PAGE;
	out_size = (out_size + PAGE - 1) / PAGE * PAGE;
	for (unsigned i = 0; ring->tasks && i < count; i++) {
		struct task *task = &ring->tasks[i];

		task->room = room;
		task->in = aligned_alloc(PAGE, in_size);
		task->out = aligned_alloc(PAGE, out_size);
		if (!task->in || !task->out) {
			ring_destroy(ring);
			return log_error("no memory for %u tasks of %zu bytes", count, in_size + out_size);
		}
	}
	return ring->tasks ? 0 : log_error("no memory for %u tasks", count);
}

void ring_destroy(struct ring *ring)
{
	for (unsigned i = 0; ring->tasks && i < ring->count; i++) {
		free(ring->tasks[i].out);
		free(ring->tasks[i].in);
	}
	free(ring->tasks);
	ring->tasks = NULL;
	for (unsigned duties = 0; duties <= DUTY_ALL; duties++)
		pthread_cond_destroy(&ring->wanted[duties]);
	pthread_mutex_destroy(&ring->lock);
}

static struct task *place(struct ring *ring, uint64_t number)
{
	return &ring->tasks[number % ring->count];
}

/* The oldest task that waits for the duty, if it may be done now. */
static struct task *waiting_for(struct ring *ring, enum duty duty)
{
	uint64_t from = ring->released, to = ring->filled;
	enum task_state state = TASK_READY;

	if (duty == DUTY_FILL) {
		state = TASK_FREE;
		from = ring->filled;
		if (ring->held || ring->closed || (from > ring->released && place(ring, from - 1)->state == TASK_FILLING))
			return NULL;
	} else if (duty == DUTY_TAKE_OFF) {
		state = TASK_COMPUTED;
	}
	if (duty != DUTY_COMPUTE)
		to = from + 1;
	for (uint64_t number = from; number < to; number++)
		if (place(ring, number)->state == state)
			return place(ring, number);
	return NULL;
}

/* The first of `duties` that can be done, and of which task. */
static enum duty choose(struct ring *ring, unsigned duties, struct task **task)
{
	for (enum duty duty = DUTY_TAKE_OFF; duty > DUTY_NONE; duty >>= 1)
		if ((duties & duty) && (*task = waiting_for(ring, duty)))
			return duty;
	return DUTY_NONE;
}

/* Not all tasks are computed yet, or more may come. */
static bool work_left(struct ring *ring)
{
	if (!ring->closed)
		return true;
	for (uint64_t number = ring->released; number < ring->filled; number++)
		if (place(ring, number)->state < TASK_COMPUTED)
			return true;
	return false;
}

/* None of `duties` can ever be done any more. */
static bool over(struct ring *ring, unsigned duties)
{
	if (ring->aborted)
		return true;
	if (duties & DUTY_TAKE_OFF)
		return ring->closed && ring->released == ring->filled;
	return duties & DUTY_COMPUTE ? !work_left(ring) : ring->closed;
}

/* After a change: who waits for what it allows shall look. One is enough for a task, who then asks again, but all must see the end. */
static void wake(struct ring *ring)
{
	struct task *task;

	for (unsigned duties = 1; duties <= DUTY_ALL; duties++) {
		if (over(ring, duties))
			pthread_cond_broadcast(&ring->wanted[duties]);
		else if (choose(ring, duties, &task) != DUTY_NONE)
			pthread_cond_signal(&ring->wanted[duties]);
	}
}

enum duty ring_next(struct ring *ring, unsigned duties, struct task **task)
{
	enum duty duty = DUTY_NONE;

	pthread_mutex_lock(&ring->lock);
	/* a task that another computes may yet come back */
	while (!over(ring, duties) && (duty = choose(ring, duties, task)) == DUTY_NONE)
		pthread_cond_wait(&ring->wanted[duties], &ring->lock);
	if (duty == DUTY_FILL)
		ring->filled++;
	if (duty != DUTY_NONE)
		(*task)->state++;
	pthread_mutex_unlock(&ring->lock);
	return duty;
}

void ring_done(struct ring *ring, struct task *task)
{
	pthread_mutex_lock(&ring->lock);
	if (task->state == TASK_TAKING_OFF) {
		task->state = TASK_FREE;
		ring->released++;
	} else {
		task->state++;
	}
	wake(ring);
	pthread_mutex_unlock(&ring->lock);
}

void ring_give_back(struct ring *ring, struct task *task)
{
	pthread_mutex_lock(&ring->lock);
	task->state = TASK_READY;
	wake(ring);
	pthread_mutex_unlock(&ring->lock);
}

void ring_close(struct ring *ring, struct task *task)
{
	pthread_mutex_lock(&ring->lock);
	task->state = TASK_FREE;
	ring->filled--;
	ring->closed = true;
	wake(ring);
	pthread_mutex_unlock(&ring->lock);
}

void ring_join(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->workers++;
	pthread_mutex_unlock(&ring->lock);
}

void ring_leave(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	if (--ring->workers == 0 && work_left(ring))
		ring->aborted = true;
	wake(ring);
	pthread_mutex_unlock(&ring->lock);
}

void ring_hold(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->held = true;
	pthread_mutex_unlock(&ring->lock);
}

void ring_let_go(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->held = false;
	wake(ring);
	pthread_mutex_unlock(&ring->lock);
}

void ring_abort(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->aborted = true;
	wake(ring);
	pthread_mutex_unlock(&ring->lock);
}

bool ring_aborted(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	bool aborted = ring->aborted;
	pthread_mutex_unlock(&ring->lock);
	return aborted;
}
