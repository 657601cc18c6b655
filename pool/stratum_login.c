/*
 * Logging in to a stratum pool: configure (BIP 310), subscribe, authorize, and what
 * may be asked besides. See stratum.h.
 *
 * What a newcomer would get wrong: a pool need not know more than subscribe and
 * authorize, and some hang up on anything else. So nothing waits for the reply to
 * an extra request, and one that a connection ended over is left out of the next.
 */
#include "pool/stratum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"

#define LOGIN_TIMEOUT	30	/* s for each reply until mining; less if the pool may be silent for less */
#define BLAME_TIME	5	/* s after an extra request in which the end of the connection is put down to it */
#define EXTRA_PAUSE	3600	/* s without it */
#define SESSION_MAX	256	/* bytes of a session's name */

static const char *const extra_methods[STRATUM_EXTRA_COUNT] = {
	[STRATUM_CONFIGURE] = "mining.configure",
	[STRATUM_SUGGEST] = "mining.suggest_difficulty",
	[STRATUM_FOLLOW_XNONCE] = "mining.extranonce.subscribe",
};

/* Unless an earlier connection ended over it. 0, or -1 logged. */
static int send_extra(struct pool *pool, enum stratum_extra extra, json_t *params)
{
	struct stratum *s = pool->session;

	if (clock_now() < s->extra_from[extra]) {
		json_decref(params);
		return 0;
	}
	s->now.extras[extra].id = s->now.next_id++;
	s->now.extras[extra].sent = clock_now();
	return stratum_request(pool, s->now.extras[extra].id, extra_methods[extra], params, NULL);
}

/* The requests that the login waits for: their replies are matched by login_id. */
static int send_login(struct pool *pool, enum stratum_state state, const char *method, json_t *params, json_t *shown)
{
	struct stratum_session *now = &((struct stratum *)pool->session)->now;

	now->state = state;
	now->login_id = now->next_id++;
	now->login_timeout = pool->config.timeout_s < LOGIN_TIMEOUT ? pool->config.timeout_s : LOGIN_TIMEOUT;
	now->login_began = clock_now();
	return stratum_request(pool, now->login_id, method, params, shown);
}

/* As a whole number if it is one: there are pools that take no other. */
static json_t *difficulty_json(double difficulty)
{
	return difficulty == floor(difficulty) && difficulty < 1e15 ? json_integer((json_int_t)difficulty) : json_real(difficulty);
}

static int send_configure(struct pool *pool)
{
	const struct pool_config *config = &pool->config;
	json_t *names = json_array(), *options = json_object();
	char mask[9];

	if (!config->no_version_rolling) {
		snprintf(mask, sizeof mask, "%08x", (unsigned)ROLLED_BITS);
		json_array_append_new(names, json_string("version-rolling"));
		json_object_set_new(options, "version-rolling.mask", json_string(mask));
		json_object_set_new(options, "version-rolling.min-bit-count", json_integer(1));
	}
	if (config->least_difficulty > 0) {
		json_array_append_new(names, json_string("minimum-difficulty"));
		json_object_set_new(options, "minimum-difficulty.value", difficulty_json(config->least_difficulty));
	}
	if (json_array_size(names) > 0)
		return send_extra(pool, STRATUM_CONFIGURE, json_pack("[oo]", names, options));
	json_decref(names);
	json_decref(options);
	return 0;
}

static int send_subscribe(struct pool *pool)
{
	struct stratum *s = pool->session;
	json_t *params = json_pack("[s]", pool->user_agent);

	s->now.resuming = s->session != NULL;
	if (s->now.resuming)
		json_array_append_new(params, json_string(s->session));
	return send_login(pool, STRATUM_SUBSCRIBING, "mining.subscribe", params, NULL);
}

int stratum_login(struct pool *pool)
{
	return send_configure(pool) < 0 ? -1 : send_subscribe(pool);
}

/* "1fffe000": some pools leave out zeros in front. */
static bool parse_mask(uint32_t *mask, const json_t *value)
{
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);

	if (len < 1 || len > 8 || strspn(text, "0123456789abcdefABCDEF") != len)
		return false;
	*mask = (uint32_t)strtoul(text, NULL, 16);
	return true;
}

bool stratum_set_version_mask(struct pool *pool, const json_t *value)
{
	struct stratum *s = pool->session;
	char note[THROTTLE_NOTE_MAX];
	uint32_t mask;

	if (!s->now.rolling || !parse_mask(&mask, value))
		return false;
	s->now.terms.version_mask = mask & ROLLED_BITS;
	if (throttle_pass(&s->mask, note))
		log_debug("pool %s: version bits %08x may be chosen%s", pool->name, (unsigned)s->now.terms.version_mask, note);
	return true;
}

static void on_configured(struct pool *pool, const struct message *reply)
{
	struct stratum *s = pool->session;
	const json_t *result = reply->result;

	if (pool->config.least_difficulty > 0 && !json_is_true(json_object_get(result, "minimum-difficulty")))
		log_warn("pool %s: it does not promise a minimum difficulty", pool->name);
	s->now.rolling = !pool->config.no_version_rolling && json_is_true(json_object_get(result, "version-rolling"));
	if (s->now.rolling && !stratum_set_version_mask(pool, json_object_get(result, "version-rolling.mask")))
		log_warn("pool %s: it grants version rolling, but no bits", pool->name);
}

/* Keep the session's name, in [["mining.notify", name], ...] or ["mining.notify", name]. */
static void learn_session(struct stratum *s, const json_t *subscriptions)
{
	const json_t *name = json_array_get(subscriptions, 1);

	for (size_t i = 0; i < json_array_size(subscriptions) && !json_is_string(name); i++) {
		const json_t *pair = json_array_get(subscriptions, i);
		const char *method = json_string_value(json_array_get(pair, 0));

		if (method && strcmp(method, "mining.notify") == 0)
			name = json_array_get(pair, 1);
	}
	free(s->session);
	s->session = json_string_length(name) > 0 && json_string_length(name) <= SESSION_MAX ? strdup(json_string_value(name)) : NULL;
}

static void forget_session(struct stratum *s)
{
	free(s->session);
	s->session = NULL;
}

/* Fill in what was not known yet. */
static void complete(struct stratum_terms *terms, const struct stratum_terms *known)
{
	if (!terms->numbered)
		terms->extranonce = known->extranonce;
	if (terms->difficulty == 0)
		terms->difficulty = known->difficulty;
	terms->numbered = true;
}

/* Some pools send a job, or what jobs depend on, before the reply that it all begins with. */
static void catch_up(struct pool *pool, const struct extranonce *extranonce)
{
	struct stratum *s = pool->session;
	const struct stratum_terms known = { .extranonce = *extranonce, .difficulty = s->now.terms.difficulty };

	complete(&s->now.terms, &known);
	complete(&s->now.early_terms, &known);
	if (s->now.early_job)
		stratum_take_job(pool, s->now.early_job, &s->now.early_terms);
	json_decref(s->now.early_job);
	s->now.early_job = NULL;
}

static int on_subscribed(struct pool *pool, const struct message *reply)
{
	struct stratum *s = pool->session;
	struct extranonce extranonce;
	char reason[REASON_MAX];

	if (message_refuses(reply, reason) && s->now.resuming) {
		log_info("pool %s: the session is not resumed: %s", pool->name, reason);
		forget_session(s);
		return send_subscribe(pool);
	}
	if (message_refuses(reply, reason))
		return log_error("pool %s: subscription refused: %s", pool->name, reason);
	if (!stratum_read_extranonce(&extranonce, json_array_get(reply->result, 1), json_array_get(reply->result, 2)))
		return log_error("pool %s: the reply to mining.subscribe has no usable extranonce", pool->name);
	learn_session(s, json_array_get(reply->result, 0));
	catch_up(pool, &extranonce);
	/* before the login, so that its first job may have it */
	if (pool->config.suggest_difficulty > 0 &&
	    send_extra(pool, STRATUM_SUGGEST, json_pack("[o]", difficulty_json(pool->config.suggest_difficulty))) < 0)
		return -1;
	return send_login(pool, STRATUM_AUTHORIZING, "mining.authorize", json_pack("[ss]", pool->user, pool->pass),
			  json_pack("[ss]", pool->user, "***"));
}

static int on_authorized(struct pool *pool, const struct message *reply)
{
	struct stratum *s = pool->session;
	char reason[REASON_MAX], user[URL_LOGIN_MAX];

	if (!message_accepts(reply, reason)) {
		pool_login_refused(pool);
		return log_error("pool %s: login of %s refused: %s", pool->name, secret_show(user, sizeof user, pool->user), reason);
	}
	s->now.state = STRATUM_MINING;
	s->now.login_id = 0;
	pool_logged_in(pool);
	stratum_publish(pool);		/* some pools send the first job before this reply */
	return send_extra(pool, STRATUM_FOLLOW_XNONCE, json_array());
}

bool stratum_login_awaits(const struct pool *pool, uint32_t id)
{
	const struct stratum *s = pool->session;
	bool awaits = id == s->now.login_id;

	for (size_t i = 0; i < STRATUM_EXTRA_COUNT; i++)
		awaits = awaits || id == s->now.extras[i].id;
	return awaits && id != 0;
}

int stratum_login_reply(struct pool *pool, uint32_t id, const struct message *reply)
{
	struct stratum *s = pool->session;
	char reason[REASON_MAX];
	int result;

	if (id == s->now.login_id) {
		result = s->now.state == STRATUM_SUBSCRIBING ? on_subscribed(pool, reply) : on_authorized(pool, reply);
		return result < 0 ? -1 : 1;
	}
	for (size_t i = 0; i < STRATUM_EXTRA_COUNT; i++) {
		if (s->now.extras[i].id != id)
			continue;
		s->now.extras[i].id = 0;
		if (message_refuses(reply, reason))
			log_debug("pool %s: %s: %s", pool->name, extra_methods[i], reason);
		else if (i == STRATUM_CONFIGURE)
			on_configured(pool, reply);
		return 1;
	}
	return 0;
}

void stratum_login_end(struct pool *pool)
{
	struct stratum *s = pool->session;
	bool early = s->now.state == STRATUM_SUBSCRIBING, blamed = false;
	double now = clock_now();

	if (!s->now.lost)
		return;
	for (size_t i = 0; i < STRATUM_EXTRA_COUNT; i++) {
		if (s->now.extras[i].id == 0 || (!early && now - s->now.extras[i].sent > BLAME_TIME))
			continue;
		s->extra_from[i] = now + EXTRA_PAUSE;
		blamed = true;
		log_info("pool %s: perhaps it does not like %s: the next connection does without", pool->name, extra_methods[i]);
	}
	if (early && !blamed)		/* it was not for the lack of them */
		memset(s->extra_from, 0, sizeof s->extra_from);
	if (early && s->now.resuming)
		forget_session(s);
}
