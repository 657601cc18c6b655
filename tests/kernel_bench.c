/* The bench that kernels are tested on: see kernel_bench.h. */
#include "tests/kernel_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "simd/cpu.h"
#include "simd/scan.h"

static void try_kernel(bench_fn *check, const struct algo *algo, const struct backend *backend, const struct kernel *kernel)
{
	struct bench b = { .algo = algo, .backend = backend, .kernel = kernel, .seed = 1 };

	if (!kernel)
		return;
	backend_kernel_name(b.name, backend, kernel);
	if (!backend->supported()) {
		print_message("%s %s: skipped, this CPU or the mask on it lacks what it needs\n", b.algo->name, b.name);
		return;
	}
	b.job = lanes_job_alloc(b.kernel, b.algo);
	b.scratch = lanes_job_alloc(&(const struct kernel){ .job_len = CACHE_LINE }, b.algo);
	assert_non_null(b.job);
	assert_non_null(b.scratch);
	check(&b);
	print_message("%s %s: %zu checked\n", b.algo->name, b.name, b.facts);
	assert_true(b.facts > 0);
	free(b.scratch);
	free(b.job);
}

void each_kernel(bench_fn *check)
{
	for (const struct algo *const *algo = algos; *algo; algo++) {
		for (const struct backend *const *backend = backends; *backend; backend++) {
			try_kernel(check, *algo, *backend, backend_kernel(*backend, *algo));
			try_kernel(check, *algo, *backend, backend_versions_kernel(*backend, *algo));
		}
	}
}

void each_backend(bench_fn *check)
{
	for (const struct algo *const *algo = algos; *algo; algo++)
		for (const struct backend *const *backend = backends; *backend; backend++)
			try_kernel(check, *algo, *backend, backend_kernel(*backend, *algo));
}

/* Numerical Recipes' linear congruential generator; the upper bits are good enough. */
uint32_t next_random(struct bench *b)
{
	uint32_t high = b->seed = b->seed * 1664525 + 1013904223;

	b->seed = b->seed * 1664525 + 1013904223;
	return (high & 0xffff0000) | b->seed >> 16;
}

void fill_random(struct bench *b, uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(next_random(b) >> 24);
}

void fill_versions(struct bench *b)
{
	b->work.version_count = (uint8_t)b->kernel->versions;
	for (unsigned i = 0; i < b->kernel->versions; i++)
		b->work.versions[i] = i ? next_random(b) : load_le32(b->work.header);
}

void fill_random_work(struct bench *b)
{
	fill_random(b, b->work.header, sizeof b->work.header);
	fill_versions(b);
}

void reference_digest(struct bench *b, uint8_t digest[32], uint32_t version, uint32_t nonce)
{
	uint8_t header[HEADER_MAX];

	memcpy(header, b->work.header, sizeof header);
	store_le32(header, version);
	store_le32(header + b->algo->nonce_off, nonce);
	b->algo->hash(digest, header, b->scratch);
}

uint32_t top_word(const uint8_t digest[32])
{
	return load_le32(digest + 28);
}

int kernel_bench_mask(void)
{
	const char *mask = getenv("ADIT_CPU_MASK");

	return mask ? cpu_mask(mask) : 0;
}
