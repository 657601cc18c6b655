/* What a benchmark measures: a series for each core on each worker, from small to large. */
#ifndef OFFLOAD_BENCH_H
#define OFFLOAD_BENCH_H

#include <stdio.h>

#include "offload/device.h"

#define SIZES_MAX	24

/* Seconds, but for the clocks; each the median of the rounds. */
struct bench_size {
	size_t bytes;			/* of input */
	double in, kernel, out, total;
	double clocks;			/* of the device's own, for an item; 0: it does not tell */
	double plain, openssl;		/* the same on one thread of this machine, without a device; openssl 0: it has no such core */
};

struct bench_series {
	const struct core *core;
	const struct device_kind *kind;
	unsigned index;
	double setup;			/* seconds */
	unsigned count;
	struct bench_size sizes[SIZES_MAX];
};

struct bench {
	unsigned count;
	struct bench_series *series;
};

/*
 * The size in bytes from which on, among those measured, the worker is faster than `than` (offsetof plain or openssl);
 * with_setup: when it is opened for this alone. 0: never.
 */
size_t bench_wins_from(const struct bench_series *, size_t than, bool with_setup);

/* A panel for each core: bytes per second over size, a line for each worker and for the plain and OpenSSL's form. */
void bench_draw(const struct bench *, FILE *svg);

#endif
