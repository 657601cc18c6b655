/* See ring.h. One lock: it is taken a few times a task, and a task is a millisecond of work. */
#include "offload/ring.h"

#include <stdlib.h>

#include "base/log.h"

#define PAGE	4096	/* bytes; buffers begin on one, which transfers by DMA want */

int ring_init(struct ring *ring, unsigned count, size_t in_size, size_t out_size)
{
	*ring = (struct ring){ .tasks = calloc(count, sizeof *ring->tasks), .count = count };
	pthread_mutex_init(&ring->lock, NULL);
	pthread_cond_init(&ring->room, NULL);
	pthread_cond_init(&ring->ready, NULL);
	pthread_cond_init(&ring->done, NULL);
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
	pthread_cond_destroy(&ring->done);
	pthread_cond_destroy(&ring->ready);
	pthread_cond_destroy(&ring->room);
	pthread_mutex_destroy(&ring->lock);
}

static struct task *place(struct ring *ring, uint64_t number)
{
	return &ring->tasks[number % ring->count];
}

/* Not all tasks are computed yet, or more may come. Under the lock. */
static bool work_left(const struct ring *ring)
{
	if (!ring->closed)
		return true;
	for (unsigned i = 0; i < ring->count; i++)
		if (ring->tasks[i].state != TASK_FREE && ring->tasks[i].state != TASK_DONE)
			return true;
	return false;
}

/* One waits for what is done; of the workers, any will do for what is ready, and all when nothing will be any more. */
static void set_state(struct ring *ring, struct task *task, enum task_state state)
{
	pthread_mutex_lock(&ring->lock);
	task->state = state;
	pthread_cond_signal(state == TASK_READY ? &ring->ready : &ring->done);
	if (!work_left(ring))
		pthread_cond_broadcast(&ring->ready);
	pthread_mutex_unlock(&ring->lock);
}

/* What all wait for may have become impossible. Under the lock. */
static void wake_all(struct ring *ring)
{
	pthread_cond_broadcast(&ring->room);
	pthread_cond_broadcast(&ring->ready);
	pthread_cond_broadcast(&ring->done);
}

struct task *ring_fill_begin(struct ring *ring)
{
	struct task *task = NULL;

	pthread_mutex_lock(&ring->lock);
	while (!ring->aborted && place(ring, ring->filled)->state != TASK_FREE)
		pthread_cond_wait(&ring->room, &ring->lock);
	if (!ring->aborted) {
		task = place(ring, ring->filled++);
		task->state = TASK_FILLING;
	}
	pthread_mutex_unlock(&ring->lock);
	return task;
}

void ring_fill_end(struct ring *ring, struct task *task)
{
	set_state(ring, task, TASK_READY);
}

void ring_unfill(struct ring *ring, struct task *task)
{
	pthread_mutex_lock(&ring->lock);
	task->state = TASK_FREE;
	ring->filled--;
	pthread_mutex_unlock(&ring->lock);
}

void ring_close(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->closed = true;
	wake_all(ring);
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
	wake_all(ring);
	pthread_mutex_unlock(&ring->lock);
}

static struct task *oldest_ready(struct ring *ring)
{
	for (uint64_t number = ring->released; number < ring->filled; number++)
		if (place(ring, number)->state == TASK_READY)
			return place(ring, number);
	return NULL;
}

struct task *ring_take(struct ring *ring)
{
	struct task *task = NULL;

	pthread_mutex_lock(&ring->lock);
	/* a task that another has taken may yet come back */
	while (!ring->aborted && !(task = oldest_ready(ring)) && work_left(ring))
		pthread_cond_wait(&ring->ready, &ring->lock);
	if (ring->aborted)
		task = NULL;
	else if (task)
		task->state = TASK_TAKEN;
	pthread_mutex_unlock(&ring->lock);
	return task;
}

void ring_done(struct ring *ring, struct task *task)
{
	set_state(ring, task, TASK_DONE);
}

void ring_give_back(struct ring *ring, struct task *task)
{
	set_state(ring, task, TASK_READY);
}

struct task *ring_next(struct ring *ring)
{
	struct task *task = NULL;

	pthread_mutex_lock(&ring->lock);
	while (!ring->aborted && place(ring, ring->released)->state != TASK_DONE &&
	       !(ring->closed && ring->released == ring->filled))
		pthread_cond_wait(&ring->done, &ring->lock);
	if (!ring->aborted && place(ring, ring->released)->state == TASK_DONE)
		task = place(ring, ring->released);
	pthread_mutex_unlock(&ring->lock);
	return task;
}

void ring_release(struct ring *ring, struct task *task)
{
	pthread_mutex_lock(&ring->lock);
	task->state = TASK_FREE;
	ring->released++;
	pthread_cond_signal(&ring->room);
	pthread_mutex_unlock(&ring->lock);
}

void ring_abort(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->aborted = true;
	wake_all(ring);
	pthread_mutex_unlock(&ring->lock);
}

bool ring_aborted(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	bool aborted = ring->aborted;
	pthread_mutex_unlock(&ring->lock);
	return aborted;
}
