/*
 * Stratum v1 as a protocol of pool.c: connecting, sending shares, matching replies,
 * and what only time brings about. See stratum.h.
 */
#include "pool/stratum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/secret.h"

#define CHECK_MS	250	/* between looks at the clock */
#define FAREWELL	0.5	/* s that replies may take when told to stop */
#define BAD_LINES_MAX	10	/* in a row: whatever this is, it is no stratum server */

static int stratum_open(struct pool *pool)
{
	struct stratum *s = calloc(1, sizeof *s);
	json_t *texts = json_pack("[sss]", pool->user, pool->pass, pool->user_agent);

	if (!s || !texts) {
		json_decref(texts);
		free(s);
		return log_error("pool %s: user or password is not UTF-8, or no memory", pool->name);
	}
	json_decref(texts);
	jobs_init(&s->jobs, pool->config.searched);
	s->connection.setup = (struct connection_setup){
		.name = pool->name, .wake = &pool->wake, .stop = &pool->stop, .transport = &pool->transport,
		.told = &pool->told,
		.trace = { .name = pool->name, .pool = pool->config.number, .dump = pool->config.dump, .record = pool->config.record },
	};
	pool->session = s;
	return 0;
}

static void stratum_destroy(struct pool *pool)
{
	struct stratum *s = pool->session;

	jobs_destroy(&s->jobs);
	free(s->session);
	free(s);
}

int stratum_send(struct pool *pool, json_t *message, json_t *shown)
{
	struct stratum *s = pool->session;
	const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(15);
	char *line = json_dumps(message, flags);
	char *shown_line = shown ? json_dumps(shown, flags) : NULL;
	int result = -1;

	if (line && (shown_line || !shown))
		result = connection_send(&s->connection, line, shown_line);
	else
		log_error("pool %s: no memory for a message", pool->name);
	free(shown_line);
	free(line);
	json_decref(shown);
	json_decref(message);
	return result;
}

static json_t *request(uint32_t id, const char *method, json_t *params)
{
	return json_pack("{s:I,s:s,s:o}", "id", (json_int_t)id, "method", method, "params", params);
}

int stratum_request(struct pool *pool, uint32_t id, const char *method, json_t *params, json_t *shown)
{
	return stratum_send(pool, request(id, method, params), shown ? request(id, method, shown) : NULL);
}

static int stratum_connect(struct pool *pool)
{
	struct stratum *s = pool->session;
	const char *host = s->next_host[0] ? s->next_host : pool->url.host;

	s->now = (struct stratum_session){ .next_id = 1 };
	int opened = connection_open(&s->connection, host, pool->port, pool->tls);
	s->next_host[0] = '\0';
	s->now.heard = clock_now();
	return opened < 0 ? -1 : stratum_login(pool);
}

static bool stratum_next(void *ctx, struct work *work)
{
	struct pool *pool = ctx;
	struct stratum *s = pool->session;

	return jobs_next(&s->jobs, work);
}

void stratum_publish(struct pool *pool)
{
	struct stratum *s = pool->session;

	if (s->now.state == STRATUM_MINING)
		pool_publish(pool, &s->jobs);
}

bool stratum_read_extranonce(struct extranonce *extranonce, const json_t *first, const json_t *second_len)
{
	struct extranonce read = { .first_len = json_string_length(first) / 2 };
	json_int_t size = json_is_integer(second_len) ? json_integer_value(second_len) : -1;

	if (read.first_len > EXTRANONCE1_MAX || !jsonrpc_hex(read.first, read.first_len, first))
		return false;
	if (size < 0 || size > XNONCE2_MAX)
		return false;
	read.second_len = (uint8_t)size;
	*extranonce = read;
	return true;
}

static int handle_reply(struct pool *pool, const struct message *reply)
{
	struct stratum *s = pool->session;
	struct pending share;
	char reason[REASON_MAX], note[THROTTLE_NOTE_MAX];
	uint32_t id;

	if (!message_id(reply, &id) || id == 0) {
		if (message_refuses(reply, reason) && throttle_pass(&s->message, note))
			log_warn("pool %s: error: %s%s", pool->name, reason, note);
		return 0;
	}
	int login = stratum_login_reply(pool, id, reply);
	if (login != 0)
		return login < 0 ? -1 : 0;
	if (!pending_take(&s->now.pending, id, &share)) {
		if (throttle_pass(&s->unknown, note))
			log_debug("pool %s: reply to unknown request %u ignored%s", pool->name, (unsigned)id, note);
		return 0;
	}
	bool accepted = message_accepts(reply, reason);
	tally_share_replied(&pool->tally, share.difficulty, clock_now() - share.sent, accepted ? NULL : reason);
	return 0;
}

/* Some pools put a method into their replies too: what answers a request of ours is a reply. */
static bool is_reply(const struct pool *pool, const struct message *message)
{
	const struct stratum *s = pool->session;
	uint32_t id;

	if (!message->method)
		return true;
	return (message->result || message->error) && message_id(message, &id) &&
	       (stratum_login_awaits(pool, id) || pending_has(&s->now.pending, id));
}

static int bad_line(struct pool *pool, const char *line, const char *why)
{
	struct stratum *s = pool->session;
	char note[THROTTLE_NOTE_MAX], shown[61];

	if (s->now.state == STRATUM_SUBSCRIBING && strncmp(line, "HTTP/", 5) == 0)
		return log_error("pool %s: this is a web server, not a stratum server", pool->name);
	if (throttle_pass(&s->bad_line, note))
		log_warn("pool %s: line dropped, %s: %s%s", pool->name, why, secret_show(shown, sizeof shown, line), note);
	if (++s->now.bad_lines == BAD_LINES_MAX)
		return log_error("pool %s: %u bad lines in a row: this is not a stratum server", pool->name, BAD_LINES_MAX);
	return 0;
}

static int handle_line(struct pool *pool, const char *line, size_t len)
{
	struct stratum *s = pool->session;
	struct message message;

	s->now.heard = clock_now();
	const char *why = message_parse(&message, line, len);
	if (why)
		return bad_line(pool, line, why);
	s->now.bad_lines = 0;
	int result = is_reply(pool, &message) ? handle_reply(pool, &message) : stratum_handle_method(pool, &message);
	message_free(&message);
	return result;
}

/* All nonces of the job are searched: go on as soon as its time may step on. */
static void feed_board(struct pool *pool)
{
	struct stratum *s = pool->session;
	const struct job *job = jobs_find(&s->jobs, 0);
	char id[100];

	stratum_publish(pool);
	if (!job || !jobs_starved(&s->jobs) || s->now.exhausted_job == job->number)
		return;
	s->now.exhausted_job = job->number;
	log_warn("pool %s: all nonces of job %s are searched, waiting", pool->name, secret_show(id, sizeof id, job->id));
}

/* What only time brings about. */
static int check_clock(struct pool *pool)
{
	struct stratum *s = pool->session;
	double now = clock_now();

	if (now < s->now.next_check)
		return 0;
	s->now.next_check = now + CHECK_MS / 1000.0;

	if (s->now.state != STRATUM_MINING && now - s->now.login_began > s->now.login_timeout) {
		s->now.lost = true;
		return log_error("pool %s: no reply to mining.%s in %.1f s", pool->name,
				 s->now.state == STRATUM_SUBSCRIBING ? "subscribe" : "authorize", s->now.login_timeout);
	}
	if (now - s->now.heard > pool->config.timeout_s)
		return log_error("pool %s: silent for %.1f s, connection given up", pool->name, pool->config.timeout_s);
	tally_shares_unanswered(&pool->tally, pending_expire(&s->now.pending, now - PENDING_TIME));
	if (s->now.state == STRATUM_MINING && jobs_starved(&s->jobs))
		feed_board(pool);
	return 0;
}

static int stratum_step(struct pool *pool, int timeout_ms)
{
	struct stratum *s = pool->session;
	char *line;
	size_t len;

	if (timeout_ms > CHECK_MS && jobs_starved(&s->jobs))
		timeout_ms = CHECK_MS;
	int got = connection_read(&s->connection, &line, &len, timeout_ms);
	if (got < 0) {
		s->now.lost = true;
		return -1;
	}
	if (got > 0 && handle_line(pool, line, len) < 0)
		return -1;
	return check_clock(pool);
}

static int stratum_submit(struct pool *pool, const struct share *share)
{
	struct stratum *s = pool->session;
	const struct job *job = jobs_find(&s->jobs, share->work.job);
	uint32_t id = pending_free_id(&s->now.pending, s->now.next_id);
	char xnonce2[2 * XNONCE2_MAX + 1], ntime[9], nonce[9], bits[9];

	if (!job) {
		tally_share_stale(&pool->tally, share);
		return 1;
	}
	if (id == 0)
		return 0;
	hex_encode(xnonce2, share->work.xnonce2, share->work.xnonce2_len);
	snprintf(ntime, sizeof ntime, "%08x", (unsigned)header_ntime(share->work.header));
	snprintf(nonce, sizeof nonce, "%08x", (unsigned)share->nonce);
	snprintf(bits, sizeof bits, "%08x", (unsigned)(header_version(share->work.header) & job->version_mask));

	tally_share_sent(&pool->tally, share, job->height);
	s->now.next_id = id + 1;
	pending_add(&s->now.pending, &(struct pending){ .id = id, .sent = clock_now(), .difficulty = share->difficulty });
	json_t *params = json_pack("[sssss]", pool->user, job->id, xnonce2, ntime, nonce);
	if (s->now.rolling)
		json_array_append_new(params, json_string(bits));
	return stratum_request(pool, id, "mining.submit", params, NULL) < 0 ? -1 : 1;
}

/* Told to stop with shares under way: their replies get a moment more. */
static void await_replies(struct pool *pool)
{
	struct stratum *s = pool->session;
	double end = clock_now() + FAREWELL, left;

	while (pending_any(&s->now.pending) && (left = end - clock_now()) > 0)
		if (stratum_step(pool, (int)(1000 * left) + 1) < 0)
			break;
}

static void stratum_close(struct pool *pool)
{
	struct stratum *s = pool->session;

	if (pool->stop && !s->now.lost)
		await_replies(pool);
	stratum_login_end(pool);
	jobs_kill(&s->jobs);
	json_decref(s->now.early_job);
	s->now.early_job = NULL;
	tally_shares_unanswered(&pool->tally, pending_expire(&s->now.pending, HUGE_VAL));
	connection_close(&s->connection);
}

const struct protocol protocol_stratum = {
	.open = stratum_open, .connect = stratum_connect, .step = stratum_step, .submit = stratum_submit,
	.close = stratum_close, .destroy = stratum_destroy, .next = stratum_next,
};
