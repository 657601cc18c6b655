/*
 * A file that is there whole or not at all: written without a name, and given its name
 * once all is written and known to be right. Whatever kills the program before, nothing
 * is left of it.
 *
 * What a newcomer would get wrong: not every file system has files without a name (NFS and
 * FAT have none). There it has a name of its own beside `path` until then, and what can not
 * be caught, a SIGKILL or a crash, leaves that. Nor does every file system
 * have hard links, or a renaming that never replaces, to give a file its name by.
 */
#ifndef OFFLOAD_OUTPUT_H
#define OFFLOAD_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
	const char *path;		/* NULL: what is written is thrown away */
	char temporary[PATH_MAX];	/* its name for the time being; "": it has none */
	int file;
	bool replace;
};

/*
 * Start one for `path`, which outlives it. Without `replace` an existing file is an error, now and at the end. NULL:
 * throw all away. 0, or -1 logged. One at a time: a signal that ends the program removes what has a name by then.
 */
int output_open(struct output *, const char *path, bool replace);
int output_write(struct output *, const uint8_t *bytes, size_t len);	/* 0, or -1 logged */

/* With `keep` give it its name: 0, or -1 logged with nothing left. Without it, leave nothing. */
int output_close(struct output *, bool keep);

#endif
