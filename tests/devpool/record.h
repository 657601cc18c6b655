/*
 * A recorded session: every line of it, both ways. The file, plain or gzip-compressed, has
 * one JSON object per line: first {"adit-record":1,"algo":...,"url":...}, then for
 * each line that went over the wire
 *
 *	{"t":SECONDS,"conn":N,"dir":">","line":"..."}
 *
 * with the time since the start, the connection's number, counting from 1, and ">" for
 * a line to the pool, "<" for one from it.
 */
#ifndef DEVPOOL_RECORD_H
#define DEVPOOL_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#define RECORD_CONNECTIONS_MAX 10000

struct record_line {
	double time;		/* never before the line before it */
	unsigned connection;	/* from 1 */
	bool from_pool;
	char *text;		/* without its line end */
};

struct record {
	struct record_line *lines;
	size_t count;
	unsigned connections;	/* the highest number */
};

/*
 * A file that ends in the middle, as of a program that was killed, gives what is whole,
 * with a warning. 0, or -1 with the place and the reason logged; then there is nothing to free.
 */
int record_load(struct record *, const char *path);
void record_free(struct record *);

#endif
