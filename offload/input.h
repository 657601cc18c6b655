/*
 * What a run reads: a file, a pipe, or the standard input. A pipe may be silent for as long
 * as it likes, so reading it is waiting for it, and another thread can end that wait.
 */
#ifndef OFFLOAD_INPUT_H
#define OFFLOAD_INPUT_H

#include <stddef.h>
#include <sys/types.h>

struct input {
	const char *path;
	int file;
	int wake;	/* an eventfd, readable once the input was stopped */
};

/* "-" is the standard input. 0, or -1 logged. `path` outlives it. */
int input_open(struct input *, const char *path);
void input_close(struct input *);

/* Wait for something to read: 1 to `len` bytes, 0 at the end. -1: logged, or input_stop() was called. */
ssize_t input_read(const struct input *, void *bytes, size_t len);

/* By any thread, any time before it is closed: who waits in input_read() waits no longer, and nothing more is read. */
void input_stop(const struct input *);

#endif
