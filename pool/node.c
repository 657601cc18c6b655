/* A node as a protocol of pool.c: when to ask for work, and what becomes of the answers. See node.h. */
#include "pool/node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"

#define VALUES_MAX	(1u << 20)	/* JSON values of one answer: twice what the fullest block needs */
#define METHOD_NOT_FOUND (-32601)
#define SUBMIT_TRIES	10		/* of a block, a second apart */
#define STARVED_PAUSE	1.0		/* s between polls at least, when all nonces are searched */
#define REJECTED_PAUSE	0.5		/* s between polls at least, when shares are rejected */
#define LONGPOLL_SHORT	2.0		/* s: an answer so soon, and of the same block, was no long poll */
#define LONGPOLL_GAP	0.1		/* s between the starts of two */
#define BLIND_PAUSE	0.2		/* s from the start of one until a plain poll looks what it may have missed */
#define LONGPOLL_PAUSE	60.0		/* s at most between vain ones */
#define CLOCK_STEP	0.25		/* s until the time of a searched job is tried again */
#define FAREWELL	1.0		/* s that the reply to a last share may take when told to stop */

static int node_open(struct pool *pool)
{
	struct node *n = calloc(1, sizeof *n);

	if (!n)
		return log_error("pool %s: no memory for a node", pool->name);
	if (gbt_init(&n->gbt, pool->name) < 0) {
		free(n);
		return -1;
	}
	jobs_init(&n->jobs, pool->config.searched);
	snprintf(n->url, sizeof n->url, "%s://%s:%u%s", pool->tls ? "https" : "http", pool->url.host, (unsigned)pool->url.port,
		 pool->url.path[0] ? pool->url.path : "/");
	n->http = (struct http){
		.name = pool->name, .user = pool->user, .pass = pool->pass, .user_agent = pool->user_agent,
		.wake = &pool->wake, .transport = &pool->transport,
		.trace = { .name = pool->name, .pool = pool->config.number, .dump = pool->config.dump, .record = pool->config.record },
	};
	n->source = pool->payout.script_len > 0 ? &source_gbt : &source_getwork;
	pool->session = n;
	return 0;
}

static void node_destroy(struct pool *pool)
{
	struct node *n = pool->session;

	jobs_destroy(&n->jobs);
	free(n);
}

static bool node_next(void *ctx, struct work *work)
{
	struct pool *pool = ctx;
	struct node *n = pool->session;

	return jobs_next(&n->jobs, work);
}

/* One part of a URL equal in both? */
static bool same_part(CURLU *a, CURLU *b, CURLUPart part)
{
	char *text_a = NULL, *text_b = NULL;
	bool same = curl_url_get(a, part, &text_a, 0) == CURLUE_OK && curl_url_get(b, part, &text_b, 0) == CURLUE_OK &&
		    strcasecmp(text_a, text_b) == 0;

	curl_free(text_a);
	curl_free(text_b);
	return same;
}

/* Another host, or a plain one in place of TLS, does not get our password. */
void node_offer_longpoll(struct pool *pool, const char *uri)
{
	struct node *n = pool->session;
	CURLU *own = curl_url(), *offered = curl_url();
	char *url = NULL;

	n->now.longpoll_url[0] = '\0';
	if (uri && own && offered && curl_url_set(own, CURLUPART_URL, n->url, 0) == CURLUE_OK &&
	    curl_url_set(offered, CURLUPART_URL, n->url, 0) == CURLUE_OK &&
	    curl_url_set(offered, CURLUPART_URL, uri, 0) == CURLUE_OK && same_part(own, offered, CURLUPART_SCHEME) &&
	    same_part(own, offered, CURLUPART_HOST) && curl_url_get(offered, CURLUPART_URL, &url, 0) == CURLUE_OK &&
	    strlen(url) < NODE_URL_MAX)
		strcpy(n->now.longpoll_url, url);
	curl_free(url);
	curl_url_cleanup(own);
	curl_url_cleanup(offered);
}

/* A whole request as text; takes over the parameters. NULL: no memory, logged. */
static char *make_request(struct pool *pool, const char *method, char *params)
{
	struct node *n = pool->session;
	size_t size = strlen(method) + (params ? strlen(params) : 0) + 64;
	char *text = params ? malloc(size) : NULL;

	if (text)
		snprintf(text, size, "{\"method\":\"%s\",\"params\":%s,\"id\":%u}", method, params, (unsigned)n->now.next_id++);
	else
		log_error("pool %s: no memory for a request", pool->name);
	free(params);
	return text;
}

static char *make_fetch(struct pool *pool, bool longpoll)
{
	struct node *n = pool->session;
	json_t *params = n->source->params(pool, longpoll);
	char *text = json_dumps(params, JSON_COMPACT);

	json_decref(params);
	return make_request(pool, n->source->method, text);
}

/* Ask for work now; an answer that is under way would be older. */
static int fetch(struct pool *pool)
{
	struct node *n = pool->session;
	char *text = make_fetch(pool, false);

	n->now.after_verdict = false;
	return text ? http_start(&n->http, &n->now.work, n->url, text, pool->config.timeout_s) : -1;
}

static int start_longpoll(struct pool *pool)
{
	struct node *n = pool->session;
	char *text = make_fetch(pool, true);

	if (n->source->longpolls_blind)
		n->now.next_poll = fmin(n->now.next_poll, clock_now() + BLIND_PAUSE);
	return text ? http_start(&n->http, &n->now.longpoll, n->now.longpoll_url, text, 0) : -1;
}

/* With a new block the long poll for the one before is of no use. */
static void renew_longpoll(struct node *n)
{
	http_release(&n->http, &n->now.longpoll);
	n->now.next_longpoll = clock_now();
}

static double poll_pause(const struct pool *pool)
{
	const struct node *n = pool->session;

	return n->now.longpoll_proven ? fmax(pool->config.scan_time_s, n->source->relaxed_poll_s) : pool->config.scan_time_s;
}

static bool is_submitting(const struct node *n)
{
	return n->now.submit.busy || n->now.submit_again > 0;
}

/* The node does not let us in, whatever else it answers. */
static bool is_refused(const struct http_call *call)
{
	return call->result == CURLE_OK && (call->status == 401 || call->status == 403);
}

/* The JSON-RPC reply in an answer, which is released. False, and why, when there is none. */
static bool read_reply(struct node *n, struct http_call *call, struct message *reply, char why[TEMPLATE_WHY])
{
	const char *fault = http_failure(call);

	if (!fault && is_refused(call))
		fault = "user or password refused";
	else if (!fault)
		fault = call->answer ? message_parse_within(reply, call->answer, call->answer_len, VALUES_MAX) : "an empty answer";
	if (fault && call->result == CURLE_OK && call->status != 200)
		snprintf(why, TEMPLATE_WHY, "HTTP status %ld, %s", call->status, fault);
	else if (fault)
		secret_show(why, TEMPLATE_WHY, fault);
	http_release(&n->http, call);
	return !fault;
}

/* 1: work on a new block; 0: on the same one; -1: not usable, and why. */
static int take_work(struct pool *pool, const struct http_call *call, const json_t *result, char why[TEMPLATE_WHY])
{
	struct node *n = pool->session;
	struct job *job = n->source->parse(pool, result, call, why);
	char note[THROTTLE_NOTE_MAX];

	if (!job)
		return -1;
	const uint8_t *prevhash = header_prevhash(job->header);
	bool is_new = !n->now.ready || memcmp(n->now.prevhash, prevhash, 32) != 0;
	job->clean = is_new;
	memcpy(n->now.prevhash, prevhash, 32);
	if (!n->now.ready) {
		pool_logged_in(pool);
		if (pool->told)
			log_info("pool %s: mining by %s%s%s", pool->name, n->source->method,
				 n->source == &source_gbt ? ", paid to an address of " : "",
				 n->source == &source_gbt ? pool->payout.name : "");
	}
	n->now.ready = true;
	n->now.other_tried = false;
	if (throttle_pass(&n->job, note))
		log_debug("pool %s: %s %s%s", pool->name, is_new ? "new block, job" : "job", job->id, note);
	jobs_add(&n->jobs, job);
	pool_publish(pool, &n->jobs);
	return is_new;
}

/* A fetch failed: the end, unless a share is on its way that may be a block. Then its tries go on, but mining does not. */
static int on_failed_fetch(struct pool *pool, const char *why)
{
	struct node *n = pool->session;

	if (!is_submitting(n))
		return pool->told ? log_error("pool %s: %s failed: %s", pool->name, n->source->method, why) : -1;
	log_warn("pool %s: %s failed: %s", pool->name, n->source->method, why);
	n->now.next_poll = clock_now() + STARVED_PAUSE;
	jobs_kill(&n->jobs);
	pool_withdraw(pool);
	return 0;
}

static bool is_method_not_found(const struct message *reply)
{
	return json_integer_value(json_object_get(reply->error, "code")) == METHOD_NOT_FOUND;
}

/* The node does not have this source of work: the other one's turn. */
static int try_other_source(struct pool *pool)
{
	struct node *n = pool->session;
	bool to_gbt = n->source == &source_getwork;

	if (n->now.other_tried)
		return log_error("pool %s: it has neither getblocktemplate nor getwork", pool->name);
	if (to_gbt && pool->payout.script_len == 0)
		return log_error("pool %s: it has no getwork; getblocktemplate wants --coinbase-addr", pool->name);
	log_info("pool %s: it has no %s: trying %s", pool->name, n->source->method,
		 to_gbt ? "getblocktemplate" : "getwork, where the node and not --coinbase-addr says who is paid");
	n->source = to_gbt ? &source_gbt : &source_getwork;
	n->now.other_tried = true;
	n->now.longpoll_url[0] = '\0';
	http_release(&n->http, &n->now.longpoll);
	jobs_kill(&n->jobs);
	return fetch(pool);
}

static int on_work(struct pool *pool)
{
	struct node *n = pool->session;
	char why[TEMPLATE_WHY], reason[REASON_MAX];
	struct message reply;

	if (!read_reply(n, &n->now.work, &reply, why)) {
		if (is_refused(&n->now.work))
			pool_login_refused(pool);
		return on_failed_fetch(pool, why);
	}
	if (is_method_not_found(&reply)) {
		message_free(&reply);
		return try_other_source(pool);
	}
	if (message_refuses(&reply, reason)) {
		message_free(&reply);
		return on_failed_fetch(pool, reason);
	}
	int got = take_work(pool, &n->now.work, reply.result, why);
	message_free(&reply);
	if (got < 0)
		return on_failed_fetch(pool, why);
	if (got > 0) {
		/* a long poll that lets plain polls be first with a block is no use, but for the block we made ourselves */
		n->now.longpoll_proven &= n->now.after_verdict;
		renew_longpoll(n);
	}
	n->now.next_poll = clock_now() + poll_pause(pool);
	return n->now.work.headers[HTTP_STRATUM][0] && pool_follow(pool, n->now.work.headers[HTTP_STRATUM]) ? -1 : 0;
}

static int on_longpoll(struct pool *pool)
{
	struct node *n = pool->session;
	char why[TEMPLATE_WHY], reason[REASON_MAX];
	double now = clock_now(), started = n->now.longpoll.started;
	struct message reply;
	int got = -1;

	if (read_reply(n, &n->now.longpoll, &reply, why)) {
		if (message_refuses(&reply, reason))
			snprintf(why, TEMPLATE_WHY, "%.*s", TEMPLATE_WHY - 1, reason);
		else
			got = take_work(pool, &n->now.longpoll, reply.result, why);
		message_free(&reply);
	}
	if (got > 0) {
		http_release(&n->http, &n->now.work);
		n->now.longpoll_proven = true;
	}
	if (got >= 0 && !n->now.work.busy)
		n->now.next_poll = now + poll_pause(pool);

	if (got > 0 || now - started >= LONGPOLL_SHORT) {
		n->now.longpoll_vain = 0;
		n->now.next_longpoll = fmax(now, started + (got < 0 ? LONGPOLL_SHORT : LONGPOLL_GAP));
		return 0;
	}
	n->now.next_longpoll = now + fmin(ldexp(1, (int)n->now.longpoll_vain++), LONGPOLL_PAUSE);
	if (!n->now.longpoll_blamed)
		log_info("pool %s: long polling does not work here, %s: asking every %.0f s", pool->name,
			 got < 0 ? why : "it answers at once", pool->config.scan_time_s);
	n->now.longpoll_blamed = true;
	return 0;
}

/* The answer to a share, counted: 1 accepted, 0 rejected, -1 no answer and why. */
static int read_verdict(struct pool *pool, char why[TEMPLATE_WHY])
{
	struct node *n = pool->session;
	char reason[REASON_MAX];
	struct message reply;
	bool accepted = false;

	if (http_failure(&n->now.submit)) {
		secret_show(why, TEMPLATE_WHY, http_failure(&n->now.submit));
		return -1;
	}
	if (read_reply(n, &n->now.submit, &reply, why)) {
		accepted = n->source->accepts(&reply, &n->now.submit, reason);
		if (!accepted && n->now.submit_tries > 0 && strcmp(reason, "duplicate") == 0)
			accepted = true;	/* the try before got through, its answer did not */
		message_free(&reply);
	} else {
		snprintf(reason, sizeof reason, "%s", why);
	}
	tally_share_replied(&pool->tally, n->now.submit_difficulty, clock_now() - n->now.submit_sent, accepted ? NULL : reason);
	return accepted;
}

static int on_verdict(struct pool *pool)
{
	struct node *n = pool->session;
	char why[TEMPLATE_WHY];
	int accepted = read_verdict(pool, why);

	if (accepted < 0 && n->source->resubmits && ++n->now.submit_tries < SUBMIT_TRIES) {
		n->now.submit_again = clock_now() + 1;
		log_warn("pool %s: %s failed, trying again: %s", pool->name, n->source->submit_method, why);
		return 0;
	}
	if (accepted < 0) {
		tally_shares_unanswered(&pool->tally, 1);
		return log_error("pool %s: %s failed: %s", pool->name, n->source->submit_method, why);
	}
	if (!accepted) {
		n->now.next_poll = fmin(n->now.next_poll, n->now.work.started + REJECTED_PAUSE);
		return 0;
	}
	if (!n->now.submit_block || memcmp(n->now.submit_prevhash, n->now.prevhash, 32) != 0)
		return 0;

	/* our own block has made all work stale, and there is none on it yet */
	jobs_kill(&n->jobs);
	pool_withdraw(pool);
	if (fetch(pool) < 0)
		return -1;
	n->now.after_verdict = true;
	return 0;
}

/* All nonces of the job are searched: go on as soon as its time may step on, or with new work. */
static void feed_board(struct pool *pool)
{
	struct node *n = pool->session;

	pool_publish(pool, &n->jobs);
	if (!jobs_find(&n->jobs, 0) || !jobs_starved(&n->jobs))
		return;
	n->now.next_poll = fmin(n->now.next_poll, n->now.work.started + STARVED_PAUSE);
	if (!n->now.exhausted)
		log_notice("pool %s: all nonces of its work are searched, and there is no new one yet: asking more often", pool->name);
	n->now.exhausted = true;
}

static bool wants_longpoll(const struct pool *pool)
{
	const struct node *n = pool->session;

	return n->now.ready && n->now.longpoll_url[0] && !n->now.longpoll.busy && !pool->config.no_longpoll;
}

/* Begin what it is time for. 0, or -1 logged; *wait is how long until there is more to begin, in s. */
static int begin_calls(struct pool *pool, double *wait)
{
	struct node *n = pool->session;
	double now = clock_now(), next = now + *wait;

	if (n->now.submit_again > 0 && now >= n->now.submit_again) {
		n->now.submit_again = 0;
		if (http_again(&n->http, &n->now.submit) < 0)
			return -1;
	}
	if (n->now.ready && jobs_starved(&n->jobs))
		feed_board(pool);
	if (!n->now.work.busy && now >= n->now.next_poll && fetch(pool) < 0)
		return -1;
	if (wants_longpoll(pool) && now >= n->now.next_longpoll && start_longpoll(pool) < 0)
		return -1;

	if (n->now.submit_again > 0)
		next = fmin(next, n->now.submit_again);
	if (!n->now.work.busy)
		next = fmin(next, n->now.next_poll);
	if (wants_longpoll(pool))
		next = fmin(next, n->now.next_longpoll);
	if (jobs_starved(&n->jobs))
		next = fmin(next, now + CLOCK_STEP);
	*wait = fmax(next - now, 0);
	return 0;
}

static int node_step(struct pool *pool, int timeout_ms)
{
	struct node *n = pool->session;
	double wait = timeout_ms / 1000.0;

	if (begin_calls(pool, &wait) < 0)
		return -1;
	struct http_call *call = http_wait(&n->http, (int)ceil(1000 * wait));
	if (!call)
		return 0;
	return call == &n->now.submit ? on_verdict(pool) : call == &n->now.longpoll ? on_longpoll(pool) : on_work(pool);
}

/* There is no connection of its own to make: being connected is having got work. */
static int node_connect(struct pool *pool)
{
	struct node *n = pool->session;

	n->now = (struct node_session){ .next_id = 1, .submit.once = true };
	if (http_open(&n->http) < 0)
		return -1;
	while (!n->now.ready && !pool->stop)
		if (node_step(pool, 1000) < 0)
			return -1;
	return pool->stop ? -1 : 0;
}

static int node_submit(struct pool *pool, const struct share *share)
{
	struct node *n = pool->session;
	const struct job *job = jobs_find(&n->jobs, share->work.job);

	if (is_submitting(n))
		return 0;
	char *params = job ? n->source->submission(pool, job, share) : NULL;
	if (!params) {
		tally_share_stale(&pool->tally, share);
		return 1;
	}
	char *text = make_request(pool, n->source->submit_method, params);
	if (!text) {
		tally_share_stale(&pool->tally, share);
		return -1;
	}
	n->now.submit_block = tally_share_sent(&pool->tally, share, job->height);
	memcpy(n->now.submit_prevhash, header_prevhash(share->work.header), 32);
	n->now.submit_difficulty = share->difficulty;
	n->now.submit_sent = clock_now();
	n->now.submit_tries = 0;
	if (http_start(&n->http, &n->now.submit, n->url, text, pool->config.timeout_s) == 0)
		return 1;
	tally_shares_unanswered(&pool->tally, 1);
	return -1;
}

/* Told to stop with a share under way: it may be a block, so it gets a moment more. */
static void await_verdict(struct pool *pool)
{
	struct node *n = pool->session;
	double end = clock_now() + FAREWELL, left;
	char why[TEMPLATE_WHY];

	while (n->now.submit.busy && (left = end - clock_now()) > 0)
		if (http_wait(&n->http, (int)(1000 * left) + 1) == &n->now.submit && read_verdict(pool, why) < 0)
			tally_shares_unanswered(&pool->tally, 1);
}

static void node_close(struct pool *pool)
{
	struct node *n = pool->session;

	if (pool->stop)
		await_verdict(pool);
	if (is_submitting(n))
		tally_shares_unanswered(&pool->tally, 1);
	jobs_kill(&n->jobs);
	gbt_forget(&n->gbt);
	http_call_close(&n->http, &n->now.work);
	http_call_close(&n->http, &n->now.longpoll);
	http_call_close(&n->http, &n->now.submit);
	http_close(&n->http);
	n->now.submit_again = 0;
}

const struct protocol protocol_node = {
	.open = node_open, .connect = node_connect, .step = node_step, .submit = node_submit,
	.close = node_close, .destroy = node_destroy, .next = node_next,
};
