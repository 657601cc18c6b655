/* The command line as struct options, every number checked against its range. */
#include "tests/devpool/options.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/hex.h"

#define TURN 5	/* seconds that each fault has of --fault all */

static const char help[] =
"Usage: devpool [OPTION]...\n"
"A small stratum v1 server for development and tests. It listens on 127.0.0.1 only,\n"
"makes its jobs up and checks every share that comes in. Its first line on stdout is\n"
"\"devpool: listening on 127.0.0.1:PORT\"; counts go to stderr as they change.\n"
"\n"
"  -a, --algo NAME            what to mine (sha256d)\n"
"  -p, --port PORT            0: any free one (3333)\n"
"      --difficulty D         of shares, or where vardiff starts (the algorithm's\n"
"                             difficulty factor / 4096: a million hashes a share)\n"
"      --vardiff S            steer each client to S shares per second\n"
"      --job-interval SEC     between two jobs (10)\n"
"      --clean-every N        of N jobs one is clean; 0: only the first (4)\n"
"      --grace SEC            take shares of a job so long after a clean one (0.5)\n"
"      --user NAME            let only NAME in\n"
"      --extranonce2-size N   bytes, 0 to 16 (4)\n"
"      --time-limit SEC       stop then\n"
"      --json                 at exit, one JSON object with the counts on stdout\n"
"      --tls CERT,KEY         speak TLS with these PEM files\n"
"      --version-mask HEX     let clients roll these bits of the version (none)\n"
"      --mask-interval SEC    narrow that mask, and widen it again, so often (never)\n"
"      --extranonce-interval SEC\n"
"                             change extranonce1 so often of who subscribed to that\n"
"                             (never)\n"
"      --fault NAME[=X],...   do wrong on purpose, by the table below\n"
"      --seed N               of the chance in that (1)\n"
"      --replay FILE          play the side of the pool or node of a session that\n"
"                             adit --record has written, instead of serving jobs\n"
"      --replay-pool N        of its pools the N-th (1)\n"
"      --replay-speed X       so many times as fast (1)\n"
"  -h, --help                 this text\n"
"\n"
"SIGINT and SIGTERM end it with the summary and status 0; a wrong option gives 2.\n"
"\n"
"Faults, each with its argument, which may be left out. They change what clients are\n"
"told, not what is counted. all=SEC (5): those not named have a turn of SEC each.\n"
"\n";

enum {
	DIFFICULTY = 256, VARDIFF, JOB_INTERVAL, CLEAN_EVERY, GRACE, USER, XNONCE2_SIZE, TIME_LIMIT, JSON, TLS,
	VERSION_MASK, MASK_INTERVAL, XNONCE_INTERVAL, FAULT, SEED, REPLAY, REPLAY_POOL, REPLAY_SPEED
};

static const struct option longs[] = {
	{ "algo", required_argument, NULL, 'a' },
	{ "port", required_argument, NULL, 'p' },
	{ "difficulty", required_argument, NULL, DIFFICULTY },
	{ "vardiff", required_argument, NULL, VARDIFF },
	{ "job-interval", required_argument, NULL, JOB_INTERVAL },
	{ "clean-every", required_argument, NULL, CLEAN_EVERY },
	{ "grace", required_argument, NULL, GRACE },
	{ "user", required_argument, NULL, USER },
	{ "extranonce2-size", required_argument, NULL, XNONCE2_SIZE },
	{ "time-limit", required_argument, NULL, TIME_LIMIT },
	{ "json", no_argument, NULL, JSON },
	{ "tls", required_argument, NULL, TLS },
	{ "version-mask", required_argument, NULL, VERSION_MASK },
	{ "mask-interval", required_argument, NULL, MASK_INTERVAL },
	{ "extranonce-interval", required_argument, NULL, XNONCE_INTERVAL },
	{ "fault", required_argument, NULL, FAULT },
	{ "seed", required_argument, NULL, SEED },
	{ "replay", required_argument, NULL, REPLAY },
	{ "replay-pool", required_argument, NULL, REPLAY_POOL },
	{ "replay-speed", required_argument, NULL, REPLAY_SPEED },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static void print_help(void)
{
	fputs(help, stdout);
	for (int f = 0; f < FAULT_COUNT; f++) {
		const struct fault_row *row = &fault_rows[f];

		printf("  %-10s %3g %-6s%s\n", row->name, row->usual, row->unit, row->text);
	}
}

__attribute__((format(printf, 1, 2))) static int wrong(const char *format, ...)
{
	va_list args;

	fputs("devpool: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("; see --help\n", stderr);
	return -1;
}

static int number(double *value, const char *what, const char *text, double least, double most)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !(*value >= least && *value <= most))
		return wrong("%s must be a number from %g to %g, not \"%s\"", what, least, most, text);
	return 0;
}

static int integer(unsigned *value, const char *what, const char *text, unsigned most)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n > most)
		return wrong("%s must be an integer from 0 to %u, not \"%s\"", what, most, text);
	*value = (unsigned)n;
	return 0;
}

/* NAME[=X]; the text is taken apart. */
static int take_fault(struct fault_choice *choice, char *text)
{
	char *argument = strchr(text, '='), what[32];

	if (argument)
		*argument++ = '\0';
	if (strcmp(text, "all") == 0) {
		choice->turn = TURN;
		return argument ? number(&choice->turn, "--fault all", argument, 0.1, 3600) : 0;
	}

	enum fault fault = fault_find(text);
	if (fault == FAULT_COUNT)
		return wrong("there is no fault \"%s\"", text);
	choice->on[fault] = true;
	snprintf(what, sizeof what, "--fault %s", text);
	return argument ? number(&choice->argument[fault], what, argument, 0.001, fault_rows[fault].most) : 0;
}

static int take_faults(struct fault_choice *choice, char *text)
{
	char *next = text;

	while (next) {
		char *name = strsep(&next, ",");

		if (take_fault(choice, name) < 0)
			return -1;
	}
	return 0;
}

static int take_tls(struct options *o, char *text)
{
	char *comma = strchr(text, ',');

	if (!comma || comma == text || comma[1] == '\0')
		return wrong("--tls must be two files, CERT,KEY, not \"%s\"", text);
	*comma = '\0';
	o->cert = text;
	o->key = comma + 1;
	return 0;
}

static int take_mask(uint32_t *mask, const char *text)
{
	uint8_t bytes[4];

	if (!hex_decode(bytes, sizeof bytes, text))
		return wrong("--version-mask must be 8 hex digits, not \"%s\"", text);
	*mask = load_be32(bytes);
	return 0;
}

/* One option; what getopt_long() returned for it and its argument. */
static int take(struct options *o, int option, char *text)
{
	unsigned n = 0;

	switch (option) {
	case 'a':
		o->algo = algo_find(text);
		return o->algo ? 0 : wrong("there is no algorithm \"%s\"", text);
	case 'p':
		if (integer(&n, "--port", text, 65535) < 0)
			return -1;
		o->port = (uint16_t)n;
		return 0;
	case DIFFICULTY:
		return number(&o->difficulty, "--difficulty", text, 1e-12, 1e15);
	case VARDIFF:
		return number(&o->vardiff, "--vardiff", text, 0.001, 1000);
	case JOB_INTERVAL:
		return number(&o->job_interval, "--job-interval", text, 0.01, 86400);
	case CLEAN_EVERY:
		return integer(&o->clean_every, "--clean-every", text, 1000000);
	case GRACE:
		return number(&o->grace, "--grace", text, 0, 60);
	case USER:
		o->user = text;
		return 0;
	case XNONCE2_SIZE:
		if (integer(&n, "--extranonce2-size", text, XNONCE2_MAX) < 0)
			return -1;
		o->xnonce2_len = n;
		return 0;
	case TIME_LIMIT:
		return number(&o->time_limit, "--time-limit", text, 0, 1e9);
	case JSON:
		o->json = true;
		return 0;
	case TLS:
		return take_tls(o, text);
	case VERSION_MASK:
		return take_mask(&o->version_mask, text);
	case MASK_INTERVAL:
		return number(&o->mask_interval, "--mask-interval", text, 0.01, 86400);
	case XNONCE_INTERVAL:
		return number(&o->xnonce_interval, "--extranonce-interval", text, 0.01, 86400);
	case FAULT:
		return take_faults(&o->faults, text);
	case SEED:
		if (integer(&n, "--seed", text, UINT_MAX) < 0)
			return -1;
		o->faults.seed = n;
		return 0;
	case REPLAY:
		o->replay = text;
		return 0;
	case REPLAY_POOL:
		if (integer(&o->replay_pool, "--replay-pool", text, 1000) < 0)
			return -1;
		return o->replay_pool > 0 ? 0 : wrong("--replay-pool counts from 1");
	case REPLAY_SPEED:
		return number(&o->replay_speed, "--replay-speed", text, 0.01, 1000);
	}
	return -1;
}

int options_parse(struct options *o, int argc, char **argv)
{
	int option;

	*o = (struct options){
		.algo = algo_find("sha256d"), .port = 3333, .job_interval = 10, .clean_every = 4,
		.grace = 0.5, .time_limit = INFINITY, .xnonce2_len = 4, .mask_interval = INFINITY,
		.xnonce_interval = INFINITY, .faults.seed = 1, .replay_pool = 1, .replay_speed = 1,
	};
	for (int f = 0; f < FAULT_COUNT; f++)
		o->faults.argument[f] = fault_rows[f].usual;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":a:p:h", longs, NULL)) != -1) {
		switch (option) {
		case 'h':
			print_help();
			return 1;
		case '?':
			if (optopt > 0 && optopt < 256)
				return wrong("there is no option \"-%c\"", optopt);
			return wrong("there is no option \"%s\"", argv[optind - 1]);
		case ':':
			return wrong("%s needs a value", argv[optind - 1]);
		}
		if (take(o, option, optarg) < 0)
			return -1;
	}
	if (optind < argc)
		return wrong("\"%s\" is not an option", argv[optind]);
	if (o->difficulty == 0)
		o->difficulty = o->algo->diff1 / 4096;
	return 0;
}
