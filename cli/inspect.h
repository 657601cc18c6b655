/* The commands that show what this machine's backends are and do, on standard output. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "cli/options.h"
#include "simd/backend.h"

/*
 * --self-test: a line for each algorithm on each backend, and for each of its forms. Returns 0, or -1 when any fails or
 * SIGINT or SIGTERM (blocked by the caller) comes before the end.
 */
int inspect_self_test(const struct options *, const struct backend_fault *);

/* --list: each algorithm's backends, their forms and lanes, and which is chosen. Returns 0. */
int inspect_list(const struct options *, const struct backend_fault *);

/* --hash: the digest of options' header. Returns 0, or -1 logged. */
int inspect_hash(const struct options *, const struct backend_fault *);

#endif
