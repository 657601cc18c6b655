/* Lines of a file, each of which becomes one item of a batch. */
#ifndef OFFLOAD_LINES_H
#define OFFLOAD_LINES_H

#include "offload/input.h"
#include "offload/ring.h"

#define LINES_ROOM	65536	/* bytes; no line is longer */

struct lines {
	struct input input;
	uint64_t number;	/* of the line read last, from 1 */
	char *line;		/* without its end, a zero follows; may hold zeros */
	size_t len;

	/* Make an item of the line: 0, or -1 logged, naming path and number. */
	int (*read)(struct lines *, uint8_t *item);
	bool hex;		/* for read() */

	char buffer[LINES_ROOM + 1];
	size_t begin, end;	/* of what is read and not yet given out */
	bool ended;
};

/* "-" is the standard input. 0, or -1 logged. */
int lines_open(struct lines *, const char *path);
void lines_close(struct lines *);

/* A stream's fill(): as many lines as the task takes. And what its stop() calls. */
int lines_fill(struct lines *, struct task *);
void lines_stop(struct lines *);

#endif
