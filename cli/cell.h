/*
 * A cell of the benchmark's matrix: one kernel on so many threads for a while, through the miner's own board,
 * workers and loop, on a random header with a target that nothing meets. So what it measures is what mining costs.
 *
 * Its first figure is cycles per hash: CPU seconds x core clock / hashes. The clock is measured by each worker on
 * its own core all along, between chunks of nonces, so the figure holds when the machine's clock or its neighbours
 * change; a rate alone does not.
 */
#ifndef CLI_CELL_H
#define CLI_CELL_H

#include "cli/options.h"
#include "simd/backend.h"
#include "work/crew.h"

struct cell {
	/* set by the caller, by cell_init() or by hand */
	const struct algo *algo;
	const struct backend *backend;
	unsigned versions;		/* block versions the work is searched under; 0: none but the header's own */
	unsigned threads;		/* 0 with devices */
	const struct crew_device *devices;	/* beside or without threads */
	unsigned device_count;
	const struct cpu_list *cpus;
	bool pin;			/* threads to their CPUs */
	int priority;			/* a nice value, 0: unchanged */
	uint32_t fault;			/* struct worker */
	double limit;			/* s it is to run; goes on after it until something is hashed */
	bool show;			/* print the rate of each second */
	uint64_t nonces;		/* of a header until the next one; 0: all there are (fewer: tests) */

	/* what came of it */
	char name[BACKEND_KERNEL_NAME];	/* of the kernel, by cell_init() */
	struct crew crew;		/* joined: its counters, until cell_free() */
	double *rates;			/* H/s, of about a second each, in ascending order */
	size_t rate_count, rate_room;
	double seconds;			/* it ran */
	double cycles_per_hash;		/* cycles of all threads over hashes of all threads; 0: interrupted before any */
	bool interrupted;		/* by SIGINT or SIGTERM, which the caller has blocked */
};

/* A cell for `kernel` of `backend` as the options want it, to run for `limit` seconds. */
void cell_init(struct cell *, const struct algo *, const struct backend *, const struct kernel *, const struct options *,
	       const struct cpu_list *, const struct backend_fault *, double limit);

/* Run it. Returns 0, or -1 logged; free it in either case. */
int cell_run(struct cell *);
void cell_free(struct cell *);

/* By one thread of a cell that has run. */
double cell_thread_rate(const struct cell *, const struct worker *);		/* H/s over the whole run */
double cell_thread_cycles(const struct worker *);				/* per hash; 0: no hash */

/* A random header to be searched under so many versions, with a target that nothing meets. 0, or -1 logged. */
int cell_work(struct work *, unsigned versions);

/* A signal to end has come, and waits. */
bool cell_signalled(void);

#endif
