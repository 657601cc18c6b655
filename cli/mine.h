/* Mining: the pools, one crew of workers, until told to stop. */
#ifndef CLI_MINE_H
#define CLI_MINE_H

#include "cli/options.h"
#include "work/cpus.h"
#include "simd/backend.h"

enum mine_result {
	MINE_DONE,		/* the time limit, SIGINT or SIGTERM */
	MINE_BAD_OPTION,	/* logged: such a URL cannot be */
	MINE_GAVE_UP,		/* all pools, after as many retries as were asked for */
	MINE_REFUSED,		/* the same, and each had refused the login */
	MINE_FAILED,		/* logged: nothing to hash with, or nothing left */
};

/* SIGINT and SIGTERM must be blocked in the calling thread. */
enum mine_result mine_run(const struct options *, const struct cpu_list *, const struct backend_fault *);

#endif
