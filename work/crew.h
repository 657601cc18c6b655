/* The crew: all worker threads of one run, mining or benchmark alike. */
#ifndef CORE_CREW_H
#define CORE_CREW_H

#include "work/cpus.h"
#include "work/worker.h"

struct crew_config {
	const struct algo *algo;
	const struct backend *backend;
	unsigned threads;		/* 1 or more */
	const struct cpu_list *cpus;	/* thread i goes to CPU i of these, round and round */
	bool pin;			/* bind threads to their CPUs */
	int priority;			/* a nice value, 0: unchanged */
	struct board *board;
	worker_found_fn *found;
	void *found_ctx;
	uint32_t fault;			/* struct worker */
	bool measure_clock;		/* struct worker */
};

struct crew {
	struct worker *workers;
	unsigned count;
};

/* Start all threads. Returns 0, or -1 logged with none left running and the board closed. */
int crew_start(struct crew *, const struct crew_config *);

/* Wait for the threads to end, which they do once the board is closed. Counters can be read until crew_free(). */
void crew_join(struct crew *);
void crew_free(struct crew *);

uint64_t crew_hashes(const struct crew *);
uint64_t crew_hw_errors(const struct crew *);

/* Threads whose backend has not failed. */
unsigned crew_alive(const struct crew *);

#endif
