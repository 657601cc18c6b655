/* Options of a libcurl handle: see transport.h. */
#include "pool/transport.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"
#include "pool/url.h"

#define KEEPALIVE_IDLE	60L	/* s of silence before TCP asks whether the other side lives */
#define KEEPALIVE_PAUSE	20L	/* s between such questions */

/* What is wrong with a proxy's URL, or NULL; from then on its password is masked. Kinds of proxy that want an address, not a name, are left out. */
static const char *proxy_fault(const char *text)
{
	static const char *const schemes[] = { "http", "socks4a", "socks5h" };
	struct url url;
	const char *why = url_parse(&url, text);

	if (!why && secret_add(url.pass) < 0)
		why = "no memory for its password";
	url_forget(&url);
	if (why)
		return why;
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (strcmp(url.scheme, schemes[i]) == 0)
			return NULL;
	return "it is neither http, socks4a nor socks5h";
}

int transport_init(struct transport *transport, const char *proxy, const char *cert, bool no_verify)
{
	const char *why = proxy ? proxy_fault(proxy) : NULL;
	FILE *file = cert ? fopen(cert, "r") : NULL;
	char shown[URL_SHOWN_MAX];

	*transport = (struct transport){ .no_verify = no_verify };
	if (why)
		log_error("proxy '%s': %s", url_shown(shown, proxy), why);
	else if (cert && !file)
		log_errno("certificates %s", secret_show(shown, sizeof shown, cert));
	if (file)
		fclose(file);
	if (why || (cert && !file))
		return -1;

	transport->proxy = proxy ? strdup(proxy) : NULL;
	transport->cert = cert ? strdup(cert) : NULL;
	if ((proxy && !transport->proxy) || (cert && !transport->cert)) {
		transport_destroy(transport);
		return log_error("no memory for a proxy or a file's name");
	}
	return 0;
}

void transport_destroy(struct transport *transport)
{
	if (transport->proxy)
		OPENSSL_cleanse(transport->proxy, strlen(transport->proxy));
	free(transport->proxy);
	free(transport->cert);
	*transport = (struct transport){ .proxy = NULL };
}

void transport_apply(const struct transport *transport, CURL *curl)
{
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);		/* these are threads */
	curl_easy_setopt(curl, CURLOPT_PROXY, transport->proxy ? transport->proxy : "");
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "");		/* not even for hosts that the environment names */
	curl_easy_setopt(curl, CURLOPT_HTTPPROXYTUNNEL, 1L);	/* it sees where we go, not what we say */
	curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);	/* its headers are not the pool's */
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, transport->no_verify ? 0L : 1L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, transport->no_verify ? 0L : 2L);
	if (transport->cert) {
		curl_easy_setopt(curl, CURLOPT_CAINFO, transport->cert);
		curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_IDLE);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_PAUSE);
#if LIBCURL_VERSION_NUM >= 0x075700
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);		/* never wait for a name server when closing */
#endif
}
