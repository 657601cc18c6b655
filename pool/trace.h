/*
 * What is said with a pool, for those who want to see it: as lines of the log, and into the
 * record. Whole lines and answers are shown here and nowhere else, and all of them masked.
 */
#ifndef POOL_TRACE_H
#define POOL_TRACE_H

#include <stdbool.h>

#include "pool/record.h"

struct trace {
	const char *name;		/* of the pool, for log lines; outlives this */
	unsigned pool;			/* its number in the record */
	bool dump;			/* into the log */
	struct record *record;		/* or NULL */
	unsigned connection;		/* trace.c's: its number in the record */
};

/* A connection begins. */
void trace_connection(struct trace *);

/* Something is said; its pool and connection are filled in here. An answer of HTTP that never came is not for the log. */
void trace_entry(const struct trace *, struct record_entry);

#endif
