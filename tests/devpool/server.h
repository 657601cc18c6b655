/*
 * The loop: takes clients in, brings their lines to their sessions, makes jobs on time
 * and closes who is doomed. One thread, one poll; loopback only.
 */
#ifndef DEVPOOL_SERVER_H
#define DEVPOOL_SERVER_H

#include <signal.h>

#include "tests/devpool/replay.h"
#include "tests/devpool/session.h"

#define CLIENTS_MAX 256		/* more are turned away */

/* Who is served by a session or, when a recorded one is replayed, by a player. */
struct client {
	unsigned number;	/* counts up from 1 */
	struct peer peer;
	struct outlet outlet;
	struct session session;
	struct player player;
};

struct server {
	int fd;				/* listens */
	uint16_t port;
	struct devpool *pool;
	SSL_CTX *tls;			/* NULL: plain text */
	struct replay *replay;		/* NULL: no replay */
	struct client *clients[CLIENTS_MAX];
	size_t client_count;
	double next_job;		/* clock_now() when it is due */
	double last_step;
};

/*
 * Listen on 127.0.0.1 and make the first job. `tls` and `replay`, each may be NULL,
 * stay the caller's. 0, or -1 logged.
 */
int server_open(struct server *, struct devpool *, SSL_CTX *tls, struct replay *replay);
void server_close(struct server *);

/*
 * Wait for something to do, at most until clock_now() is `until`, with the signals
 * in `mask` held back meanwhile, and do it. 0, or -1 logged; a signal is 0.
 */
int server_step(struct server *, const sigset_t *mask, double until);

#endif
