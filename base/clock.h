/* Time as the program measures it: seconds as doubles, from clocks that never step back. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since some fixed point; never steps back. */
double clock_now(void);

/* CPU seconds this thread has used. */
double clock_thread_cpu(void);

/*
 * The clock in GHz that this core runs at just now, from a dependent chain of
 * instructions of known latency: on x86-64 64-bit multiplications of 3 cycles, else
 * additions of 1. Takes some 4 ms; the best of several short tries, since
 * a disturbance only ever makes one slower.
 */
double clock_core_ghz(void);

/*
 * The clock over a time in which something else runs and is measured: samples by the same chain in between, of some
 * 0.2 ms, of which the median counts. Not their best: a core's clock, and what its neighbours leave of it, change
 * within a millisecond, and both the samples and what is measured meet all of that. Begins as zero; the last
 * CLOCK_SAMPLES are kept.
 */
#define CLOCK_SAMPLES 512
struct clock_samples {
	double ghz[CLOCK_SAMPLES];
	unsigned count;			/* taken so far */
};
void clock_sample(struct clock_samples *);
double clock_samples_ghz(const struct clock_samples *);	/* 0: none was taken */

#endif
