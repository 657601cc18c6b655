/* POST over libcurl's multi interface: see http.h. */
#include "pool/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"

#define CONNECT_TIMEOUT	20L	/* s */
#define STALL_TIME	60L	/* s in which at least one byte has to move; a node may check a block that long */
#define ANSWER_FIRST	4096	/* bytes the buffer begins with */

static const char *const header_names[HTTP_HEADER_COUNT] = {
	[HTTP_LONG_POLLING] = "x-long-polling",
	[HTTP_ROLL_NTIME] = "x-roll-ntime",
	[HTTP_REJECT_REASON] = "x-reject-reason",
	[HTTP_STRATUM] = "x-stratum",
};

/* Sent with each call. "Expect:" is taken out: a long text would wait a second for leave to be sent. */
static const char *const sent_headers[] = {
	"Content-Type: application/json", "Expect:", "X-Mining-Extensions: longpoll midstate rollntime reject-reason", NULL
};

int http_open(struct http *http)
{
	http->multi = curl_multi_init();
	http->calls = 0;
	trace_connection(&http->trace);
	for (size_t i = 0; sent_headers[i]; i++) {
		struct curl_slist *longer = curl_slist_append(http->headers, sent_headers[i]);

		if (!longer || !http->multi) {
			http_close(http);
			return log_error("pool %s: no memory for HTTP", http->name);
		}
		http->headers = longer;
	}
	return 0;
}

void http_close(struct http *http)
{
	curl_slist_free_all(http->headers);
	curl_multi_cleanup(http->multi);
	http->headers = NULL;
	http->multi = NULL;
}

/* libcurl's callback for the answer: anything but `size * count` ends the call. */
static size_t on_body(char *data, size_t size, size_t count, void *arg)
{
	struct http_call *call = arg;
	size_t len = size * count, want = call->answer_len + len + 1, grown = call->answer_size ? call->answer_size : ANSWER_FIRST;

	if (want > HTTP_ANSWER_MAX) {
		call->too_long = true;
		return 0;
	}
	while (grown < want)
		grown *= 2;
	if (grown > call->answer_size) {
		char *bigger = realloc(call->answer, grown);

		if (!bigger)
			return 0;
		call->answer = bigger;
		call->answer_size = grown;
	}
	memcpy(call->answer + call->answer_len, data, len);
	call->answer_len += len;
	call->answer[call->answer_len] = '\0';
	return len;
}

/* libcurl's callback for each line of the answer's head, "Name: value\r\n", which ends in no NUL. */
static size_t on_header(char *line, size_t size, size_t count, void *arg)
{
	struct http_call *call = arg;
	size_t len = size * count, end = len;

	for (size_t i = 0; i < HTTP_HEADER_COUNT; i++) {
		size_t start = strlen(header_names[i]);

		if (len <= start || line[start] != ':' || strncasecmp(line, header_names[i], start) != 0)
			continue;
		start++;
		while (start < end && (line[start] == ' ' || line[start] == '\t'))
			start++;
		while (end > start && (line[end - 1] == '\r' || line[end - 1] == '\n' || line[end - 1] == ' '))
			end--;
		if (end - start < HTTP_HEADER_MAX)
			snprintf(call->headers[i], HTTP_HEADER_MAX, "%.*s", (int)(end - start), line + start);
	}
	return len;
}

/* What is the same for all calls in one place. */
static int prepare(struct http *http, struct http_call *call)
{
	if (call->easy)
		return 0;
	call->easy = curl_easy_init();
	if (!call->easy)
		return log_error("pool %s: no memory for a call", http->name);
	transport_apply(http->transport, call->easy);
	curl_easy_setopt(call->easy, CURLOPT_PRIVATE, call);
	curl_easy_setopt(call->easy, CURLOPT_ERRORBUFFER, call->error);
	curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, http->headers);
	curl_easy_setopt(call->easy, CURLOPT_USERAGENT, http->user_agent);
	curl_easy_setopt(call->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(call->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(call->easy, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(call->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(call->easy, CURLOPT_HEADERDATA, call);
	curl_easy_setopt(call->easy, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT);
	curl_easy_setopt(call->easy, CURLOPT_TCP_NODELAY, 1L);
	if (http->user[0] || http->pass[0]) {
		curl_easy_setopt(call->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		curl_easy_setopt(call->easy, CURLOPT_USERNAME, http->user);
		curl_easy_setopt(call->easy, CURLOPT_PASSWORD, http->pass);
	}
	return 0;
}

int http_start(struct http *http, struct http_call *call, const char *url, char *text, double timeout_s)
{
	long stall_s = timeout_s > 0 && timeout_s < (double)STALL_TIME ? (long)timeout_s + 1 : STALL_TIME;

	http_release(http, call);
	call->sent = text;
	call->url = strdup(url);
	if (!call->url)
		return log_error("pool %s: no memory for a call", http->name);
	if (prepare(http, call) < 0)
		return -1;
	curl_easy_setopt(call->easy, CURLOPT_FRESH_CONNECT, call->once ? 1L : 0L);
	curl_easy_setopt(call->easy, CURLOPT_URL, url);
	curl_easy_setopt(call->easy, CURLOPT_POSTFIELDS, text);
	curl_easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(text));
	curl_easy_setopt(call->easy, CURLOPT_TIMEOUT_MS, (long)(1000 * timeout_s));
	curl_easy_setopt(call->easy, CURLOPT_LOW_SPEED_LIMIT, timeout_s > 0 ? 1L : 0L);	/* bytes per s */
	curl_easy_setopt(call->easy, CURLOPT_LOW_SPEED_TIME, stall_s);
	return http_again(http, call);
}

static void trace_request(const struct http *http, const struct http_call *call)
{
	const char *authority = strstr(call->url, "://"), *path = authority ? strchr(authority + 3, '/') : NULL;

	trace_entry(&http->trace, (struct record_entry){
		.direction = '>', .text = call->sent, .call = call->number, .path = path ? path : "/",
	});
}

/* The answer, or that there will be none. */
static void trace_answer(const struct http *http, const struct http_call *call)
{
	bool came = call->result == CURLE_OK && !call->too_long;
	const char *headers[HTTP_HEADER_COUNT][2] = { { NULL } };

	for (size_t i = 0; i < HTTP_HEADER_COUNT; i++) {
		headers[i][0] = header_names[i];
		headers[i][1] = call->headers[i];
	}
	trace_entry(&http->trace, (struct record_entry){
		.direction = '<', .text = came && call->answer ? call->answer : "", .call = call->number,
		.status = came ? call->status : 0, .headers = headers, .header_count = came ? HTTP_HEADER_COUNT : 0,
	});
}

int http_again(struct http *http, struct http_call *call)
{
	memset(call->headers, 0, sizeof call->headers);
	call->answer_len = 0;
	call->result = CURLE_OK;
	call->status = 0;
	call->too_long = false;
	call->error[0] = '\0';
	if (curl_multi_add_handle(http->multi, call->easy) != CURLM_OK)
		return log_error("pool %s: libcurl refuses the call", http->name);
	call->number = ++http->calls;
	trace_request(http, call);
	call->busy = true;
	call->started = clock_now();
	return 0;
}

static struct http_call *take_ended(struct http *http)
{
	struct http_call *call = NULL;
	char *place;
	int left;

	for (CURLMsg *message; !call && (message = curl_multi_info_read(http->multi, &left)); ) {
		CURL *easy = message->easy_handle;
		CURLcode result = message->data.result;

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &place);
		call = (void *)place;
		call->result = result;
		curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &call->status);
		curl_multi_remove_handle(http->multi, easy);
		call->busy = false;
		trace_answer(http, call);
	}
	return call;
}

struct http_call *http_wait(struct http *http, int timeout_ms)
{
	struct curl_waitfd bell = { .fd = http->wake->fd[0], .events = CURL_WAIT_POLLIN };
	int running;

	curl_multi_perform(http->multi, &running);
	struct http_call *call = take_ended(http);
	if (call)
		return call;
	record_tick(http->trace.record);
	curl_multi_poll(http->multi, &bell, 1, timeout_ms, NULL);
	wake_clear(http->wake);
	curl_multi_perform(http->multi, &running);
	return take_ended(http);
}

void http_release(struct http *http, struct http_call *call)
{
	if (call->busy)
		curl_multi_remove_handle(http->multi, call->easy);
	call->busy = false;
	free(call->answer);
	free(call->url);
	free(call->sent);
	call->answer = call->url = call->sent = NULL;
	call->answer_len = call->answer_size = 0;
}

void http_call_close(struct http *http, struct http_call *call)
{
	http_release(http, call);
	curl_easy_cleanup(call->easy);
	call->easy = NULL;
}

const char *http_failure(const struct http_call *call)
{
	if (call->too_long)
		return "the answer is too long";
	if (call->result == CURLE_OK)
		return NULL;
	return call->error[0] ? call->error : curl_easy_strerror(call->result);
}
