/*
 * A record of what is said between a pool and us, so that a user's bug report is a
 * file that can be played again: gzip-compressed, one JSON object per line, first
 *
 *	{"adit-record":1,"algo":"sha256d","url":"pool.example:3333"}
 *
 * and then for each line of the protocol
 *
 *	{"t":0.123456,"conn":1,"dir":">","line":"{\"id\":1,...}"}
 *
 * with the seconds since the start, the number of the connection, counted from 1, and
 * ">" for a line to the pool, "<" for one from it. Passwords are masked by who calls.
 *
 * What a newcomer would get wrong: compressed bytes that were not flushed are lost
 * when the program is killed, the last and most telling ones. All is in the file
 * after RECORD_FLUSH seconds.
 */
#ifndef POOL_RECORD_H
#define POOL_RECORD_H

#define RECORD_FLUSH 1	/* s */

struct record;

/* A new file, readable by its owner only; one that is there is replaced. NULL, logged, when it cannot be written. */
struct record *record_open(const char *path, const char *algo, const char *url);

/* All of these are harmless on NULL, and any thread may call them but the last. A write error is logged once and ends the record. */

/* The number of a connection that begins. */
unsigned record_connection(struct record *);

/* `direction` is '>' or '<'. Bytes that are no UTF-8 are recorded as U+FFFD. */
void record_line(struct record *, unsigned connection, char direction, const char *line);

/* Now and then, so that a line after which nothing comes is flushed too. */
void record_tick(struct record *);

void record_close(struct record *);

#endif
