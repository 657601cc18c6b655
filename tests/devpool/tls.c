/* A thin layer over OpenSSL: see tls.h. */
#include "tests/devpool/tls.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>

#include "base/log.h"

const char *tls_failure(void)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());

	return reason ? reason : "connection lost";
}

SSL_CTX *tls_context(const char *cert_path, const char *key_path)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	if (!context) {
		log_error("tls: %s", tls_failure());
		return NULL;
	}
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	if (SSL_CTX_use_certificate_chain_file(context, cert_path) != 1)
		log_error("tls certificate %s: %s", cert_path, tls_failure());
	else if (SSL_CTX_use_PrivateKey_file(context, key_path, SSL_FILETYPE_PEM) != 1)
		log_error("tls key %s: %s", key_path, tls_failure());
	else
		return context;
	SSL_CTX_free(context);
	return NULL;
}

int tls_open(struct tls *tls, SSL_CTX *context, int fd)
{
	*tls = (struct tls){ .ssl = SSL_new(context) };
	if (!tls->ssl || SSL_set_fd(tls->ssl, fd) != 1) {
		SSL_free(tls->ssl);
		return log_error("tls client: %s", tls_failure());
	}
	SSL_set_accept_state(tls->ssl);
	return 0;
}

void tls_close(struct tls *tls)
{
	if (SSL_is_init_finished(tls->ssl))
		SSL_shutdown(tls->ssl);		/* once: who does not answer is not waited for */
	ERR_clear_error();
	SSL_free(tls->ssl);
}

/* What a call's result means, as a system call would have put it. */
static ssize_t outcome(struct tls *tls, int result)
{
	switch (SSL_get_error(tls->ssl, result)) {
	case SSL_ERROR_NONE:
		return result;
	case SSL_ERROR_ZERO_RETURN:
		return 0;
	case SSL_ERROR_WANT_WRITE:
		tls->wants_to_write = true;
		errno = EAGAIN;
		return -1;
	case SSL_ERROR_WANT_READ:
		errno = EAGAIN;
		return -1;
	}
	errno = EPROTO;
	return -1;
}

ssize_t tls_receive(struct tls *tls, void *bytes, size_t len)
{
	ERR_clear_error();
	tls->wants_to_write = false;
	return outcome(tls, SSL_read(tls->ssl, bytes, len < INT_MAX ? (int)len : INT_MAX));
}

ssize_t tls_send(struct tls *tls, const void *bytes, size_t len)
{
	if (tls->retry_len > 0)
		len = tls->retry_len;
	ERR_clear_error();

	ssize_t n = outcome(tls, SSL_write(tls->ssl, bytes, len < INT_MAX ? (int)len : INT_MAX));

	tls->retry_len = n < 0 && errno == EAGAIN ? len : 0;
	if (n == 0) {
		errno = EPIPE;
		return -1;
	}
	return n;
}

bool tls_pending(const struct tls *tls)
{
	return SSL_pending(tls->ssl) > 0;
}
