/*
 * What every connection to a pool has in common, whether it carries lines or HTTP:
 * the proxy it goes through, whom TLS trusts, and how a dead one is noticed. Set on
 * a libcurl handle before it connects.
 *
 * What a newcomer would get wrong: libcurl reads proxies from the environment, and
 * resolves names itself for some kinds of proxy. Neither happens here: what was not
 * asked for is not used, and a name goes to the proxy as it is.
 */
#ifndef POOL_TRANSPORT_H
#define POOL_TRANSPORT_H

#include <curl/curl.h>
#include <stdbool.h>

struct transport {
	char *proxy;		/* its URL, with its credentials: a secret; NULL: none */
	char *cert;		/* a PEM file of certificates to trust in place of the system's; NULL: the system's */
	bool no_verify;		/* take any certificate */
};

/*
 * Copies the texts. A proxy is [http|socks4a|socks5h]://[user:pass@]host:port. 0, or
 * -1, logged, when it is not or the file cannot be read. Warns when nothing will be verified.
 */
int transport_init(struct transport *, const char *proxy, const char *cert, bool no_verify);

/* Harmless on zeros. */
void transport_destroy(struct transport *);

void transport_apply(const struct transport *, CURL *);

#endif
