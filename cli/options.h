/*
 * What the user asked for: the command line, and a JSON file of the same options by
 * their long names. One table (option_table.h) is the parser, the file's keys and --help.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

#include "cli/card_list.h"
#include "cli/opencl_list.h"
#include "cli/pool_list.h"
#include "miner.h"

enum mode { MODE_MINE, MODE_BENCHMARK, MODE_SELF_TEST, MODE_LIST, MODE_HASH };

struct options {
	enum mode mode;
	const struct algo *algo;	/* NULL: all of them */
	bool algo_named;		/* by -a on the command line; in the file does not count */
	bool all_algos;
	char *backend;			/* NULL: choose; "all": every supported one (benchmark, self-test) */
	char *cpu_mask;
	const struct algo *hash_algo;	/* --hash: what it names */
	char *hash_input;		/* and the header, hex */

	struct pool_list pools;
	enum pools_strategy strategy;
	long failover_after;		/* failures */
	long job_timeout;		/* s */
	long rotate;			/* minutes; 0: not named */
	long retries;			/* -1: for ever */
	long retry_pause;		/* s */
	long timeout;			/* s of silence */
	bool protocol_dump;
	char *coinbase_addr, *coinbase_sig;
	long scan_time;			/* s */
	bool no_longpoll, no_stratum;
	bool no_version_rolling;
	double suggest_difficulty, least_difficulty;	/* 0: not named */
	char *cert, *proxy;
	bool no_verify;
	char *record;			/* a file */

	struct card_list cards;
	struct opencl_list opencl;

	long threads;			/* 0: one per CPU */
	char *affinity;			/* hexadecimal mask of CPUs */
	int nice;
	double time_limit;		/* s, 0: none */
	bool profile;
	bool compare;			/* with OpenSSL */

	bool json, quiet, debug, no_color;
	char *fault;			/* --inject-fault */
};

enum parse_result {
	PARSE_OK,
	PARSE_DONE,	/* --help or --version was answered */
	PARSE_ERROR,	/* one sentence is on stderr */
};

/* Fill *options from the command line; free them in every case. */
enum parse_result options_parse(struct options *, int argc, char **argv);
void options_free(struct options *);

/* Whether a backend of this name is of devices alone: cards or OpenCL. NULL is not. */
bool options_devices_only(const char *backend);

#endif
