/*
 * A recorded session of one pool: every line of it, both ways. The file, plain or gzip-compressed,
 * has one JSON object per line: first {"adit-record":2,"algo":...,"pools":[...]}, then for
 * each line that went over the wire
 *
 *	{"t":SECONDS,"pool":N,"conn":N,"dir":">","line":"..."}
 *
 * with the time since the start, the pool's number as the head lists them, the connection's number
 * over all pools, both counting from 1, and ">" for a line to the pool, "<" for one from it. With
 * HTTP, "line" is the body of a request or an answer, and with it go "call":N, which pairs them, and
 * "path":"/" of the one, "status":200,"headers":{} of the other; status 0 is a call that failed.
 */
#ifndef DEVPOOL_RECORD_H
#define DEVPOOL_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define RECORD_CONNECTIONS_MAX 10000

struct record_line {
	double time;		/* never before the line before it */
	unsigned connection;	/* from 1; those of the pool that carry lines are counted anew, without gaps */
	bool from_pool;
	char *text;		/* without its line end, or a body */

	/* of HTTP */
	unsigned call;		/* 0: it is none */
	char *path;		/* of a request */
	long status;		/* of an answer */
	json_t *headers;	/* of an answer: texts by their names */
};

struct record {
	struct record_line *lines;
	size_t count;
	unsigned connections;	/* that carry lines */
};

/*
 * The lines of one pool. A file that ends in the middle, as of a program that was killed, gives what is whole,
 * with a warning. 0, or -1 with the place and the reason logged; then there is nothing to free.
 */
int record_load(struct record *, const char *path, unsigned pool);
void record_free(struct record *);

#endif
