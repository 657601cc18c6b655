/*
 * A worker: one thread that claims nonces and has its backend search them. Its
 * counters are its own; others only read them.
 */
#ifndef WORK_WORKER_H
#define WORK_WORKER_H

#include <pthread.h>

#include "base/clock.h"
#include "work/board.h"
#include "miner.h"

/* Called by a worker's thread for a nonce that met its work's full target. */
typedef void worker_found_fn(void *ctx, const struct share *share);

struct worker {
	/* set by the owner before worker_start() */
	unsigned index;
	int cpu;			/* the one CPU it is bound to; -1: not to a single one */
	const int *cpus;		/* those it is bound to; they outlive it */
	unsigned cpu_count;		/* of them; 0: it may run on any */
	int priority;			/* a nice value, 0: unchanged */
	const struct algo *algo;
	const struct backend *backend;
	void *device;			/* what the backend drives: a card; NULL for a CPU's */
	struct board *board;
	worker_found_fn *found;
	void *found_ctx;
	uint32_t fault;			/* tests only: candidate bits to flip in every batch */
	bool measure_clock;		/* measure the core's clock between chunks, which are shorter then (benchmark) */

	/* the thread's own */
	pthread_t thread;
	void *scratch;			/* for algo->hash */
	void *state;			/* the backend's, from its open() */
	struct clock_samples clock;	/* with measure_clock */

	/* written by the thread, read by anyone */
	alignas(CACHE_LINE) _Atomic uint64_t hashes;	/* of headers: a nonce under each of its versions is several */
	_Atomic uint64_t hw_errors;	/* candidates the reference did not confirm */
	_Atomic uint64_t cpu_ns;	/* CPU time in scan(), ns */
	_Atomic bool failed;		/* the backend gave up; the thread has ended */
	double ghz;			/* with measure_clock, read after worker_join() */
	alignas(CACHE_LINE) char pad[CACHE_LINE];
};

/* 0, or -1 logged. The thread ends when the board closes or its backend fails. */
int worker_start(struct worker *);
void worker_join(struct worker *);

/*
 * A backend's report: the kernel or card says `nonce` is a candidate. Hashes it
 * again by the reference; a true find goes to found(), a top word above the target's
 * counts as a hardware error, and one that only misses the full target is neither.
 * Returns false for a hardware error.
 */
bool worker_candidate(struct worker *, const struct work *, uint32_t nonce);

#endif
