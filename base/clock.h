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

#endif
