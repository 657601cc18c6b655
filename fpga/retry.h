/*
 * When a card that failed is tried again: after a pause that grows with each try and is short again once it has worked for a
 * minute. The pause is its own thread's, which claims nothing meanwhile; so others have the work.
 */
#ifndef FPGA_RETRY_H
#define FPGA_RETRY_H

#include "work/board.h"

#define RETRY_S		1.0	/* the first pause */
#define RETRY_MAX_S	60.0	/* the longest */
#define RETRY_FORGET_S	60	/* of work make earlier failures forgotten */

/* All zeros is a card that never failed. */
struct retry {
	double pause_s;		/* the next one, where there was one before */
	double started_at;	/* clock_now() */
};

/* The card works, from now on. */
void retry_started(struct retry *);

/* It has just finished some work. */
void retry_worked(struct retry *);

/* The next pause, s. */
double retry_pause(const struct retry *);

/* Sleep for so long; the next pause is twice as long. False: the board was closed meanwhile. */
bool retry_wait(struct retry *, struct board *);

#endif
