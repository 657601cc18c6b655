/*
 * One pool as its owner sees it: it gives work to a sink, takes shares from any
 * thread, and counts what becomes of them. Its own thread connects, logs in, and
 * tries again when the connection is lost.
 *
 * What a newcomer would get wrong: a pool does not know whether its work is mined on.
 * That is its sink's business, see pool/pools.h.
 */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include "work/board.h"
#include "miner.h"

struct pool;

/* Where a pool's work goes, and its news. All are called by the pool's thread. */
struct pool_sink {
	void (*publish)(void *ctx, const struct work *);
	/* the pool's works are void; returns a generation that none of them is above. The next ones' will be */
	unsigned (*clear)(void *ctx);
	/* a connection was lost or not to be had; `refused`: the pool does not take our login; `last`: its thread ends */
	void (*failed)(void *ctx, bool refused, bool last);	/* may be NULL */
	void *ctx;
};

struct pool_config {
	struct pool_sink sink;
	struct searched *searched;	/* see pool/searched.h; outlives the pool */
	const char *url;		/* see pool/url.h; without a scheme it is stratum+tcp */
	const char *user;		/* UTF-8, as the next two */
	const char *pass;
	const char *user_agent;		/* what the pool is told of us: "adit/1.0" */
	const char *coinbase_addr;	/* who is paid for blocks of getblocktemplate, see pool/address.h; or NULL */
	const char *coinbase_sig;	/* a text of ours in such blocks; or NULL */
	const struct algo *algo;
	int retries;			/* failures in a row before it gives up, the first not counted; -1: never */
	double retry_pause_s;		/* at least this long between attempts; grows with failures */
	double lasting_s;		/* a connection must have lasted so long, or the pool's wish for a new one is a failure */
	double timeout_s;		/* of silence before a connection counts as dead */
	double scan_time_s;		/* between questions to a node for newer work, when it does not tell of its own accord */
	bool no_longpoll;		/* do not let a node tell */
	bool no_stratum;		/* stay with HTTP even when the pool offers stratum */
	unsigned patience;		/* failures in a row that may pass before the pause grows */
	double linger_s;		/* how long it stays connected when no more wanted, for replies to late shares */
	const char *proxy, *cert;	/* see pool/transport.h; or NULL */
	bool no_verify;			/* take any certificate */
	unsigned versions;		/* block versions the miner wants with each work where the pool lets it choose; 0: none */
	bool no_version_rolling;	/* do not ask for a choice of versions */
	double suggest_difficulty;	/* to mine at; 0: the pool chooses */
	double least_difficulty;	/* to mine at, told to pools that ask; 0: any */
	bool dump;			/* log every line of the protocol, secrets masked */
	struct record *record;		/* see pool/record.h, where every line goes, too; or NULL */
	unsigned number;		/* of the pool in the record, from 1 */
};

/* accepted + rejected + unanswered is what was sent, but for the shares that still await their reply. */
struct pool_stats {
	uint64_t sent;
	uint64_t accepted;
	uint64_t rejected;
	uint64_t unanswered;		/* sent, and no reply in time or before the connection went */
	uint64_t stale;			/* not sent: their job was gone */
	uint64_t dropped;		/* not sent: too many at once */
	uint64_t blocks;		/* sent shares that met the network's own target */
	uint64_t jobs;			/* times the pool gave new work */
	uint64_t connections;		/* made, over all attempts */
	double difficulty;		/* the pool's number for the work it last hung out */
	bool connected;			/* logged in */
	bool gave_up;
};

/*
 * From now on no text shows the passwords of such a pool, in its URL too, nor what stands behind a colon in a user's
 * name, which may be one. pool_create() does the same; this is for who has something to say before. 0, or -1 logged.
 */
int pool_hide_secrets(const char *url, const char *user, const char *pass);

/* NULL, logged, when the URL or a text is not usable. Before other threads start. */
struct pool *pool_create(const struct pool_config *);

/* Harmless on NULL. */
void pool_destroy(struct pool *);

/* host:port, for log lines. */
const char *pool_name(const struct pool *);

/* Start its thread, which takes no signals. 0, or -1 logged. */
int pool_start(struct pool *);

/*
 * Whether it shall be connected; at first it is wanted. Called back, it counts its
 * failures anew. Any thread.
 */
void pool_want(struct pool *, bool wanted);

/* Have its thread end, wherever it is, and do not wait for that. Any thread. */
void pool_halt(struct pool *);

/* The same, and wait. Harmless when it did not start. */
void pool_stop(struct pool *);

/* Send a share if it still counts by then. Never waits; any thread; in the shape of worker_found_fn. */
void pool_submit(void *pool, const struct share *);

/* A board_next_fn for the board that shows its work; not between the sink's clear() and publish(). */
bool pool_next(void *pool, struct work *);

void pool_stats(struct pool *, struct pool_stats *);

#endif
