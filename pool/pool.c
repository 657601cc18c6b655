/* The pool thread: connect, serve, pause, try again; and sleep while it is not wanted. */
#include "pool/protocol.h"

#include <curl/curl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"
#include "pool/jobs.h"
#include "pool/template.h"

#define STEP_MS		1000	/* longest wait for one event: timers are looked at as often */
#define PAUSE_MAX	60	/* s; a configured pause may be longer */
#define JITTER		0.25	/* of a pause, added by chance: a pool's miners shall not return all at once */
#define RECONNECT_MIN	1	/* s; even when the pool asks for less, and we ourselves for none */
#define RECONNECT_MAX	60	/* s; even when it asks for more */
#define TOLD_WINDOW	60	/* s in which no more attempts are logged than a throttle lets pass */
#define FOLLOW_PAUSE	600	/* s without following another scheme, after one that brought no work */

static const struct scheme schemes[] = {	/* the first is for URLs without one */
	{ "stratum+tcp", &protocol_stratum, false },
	{ "stratum+tcps", &protocol_stratum, true },
	{ "stratum+ssl", &protocol_stratum, true },
	{ "stratum+tls", &protocol_stratum, true },
	{ "http", &protocol_node, false },
	{ "https", &protocol_node, true },
	{ 0 }
};

static const struct scheme *find_scheme(const char *name)
{
	if (name[0] == '\0')
		return &schemes[0];
	for (const struct scheme *scheme = schemes; scheme->name; scheme++)
		if (strcmp(scheme->name, name) == 0)
			return scheme;
	return NULL;
}

/* 0, or -1 logged. */
static int parse_url(struct pool *pool, const char *text)
{
	const char *why = url_parse(&pool->url, text);
	const struct scheme *scheme = find_scheme(pool->url.scheme);
	char shown[URL_SHOWN_MAX];

	if (!scheme)
		why = "its scheme is unknown";
	if (why)
		return log_error("pool URL '%s': %s", url_shown(shown, text), why);
	pool->scheme = pool->spoken = scheme;
	pool->protocol = scheme->protocol;
	pool->tls = scheme->tls;
	pool->port = pool->url.port;
	snprintf(pool->name, sizeof pool->name, "%s:%u", pool->url.host, (unsigned)pool->url.port);
	return 0;
}

/* Who is paid for blocks we make ourselves: checked even if this pool makes its own. 0, or -1 logged. */
static int parse_coinbase(struct pool *pool, const struct pool_config *config)
{
	const char *address = config->coinbase_addr;
	const char *why = address ? address_parse(&pool->payout, address, config->algo->name) : NULL;
	char shown[101];

	if (why)
		return log_error("coinbase address '%s': %s", secret_show(shown, sizeof shown, address), why);
	if (strlen(pool->coinbase_sig) > COINBASE_SIG_MAX)
		return log_error("coinbase signature: it is longer than %d bytes", COINBASE_SIG_MAX);
	return 0;
}

static void free_texts(struct pool *pool)
{
	if (pool->pass)
		OPENSSL_cleanse(pool->pass, strlen(pool->pass));
	free(pool->pass);
	free(pool->user);
	free(pool->user_agent);
	free(pool->coinbase_sig);
	url_forget(&pool->url);
	transport_destroy(&pool->transport);
}

/* In user:pass the password; else nothing. */
static const char *behind_colon(const char *user)
{
	const char *colon = strchr(user, ':');

	return colon ? colon + 1 : "";
}

int pool_hide_secrets(const char *url, const char *user, const char *pass)
{
	struct url parsed;

	url_parse(&parsed, url);	/* if it is a bad one, what could be read of it */
	bool hidden = secret_add(pass) == 0 && secret_add(behind_colon(user)) == 0 && secret_add(parsed.pass) == 0 &&
		      secret_add(behind_colon(parsed.user)) == 0;
	url_forget(&parsed);
	return hidden ? 0 : log_error("too many passwords, or no memory for them");
}

/* The pool's own copies of what the configuration points to; user and password may be the URL's. 0, or -1 logged. */
static int copy_texts(struct pool *pool, const struct pool_config *config)
{
	bool in_url = config->user[0] == '\0' && pool->url.user[0] != '\0';
	const char *pass = in_url && config->pass[0] == '\0' ? pool->url.pass : config->pass;

	pool->user = strdup(in_url ? pool->url.user : config->user);
	pool->pass = strdup(pass);
	pool->user_agent = strdup(config->user_agent);
	pool->coinbase_sig = strdup(config->coinbase_sig ? config->coinbase_sig : "");
	if (!pool->user || !pool->pass || !pool->user_agent || !pool->coinbase_sig)
		return log_error("no memory for a pool");
	url_forget(&pool->url);
	if (transport_init(&pool->transport, config->proxy, config->cert, config->no_verify) < 0)
		return -1;
	if (config->no_verify && pool->tls)
		log_warn("pool %s: ITS CERTIFICATE WILL NOT BE VERIFIED (--no-verify): whoever is on the way to it "
			 "can read the password and take the shares", pool->name);
	return 0;
}

struct pool *pool_create(const struct pool_config *config)
{
	struct pool *pool = calloc(1, sizeof *pool);

	if (!pool) {
		log_error("no memory for a pool");
		return NULL;
	}
	pool->config = *config;
	pool->config.url = pool->config.user = pool->config.pass = pool->config.user_agent = NULL;
	pool->config.coinbase_addr = pool->config.coinbase_sig = pool->config.proxy = pool->config.cert = NULL;
	if (pool_hide_secrets(config->url, config->user, config->pass) < 0 || parse_url(pool, config->url) < 0 ||
	    copy_texts(pool, config) < 0 || parse_coinbase(pool, config) < 0)
		goto free_pool;
	if (wake_init(&pool->wake) < 0)
		goto free_pool;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		log_error("libcurl cannot be set up");
		goto destroy_wake;
	}
	if (pool->protocol->open(pool) < 0)
		goto cleanup_curl;
	queue_init(&pool->queue);
	tally_init(&pool->tally, pool->name);
	pool->wanted = true;
	pool->attempts.window_s = TOLD_WINDOW;
	return pool;

cleanup_curl:
	curl_global_cleanup();
destroy_wake:
	wake_destroy(&pool->wake);
free_pool:
	free_texts(pool);
	free(pool);
	return NULL;
}

/* The resting session takes over, and the other one rests. */
static void change_protocol(struct pool *pool)
{
	struct resting next = pool->resting;

	pool->resting = (struct resting){ pool->protocol, pool->session };
	pool->protocol = next.protocol;
	pool->session = next.session;
}

void pool_destroy(struct pool *pool)
{
	if (!pool)
		return;
	tally_destroy(&pool->tally);
	queue_destroy(&pool->queue);
	pool->protocol->destroy(pool);
	if (pool->resting.protocol) {
		change_protocol(pool);
		pool->protocol->destroy(pool);
	}
	curl_global_cleanup();
	wake_destroy(&pool->wake);
	free_texts(pool);
	free(pool);
}

const char *pool_name(const struct pool *pool)
{
	return pool->name;
}

/* Sleep until the bell rings, or so long. */
static void wait_bell(struct pool *pool, double seconds)
{
	struct pollfd bell = { .fd = pool->wake.fd[0], .events = POLLIN };

	poll(&bell, 1, seconds < STEP_MS / 1000.0 ? (int)(1000 * seconds) + 1 : STEP_MS);
	wake_clear(&pool->wake);
}

/* Sleep, unless told to stop or not wanted any more. */
static void pause_for(struct pool *pool, double seconds)
{
	double end = clock_now() + seconds, left;

	while (!pool->stop && pool->wanted && (left = end - clock_now()) > 0)
		wait_bell(pool, left);
}

/* Sleep until wanted; false: told to stop. */
static bool await_call(struct pool *pool)
{
	if (!pool->wanted)
		pool->failures = 0;
	while (!pool->stop && !pool->wanted)
		wait_bell(pool, STEP_MS / 1000.0);
	return !pool->stop;
}

/* Make ready to speak what comes next. A session outlives the others' connections: it knows what has been searched. */
static int speak(struct pool *pool)
{
	const struct scheme *scheme = pool->spoken;

	pool->tls = scheme->tls;
	if (scheme->protocol == pool->protocol)
		return 0;
	if (!pool->resting.protocol)
		pool->resting = (struct resting){ scheme->protocol, NULL };
	change_protocol(pool);
	if (pool->session || pool->protocol->open(pool) == 0)
		return 0;
	change_protocol(pool);
	pool->resting.protocol = NULL;
	return -1;
}

/* Has it been unwanted for long enough? *since is when that was first seen, 0: not yet. */
static bool is_released(struct pool *pool, double *since)
{
	double now = clock_now();

	if (pool->wanted)
		*since = 0;
	else if (*since == 0)
		*since = now;
	if (*since == 0 || now - *since < pool->config.linger_s)
		return false;
	log_info("pool %s: not needed now, disconnecting", pool->name);
	return true;
}

/* Serve one connection until it is lost, no more needed, or the pool told to stop. */
static void serve(struct pool *pool)
{
	const struct protocol *protocol = pool->protocol;
	double unwanted_since = 0;
	struct share share;

	while (!pool->stop && !is_released(pool, &unwanted_since)) {
		while (queue_peek(&pool->queue, &share)) {
			int sent = 1;

			if ((int)(share.work.generation - pool->generation) > 0)
				sent = protocol->submit(pool, &share);
			else
				tally_share_stale(&pool->tally, &share);
			if (sent == 0)
				break;
			queue_drop(&pool->queue);
			if (sent < 0)
				return;
		}
		if (protocol->step(pool, STEP_MS) < 0)
			return;
	}
}

/* The pause after so many failures in a row: doubled with each beyond our patience, and stretched by chance. */
static double growing_pause(const struct pool *pool)
{
	double base = pool->config.retry_pause_s;
	double most = base > PAUSE_MAX ? base : PAUSE_MAX, pause = base;
	uint8_t chance = 0;

	for (unsigned n = pool->config.patience + 1; n < pool->failures && pause < most && pause > 0; n++)
		pause *= 2;
	RAND_bytes(&chance, 1);
	return (pause < most ? pause : most) * (1 + JITTER * chance / UINT8_MAX);
}

/* One more failure: count it, and tell. False: it was the last that is allowed. */
static bool may_fail(struct pool *pool)
{
	const struct pool_sink *sink = &pool->config.sink;

	pool->failures++;
	bool last = pool->config.retries >= 0 && pool->failures > (unsigned)pool->config.retries;
	if (last) {
		log_error("pool %s: giving up after %u attempt%s", pool->name, pool->failures, pool->failures > 1 ? "s" : "");
		tally_gave_up(&pool->tally);
	}
	if (sink->failed)
		sink->failed(sink->ctx, pool->was_refused, last);
	return !last;
}

/* Seconds that the pool asks us to stay away, within our own bounds; 0: it has not asked. */
static double asked_pause(const struct pool *pool)
{
	double asked = pool->reconnect.wait_s;

	if (!pool->reconnect.asked)
		return 0;
	return asked < RECONNECT_MIN ? RECONNECT_MIN : asked > RECONNECT_MAX ? RECONNECT_MAX : asked;
}

/*
 * Seconds until the next attempt, or -1: no more. Only a connection that brought work
 * was a success, and if the pool itself sent us away, only one that had lasted.
 */
static double next_pause(struct pool *pool)
{
	bool sent_away = pool->reconnect.asked && !pool->reconnect.scheme;
	bool lasted = clock_now() - pool->connected_at >= pool->config.lasting_s;
	bool success = pool->was_ready && (lasted || !sent_away);

	if (success)
		pool->failures = 0;
	if (pool->reconnect.scheme)
		return 0;
	if (success && sent_away)
		return asked_pause(pool);
	if (!may_fail(pool))
		return -1;

	double pause = growing_pause(pool), asked = asked_pause(pool);
	return pause > asked ? pause : asked;
}

static void end_connection(struct pool *pool)
{
	pool->protocol->close(pool);
	pool_withdraw(pool);
	tally_login(&pool->tally, false);

	if (pool->spoken != pool->scheme && !pool->was_ready)
		pool->may_follow = clock_now() + FOLLOW_PAUSE;
	if (pool->reconnect.port == 0)
		pool->spoken = pool->scheme;
	else if (pool->reconnect.scheme)
		pool->spoken = pool->reconnect.scheme;
	pool->port = pool->reconnect.port ? pool->reconnect.port : pool->url.port;
}

static void *run(void *arg)
{
	struct pool *pool = arg;

	while (await_call(pool)) {
		pool->was_ready = pool->was_refused = false;
		pool->told = throttle_pass(&pool->attempts, pool->told_note);
		pool->reconnect = (struct reconnect){ .asked = false };
		if (speak(pool) == 0 && pool->protocol->connect(pool) == 0) {
			tally_connection(&pool->tally);
			pool->connected_at = clock_now();
			serve(pool);
		}
		end_connection(pool);
		if (pool->stop || !pool->wanted)
			continue;

		double pause = next_pause(pool);
		if (pause < 0)
			break;
		if (pool->told)
			log_info("pool %s: next attempt in %.1f s%s", pool->name, pause, pool->told_note);
		pause_for(pool, pause);
	}
	return NULL;
}

int pool_start(struct pool *pool)
{
	sigset_t all, before;

	/* signals are for main; and a broken TLS connection must not raise SIGPIPE here */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&pool->thread, NULL, run, pool);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return log_error("pool %s: cannot start its thread: %s", pool->name, strerror(error));
	pool->started = true;
	return 0;
}

void pool_want(struct pool *pool, bool wanted)
{
	pool->wanted = wanted;
	wake_ring(&pool->wake);
}

void pool_halt(struct pool *pool)
{
	pool->stop = true;
	wake_ring(&pool->wake);
}

void pool_stop(struct pool *pool)
{
	if (!pool->started)
		return;
	pool_halt(pool);
	pthread_join(pool->thread, NULL);
	pool->started = false;
}

void pool_submit(void *ctx, const struct share *share)
{
	struct pool *pool = ctx;

	if (queue_push(&pool->queue, share))
		wake_ring(&pool->wake);
	else
		tally_share_dropped(&pool->tally);
}

bool pool_next(void *ctx, struct work *work)
{
	struct pool *pool = ctx;

	bool any = pool->protocol->next(pool, work);

	if (!any)
		wake_ring(&pool->wake);	/* its thread has to see to it */
	return any;
}

void pool_stats(struct pool *pool, struct pool_stats *stats)
{
	tally_read(&pool->tally, stats);
}

void pool_logged_in(struct pool *pool)
{
	char user[URL_LOGIN_MAX];

	tally_login(&pool->tally, true);
	if (!pool->told)
		return;
	log_info("pool %s: %s%s%s", pool->name, pool->user[0] ? "logged in as " : "connected",
		 secret_show(user, sizeof user, pool->user),
		 !pool->tls ? "" : pool->transport.no_verify ? " (TLS, NOT VERIFIED)" : " (TLS)");
}

void pool_login_refused(struct pool *pool)
{
	pool->was_refused = true;
}

void pool_publish(struct pool *pool, struct jobs *jobs)
{
	struct work work = { 0 };

	switch (jobs_offer(jobs, &work)) {
	case JOBS_WORK:
		tally_work(&pool->tally, work.difficulty);
		pool->was_ready = true;
		pool->config.sink.publish(pool->config.sink.ctx, &work);
		break;
	case JOBS_DEAD:
		pool_withdraw(pool);
		break;
	case JOBS_WAIT:
		break;
	}
}

void pool_withdraw(struct pool *pool)
{
	pool->generation = pool->config.sink.clear(pool->config.sink.ctx);
}

bool pool_follow(struct pool *pool, const char *text)
{
	struct url url;
	const char *why = url_parse(&url, text);
	const struct scheme *scheme = find_scheme(url.scheme);
	char shown[100];

	if (pool->config.no_stratum || clock_now() < pool->may_follow)
		return false;
	if (!why && (!scheme || scheme->protocol != &protocol_stratum))
		why = "it is not stratum";
	if (!why && strcasecmp(url.host, pool->url.host) != 0)
		why = "it leads to another host";
	if (!why && pool->scheme->tls && !scheme->tls)
		why = "it is without TLS";
	if (why) {
		log_warn("pool %s: the offer of %s is not followed: %s", pool->name,
			 secret_show(shown, sizeof shown, text), why);
		pool->may_follow = clock_now() + FOLLOW_PAUSE;
		return false;
	}
	pool->reconnect = (struct reconnect){ .asked = true, .port = url.port, .scheme = scheme };
	log_info("pool %s: going over to %s, which it offers", pool->name, secret_show(shown, sizeof shown, text));
	return true;
}
