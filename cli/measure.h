/*
 * What can be measured of one kernel: cli/benchmark.c goes through the matrix and has each kernel measured in the way
 * that the options ask for. Each way prints its lines, or with --json adds to an object and prints nothing.
 */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include <jansson.h>

#include "cli/options.h"
#include "simd/backend.h"
#include "work/cpus.h"

struct measure {
	const struct options *options;
	const struct cpu_list *cpus;
	const struct backend_fault *fault;
	const struct algo *algo;
	const struct backend *backend;
	const struct kernel *kernel;	/* of the backend */
	double limit;			/* s it may take */
	json_t *result;			/* with --json: has algorithm, backend, versions and lanes; else NULL */
	bool interrupted;		/* out: by a signal; what there was is printed or in `result` */
};

/* 0, or -1 logged. */
typedef int measure_fn(struct measure *);

measure_fn rate_measure, profile_measure, compare_measure;

/* Add an object's members to the result. Takes the object. */
void measure_add(struct measure *, json_t *members);

#endif
