/*
 * What a stratum pool tells or asks of its own accord: one function a method, one
 * row each. A call that makes no sense is dropped whole, logged, and changes nothing.
 */
#include "pool/stratum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"

#define UNSTATED_DIFFICULTY 1

/* A line about something the pool sent that cannot be used. */
static void complain(struct pool *pool, const char *what, const char *why)
{
	struct stratum *s = pool->session;
	char note[THROTTLE_NOTE_MAX];

	if (throttle_pass(&s->bad_call, note))
		log_warn("pool %s: %s dropped: %s%s", pool->name, what, why, note);
}

void stratum_take_job(struct pool *pool, const json_t *params, const struct stratum_terms *terms)
{
	struct stratum *s = pool->session;
	double difficulty = terms->difficulty > 0 ? terms->difficulty : UNSTATED_DIFFICULTY;
	const char *why;
	struct job *job = job_parse(params, &terms->extranonce, difficulty, pool->config.algo, &why);
	char id[100], note[THROTTLE_NOTE_MAX];

	if (!job) {
		complain(pool, "job", why);
		return;
	}
	job->version_mask = terms->version_mask;
	job->versions = pool->config.versions;
	if (throttle_pass(&s->job, note))
		log_debug("pool %s: job %s%s%s", pool->name, secret_show(id, sizeof id, job->id), job->clean ? ", clean" : "", note);
	jobs_add(&s->jobs, job);
	stratum_publish(pool);
}

static int on_notify(struct pool *pool, const struct message *call)
{
	struct stratum *s = pool->session;

	if (s->now.state != STRATUM_SUBSCRIBING) {
		stratum_take_job(pool, call->params, &s->now.terms);
		return 0;
	}
	json_decref(s->now.early_job);
	s->now.early_job = json_incref(call->params);
	s->now.early_terms = s->now.terms;
	return 0;
}

static int on_set_difficulty(struct pool *pool, const struct message *call)
{
	struct stratum *s = pool->session;
	double difficulty = json_number_value(json_array_get(call->params, 0));

	if (!isfinite(difficulty) || difficulty <= 0)
		complain(pool, "difficulty", "not a number above 0");
	else
		s->now.terms.difficulty = difficulty;
	return 0;
}

static int on_set_extranonce(struct pool *pool, const struct message *call)
{
	struct stratum_terms *terms = &((struct stratum *)pool->session)->now.terms;

	if (stratum_read_extranonce(&terms->extranonce, json_array_get(call->params, 0), json_array_get(call->params, 1)))
		terms->numbered = true;
	else
		complain(pool, "extranonce", "not hex and a size of 0 to 16");
	return 0;
}

static int on_set_version_mask(struct pool *pool, const struct message *call)
{
	if (!stratum_set_version_mask(pool, json_array_get(call->params, 0)))
		complain(pool, "version mask", "not hex, or version rolling is not agreed on");
	return 0;
}

/* A number, or its decimal text, from 0 to `most`; -1 for anything else. */
static double small_number(const json_t *value, double most)
{
	const char *text = json_string_value(value);
	double number = json_is_number(value) ? json_number_value(value) : -1;

	if (text && text[0] != '\0' && strlen(text) <= 10 && strspn(text, "0123456789") == strlen(text))
		number = strtod(text, NULL);
	return number >= 0 && number <= most ? number : -1;
}

/* Where a reconnect leads, as a URL's host: NULL when it is set, else why we do not go there. No name is the pool's own. */
static const char *next_host(char host[URL_HOST_MAX], const struct pool *pool, const char *name)
{
	char text[URL_HOST_MAX + 2];
	bool bare = strchr(name, ':') && name[0] != '[';

	int len = snprintf(text, sizeof text, bare ? "[%s]" : "%s", name[0] ? name : pool->url.host);
	const char *why = url_parse_host(host, text, (size_t)len);
	return why || url_same_domain(pool->url.host, host) ? why : "it leads to another host";
}

static const json_t *argument(const json_t *params, size_t index)
{
	const json_t *value = json_array_get(params, index);

	return json_is_null(value) ? NULL : value;
}

/*
 * [host, port, wait in s], all of them optional. Only the pool's own host or one of
 * its domain may be named: who takes over a connection shall not take over the miner.
 */
static int on_reconnect(struct pool *pool, const struct message *call)
{
	struct stratum *s = pool->session;
	const json_t *host = argument(call->params, 0), *port = argument(call->params, 1), *wait = argument(call->params, 2);
	double port_number = port ? small_number(port, UINT16_MAX) : 0;
	double wait_s = wait ? small_number(wait, HUGE_VAL) : 0;
	const char *name = host ? json_string_value(host) : "", *why;
	char shown[URL_HOST_MAX], next[URL_HOST_MAX];

	if (!name)
		why = "its host is not a text";
	else if (port_number < 0 || port_number != floor(port_number))
		why = "its port is not a whole number from 0 to 65535";
	else if (wait_s < 0)
		why = "its wait is not a number of seconds";
	else
		why = next_host(next, pool, name);
	if (why) {
		complain(pool, "reconnect", why);
		return 0;
	}
	strcpy(s->next_host, next);
	pool->reconnect = (struct reconnect){ .asked = true, .port = (uint16_t)port_number, .wait_s = wait_s };
	log_info("pool %s: the pool asks to connect again, to %s:%u", pool->name, secret_show(shown, sizeof shown, next),
		 (unsigned)(pool->reconnect.port ? pool->reconnect.port : pool->url.port));
	return -1;
}

static int on_show_message(struct pool *pool, const struct message *call)
{
	struct stratum *s = pool->session;
	const char *text = json_string_value(json_array_get(call->params, 0));
	char note[THROTTLE_NOTE_MAX], shown[501];

	if (text && throttle_pass(&s->message, note))
		log_info("pool %s says: %s%s", pool->name, secret_show(shown, sizeof shown, text), note);
	return 0;
}

static int reply(struct pool *pool, const struct message *call, json_t *result, json_t *error)
{
	return stratum_send(pool, json_pack("{s:O,s:o,s:o}", "id", call->id, "result", result, "error", error), NULL);
}

static int on_get_version(struct pool *pool, const struct message *call)
{
	return message_wants_reply(call) ? reply(pool, call, json_string(pool->user_agent), json_null()) : 0;
}

static int on_ping(struct pool *pool, const struct message *call)
{
	return message_wants_reply(call) ? reply(pool, call, json_string("pong"), json_null()) : 0;
}

static int on_unknown(struct pool *pool, const struct message *call)
{
	struct stratum *s = pool->session;
	char shown[100], note[THROTTLE_NOTE_MAX];

	if (throttle_pass(&s->unknown, note))
		log_debug("pool %s: unknown method %s%s", pool->name, secret_show(shown, sizeof shown, call->method), note);
	if (!message_wants_reply(call))
		return 0;
	return reply(pool, call, json_null(), json_pack("[isn]", -3, "Method not found"));
}

static const struct method {
	const char *name;
	int (*handle)(struct pool *, const struct message *);	/* 0, or -1: end the connection, logged */
} methods[] = {
	{ "mining.notify", on_notify },
	{ "mining.set_difficulty", on_set_difficulty },
	{ "mining.set_extranonce", on_set_extranonce },
	{ "mining.set_version_mask", on_set_version_mask },
	{ "mining.ping", on_ping },
	{ "client.reconnect", on_reconnect },
	{ "client.get_version", on_get_version },
	{ "client.show_message", on_show_message },
	{ NULL, on_unknown }
};

int stratum_handle_method(struct pool *pool, const struct message *call)
{
	const struct method *method = methods;

	while (method->name && strcmp(method->name, call->method) != 0)
		method++;
	return method->handle(pool, call);
}
