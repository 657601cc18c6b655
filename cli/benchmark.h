/* --benchmark: every thread searches a random header for a while; rates and cycles per hash. */
#ifndef CLI_BENCHMARK_H
#define CLI_BENCHMARK_H

#include "cli/options.h"
#include "work/cpus.h"
#include "simd/backend.h"

/* Returns 0, or -1 logged: nothing could run. Stops early, with what it has, on SIGINT or SIGTERM (blocked by the caller). */
int benchmark_run(const struct options *, const struct cpu_list *, const struct backend_fault *);

#endif
