/* Lines of a file, each of which becomes one item of a batch. */
#ifndef OFFLOAD_LINES_H
#define OFFLOAD_LINES_H

#include <stdio.h>

#include "offload/ring.h"

struct lines {
	FILE *file;
	const char *path;
	uint64_t number;	/* of the line read last, from 1 */
	char *line;		/* without its end; may hold zeros */
	size_t room, len;

	/* Make an item of the line: 0, or -1 logged, naming path and number. */
	int (*read)(struct lines *, uint8_t *item);
	bool hex;		/* for read() */
};

/* "-" is the standard input. 0, or -1 logged. */
int lines_open(struct lines *, const char *path);
void lines_close(struct lines *);

/* A stream's fill(): as many lines as the task takes. */
int lines_fill(struct lines *, struct task *);

#endif
