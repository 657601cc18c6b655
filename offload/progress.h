/* A bar on a terminal, for what takes longer than a moment. */
#ifndef OFFLOAD_PROGRESS_H
#define OFFLOAD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool quiet;		/* set before */
	uint64_t total;		/* bytes; 0: not known */
	double began, shown;
};

void progress_begin(struct progress *, uint64_t total);
void progress_show(struct progress *, uint64_t done);	/* may be called often: it draws five times a second */
void progress_end(struct progress *);			/* wipe it */

#endif
