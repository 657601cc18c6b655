/*
 * --benchmark: rates and cycles per hash of the chosen kernels, or of the whole matrix; with --profile where a chain's
 * cycles go, with --compare how many times as fast as another's code.
 */
#ifndef CLI_BENCHMARK_H
#define CLI_BENCHMARK_H

#include "cli/options.h"
#include "work/cpus.h"
#include "simd/backend.h"

/* Returns 0, or -1 logged: something could not run. Stops early, with what it has, on SIGINT or SIGTERM (blocked by the caller). */
int benchmark_run(const struct options *, const struct cpu_list *, const struct backend_fault *);

#endif
