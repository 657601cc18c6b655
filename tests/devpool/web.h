/*
 * HTTP/1.1 (RFC 9112) on one client's connection, as far as a replay needs it: requests with a
 * Content-Length, one at a time, each answered as calls_find() says, or that there is no such
 * method.
 */
#ifndef DEVPOOL_WEB_H
#define DEVPOOL_WEB_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/devpool/call.h"
#include "tests/devpool/peer.h"

#define WEB_REQUEST_MAX	(24u << 20)	/* bytes: a full block in hex, and more */

/* What all connections to the node of a record share. */
struct web_site {
	struct calls calls;
	double speed;			/* seconds of then in one of now */
	double started;			/* clock_now() of the first request; 0: there was none */
};

struct web {
	struct web_site *site;
	struct peer *peer;
	char *in;			/* what is not yet a whole request */
	size_t in_len, in_size;
	char *out;			/* an answer; NULL: none is waited for, or none will come */
	size_t out_len, out_sent;
	double due;			/* clock_now() when `out` is, or without one the connection's end; infinite for never */
	bool waiting;			/* a request has not been answered */
};

void web_open(struct web *, struct web_site *, struct peer *);
void web_close(struct web *);

/* Take what the peer has received, at clock_now() = now. */
void web_hear(struct web *, double now);

/* Say what is due, as far as the peer has room; and when something will be next. */
void web_step(struct web *, double now);
double web_due(const struct web *);

#endif
