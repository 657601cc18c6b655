/* Clocks, and the core-clock measurement that turns CPU seconds into cycles. */
#include "base/clock.h"

#include <stdint.h>
#include <time.h>

#include "base/sort.h"

#define CHAIN_STEPS	10000	/* of a measurement: 600,000 cycles on x86-64 */

static double read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

double clock_thread_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* `steps` dependent steps of 20 chained instructions; returns the cycles they take. */
static double run_chain(unsigned steps)
{
#if defined __x86_64__
	uint64_t x = 1;

	for (unsigned i = 0; i < steps; i++)
		__asm__ volatile (".rept 20\n\timul %0, %0\n\t.endr" : "+r" (x));
	return steps * 20.0 * 3;
#elif defined __aarch64__ || defined __arm__
	uintptr_t x = 1;

	for (unsigned i = 0; i < steps; i++)
		__asm__ volatile (".rept 20\n\tadd %0, %0, %0\n\t.endr" : "+r" (x));
	return steps * 20.0;
#else
	uintptr_t x = 1;

	for (unsigned i = 0; i < steps * 20; i++)
		__asm__ volatile ("" : "+r" (x) : "0" (x + x));
	return steps * 20.0;
#endif
}

/* One run of the chain, in GHz; 0 where the system's clock saw no time pass. */
static double measured_ghz(void)
{
	double start = clock_thread_cpu();
	double cycles = run_chain(CHAIN_STEPS);
	double seconds = clock_thread_cpu() - start;

	return seconds > 0 ? cycles / seconds / 1e9 : 0;
}

double clock_core_ghz(void)
{
	double best = 0;

	run_chain(1000);		/* wake the core */
	for (int i = 0; i < 16; i++) {
		double ghz = measured_ghz();

		if (ghz > best)
			best = ghz;
	}
	return best;
}

void clock_sample(struct clock_samples *samples)
{
	samples->ghz[samples->count++ % CLOCK_SAMPLES] = measured_ghz();
}

double clock_samples_ghz(const struct clock_samples *samples)
{
	struct clock_samples sorted = *samples;
	unsigned count = sorted.count < CLOCK_SAMPLES ? sorted.count : CLOCK_SAMPLES;

	return sort_median(sorted.ghz, count);
}
