/* Into log and record: see trace.h. */
#include "pool/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"

void trace_connection(struct trace *trace)
{
	trace->connection = record_connection(trace->record);
}

void trace_entry(const struct trace *trace, struct record_entry entry)
{
	bool missing = entry.call > 0 && entry.direction == '<' && entry.status == 0;
	char *shown = trace->dump && !missing ? strdup(entry.text) : NULL;

	if (shown) {		/* or there is no memory for it, and mining matters more */
		secret_mask(shown, SECRET_FOREIGN);
		log_info("pool %s: %c %s", trace->name, entry.direction, shown);
		free(shown);
	}
	entry.pool = trace->pool;
	entry.connection = trace->connection;
	record_put(trace->record, &entry);
}
