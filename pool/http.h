/*
 * JSON-RPC's transport: POST a text to a URL, get a text and some headers back, by
 * libcurl. Several calls may be under way at once, each in its own struct http_call;
 * connections are kept and used again. Owned by one thread; blocks only in
 * http_wait(), which ends at once when the bell rings.
 *
 * What a newcomer would get wrong: an HTTP status of 404 or 500 is no failure here.
 * Nodes use it for the ordinary errors of JSON-RPC, and the body says what it was.
 */
#ifndef POOL_HTTP_H
#define POOL_HTTP_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool/trace.h"
#include "pool/transport.h"
#include "pool/wake.h"

#define HTTP_ANSWER_MAX	(24u << 20)	/* bytes of one answer; the template of a full block is some 10 MB */
#define HTTP_HEADER_MAX	300		/* bytes of a header's value, with the NUL; longer ones are ignored */

/* The headers of an answer that mean something to a miner. */
enum http_header { HTTP_LONG_POLLING, HTTP_ROLL_NTIME, HTTP_REJECT_REASON, HTTP_STRATUM, HTTP_HEADER_COUNT };

struct http {
	/* set by the owner; all outlive it */
	const char *name;		/* of the pool, for log lines */
	const char *user, *pass;	/* basic authentication, unless both are empty */
	const char *user_agent;
	struct wake *wake;
	const struct transport *transport;
	struct trace trace;		/* of all texts, both ways; the login is in a header, not in these */

	/* its own */
	unsigned calls;			/* begun since it is open */
	CURLM *multi;
	struct curl_slist *headers;	/* sent with each call */
};

/* Zero before its first use. */
struct http_call {
	bool once;			/* the owner's: on a connection of its own, because libcurl sends anew what a kept one lost */
	bool busy;
	double started;			/* clock_now() */

	/* set when it has ended */
	CURLcode result;
	long status;			/* of HTTP; 0: no answer came */
	char *answer;			/* NULL, or answer_len bytes and a NUL */
	size_t answer_len;
	char headers[HTTP_HEADER_COUNT][HTTP_HEADER_MAX];	/* empty: not there. They stay until the next http_start() */

	/* http.c's */
	CURL *easy;
	unsigned number;		/* in the record */
	char error[CURL_ERROR_SIZE];
	char *url, *sent;
	size_t answer_size;
	bool too_long;
};

/* 0, or -1 logged. */
int http_open(struct http *);

/* Its calls must have been closed. Harmless when it is not open. */
void http_close(struct http *);

/*
 * Begin a call; an earlier one in the same place is cut off. Takes over `text`, from
 * malloc(). timeout_s 0: it may take for ever; else so long until it is answered,
 * and less when nothing moves. 0, or -1 logged.
 */
int http_start(struct http *, struct http_call *, const char *url, char *text, double timeout_s);

/* Begin a call that has ended, and has not been released, once more: the same text to the same URL. 0, or -1 logged. */
int http_again(struct http *, struct http_call *);

/* A call that has ended, no longer busy, or NULL: none has within the time, or the bell rang. */
struct http_call *http_wait(struct http *, int timeout_ms);

/* Cut it off, if it is busy, and let go of its texts. */
void http_release(struct http *, struct http_call *);

/* Also let go of all that serves further calls in this place. */
void http_call_close(struct http *, struct http_call *);

/* Why an ended call has no answer, or NULL: it has one. */
const char *http_failure(const struct http_call *);

#endif
