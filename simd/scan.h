/* What every CPU backend shares: the nonce loop over a kernel. */
#ifndef SIMD_SCAN_H
#define SIMD_SCAN_H

#include "work/worker.h"

/* open, scan and close of struct backend. lanes_open() finds the backend's kernels for the worker's algorithm. */
int lanes_open(struct worker *);
int64_t lanes_scan(struct worker *, const struct work *, uint64_t first, uint64_t end);
void lanes_close(struct worker *);

/*
 * Walk [first, end), end at most 2^32, with one kernel, and its memory from lanes_job_alloc(), under as many of the
 * work's versions as it takes. Candidates go to worker_candidate() in the order of nonces, then versions. Stops within
 * a batch when the worker's board has newer work. Returns the hashes done. It is what lanes_scan() does with each group
 * of versions; the self-test calls it for a kernel alone.
 */
uint64_t lanes_walk(struct worker *, const struct kernel *, void *job, const struct work *, uint64_t first, uint64_t end);

/* Memory for `kernel` serving `algo`: zeroed, aligned; NULL logged when there is none. Freed with free(). */
void *lanes_job_alloc(const struct kernel *, const struct algo *);

#endif
