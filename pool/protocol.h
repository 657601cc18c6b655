/*
 * What pool.c and the protocols share: the inside of a pool, and the table a
 * protocol fills in. Everything here is the pool thread's, but where said otherwise.
 *
 * A protocol moves lines and knows jobs. When to connect, how long to pause and what
 * counts as a failure is pool.c's, what the operator reads about shares is tally.c's,
 * the same for all protocols.
 */
#ifndef POOL_PROTOCOL_H
#define POOL_PROTOCOL_H

#include "pool/address.h"
#include "pool/pool.h"
#include "pool/queue.h"
#include "pool/tally.h"
#include "pool/transport.h"
#include "pool/url.h"
#include "pool/wake.h"

/* All return 0, or -1 for failed and logged, but where said otherwise. */
struct protocol {
	int (*open)(struct pool *);		/* make pool->session, once; what lives longer than a connection */
	int (*connect)(struct pool *);		/* and greet */
	int (*step)(struct pool *, int timeout_ms);	/* wait for one event, at most so long, and do what it asks */
	int (*submit)(struct pool *, const struct share *);	/* 1: sent or stale; -1: the same, but the connection is lost; 0: not now */
	void (*close)(struct pool *);		/* the connection, if any: its jobs are dead */
	void (*destroy)(struct pool *);		/* pool->session */
	board_next_fn *next;			/* context: the pool; any thread */
};

/* What a URL's scheme stands for. */
struct scheme {
	const char *name;
	const struct protocol *protocol;
	bool tls;
};

/* A protocol's wish to be connected anew, by the pool's request. */
struct reconnect {
	bool asked;
	uint16_t port;		/* on the same host, for one time; 0: the URL's, and its scheme */
	const struct scheme *scheme;	/* with a port; NULL: as now */
	double wait_s;
};

/* A protocol's session that rests while another protocol is spoken. */
struct resting {
	const struct protocol *protocol;	/* NULL: there is none */
	void *session;
};

struct pool {
	/* set before the thread starts, and fixed */
	struct pool_config config;	/* its texts are NULL: the pool has copies */
	char *user, *user_agent;
	char *pass;			/* a secret */
	char *coinbase_sig;		/* empty: none */
	struct transport transport;
	struct address payout;		/* of no length: none */
	struct url url;
	const struct scheme *scheme;	/* the URL's */
	char name[URL_HOST_MAX + 8];

	/* changed only between the sink's clear() and publish(), when no board asks for work */
	const struct protocol *protocol;
	bool tls;

	/* any thread */
	struct wake wake;
	_Atomic bool stop, wanted;
	struct queue queue;
	struct tally tally;

	/* the pool thread's */
	pthread_t thread;
	bool started;			/* the owner's */
	void *session;			/* the protocol's */
	struct resting resting;
	const struct scheme *spoken;	/* to connect by next, at this port */
	uint16_t port;
	unsigned generation;		/* work up to it is void */
	double may_follow;		/* clock_now() from when on another scheme is followed again */
	double connected_at;		/* clock_now(), of the latest connection */
	bool was_ready;			/* in this connection */
	bool was_refused;		/* in this connection, our login */
	unsigned failures;		/* in a row */
	struct throttle attempts;
	bool told;			/* is this attempt logged? */
	char told_note[THROTTLE_NOTE_MAX];
	struct reconnect reconnect;
};

extern const struct protocol protocol_stratum, protocol_node;

/* What protocols report, besides what becomes of shares: see tally.h. */

/* Logged in: the attempt counts as a success once work comes too. */
void pool_logged_in(struct pool *);

/* The pool does not take our login. The protocol has logged why, and ends the connection. */
void pool_login_refused(struct pool *);

/* Hang out what the protocol's jobs offer now, or take away what nobody wants any more. */
struct jobs;
void pool_publish(struct pool *, struct jobs *);

/* Take all work away until there is new: its shares are stale. */
void pool_withdraw(struct pool *);

/*
 * The pool offers another URL. True: it is stratum on the same host, so end the
 * connection and it will be the next. A foreign host, or plain text in place of
 * TLS, is not followed.
 */
bool pool_follow(struct pool *, const char *url);

#endif
