/*
 * Keeps one kind of log line from flooding the log: ten a second pass, or in whatever
 * window of time its owner sets; the others are counted and the count is told with the
 * next that passes.
 */
#ifndef POOL_THROTTLE_H
#define POOL_THROTTLE_H

#include <stdbool.h>

#define THROTTLE_NOTE_MAX 40

struct throttle {
	double window_s;	/* the owner's; 0: a second */
	double window_began;	/* clock_now() */
	unsigned passed;	/* since then */
	unsigned long held;	/* since the last that passed */
};

/* True: log the line, and append `note` to it, which is empty or tells how many were held back. */
bool throttle_pass(struct throttle *, char note[THROTTLE_NOTE_MAX]);

#endif
