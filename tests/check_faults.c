/* Kernels work in memory that is theirs before the nonce loop begins: it must not fault in the loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "tests/kernel_bench.h"

#define BATCHES		500
#define ATTEMPTS	50

/* Of this thread, served without and with I/O. */
static long page_faults(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_minflt + usage.ru_majflt;
}

/*
 * The system may take a page away at any time, and give it back with a fault, so one attempt without any is
 * asked for of several: a kernel that faults does so in each of them.
 */
static void batches_fault_no_page(struct bench *b)
{
	uint32_t nonce = 0;
	long faults = 1;

	fill_random_work(b);
	b->kernel->prepare(b->job, b->algo, &b->work);
	for (int i = 0; i < ATTEMPTS && faults > 0; i++) {
		const long before = page_faults();

		for (int batch = 0; batch < BATCHES; batch++, nonce += b->kernel->lanes)
			b->kernel->candidates(b->job, nonce);
		faults = page_faults() - before;
	}
	if (faults > 0)
		fail_msg("%s %s: %ld page faults in %d batches, in the last of %d attempts",
			 b->algo->name, b->name, faults, BATCHES, ATTEMPTS);
	b->facts++;
}

static void the_nonce_loop_faults_no_page(void **state)
{
	(void)state;
	each_kernel(batches_fault_no_page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nonce_loop_faults_no_page),
	};

	return run_masked(tests);
}
