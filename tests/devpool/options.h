/* What the command line asks of the server. Parsed once by main, read by everyone. */
#ifndef DEVPOOL_OPTIONS_H
#define DEVPOOL_OPTIONS_H

#include "miner.h"
#include "tests/devpool/fault.h"

struct options {
	const struct algo *algo;
	uint16_t port;			/* 0: any free one */
	double difficulty;		/* in the pool's unit: target(difficulty / algo->diff1) */
	double vardiff;			/* shares per second to aim at for each client; 0: difficulty is fixed */
	double job_interval;		/* seconds */
	unsigned clean_every;		/* of so many jobs one is clean; 0: only the first */
	double grace;			/* seconds that a job is still good after a clean one */
	double time_limit;		/* seconds; infinite for none */
	const char *user;		/* the only one let in; NULL: anyone */
	size_t xnonce2_len;		/* bytes, at most XNONCE2_MAX */
	bool json;			/* summary on stdout at exit */
	const char *cert, *key;		/* PEM files; NULL: no TLS */
	uint32_t version_mask;		/* bits that clients may roll; 0: none */
	double mask_interval;		/* seconds between two changes of them; infinite for none */
	double xnonce_interval;		/* the same for the extranonce of who can take another */
	struct fault_choice faults;
	const char *replay;		/* a recorded session; NULL: serve jobs */
	unsigned replay_pool;		/* of the session, from 1 */
	double replay_speed;
};

/*
 * `argv` is taken apart; texts point into it. 0: go on. 1: help was asked for and is on
 * stdout. -1: something is wrong and one sentence on stderr says what.
 */
int options_parse(struct options *, int argc, char **argv);

#endif
