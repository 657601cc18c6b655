/* OpenCL devices in --benchmark and --self-test. */
#ifndef CLI_OPENCL_RUN_H
#define CLI_OPENCL_RUN_H

#include <jansson.h>

#include "cli/options.h"
#include "simd/backend.h"

/*
 * Measure all devices that the options name, together, for `limit` seconds. Prints, or adds to `results` where that is not
 * NULL. *interrupted: by a signal. 0, or -1 logged.
 */
int opencl_measure(const struct options *, const struct algo *, const struct backend_fault *, double limit, json_t *results,
		   bool *interrupted);

/* Open each device, which proves it; a line for each and each algorithm. 0, or -1: one failed. */
int opencl_self_test(const struct options *, const struct backend_fault *);
#endif
