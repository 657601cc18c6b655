/*
 * TLS on a client's socket, by OpenSSL, in the manner of recv() and send(): it never
 * waits, so that the server's one poll loop serves plain and TLS clients alike.
 *
 * What a newcomer would get wrong: bytes that OpenSSL has already taken from the socket
 * do not wake a poll. tls_pending() tells of them.
 */
#ifndef DEVPOOL_TLS_H
#define DEVPOOL_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <sys/types.h>

struct tls {
	SSL *ssl;
	size_t retry_len;	/* of a send that has to be made again as it was; 0: there is none */
	bool wants_to_write;	/* before it can go on reading */
};

/* From PEM files: a certificate, with those that lead to its root behind it, and its key. NULL, logged. */
SSL_CTX *tls_context(const char *cert_path, const char *key_path);

/* On a non-blocking socket, which stays the caller's. The handshake is done by the calls below. 0, or -1 logged. */
int tls_open(struct tls *, SSL_CTX *, int fd);
void tls_close(struct tls *);

/*
 * As recv() and send() without flags: -1 with EAGAIN when it has to wait for the
 * socket, with another errno when it failed, and tls_failure() then names the cause.
 * After EAGAIN from tls_send() the same bytes come first in the next call.
 */
ssize_t tls_receive(struct tls *, void *, size_t len);
ssize_t tls_send(struct tls *, const void *, size_t len);
const char *tls_failure(void);

/* Can more be received without a poll? */
bool tls_pending(const struct tls *);

#endif
