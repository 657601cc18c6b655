/*
 * JSON-RPC as stratum speaks it: one JSON object a line, a request, which has a method,
 * or a reply, which need not lack one. Pools take liberties with everything else, too -
 * ids come back as strings or reals, errors are arrays, objects, strings or missing -
 * and these functions are where such liberties are understood.
 */
#ifndef POOL_JSONRPC_H
#define POOL_JSONRPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REASON_MAX 256	/* bytes, with the NUL */

/* Pointers into `root`, NULL where the line has no such member. */
struct message {
	json_t *root;
	json_t *id;
	const char *method;	/* NULL in most replies */
	json_t *params;
	json_t *result;
	json_t *error;
};

/*
 * NULL when *message is set and wants message_free(), else what is wrong with the
 * line. A line can make no more than some 20 MB of values, nor nest deeply.
 */
const char *message_parse(struct message *, const char *line, size_t len);

/* The same with another bound: at most values_max values, at up to some 300 bytes each. */
const char *message_parse_within(struct message *, const char *text, size_t len, size_t values_max);
void message_free(struct message *);

/* Does the id ask for an answer? A notification's is null or missing. */
bool message_wants_reply(const struct message *);

/* An id of ours, as a number (1, 1.0, 1e0) or as its decimal text; false for anything else. */
bool message_id(const struct message *, uint32_t *id);

/*
 * Does a reply say yes: result true and no error? If not, `reason` is the text the
 * pool gave, wherever it put it, for people and with secrets masked, or "unknown".
 */
bool message_accepts(const struct message *, char reason[REASON_MAX]);

/* Does a reply carry an error? Then `reason` is its text. */
bool message_refuses(const struct message *, char reason[REASON_MAX]);

/* A string of exactly 2 * len hex digits, as bytes; false for anything else, NULL included. */
bool jsonrpc_hex(uint8_t *bytes, size_t len, const json_t *);

#endif
