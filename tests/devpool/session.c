/* Requests and notifications of stratum v1: see session.h. */
#include "tests/devpool/session.h"

#include <jansson.h>
#include <math.h>
#include <openssl/sha.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/hex.h"
#include "tests/devpool/extensions.h"
#include "tests/devpool/message.h"
#include "tests/devpool/nonsense.h"

#define BAD_LINES_MAX	10	/* then the client is no stratum client */
#define AFTER_CLEAN	0.5	/* seconds in which a miner has to drop a job that ended */

void session_new_xnonce(struct session *session)
{
	size_t second_len = session->pool->options->xnonce2_len;
	struct xnonce *xnonce = &session->tenure.xnonce;
	bool longer = xnonce->first_len == XNONCE1_LEN && second_len > 1;

	*xnonce = (struct xnonce){ .first_len = XNONCE1_LEN + longer, .second_len = second_len - longer };
	store_be32(xnonce->first, session->pool->next_xnonce1++);
}

void session_open(struct session *session, struct devpool *pool, struct outlet *outlet)
{
	*session = (struct session){ .pool = pool, .outlet = outlet, .next_mask = INFINITY, .next_xnonce = INFINITY };
	session_new_xnonce(session);
	session->tenure.id = load_be32(session->tenure.xnonce.first);
	session->tenure.difficulty = pool->options->difficulty;
}

void session_close(struct session *session)
{
	if (session->has_job)
		resume_keep(&session->pool->resume, &session->tenure);
}

static void reply(struct session *session, json_t *id, json_t *result)
{
	outlet_say(session->outlet, message_reply(id, result));
}

static void reply_error(struct session *session, json_t *id, int code, const char *text)
{
	outlet_say(session->outlet, message_error(id, code, text));
}

bool session_is_ready(const struct session *session)
{
	return session->subscribed && session->user[0];
}

/* What the next job's shares are to be worth. */
static double next_difficulty(struct session *session)
{
	const struct options *options = session->pool->options;
	struct tenure *tenure = &session->tenure;
	struct faults *faults = &session->pool->faults;
	double factor = 1, now = clock_now();

	if (!session->has_job) {
		vardiff_start(&session->vardiff, now);
	} else if (options->vardiff > 0) {
		/* below this every hash is a share, and less would mean nothing */
		double least = fmin(options->difficulty, ldexp(options->algo->diff1, -32));

		double next = vardiff_next(&session->vardiff, tenure->difficulty, options->vardiff, now);

		tenure->difficulty = fmax(least, next);
	}
	if (fault_strikes(faults, FAULT_JUMPS)) {
		factor = ldexp(1, (int)(7 * fault_random(faults)) - 3);
		outlet_difficulty(session->outlet, tenure->difficulty / 2);	/* for no job: another follows at once */
		session->announced = tenure->difficulty / 2;
	}
	return fmax(session->least, tenure->difficulty * factor);
}

void session_give_job(struct session *session)
{
	const struct job *job = jobs_newest(&session->pool->jobs);
	struct terms terms = {
		.difficulty = next_difficulty(session), .xnonce = session->tenure.xnonce,
		.rolling = session->rolling, .mask = session->mask,
	};
	bool clean = job->clean || !session->has_job;

	session->has_job = true;
	if (terms.difficulty != session->announced)
		outlet_difficulty(session->outlet, terms.difficulty);
	session->announced = terms.difficulty;
	outlet_job(session->outlet, message_job(job, clean));
	given_add(&session->tenure.given, job->number, &terms, clean, session->outlet->peer->queued);
}

/*
 * Keep the books on a share of a job that this client knows, before it is judged:
 * whatever is said about it, was it sent before, and was its job long gone?
 */
static void take_down(struct session *session, const struct given_job *given, const uint8_t header[80])
{
	struct stats *stats = &session->pool->stats;
	uint8_t digest[SHA256_DIGEST_LENGTH];

	SHA256(header, 80, digest);
	int added = seen_add(&session->pool->sent, digest);
	stats->duplicates += added == 0;
	stats->unchecked += added < 0;
	stats->after_clean += clock_now() > given->ended + AFTER_CLEAN;
}

/* What `params` of mining.submit are worth; the share's difficulty goes to *difficulty. */
static enum verdict judge(struct session *session, double *difficulty, json_t *params)
{
	struct devpool *pool = session->pool;
	const char *user = message_text(params, 0), *id = message_text(params, 1);
	size_t count = json_array_size(params);
	struct claim claim = {
		.xnonce2 = message_text(params, 2), .ntime = message_text(params, 3), .nonce = message_text(params, 4),
		.version = message_text(params, 5),
	};
	uint8_t header[80];
	bool block = false;

	if (!session->subscribed)
		return SHARE_NOT_SUBSCRIBED;
	if (!session->user[0])
		return SHARE_UNAUTHORIZED;
	if (!user || !id || !claim.xnonce2 || !claim.ntime || !claim.nonce || count != (claim.version ? 6 : 5))
		return SHARE_BAD_PARAMS;
	if (strcmp(user, session->user) != 0)
		return SHARE_UNAUTHORIZED;

	struct job *job = jobs_find(&pool->jobs, id);
	const struct given_job *given = job ? given_find(&session->tenure.given, job->number) : NULL;
	if (!given)
		return SHARE_UNKNOWN_JOB;
	claim.terms = &given->terms;
	*difficulty = given->terms.difficulty;

	enum verdict verdict = share_header(header, job, &claim);
	if (verdict != SHARE_ACCEPTED)
		return verdict;
	take_down(session, given, header);
	if (clock_now() > job->ended + pool->options->grace)
		return SHARE_STALE_JOB;
	verdict = share_check(pool->options->algo, pool->scratch, &block, job, header, given->terms.difficulty);
	if (verdict == SHARE_ACCEPTED) {
		pool->stats.late += isfinite(job->ended);
		pool->stats.blocks += block;
	}
	return verdict;
}

static void on_submit(struct session *session, json_t *id, json_t *params)
{
	double difficulty = 0;
	enum verdict verdict = judge(session, &difficulty, params);
	const struct verdict_text *text = &verdict_texts[verdict];
	bool good = verdict == SHARE_ACCEPTED;

	stats_share(&session->pool->stats, verdict, difficulty);
	if (good)
		vardiff_share(&session->vardiff, difficulty);
	outlet_verdict(session->outlet, good ? message_reply(id, json_true()) : message_error(id, text->code, text->text),
		       id, good);
}

static void on_subscribe(struct session *session, json_t *id, json_t *params)
{
	struct tenure *tenure = &session->tenure;
	const char *old = message_text(params, 1);	/* behind the client's name: the session it had */
	char xnonce1[2 * XNONCE1_MAX + 1], name[9];

	if (old && !session->subscribed)
		session->pool->stats.resumed += resume_take(&session->pool->resume, tenure, old);
	message_number(name, tenure->id);
	hex_encode(xnonce1, tenure->xnonce.first, tenure->xnonce.first_len);
	reply(session, id, json_pack("[[[s,s],[s,s]],s,i]", "mining.set_difficulty", name, "mining.notify", name,
				     xnonce1, (int)tenure->xnonce.second_len));
	session->subscribed = true;
	outlet_subscribed(session->outlet);
	if (session_is_ready(session) && !session->has_job)
		session_give_job(session);
}

static void on_authorize(struct session *session, json_t *id, json_t *params)
{
	const char *user = message_text(params, 0), *wanted = session->pool->options->user;
	size_t count = json_array_size(params);

	if (!user || count > 2 || (count == 2 && !message_text(params, 1))) {
		reply_error(session, id, 20, "Not one or two texts: user, password");
		return;
	}
	if (!user[0] || strlen(user) >= USER_MAX || (wanted && strcmp(user, wanted) != 0)) {
		reply_error(session, id, 24, "Unauthorized worker");
		return;
	}
	if (fault_strikes(&session->pool->faults, FAULT_REFUSE)) {
		if (session->pool->faults.struck[FAULT_REFUSE] % 2 == 0)
			reply(session, id, json_false());
		else
			reply_error(session, id, 24, "Unauthorized worker");
		return;
	}
	strcpy(session->user, user);
	reply(session, id, json_true());
	if (session_is_ready(session) && !session->has_job)
		session_give_job(session);
}

static const struct {
	const char *name;
	void (*run)(struct session *, json_t *id, json_t *params);
} methods[] = {
	{ "mining.subscribe", on_subscribe },
	{ "mining.authorize", on_authorize },
	{ "mining.submit", on_submit },
	{ "mining.configure", extensions_configure },
	{ "mining.suggest_difficulty", extensions_suggest_difficulty },
	{ "mining.extranonce.subscribe", extensions_subscribe_xnonce },
};

static void dispatch(struct session *session, const char *name, json_t *id, json_t *params)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i].name, name) == 0) {
			methods[i].run(session, id, params);
			return;
		}
	reply_error(session, id, -3, "Method not found");
}

static void on_bad_line(struct session *session)
{
	session->pool->stats.bad_lines++;
	reply_error(session, json_null(), 20, "Not a request");
	if (++session->bad_lines == BAD_LINES_MAX)
		peer_doom(session->outlet->peer, "too many lines that are no request", true);
}

void session_line(struct session *session, const char *line, size_t len)
{
	json_t *message = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
	const char *method = json_string_value(json_object_get(message, "method"));

	if (!id)
		id = json_null();
	if (!method && nonsense_is_answered(message))
		session->pool->stats.answers++;
	else if (!method || json_is_object(id) || json_is_array(id))
		on_bad_line(session);
	else
		dispatch(session, method, id, params);
	json_decref(message);
}
