/*
 * One client's connection: lines in, lines out, both bounded. Every byte from and to a
 * client passes through here and nowhere else, TLS or not.
 *
 * What a newcomer would get wrong: nothing here closes the connection. A peer that
 * breaks a bound, or whose socket fails, is doomed: it takes no more bytes, gives no
 * more lines, and the server closes it when it is next safe to.
 */
#ifndef DEVPOOL_PEER_H
#define DEVPOOL_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/devpool/tls.h"

#define PEER_LINE_MAX	16384		/* bytes of a line from a client, its LF included */
#define PEER_OUT_MAX	(512 << 10)	/* bytes waiting for a client that does not read */

struct peer {
	int fd;
	bool secure;
	struct tls tls;		/* when secure */
	const char *doom;	/* why it is to be closed; NULL while it lives */
	bool misbehaved;	/* doomed for what it did, not because it left */

	/* how lines are written; may be changed at any time */
	size_t chunk;		/* bytes a write, with a short pause behind each; 0: as many as there are */
	const char *line_end;
	double hold_until;	/* clock_now() before which nothing is written */

	uint64_t queued, sent;	/* bytes of all lines so far */
	size_t in_start, in_len, out_start, out_len;
	char in[PEER_LINE_MAX];		/* [in_start, in_len) is not yet taken */
	char out[PEER_OUT_MAX];		/* out_len bytes from out_start on are not yet sent */
};

/*
 * Take over `fd`, a connected socket, and make it non-blocking; with a context it
 * speaks TLS. 0, or -1 logged and the fd still the caller's.
 */
int peer_open(struct peer *, int fd, SSL_CTX *);
void peer_close(struct peer *);

/* Have it closed; the first reason stays. */
void peer_doom(struct peer *, const char *why, bool misbehaved);

/* Read once what there is. Take all lines after it: the next call counts on that. */
void peer_receive(struct peer *);

/* Is there more to be received that poll() would not tell of? */
bool peer_pending(const struct peer *);

/*
 * The next whole line, ended by NUL in place of LF or CR LF, and its length; NULL when
 * there is none. Blank lines are passed over.
 */
const char *peer_line(struct peer *, size_t *len);

/* All bytes that have come and were not taken, and to take the first of them: for what is not made of lines. */
const char *peer_bytes(const struct peer *, size_t *len);
void peer_take(struct peer *, size_t len);

/* Queue `text` and a line end; peer_flush() sends it. */
void peer_send(struct peer *, const char *text);

/* Queue as many of these bytes as there is room for; returns how many. */
size_t peer_write(struct peer *, const char *bytes, size_t len);

/* Send what waits, as far as the socket, the chunks and the hold let it, at clock_now() = now. */
void peer_flush(struct peer *, double now);

/* What to poll() its fd for, and until when at the latest, to keep its writes going; infinite for no limit. */
short peer_events(const struct peer *, double now);
double peer_due(const struct peer *, double now);

#endif
