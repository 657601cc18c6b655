/* Lines over libcurl: see connection.h. */
#include "pool/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"

#define BUFFER_FIRST	4096		/* bytes a buffer begins with */
#define UNSENT_MAX	(1u << 20)	/* bytes: a pool that leaves so much unread is as good as dead */
#define CONNECT_TIMEOUT	20000L		/* ms */
#define TLS_TIMEOUT	9000L		/* ms: a pool without TLS takes our greeting for a line that has not ended, and is silent */

/* Make a buffer hold at least `want` bytes. */
static int reserve(struct connection *c, char **data, size_t *size, size_t want)
{
	size_t grown = *size ? *size : BUFFER_FIRST;

	if (want <= *size)
		return 0;
	while (grown < want)
		grown *= 2;
	char *bigger = realloc(*data, grown);
	if (!bigger)
		return log_error("pool %s: no memory for a line of %zu bytes", c->setup.name, want);
	*data = bigger;
	*size = grown;
	return 0;
}

/* What libcurl says about a failure, in its own words if it has any. */
static const char *cause(const struct connection *c, CURLcode code)
{
	return c->error[0] ? c->error : curl_easy_strerror(code);
}

/*
 * Until connected, failed or told to stop. The multi interface is here for the bell:
 * an easy transfer cannot be woken.
 */
static CURLcode perform(struct connection *c)
{
	struct curl_waitfd bell = { .fd = c->setup.wake->fd[0], .events = CURL_WAIT_POLLIN };
	int running, left;

	while (!*c->setup.stop) {
		if (curl_multi_perform(c->multi, &running) != CURLM_OK)
			return CURLE_FAILED_INIT;
		const CURLMsg *message = curl_multi_info_read(c->multi, &left);
		if (message)
			return message->data.result;
		curl_multi_poll(c->multi, &bell, 1, 1000, NULL);
		wake_clear(c->setup.wake);
	}
	return CURLE_ABORTED_BY_CALLBACK;
}

/* The connection is lost: tell, unless it is one of too many. Returns -1. */
static int lose(const struct connection *c, const char *event, const char *why)
{
	return *c->setup.told ? log_error("pool %s: %s%s%s", c->setup.name, event, why[0] ? ": " : "", why) : -1;
}

/* What went wrong, and for TLS what it may mean. */
static void blame(const struct connection *c, CURLcode result, bool tls)
{
	bool spoken = result == CURLE_SSL_CONNECT_ERROR || result == CURLE_OPERATION_TIMEDOUT;
	char shown[CURL_ERROR_SIZE];

	if (*c->setup.told)
		log_error("pool %s: cannot connect: %s%s", c->setup.name, secret_show(shown, sizeof shown, cause(c, result)),
			  tls && spoken ? " (does this port speak TLS?)" : "");
}

int connection_open(struct connection *c, const char *host, uint16_t port, bool tls)
{
	const struct transport *transport = c->setup.transport;
	char url[300];

	snprintf(url, sizeof url, "%s://%s:%u/", tls ? "https" : "http", host, (unsigned)port);
	c->multi = curl_multi_init();
	c->curl = curl_easy_init();
	if (!c->multi || !c->curl) {
		log_error("pool %s: no memory for a connection", c->setup.name);
		goto fail;
	}
	transport_apply(transport, c->curl);
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->error);
	curl_easy_setopt(c->curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, tls && !transport->proxy ? TLS_TIMEOUT : CONNECT_TIMEOUT);
	curl_easy_setopt(c->curl, CURLOPT_SSL_ENABLE_ALPN, 0L);	/* it would announce HTTP */
	/* it stays there while the connection lives: curl_easy_send() finds its socket by it */
	if (curl_multi_add_handle(c->multi, c->curl) != CURLM_OK) {
		log_error("pool %s: libcurl refuses the transfer", c->setup.name);
		goto fail;
	}

	CURLcode result = perform(c);
	if (result == CURLE_OK)
		result = curl_easy_getinfo(c->curl, CURLINFO_ACTIVESOCKET, &c->socket);
	if (result == CURLE_OK && c->socket == CURL_SOCKET_BAD)
		result = CURLE_COULDNT_CONNECT;
	if (result != CURLE_OK) {
		if (!*c->setup.stop)
			blame(c, result, tls);
		goto fail;
	}
	trace_connection(&c->setup.trace);
	return 0;

fail:
	connection_close(c);
	return -1;
}

void connection_close(struct connection *c)
{
	if (c->multi && c->curl)
		curl_multi_remove_handle(c->multi, c->curl);
	curl_easy_cleanup(c->curl);
	curl_multi_cleanup(c->multi);
	free(c->in);
	free(c->out);
	*c = (struct connection){ .setup = c->setup };
}

/* Send what the socket takes; the rest stays. */
static int flush(struct connection *c)
{
	while (c->out_len > 0) {
		size_t sent = 0;

		c->error[0] = '\0';
		CURLcode result = curl_easy_send(c->curl, c->out, c->out_len, &sent);
		if (result == CURLE_AGAIN)
			return 0;
		if (result != CURLE_OK)
			return lose(c, "connection lost", cause(c, result));
		c->out_len -= sent;
		memmove(c->out, c->out + sent, c->out_len);
	}
	return 0;
}

int connection_send(struct connection *c, const char *line, const char *shown)
{
	size_t len = strlen(line);

	trace_entry(&c->setup.trace, (struct record_entry){ .direction = '>', .text = shown ? shown : line });
	if (c->out_len + len > UNSENT_MAX)
		return lose(c, "it does not read what it is sent", "");
	if (reserve(c, &c->out, &c->out_size, c->out_len + len + 1) < 0)
		return -1;
	memcpy(c->out + c->out_len, line, len);
	c->out[c->out_len + len] = '\n';
	c->out_len += len + 1;
	return flush(c);
}

static bool is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	return true;
}

/* The next line out of what was received, if a whole one is there. */
static bool take_line(struct connection *c, char **line, size_t *len)
{
	char *end;

	while ((end = memchr(c->in + c->in_scanned, '\n', c->in_end - c->in_scanned))) {
		bool skipped = c->skipping;

		*line = c->in + c->in_start;
		*len = (size_t)(end - *line);
		c->in_start = c->in_scanned = (size_t)(end + 1 - c->in);
		c->skipping = false;
		if (skipped || is_blank(*line, *len))
			continue;
		if ((*line)[*len - 1] == '\r')
			--*len;
		(*line)[*len] = '\0';
		trace_entry(&c->setup.trace, (struct record_entry){ .direction = '<', .text = *line });
		return true;
	}
	c->in_scanned = c->in_end;
	return false;
}

/* Make room for more of the line that has begun, or give it up when it is too long. */
static int make_room(struct connection *c)
{
	size_t begun = c->in_end - c->in_start;

	if (begun >= LINE_MAX_LEN && !c->skipping) {
		log_warn("pool %s: a line is longer than %u bytes: skipped", c->setup.name, LINE_MAX_LEN);
		c->skipping = true;
	}
	if (c->skipping)
		begun = 0;
	if (begun > 0 && c->in_start > 0)
		memmove(c->in, c->in + c->in_start, begun);
	c->in_start = 0;
	c->in_scanned = c->in_end = begun;
	return reserve(c, &c->in, &c->in_size, begun + 1);
}

/* 1: something was received; 0: nothing there; -1: lost, logged. Only when take_line() has found all there is. */
static int receive(struct connection *c)
{
	size_t got = 0;

	if (make_room(c) < 0)
		return -1;
	c->error[0] = '\0';
	CURLcode result = curl_easy_recv(c->curl, c->in + c->in_end, c->in_size - c->in_end, &got);
	if (result == CURLE_AGAIN)
		return 0;
	if (result != CURLE_OK)
		return lose(c, "connection lost", cause(c, result));
	if (got == 0)
		return lose(c, "the pool closed the connection", "");
	c->in_end += got;
	return 1;
}

/* Until there is something to receive or the bell rings; also sends what is left to send. */
static int wait_for_more(struct connection *c, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = c->socket, .events = c->out_len > 0 ? POLLIN | POLLOUT : POLLIN },
		{ .fd = c->setup.wake->fd[0], .events = POLLIN },
	};

	if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR)
		return log_errno("pool %s: poll", c->setup.name);
	if (fds[1].revents)
		wake_clear(c->setup.wake);
	return fds[0].revents & POLLOUT ? flush(c) : 0;
}

int connection_read(struct connection *c, char **line, size_t *len, int timeout_ms)
{
	if (c->in && take_line(c, line, len))
		return 1;
	record_tick(c->setup.trace.record);

	int got = receive(c);
	if (got == 0) {
		if (wait_for_more(c, timeout_ms) < 0)
			return -1;
		got = receive(c);
	}
	if (got < 0)
		return -1;
	return take_line(c, line, len) ? 1 : 0;
}
