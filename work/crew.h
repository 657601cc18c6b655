/* The crew: all worker threads of one run, mining or benchmark alike: CPU threads, and one for each device. */
#ifndef WORK_CREW_H
#define WORK_CREW_H

#include "work/cpus.h"
#include "work/worker.h"

/* Something that searches beside the CPUs, and is driven by a thread of its own. */
struct crew_device {
	const struct backend *backend;
	void *device;			/* struct worker */
};

struct crew_config {
	const struct algo *algo;
	const struct backend *backend;	/* of the CPU threads; may be NULL when there are none */
	unsigned threads;		/* on CPUs; 0 only where there are devices */
	const struct crew_device *devices;
	unsigned device_count;
	/*
	 * Thread i belongs on CPU i of these, round and round; they outlive the crew. With `pin` it is bound to that one.
	 * Without, and with fewer threads than CPUs, it is kept to those of the CPU's tier where there is more than one
	 * tier, and else left to the kernel.
	 */
	const struct cpu_list *cpus;
	bool pin;
	int priority;			/* a nice value, 0: unchanged */
	struct board *board;
	worker_found_fn *found;
	void *found_ctx;
	uint32_t fault;			/* of the CPU threads: struct worker */
	bool measure_clock;		/* struct worker */
};

struct crew {
	struct worker *workers;		/* the CPU threads, then the devices in their order */
	unsigned count;
};

/* Start all threads. Returns 0, or -1 logged with none left running and the board closed. */
int crew_start(struct crew *, const struct crew_config *);

/* Wait for the threads to end, which they do once the board is closed. Counters can be read until crew_free(). */
void crew_join(struct crew *);
void crew_free(struct crew *);

uint64_t crew_hashes(const struct crew *);
uint64_t crew_hw_errors(const struct crew *);

/* Where the CPU threads run, to follow "5 threads": " on CPUs 0-4", ": 4 on CPUs 0,2,4,6, 1 on CPUs 1,3,5,7"; "" for any. */
void crew_places(char *text, size_t len, const struct crew *);

/* Threads whose backend has not failed. */
unsigned crew_alive(const struct crew *);

#endif
