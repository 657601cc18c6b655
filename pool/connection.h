/*
 * A connection that carries text lines, plain or in TLS, straight or through a
 * proxy, over libcurl's CONNECT_ONLY. Owned by one thread; never blocks but in connection_open() and
 * connection_read(), and both end at once when the bell rings and `stop` is set.
 *
 * What a newcomer would get wrong: a socket that poll() calls silent may still have
 * a line for us, decrypted already and held by the TLS library. So reading comes
 * first and polling only when nothing was there.
 */
#ifndef POOL_CONNECTION_H
#define POOL_CONNECTION_H

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool/trace.h"
#include "pool/transport.h"
#include "pool/wake.h"

#define LINE_MAX_LEN	(4u << 20)	/* bytes of one received line; longer ones are skipped, and that is logged */

/* Set by the owner, and outlives all connections. */
struct connection_setup {
	const char *name;		/* of the pool, for log lines */
	struct wake *wake;
	const _Atomic bool *stop;
	const struct transport *transport;
	const bool *told;		/* is its end logged? */
	struct trace trace;		/* of all lines, both ways */
};

struct connection {
	struct connection_setup setup;

	/* its own; zero while closed */
	CURLM *multi;
	CURL *curl;
	curl_socket_t socket;
	char error[CURL_ERROR_SIZE];	/* libcurl's own words */
	char *in;			/* received: lines taken up to in_start, no line end before in_scanned */
	size_t in_size, in_start, in_scanned, in_end;
	bool skipping;			/* the rest of a line that is too long */
	char *out;			/* to be sent yet */
	size_t out_size, out_len;
};

/* 0, or -1: logged as `told` says, and not when it was told to stop. TLS never falls back to plain. */
int connection_open(struct connection *, const char *host, uint16_t port, bool tls);

/* Harmless when closed. */
void connection_close(struct connection *);

/*
 * Send a line, without its end, now or as soon as the pool reads. Dump and record
 * show `shown` in its place when that is not NULL: for lines that hold a password, be it
 * one that is not masked (base/secret.h). 0, or
 * -1 logged when the connection is lost or the pool has not read for long.
 */
int connection_send(struct connection *, const char *line, const char *shown);

/*
 * 1: *line is the next line that is not blank, without its end, `len` bytes and a
 * NUL, valid until the next call. 0: none within the time, or the bell rang. -1: the
 * connection is lost, logged.
 */
int connection_read(struct connection *, char **line, size_t *len, int timeout_ms);

#endif
