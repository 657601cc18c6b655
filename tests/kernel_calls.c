/*
 * Calls a kernel, or one stage of it, a given number of times and does nothing else that matters: what an instruction
 * counter is pointed at (tests/ports.py). Only counts are of use here; nothing is timed, and the memory of
 * a stage's input is left as it is.
 *
 * Usage: kernel_calls ALGORITHM BACKEND nonces|versions|header|STAGE CALLS	STAGE is a number from 0
 * Prints how many hashes a call makes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/registry.h"
#include "simd/backend.h"
#include "simd/scan.h"

/* By this name, counters find where to begin and to end. */
__attribute__((noinline)) static void kernel_calls(const struct kernel *kernel, void *job, const char *part, unsigned count)
{
	static alignas(CACHE_LINE) uint64_t words[4 * LANES_MAX];
	const uint32_t step = kernel->versions ? 1 : kernel->lanes;
	const bool header = strcmp(part, "header") == 0;
	const struct lane_stage *stage = part[0] >= '0' && part[0] <= '9' ? kernel->stages + atoi(part) : NULL;

	for (unsigned i = 0; i < count; i++) {
		if (header)
			kernel->header(job, i * step, words);
		else if (!stage)
			kernel->candidates(job, i * step);
		else if (stage[1].name)
			stage->run(job, words);
		else
			kernel->last(job, words);	/* in mining the last stage is no more than that */
	}
}

static const struct backend *backend_named(const char *name)
{
	for (const struct backend *const *b = backends; *b; b++)
		if (strcmp((*b)->name, name) == 0)
			return *b;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct algo *algo = argc == 5 ? algo_find(argv[1]) : NULL;
	const struct backend *backend = argc == 5 ? backend_named(argv[2]) : NULL;
	const struct kernel *kernel = NULL;
	struct work work = { 0 };

	if (algo && backend && backend->supported())
		kernel = strcmp(argv[3], "versions") == 0 ? backend_versions_kernel(backend, algo)
							   : backend_kernel(backend, algo);
	const bool whole = argc == 5 && (strcmp(argv[3], "nonces") == 0 || strcmp(argv[3], "versions") == 0);
	if (!kernel || (!whole && !kernel->stages)) {
		fprintf(stderr, "usage: kernel_calls ALGORITHM BACKEND nonces|versions|header|STAGE CALLS, "
			"of a kernel that runs here\n");
		return 2;
	}
	void *job = lanes_job_alloc(kernel, algo);

	if (!job)
		return 1;
	work.version_count = (uint8_t)kernel->versions;
	for (uint32_t i = 0; i < kernel->versions; i++)
		work.versions[i] = i << 13;
	kernel->prepare(job, algo, &work);
	kernel_calls(kernel, job, argv[3], (unsigned)atoi(argv[4]));
	printf("%u\n", kernel->lanes);
	free(job);
	return 0;
}
