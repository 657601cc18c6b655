/*
 * A stratum v1 session: what its three parts share. stratum.c is the protocol as
 * pool.c drives it (lines, shares, time); stratum_login.c is what we ask of a pool
 * until it lets us mine; stratum_methods.c is what it tells or asks of its own accord.
 *
 * What a newcomer would get wrong: set_difficulty, set_extranonce and
 * set_version_mask change nothing that is being mined. They hold from the next
 * mining.notify on.
 */
#ifndef POOL_STRATUM_H
#define POOL_STRATUM_H

#include "pool/connection.h"
#include "pool/jobs.h"
#include "pool/jsonrpc.h"
#include "pool/pending.h"
#include "pool/protocol.h"

enum stratum_state { STRATUM_SUBSCRIBING, STRATUM_AUTHORIZING, STRATUM_MINING };

/* Requests that a pool may not know. Most answer with an error, some not at all, and some hang up. */
enum stratum_extra { STRATUM_CONFIGURE, STRATUM_SUGGEST, STRATUM_FOLLOW_XNONCE, STRATUM_EXTRA_COUNT };

/* What holds for jobs that come from now on. */
struct stratum_terms {
	bool numbered;			/* the extranonce is known */
	struct extranonce extranonce;
	double difficulty;		/* 0: not stated */
	uint32_t version_mask;		/* the bits that may be chosen */
};

struct stratum {
	/* of the pool thread, for as long as the pool exists */
	struct jobs jobs;
	struct connection connection;
	struct throttle bad_line, bad_call, message, job, mask, unknown;	/* kinds of log lines */
	char *session;			/* the pool's name for ours, to resume it by; NULL: none */
	char next_host[URL_HOST_MAX];	/* to connect to once, by the pool's wish; empty: the URL's */
	double extra_from[STRATUM_EXTRA_COUNT];	/* clock_now() from when on it is asked, again */

	/* anew with each connection */
	struct stratum_session {
		enum stratum_state state;
		uint32_t next_id;		/* of our next request */
		uint32_t login_id;		/* of the one that `state` waits for */
		double login_began;		/* clock_now() */
		double login_timeout;		/* s from then */
		bool resuming;			/* subscribed by an earlier session's name */
		struct { uint32_t id; double sent; } extras[STRATUM_EXTRA_COUNT];	/* id 0: not asked, or answered */
		bool lost;			/* it is the pool that ends the connection, or does not answer */
		double heard;			/* when the last line came */
		double next_check;		/* of all that only time brings about */
		unsigned bad_lines;		/* in a row */
		uint32_t exhausted_job;		/* the last one that was said to be searched through */
		struct stratum_terms terms;
		json_t *early_job;		/* the parameters of one that came while subscribing; NULL: none */
		struct stratum_terms early_terms;	/* that held then */
		bool rolling;			/* the pool takes version bits with shares */
		struct pending_table pending;
	} now;
};

/*
 * Send a JSON value as one line, and let go of it; the dump shows `shown` instead,
 * unless that is NULL. 0, or -1 logged.
 */
int stratum_send(struct pool *, json_t *message, json_t *shown);

/* Send a request; the dump shows `shown` as its parameters, unless that is NULL. 0, or -1 logged. */
int stratum_request(struct pool *, uint32_t id, const char *method, json_t *params, json_t *shown);

/* Begin to log in. 0, or -1 logged. */
int stratum_login(struct pool *);

/* Does one of the login's requests await a reply of this id? */
bool stratum_login_awaits(const struct pool *, uint32_t id);

/* If a reply is to one of the login's requests, do what follows from it: 1, or -1: end the connection, logged. Else 0. */
int stratum_login_reply(struct pool *, uint32_t id, const struct message *reply);

/* The connection has ended: draw the conclusions for the next. */
void stratum_login_end(struct pool *);

/* Hang out the latest job's next work, if the login is through and there is any. */
void stratum_publish(struct pool *);

/* Take a job and hang out its work, if the login is through. One that makes no sense is dropped, and logged. */
void stratum_take_job(struct pool *, const json_t *params, const struct stratum_terms *);

/*
 * Extranonce1 and the size of extranonce2, as subscribe and set_extranonce give them.
 * False, and nothing changed, when they are unusable.
 */
bool stratum_read_extranonce(struct extranonce *, const json_t *first, const json_t *second_len);

/*
 * Take the bits of the version that the jobs to come leave to us, of those we asked
 * for. False, and nothing changed, when they are unusable or not ours to choose.
 */
bool stratum_set_version_mask(struct pool *, const json_t *mask);

/* Do what a line with a method says. 0, or -1: end the connection, logged. */
int stratum_handle_method(struct pool *, const struct message *);

#endif
