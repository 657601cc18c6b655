/*
 * Every kernel this CPU can run, each with its memory and a plain reference beside it: the
 * common part of the tests of kernels and of the nonce loop. Its reference and its random
 * numbers are not simd/selftest.c's: here a fault in that one shows, too.
 *
 * ADIT_CPU_MASK in the environment is a mask like --cpu's, for machines that one does not have.
 */
#ifndef TESTS_KERNEL_BENCH_H
#define TESTS_KERNEL_BENCH_H

#include "simd/backend.h"

/* A kernel with its memory, and room for what it is held against. */
struct bench {
	const struct algo *algo;
	const struct backend *backend;
	const struct kernel *kernel;
	char name[BACKEND_KERNEL_NAME];
	void *job;
	void *scratch;
	struct work work;
	uint32_t seed;
	size_t facts;		/* checked so far */
};

typedef void bench_fn(struct bench *);

/* Run `check` on every kernel that this machine supports; one that nobody supports is no failure here. */
void each_kernel(bench_fn *check);

/* Run `check` on every backend, with its kernel for work without versions: for what is not about one kernel. */
void each_backend(bench_fn *check);

/* A test program's way out of main(): apply ADIT_CPU_MASK and run them. */
#define run_masked(tests) (kernel_bench_mask() < 0 ? 2 : cmocka_run_group_tests(tests, NULL, NULL))
int kernel_bench_mask(void);

uint32_t next_random(struct bench *);
void fill_random(struct bench *, uint8_t *bytes, size_t len);

/* Random versions for a kernel whose lanes they are, the header's own first. */
void fill_versions(struct bench *);

/* A random header, and those. */
void fill_random_work(struct bench *);

void reference_digest(struct bench *, uint8_t digest[32], uint32_t version, uint32_t nonce);
uint32_t top_word(const uint8_t digest[32]);

#endif
