/* A pool's address as the user writes it: [scheme://][user[:pass]@]host:port[/path] */
#ifndef POOL_URL_H
#define POOL_URL_H

#include <stdbool.h>
#include <stdint.h>

#define URL_SCHEME_MAX	16	/* bytes, with the NUL */
#define URL_HOST_MAX	256
#define URL_PATH_MAX	256
#define URL_LOGIN_MAX	256

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

/* Wipe user and password. */
void url_forget(struct url *);

/* The part of a text that may be logged, whether it is a good URL or not: what may be a login is left out. */
const char *url_shown(const char *text);

/*
 * Is `other` the host itself, or of its domain? a.pool.example and b.pool.example are,
 * a.example and b.example are not, nor a.co.uk and b.co.uk. Numbers are of no domain.
 */
bool url_same_domain(const char *host, const char *other);

#endif
