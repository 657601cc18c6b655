/* What every CPU backend shares: the nonce loop over a kernel. */
#ifndef SIMD_SCAN_H
#define SIMD_SCAN_H

#include "work/worker.h"

/* open, scan and close of struct backend. lanes_open() finds the backend's kernels for the worker's algorithm. */
int lanes_open(struct worker *);
int64_t lanes_scan(struct worker *, const struct work *, uint64_t first, uint64_t end);
void lanes_close(struct worker *);

/* Memory for `kernel` serving `algo`: zeroed, aligned; NULL logged when there is none. Freed with free(). */
void *lanes_job_alloc(const struct kernel *, const struct algo *);

#endif
