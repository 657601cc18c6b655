/*
 * A record of what is said between pools and us, so that a user's bug report is a file
 * that can be played again: gzip-compressed, one JSON object per line, first
 *
 *	{"adit-record":2,"algo":"sha256d","pools":["stratum+tcp://pool.example:3333","http://..."]}
 *
 * with all pools of the run, and then for each line of stratum
 *
 *	{"t":0.123456,"pool":1,"conn":1,"dir":">","line":"{\"id\":1,...}"}
 *
 * with the seconds since the start, the number of the pool, counted from 1 as the head
 * lists them, that of the connection, counted from 1 over all pools, and ">" for a line
 * to the pool, "<" for one from it. Of HTTP, `line` is a body, and with it go
 *
 *	"call":1,"path":"/"				of a request
 *	"call":1,"status":200,"headers":{"x-...":"..."}	of the answer to it
 *
 * The connection is then our session with the node, and the call's number, counted
 * from 1 in it, tells which request an answer belongs to: several may be under way.
 * Status 0 is a call that failed. Headers are those that mean something to a miner.
 *
 * Secrets are masked (base/secret.h).
 *
 * What a newcomer would get wrong: compressed bytes that were not flushed are lost
 * when the program is killed, the last and most telling ones. All is in the file
 * after RECORD_FLUSH seconds.
 */
#ifndef POOL_RECORD_H
#define POOL_RECORD_H

#include <stddef.h>

#define RECORD_FLUSH 1	/* s */

struct record;

/* What was said. */
struct record_entry {
	unsigned pool;			/* from 1 */
	unsigned connection;
	char direction;			/* '>' or '<' */
	const char *text;		/* bytes that are no UTF-8 are recorded as U+FFFD */

	/* of HTTP */
	unsigned call;			/* 0: it is none */
	const char *path;		/* of a request */
	long status;			/* of an answer; 0: the call failed */
	const char *(*headers)[2];	/* of an answer, name and value; empty ones are left out */
	size_t header_count;
};

/*
 * A new file, readable by its owner only; a regular one that is there is replaced.
 * `urls` are those of all pools. NULL, logged, when it cannot be written.
 */
struct record *record_open(const char *path, const char *algo, const char *const *urls, size_t url_count);

/* All of these are harmless on NULL, and any thread may call them but the last. A write error is logged once and ends the record. */

/* The number of a connection that begins. */
unsigned record_connection(struct record *);

void record_put(struct record *, const struct record_entry *);

/* Now and then, so that a line after which nothing comes is flushed too. */
void record_tick(struct record *);

void record_close(struct record *);

#endif
