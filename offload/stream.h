/*
 * A stream of tasks through any mix of devices: one side fills them, the devices compute
 * them at whatever speed each has, the other side takes them off in order.
 *
 * What a newcomer would get wrong: a thread for each side costs more than it gives where the
 * workers are threads too, and have all CPUs. Each task then goes from one CPU's cache to
 * another's and back, and threads wait for each other. So there the workers do it all.
 */
#ifndef OFFLOAD_STREAM_H
#define OFFLOAD_STREAM_H

#include "offload/device.h"
#include "offload/ring.h"

struct stream {
	/* what to compute */
	const struct core *core;
	const struct core_params *params;
	uint64_t first;			/* the number of the first item */
	const struct device_want *wants;
	unsigned want_count;
	size_t task_items;		/* at most so many items in a task */
	unsigned depth;			/* tasks under way at most */
	bool workers_do_all;		/* they fill and take off as well; else a thread does each, the caller's the latter */

	/*
	 * Called once, when each worker is open or lost; nothing is filled before. `depth` tasks, with their memory. NULL: who
	 * is open begins.
	 */
	void (*ready)(void *ctx, const struct task *tasks);

	/*
	 * Fill task->in and set task->batch.items (1..task_items) and task->len. Returns 1, 0 at the end, or -1 logged.
	 * Called by one thread at a time, until it returns other than 1.
	 */
	int (*fill)(void *ctx, struct task *);

	/* Use task->out. 0, or -1 logged. Called by one thread at a time, in the order of filling. */
	int (*take_off)(void *ctx, struct task *);

	/*
	 * The run has failed, so whatever fill() waits for, it must wait no longer: it returns -1, then without a word. Called
	 * by each worker that leaves then, while fill() may run in another. NULL: fill() never waits.
	 */
	void (*stop)(void *ctx);
	void *ctx;
};

/* What one worker did. */
struct stream_worker {
	struct device device;
	uint64_t tasks, items;
	bool lost;			/* it failed; its task went to the others */
};

struct stream_result {
	double seconds;			/* from the first worker's start to the last task's end */
	unsigned worker_count;
	struct stream_worker workers[DEVICES_MAX];
};

/* 0 when all was filled, computed and taken off; else -1, logged. */
int stream_run(const struct stream *, struct stream_result *);

#endif
