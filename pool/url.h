/* A pool's address as the user writes it: [scheme://][user[:pass]@]host:port[/path] */
#ifndef POOL_URL_H
#define POOL_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define URL_SCHEME_MAX	16	/* bytes, with the NUL */
#define URL_HOST_MAX	256
#define URL_PATH_MAX	256
#define URL_LOGIN_MAX	256
#define URL_SHOWN_MAX	600	/* of a URL for a log line, which is cut if it is longer */

struct url {
	char scheme[URL_SCHEME_MAX];	/* lower case; empty when the text has none */
	char user[URL_LOGIN_MAX];	/* %41 and the like resolved; empty when there is none */
	char pass[URL_LOGIN_MAX];	/* the same; a secret */
	char host[URL_HOST_MAX];	/* a name or a number; IPv6 keeps its brackets */
	uint16_t port;			/* never 0 */
	char path[URL_PATH_MAX];	/* from its first slash on; empty when there is none */
};

/*
 * NULL when *url is set, else what is wrong, as part of a sentence. A path is
 * for nodes; stratum has none and ignores it.
 */
const char *url_parse(struct url *, const char *text);

/* The host alone, as `len` bytes of text without a port: NULL when `host` is set, else what is wrong. */
const char *url_parse_host(char host[URL_HOST_MAX], const char *text, size_t len);

/* Wipe user and password. */
void url_forget(struct url *);

/*
 * A URL as it may be shown, whether it is a good one or not: *** for what is, or was meant to be, a login, which is all
 * up to the last @, or if there is none to the last %40; and *** for all of the rest that is no HOST:PORT/PATH, because
 * that may be a password at the wrong place. Returns `out`.
 */
const char *url_shown(char out[URL_SHOWN_MAX], const char *text);

/* The same in place, with a star for each byte. */
void url_hide(char *text);

/*
 * Is `other` the host itself, or of its domain? a.pool.example and b.pool.example are,
 * a.example and b.example are not, nor a.co.uk and b.co.uk. Numbers are of no domain.
 * Which other names anyone may register under, as under duckdns.org, is not known here.
 */
bool url_same_domain(const char *host, const char *other);

#endif
