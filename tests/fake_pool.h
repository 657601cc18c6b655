/*
 * A stratum pool that plays a script, for tests: one thread, one connection at a
 * time, on a free loopback port. It says what the script tells it to, however rude,
 * and checks every share by code of its own.
 *
 * In scripted texts each line ends in \n, and a $ stands for the id of the request
 * that is answered. NULL means the usual answer, "" none.
 */
#ifndef TESTS_FAKE_POOL_H
#define TESTS_FAKE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_script {
	const char *greeting;		/* before anything is asked */
	const char *configure_reply;	/* usual: an error, as to all that is not named here */
	const char *subscribe_reply;	/* usual: extranonce1 a1b2c3d4, 4 bytes of extranonce2 */
	const char *authorize_reply;
	const char *after_login;	/* usual: nothing */
	const char *verdict;		/* to every share; usual: what the check says */
	const char *line_end;		/* in place of each \n */
	size_t chunk;			/* bytes per write; 0: all at once */
	_Atomic enum { CLOSE_NEVER, CLOSE_ON_ACCEPT, CLOSE_AT_CONFIGURE, CLOSE_AFTER_SUBSCRIBE, CLOSE_AFTER_LOGIN,
		       CLOSE_AT_FOLLOW_XNONCE } close;	/* may change */
	_Atomic bool deaf;		/* reads no more, from what it would read next on; may change */
};

/* What a notify announces, and what shares of it are checked against. Zero and NULL mean the usual. */
struct fake_job {
	const char *id;			/* j1 */
	const char *xnonce1;		/* a1b2c3d4 */
	int xnonce2_len;		/* 4; FAKE_NONE for no byte at all */
	const char *branches;		/* a JSON list of hex, or [] */
	const char *half2;		/* of the coinbase */
	const char *nbits;		/* 1d00ffff */
	const char *ntime;		/* 65a0b1c0 */
	uint32_t version;		/* 20000000 */
	uint32_t mask;			/* what the pool has granted of it; 0: nothing */
	double difficulty;		/* 1e-7: a share in some 430 hashes. Not announced by itself */
	bool keep;			/* not clean: older jobs stay good */
};

#define FAKE_NONE (-1)
#define FAKE_DIFFICULTY 1e-7

struct fake_share {
	unsigned connection;		/* the first is 1 */
	uint32_t id;			/* of the request */
	char job[64], xnonce2[40], ntime[12], nonce[12], bits[12];	/* bits: empty without a sixth parameter */
	const char *fault;		/* NULL: good */
};

struct fake_pool;

/* Aborts the test program when it cannot listen. The script must outlive it. */
struct fake_pool *fake_start(const struct fake_script *);
void fake_stop(struct fake_pool *);
unsigned fake_port(const struct fake_pool *);

/* To the current connection, as scripted texts are: nothing happens when there is none. */
void fake_send(struct fake_pool *, const char *text);

/* Announce the job's difficulty and the job. Unless it is `keep`, shares of others are faults from now on. */
void fake_announce(struct fake_pool *, const struct fake_job *);

/* The two parts of it: the notify alone ... */
void fake_notify(struct fake_pool *, const struct fake_job *);
/* ... or as a text, for scripts; to be freed. Shares of it will be checked. */
char *fake_notify_text(struct fake_pool *, const struct fake_job *);

/* Keep a text of malloc() until fake_stop(): what a script names may be said as late as that. At most four; returns it. */
const char *fake_keep(struct fake_pool *, char *text);

/* Close the current connection. */
void fake_drop(struct fake_pool *);

/* Wait, at most some 20 s, until that many came since the start; false if they did not. */
bool fake_wait_connections(struct fake_pool *, unsigned count);
bool fake_wait_logins(struct fake_pool *, unsigned count);
bool fake_wait_shares(struct fake_pool *, unsigned count);

/* The same, for a received line with that text in it. */
bool fake_wait_line(struct fake_pool *, const char *text);

unsigned fake_connections(struct fake_pool *);
unsigned fake_lines_with(struct fake_pool *, const char *text);
double fake_connection_time(struct fake_pool *, unsigned connection);	/* clock_now() of its accept; 1 is the first */
unsigned fake_shares(struct fake_pool *);
struct fake_share fake_share(struct fake_pool *, unsigned index);

/* The first share with a fault, as text, or NULL: all are good. */
const char *fake_fault(struct fake_pool *);

#endif
