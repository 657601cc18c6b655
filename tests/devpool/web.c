/* Requests in, answers out: see web.h. */
#include "tests/devpool/web.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"

#define PATH_MAX_LEN	600
#define VALUE_MAX	300	/* bytes of a header's value, with the NUL */

/* A whole request. */
struct request {
	char path[PATH_MAX_LEN], host[VALUE_MAX];
	const char *body;
	size_t body_len, len;		/* len: of all of it */
};

void web_open(struct web *web, struct web_site *site, struct peer *peer)
{
	*web = (struct web){ .site = site, .peer = peer, .due = INFINITY };
}

void web_close(struct web *web)
{
	free(web->in);
	free(web->out);
}

/* The value of a header in a head that ends in a blank line; false: there is none. */
static bool find_header(char value[VALUE_MAX], const char *head, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = strstr(head, "\r\n"); line && strncmp(line, "\r\n\r\n", 4) != 0; line = strstr(line, "\r\n")) {
		line += 2;
		if (strncasecmp(line, name, len) != 0 || line[len] != ':')
			continue;
		line += len + 1;
		line += strspn(line, " \t");
		snprintf(value, VALUE_MAX, "%.*s", (int)strcspn(line, "\r"), line);
		return true;
	}
	return false;
}

/* 1: a request is there; 0: not yet all of it; -1: this is none that can be read. */
static int read_request(struct request *request, const struct web *web)
{
	char length[VALUE_MAX];
	const char *end = strstr(web->in, "\r\n\r\n");

	if (!end)
		return web->in_len > PEER_LINE_MAX ? -1 : 0;
	if (sscanf(web->in, "POST %599s HTTP/1.1\r\n", request->path) != 1 || !find_header(length, web->in, "content-length"))
		return -1;
	if (!find_header(request->host, web->in, "host"))
		request->host[0] = '\0';
	request->body = end + 4;
	request->body_len = strtoul(length, NULL, 10);
	size_t head_len = (size_t)(request->body - web->in);
	if (request->body_len > WEB_REQUEST_MAX - head_len)
		return -1;
	request->len = head_len + request->body_len;
	return web->in_len >= request->len;
}

/* With the id of now, where it is one JSON object. NULL: no memory. */
static char *make_body(const char *then, const struct request *request)
{
	json_t *asked = json_loadb(request->body, request->body_len, 0, NULL), *reply = json_loads(then, 0, NULL);
	json_t *id = json_object_get(asked, "id");
	char *text;

	if (id && json_object_get(reply, "id")) {
		json_object_set(reply, "id", id);
		text = json_dumps(reply, JSON_COMPACT | JSON_REAL_PRECISION(17));
	} else {
		text = strdup(then);
	}
	json_decref(reply);
	json_decref(asked);
	return text;
}

/* A header's value of then as it has to be now: URLs lead to here. */
static void put_header(FILE *to, const char *name, const char *value, const char *host)
{
	const char *authority = strstr(value, "://");

	if (strcasecmp(name, "x-long-polling") == 0 && authority) {
		const char *path = strchr(authority + 3, '/');

		value = path ? path : "/";
	}
	if (strcasecmp(name, "x-stratum") == 0 && authority)
		fprintf(to, "%s: %.*s://%s\r\n", name, (int)(authority - value), value, host);
	else
		fprintf(to, "%s: %s\r\n", name, value);
}

/* NULL: no memory. */
static char *make_answer(size_t *len, long status, json_t *headers, const char *body, const char *host)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, len);
	const char *name;
	json_t *value;

	if (!to)
		return NULL;
	fprintf(to, "HTTP/1.1 %ld Replayed\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n", status, strlen(body));
	json_object_foreach(headers, name, value)
		put_header(to, name, json_string_value(value), host);
	fprintf(to, "\r\n%s", body);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

static void answer(struct web *web, const struct request *request, double now)
{
	static const char unknown[] = "{\"result\":null,\"error\":{\"code\":-32601,\"message\":\"Method not found\"},\"id\":0}";
	struct web_site *site = web->site;
	const struct call *call;

	if (site->started == 0)
		site->started = now;
	double moment = (now - site->started) * site->speed;
	bool known = calls_find(&call, &site->calls, request->path, request->body, request->body_len, moment);

	web->waiting = true;
	web->due = INFINITY;
	if (known && !call)
		return;
	const struct record_line *line = known ? call->answer : NULL;
	web->due = now;
	if (line)	/* when it came then, but no later than it took then */
		web->due = fmin(fmax(now, site->started + call->answered / site->speed), now + (call->answered - call->asked) / site->speed);
	else
		log_info("replay: %s was not asked then: %.*s", request->path, (int)(request->body_len < 60 ? request->body_len : 60),
			 request->body);
	if (line && line->status == 0)
		return;		/* it failed, and so it shall now */
	char *body = make_body(line ? line->text : unknown, request);
	if (body)
		web->out = make_answer(&web->out_len, line ? line->status : 404, line ? line->headers : NULL, body, request->host);
	free(body);
	if (!web->out)
		peer_doom(web->peer, "no memory for its answer", false);
}

/* Add to what has come. 0, or -1: no memory, or far too much. */
static int take(struct web *web, const char *bytes, size_t len)
{
	size_t size = web->in_size ? web->in_size : 4096;

	if (web->in_len + len > WEB_REQUEST_MAX)
		return -1;
	while (size <= web->in_len + len)
		size *= 2;
	char *bigger = size > web->in_size ? realloc(web->in, size) : web->in;
	if (!bigger)
		return -1;
	web->in = bigger;
	web->in_size = size;
	memcpy(web->in + web->in_len, bytes, len);
	web->in_len += len;
	web->in[web->in_len] = '\0';
	return 0;
}

void web_hear(struct web *web, double now)
{
	struct request request;
	size_t len;
	const char *bytes = peer_bytes(web->peer, &len);

	if (web->peer->doom || len == 0)
		return;
	if (take(web, bytes, len) < 0) {
		peer_doom(web->peer, "no room for its request", false);
		return;
	}
	peer_take(web->peer, len);
	if (web->waiting)
		return;

	int got = read_request(&request, web);
	if (got < 0)
		peer_doom(web->peer, "what it says is no request", true);
	if (got <= 0)
		return;
	answer(web, &request, now);
	web->in_len -= request.len;
	memmove(web->in, web->in + request.len, web->in_len + 1);
}

void web_step(struct web *web, double now)
{
	if (!web->waiting || now < web->due || web->peer->doom)
		return;
	if (!web->out) {
		peer_doom(web->peer, "the call failed then", false);
		return;
	}
	web->out_sent += peer_write(web->peer, web->out + web->out_sent, web->out_len - web->out_sent);
	if (web->out_sent < web->out_len)
		return;
	free(web->out);
	web->out = NULL;
	web->out_sent = 0;
	web->waiting = false;
	web->due = INFINITY;
}

double web_due(const struct web *web)
{
	return web->peer->out_len > 0 ? INFINITY : web->due;	/* until that is gone, the socket says when more can go */
}
