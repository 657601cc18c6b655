/* The runs of adit-offload. Each returns 0, or -1 with what went wrong logged. */
#ifndef OFFLOAD_RUNS_H
#define OFFLOAD_RUNS_H

#include "offload/options.h"
#include "offload/stream.h"

int run_crypt(const struct offload_options *);		/* encrypt, decrypt */
int run_digest(const struct offload_options *);
int run_field(const struct offload_options *);
int run_bench(const struct offload_options *);
int run_profile(const struct offload_options *);	/* bench --profile */
int run_bench_seal(const struct offload_options *);	/* bench --seal */

/* A stream as the options want it: who computes, how much at a time. */
struct stream stream_of(const struct offload_options *, const struct core *);

/* Say on stderr, or as JSON on stdout, what each worker did; `what` is "encrypted". */
void summary_print(const struct offload_options *, const char *what, uint64_t bytes, const struct stream_result *);

#endif
