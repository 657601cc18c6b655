/* Facts of the benchmark that its output cannot show in a reasonable time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/clock.h"
#include "cli/cell.h"
#include "simd/scan.h"

#define NONCES		2048	/* of a header, in place of all there are */
#define GENEROUS	30	/* s; more than any machine needs for a few thousand hashes */

static void a_cell_goes_on_when_the_nonces_of_its_header_end(void **state)
{
	const struct cpu_list cpus = { .count = 1 };
	const double give_up = clock_now() + GENEROUS;
	uint64_t hashes = 0;

	(void)state;
	while (hashes <= NONCES && clock_now() < give_up) {
		struct cell cell = {
			.algo = algo_find("sha256d"), .backend = backend_find("scalar"), .threads = 1, .cpus = &cpus,
			.limit = 0.2, .nonces = NONCES,
		};

		assert_int_equal(cell_run(&cell), 0);
		hashes = crew_hashes(&cell.crew);
		cell_free(&cell);
	}
	assert_true(hashes > NONCES);
}

/* It must be what mining does, or the figures of a profile are of something else. */
static void assert_walk(const struct algo *algo, const struct kernel *kernel)
{
	struct work work;
	void *job = lanes_job_alloc(kernel, algo);
	uint32_t found = 0;

	assert_non_null(job);
	assert_int_equal(cell_work(&work, kernel->versions), 0);
	work.target[7] = 0x3fffffff;
	kernel->prepare(job, algo, &work);
	for (uint32_t nonce = 0; nonce < 64; nonce += kernel->lanes) {
		alignas(CACHE_LINE) uint64_t words[4 * LANES_MAX];
		const uint32_t mask = kernel->candidates(job, nonce);

		kernel->header(job, nonce, words);
		for (const struct lane_stage *stage = kernel->stages; stage[1].name; stage++)
			stage->run(job, words);
		assert_int_equal(kernel->last(job, words), mask);
		found |= mask;
	}
	assert_int_not_equal(found, 0);
	free(job);
}

static void a_chain_walked_by_stages_is_what_mining_walks(void **state)
{
	unsigned chains = 0;

	(void)state;
	for (const struct algo *const *a = algos; *a; a++) {
		for (const struct backend *const *b = backends; *b; b++) {
			const struct kernel *kernel = backend_kernel(*b, *a);

			if (!kernel || !kernel->stages || !(*b)->supported())
				continue;
			assert_non_null(kernel->header);
			assert_walk(*a, kernel);
			chains++;
		}
	}
	assert_true(chains > 0);
}

/* Neither the best nor the mean: one sample in a preempted moment, and one at a higher clock, change nothing. */
static void the_clock_over_a_time_is_the_median_of_its_last_samples(void **state)
{
	struct clock_samples samples = { .ghz = { 0.1, 3.5, 4.5, 3.4, 3.6 }, .count = 5 };

	(void)state;
	assert_true(clock_samples_ghz(&samples) == 3.5);
	samples.count = 0;
	assert_true(clock_samples_ghz(&samples) == 0);
	for (unsigned i = 0; i < CLOCK_SAMPLES; i++)
		samples.ghz[i] = i % 2 ? 2.0 : 3.0;
	samples.ghz[1] = 3.0;
	samples.count = CLOCK_SAMPLES;
	assert_true(clock_samples_ghz(&samples) == 3.0);

	samples.ghz[0] = 0;
	clock_sample(&samples);		/* over the first */
	assert_true(samples.count == CLOCK_SAMPLES + 1);
	assert_true(samples.ghz[0] > 0 && samples.ghz[1] == 3.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_over_a_time_is_the_median_of_its_last_samples),
		cmocka_unit_test(a_cell_goes_on_when_the_nonces_of_its_header_end),
		cmocka_unit_test(a_chain_walked_by_stages_is_what_mining_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
