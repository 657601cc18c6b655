/* Into log and record: see trace.h. */
#include "pool/trace.h"

#include "base/log.h"
#include "base/secret.h"

#define SHOWN_MAX 2048	/* bytes of a line; the log keeps fewer, and says that it cut it */

void trace_connection(struct trace *trace)
{
	trace->connection = record_connection(trace->record);
}

void trace_entry(const struct trace *trace, struct record_entry entry)
{
	bool missing = entry.call > 0 && entry.direction == '<' && entry.status == 0;
	char shown[SHOWN_MAX];

	if (trace->dump && !missing)
		log_info("pool %s: %c %s", trace->name, entry.direction, secret_show(shown, sizeof shown, entry.text));
	entry.pool = trace->pool;
	entry.connection = trace->connection;
	record_put(trace->record, &entry);
}
