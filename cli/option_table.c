/* The table of options, and how each value is read. */
#include "cli/option_table.h"

#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "algo/registry.h"
#include "pool/url.h"
#include "simd/backend.h"

#define PASS_MAX	1000	/* bytes, in a file */
#define DIFFICULTY_MAX	1e18
#define TIME_LIMIT_MIN	0.05	/* s; a worker's measuring of its clock takes a fifth of that */
#define TIME_LIMIT_MAX	1e9

static void replace(char **field, const char *value, size_t len)
{
	free(*field);
	*field = strndup(value, len);
}

static int set_mode(struct options *o, enum mode mode, char why[CONFIG_WHY])
{
	if (o->mode != MODE_MINE && o->mode != mode) {
		snprintf(why, CONFIG_WHY, "one of --benchmark, --self-test, --list and --hash at a time");
		return -1;
	}
	o->mode = mode;
	return 0;
}

static int find_algo(const struct algo **algo, const char *name, char why[CONFIG_WHY])
{
	const struct algo *found = algo_find(name);

	if (!found) {
		snprintf(why, CONFIG_WHY, "\"%.60s\" is not an algorithm; --list names them", name);
		return -1;
	}
	*algo = found;
	return 0;
}

static int set_algo(struct options *o, const char *value, char why[CONFIG_WHY])
{
	o->algo_named = true;
	o->all_algos = strcasecmp(value, "all") == 0;
	return o->all_algos ? 0 : find_algo(&o->algo, value, why);
}

static int set_backend(struct options *o, const char *value, char why[CONFIG_WHY])
{
	if (strcasecmp(value, "all") != 0 && !options_devices_only(value) && !backend_find(value)) {
		snprintf(why, CONFIG_WHY, "this build has no backend \"%.60s\"; --list names them", value);
		return -1;
	}
	replace(&o->backend, value, strlen(value));
	return 0;
}

static int set_card(struct options *o, const char *value, char why[CONFIG_WHY])
{
	return card_list_add(&o->cards, value, why, CONFIG_WHY);
}

static int set_opencl(struct options *o, const char *value, char why[CONFIG_WHY])
{
	return opencl_list_add(&o->opencl, value, why, CONFIG_WHY);
}

static int set_design(struct options *o, const char *value, char why[CONFIG_WHY])
{
	return card_list_design(&o->cards, value, why, CONFIG_WHY);
}

static int set_hash(struct options *o, const char *value, char why[CONFIG_WHY])
{
	if (set_mode(o, MODE_HASH, why) < 0)
		return -1;
	return find_algo(&o->hash_algo, value, why);
}

static int set_benchmark(struct options *o, const char *value, char why[CONFIG_WHY])
{
	(void)value;
	return set_mode(o, MODE_BENCHMARK, why);
}

static int set_compare(struct options *o, const char *value, char why[CONFIG_WHY])
{
	o->compare = strcasecmp(value, "openssl") == 0;
	if (o->compare)
		return 0;
	snprintf(why, CONFIG_WHY, "\"%.60s\" is not openssl, the one there is to compare with", value);
	return -1;
}

static int set_time_limit(struct options *o, const char *value, char why[CONFIG_WHY])
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds >= TIME_LIMIT_MIN && seconds <= TIME_LIMIT_MAX)) {
		snprintf(why, CONFIG_WHY, "\"%.60s\" is not a number of seconds from %g to %g", value, TIME_LIMIT_MIN, TIME_LIMIT_MAX);
		return -1;
	}
	o->time_limit = seconds;
	return 0;
}

static int set_self_test(struct options *o, const char *value, char why[CONFIG_WHY])
{
	(void)value;
	return set_mode(o, MODE_SELF_TEST, why);
}

static int set_list(struct options *o, const char *value, char why[CONFIG_WHY])
{
	(void)value;
	return set_mode(o, MODE_LIST, why);
}

static int read_number(long *out, const char *value, long min, long max, char why[CONFIG_WHY])
{
	char *end;

	errno = 0;
	long number = strtol(value, &end, 10);
	if (end == value || *end || errno || number < min || number > max) {
		snprintf(why, CONFIG_WHY, "\"%.60s\" is not a whole number from %ld to %ld", value, min, max);
		return -1;
	}
	*out = number;
	return 0;
}

int option_refuse_pool(char why[CONFIG_WHY])
{
	snprintf(why, CONFIG_WHY, "more than %d pools", POOLS_MAX);
	return -1;
}

static int set_url(struct options *o, const char *value, char why[CONFIG_WHY])
{
	return pool_list_url(&o->pools, value) < 0 ? option_refuse_pool(why) : 0;
}

static int set_user(struct options *o, const char *value, char why[CONFIG_WHY])
{
	(void)why;
	pool_list_user(&o->pools, value, strlen(value));
	return 0;
}

static int set_pass(struct options *o, const char *value, char why[CONFIG_WHY])
{
	(void)why;
	pool_list_pass(&o->pools, value);
	return 0;
}

static void hide_all(char *value)
{
	OPENSSL_cleanse(value, strlen(value));
}

/* The first line of a file. When there is no such file, its name may be the password itself: then it is not shown. */
static int set_pass_file(struct options *o, const char *path, char why[CONFIG_WHY])
{
	char text[PASS_MAX + 2];
	FILE *file = fopen(path, "r");
	const int failure = errno;
	size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;

	text[len] = '\0';
	size_t line_len = strcspn(text, "\r\n");
	if (!file && access(path, F_OK) < 0)
		snprintf(why, CONFIG_WHY, "the file that it names cannot be found: %s", strerror(failure));
	else if (!file)
		snprintf(why, CONFIG_WHY, "%.100s: %s", path, strerror(failure));
	else if (len == 0)
		snprintf(why, CONFIG_WHY, "%.100s: there is no line in it", path);
	else if (strlen(text) < len)
		snprintf(why, CONFIG_WHY, "%.100s: it is no text", path);
	else if (line_len > PASS_MAX)
		snprintf(why, CONFIG_WHY, "%.100s: its first line is longer than %d bytes", path, PASS_MAX);
	else
		why = NULL;
	if (file)
		fclose(file);
	if (why)
		return -1;
	text[line_len] = '\0';
	pool_list_pass(&o->pools, text);
	hide_all(text);
	return 0;
}

static int read_difficulty(double *out, const char *value, char why[CONFIG_WHY])
{
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end || !(number > 0) || number > DIFFICULTY_MAX) {
		snprintf(why, CONFIG_WHY, "\"%.60s\" is not a number above 0", value);
		return -1;
	}
	*out = number;
	return 0;
}

static int set_suggest_difficulty(struct options *o, const char *value, char why[CONFIG_WHY])
{
	return read_difficulty(&o->suggest_difficulty, value, why);
}

static int set_least_difficulty(struct options *o, const char *value, char why[CONFIG_WHY])
{
	return read_difficulty(&o->least_difficulty, value, why);
}

/* Of user:pass in one, which some take for a name, what stands behind the colon. */
static void hide_after_colon(char *value)
{
	char *colon = strchr(value, ':');

	if (colon)
		memset(colon + 1, '*', strlen(colon + 1));
}

static int set_quota(struct options *o, const char *value, char why[CONFIG_WHY])
{
	long quota;

	if (read_number(&quota, value, 1, QUOTA_MAX, why) < 0)
		return -1;
	pool_list_quota(&o->pools, (unsigned)quota);
	return 0;
}

static int set_strategy(struct options *o, const char *value, char why[CONFIG_WHY])
{
	static const char *const names[] = {
		[POOLS_FAILOVER] = "failover", [POOLS_ROUND_ROBIN] = "round-robin", [POOLS_QUOTA] = "quota",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcasecmp(value, names[i]) == 0) {
			o->strategy = (enum pools_strategy)i;
			return 0;
		}
	}
	snprintf(why, CONFIG_WHY, "\"%.60s\" is not failover, round-robin or quota", value);
	return -1;
}

static int set_userpass(struct options *o, const char *value, char why[CONFIG_WHY])
{
	const char *colon = strchr(value, ':');

	if (!colon) {
		snprintf(why, CONFIG_WHY, "has no colon between user and password");
		return -1;
	}
	pool_list_user(&o->pools, value, (size_t)(colon - value));
	pool_list_pass(&o->pools, colon + 1);
	return 0;
}

static int set_priority(struct options *o, const char *value, char why[CONFIG_WHY])
{
	static const int nice_values[] = { 19, 10, 0, -5, -10, -15 };

	if (value[0] < '0' || value[0] > '5' || value[1]) {
		snprintf(why, CONFIG_WHY, "\"%.20s\" is not a number from 0 to 5", value);
		return -1;
	}
	o->nice = nice_values[value[0] - '0'];
	return 0;
}

#define FIELD(name) offsetof(struct options, name)

const struct option_row option_rows[OPTION_ROWS] = {
	{ 'a', "algo", "NAME", "algorithm; all in a benchmark (sha256d; in a self-test all)", .kind = CALL, .set = set_algo },
	{ 'o', "url", "URL", "pool: stratum+tcp://HOST:PORT; or node: http://HOST:PORT/; again for further pools",
	  .kind = CALL, .set = set_url, .of_pool = true, .hide = url_hide },
	{ 'u', "user", "NAME", "user or worker name at the pool named last; before any, at all of them",
	  .kind = CALL, .set = set_user, .of_pool = true, .hide = hide_after_colon },
	{ 'p', "pass", "TEXT", "password there; --pass-file or ADIT_PASS in the environment are safer",
	  .kind = CALL, .set = set_pass, .of_pool = true, .hide = hide_all },
	{ 0, "pass-file", "FILE", "the same, from the first line of a file", .kind = CALL, .set = set_pass_file, .of_pool = true },
	{ 'O', "userpass", "U:P", "both at once", .kind = CALL, .set = set_userpass, .of_pool = true, .hide = hide_all },
	{ 0, "quota", "N", "share of the time there, with --strategy quota (1)", .kind = CALL, .set = set_quota, .of_pool = true },
	{ 0, "strategy", "NAME", "of several pools: failover, round-robin or quota (failover)", .kind = CALL, .set = set_strategy },
	{ 0, "failover-after", "N", "failures after which the next pool is tried (3)",
	  .kind = NUMBER, .field = FIELD(failover_after), .min = 1, .max = INT_MAX },
	{ 0, "job-timeout", "SEC", "the same, without a new job for so long (300)",
	  .kind = NUMBER, .field = FIELD(job_timeout), .min = 1, .max = 86400 },
	{ 0, "rotate", "MIN", "round-robin: change pools so often (on failure only); quota: slice of time (1)",
	  .kind = NUMBER, .field = FIELD(rotate), .min = 1, .max = 525600 },
	{ 't', "threads", "N", "threads (one per CPU this process may use)",
	  .kind = NUMBER, .field = FIELD(threads), .min = 1, .max = 4096 },
	{ 0, "backend", "NAME", "use this backend or fail; all in a benchmark", .kind = CALL, .set = set_backend },
	{ 0, "fpga", "CARD", "a card beside the threads: uio:NAME[,dma=NAME,buf=NAME,length-bits=N], serial:NAME or sim[:DEPTH]; again for more",
	  .kind = CALL, .set = set_card },
	{ 0, "fpga-bitstream", "ALGO=FILE", "load this into the card first, for this algorithm", .kind = CALL, .set = set_design },
	{ 0, "fpga-root", "DIR", "look for cards below this folder, not /", .kind = TEXT, .field = FIELD(cards.root) },
	{ 0, "cpu", "MASK", "do without CPU features: -avx2,-sha", .kind = TEXT, .field = FIELD(cpu_mask) },
	{ 0, "opencl", "DEVICE", "an OpenCL device beside the threads: INDEX[,form=range|pipeline][,binary=FILE]; again for more",
	  .kind = CALL, .set = set_opencl },
	{ 0, "benchmark", NULL, "measure hash rates; no network", .kind = CALL, .set = set_benchmark },
	{ 0, "profile", NULL, "of a benchmark: cycles of each stage of a chained algorithm", .kind = FLAG, .field = FIELD(profile) },
	{ 0, "compare", "NAME", "of a benchmark: how many times as fast as openssl", .kind = CALL, .set = set_compare },
	{ 0, "self-test", NULL, "hold every backend against the reference", .kind = CALL, .set = set_self_test },
	{ 0, "list", NULL, "algorithms and backends of this machine", .kind = CALL, .set = set_list },
	{ 0, "hash", "ALGO HEX", "hash one header by the reference, or by --backend",
	  .kind = CALL, .set = set_hash, .command_line_only = true },
	{ 0, "time-limit", "SEC", "stop after this long; in a benchmark for each result (10)",
	  .kind = CALL, .set = set_time_limit },
	{ 0, "json", NULL, "one JSON value on standard output, nothing else there", .kind = FLAG, .field = FIELD(json) },
	{ 'r', "retries", "N", "give a pool up after N failed reconnections in a row (-1: never)",
	  .kind = NUMBER, .field = FIELD(retries), .min = -1, .max = INT_MAX },
	{ 'R', "retry-pause", "SEC", "first pause before connecting again, growing after (5)",
	  .kind = NUMBER, .field = FIELD(retry_pause), .min = 0, .max = 86400 },
	{ 'T', "timeout", "SEC", "silence after which a pool counts as gone (300)",
	  .kind = NUMBER, .field = FIELD(timeout), .min = 1, .max = 86400 },
	{ 0, "coinbase-addr", "ADDR", "who is paid for blocks made from a node's getblocktemplate",
	  .kind = TEXT, .field = FIELD(coinbase_addr) },
	{ 0, "coinbase-sig", "TEXT", "a text to put into such blocks, at most 80 bytes", .kind = TEXT, .field = FIELD(coinbase_sig) },
	{ 's', "scantime", "SEC", "ask a node for newer work so often, long polling aside (5)",
	  .kind = NUMBER, .field = FIELD(scan_time), .min = 1, .max = 86400 },
	{ 0, "no-longpoll", NULL, "do not use long polling", .kind = FLAG, .field = FIELD(no_longpoll) },
	{ 0, "no-stratum", NULL, "stay with HTTP when a pool there offers stratum", .kind = FLAG, .field = FIELD(no_stratum) },
	{ 0, "suggest-diff", "D", "ask the pool for this difficulty", .kind = CALL, .set = set_suggest_difficulty },
	{ 0, "min-diff", "D", "tell the pool that no lower one is wanted", .kind = CALL, .set = set_least_difficulty },
	{ 0, "no-version-rolling", NULL, "leave all bits of the block version to pool and node", .kind = FLAG, .field = FIELD(no_version_rolling) },
	{ 0, "cert", "FILE", "certificates (PEM) to trust in place of the system's", .kind = TEXT, .field = FIELD(cert) },
	{ 0, "no-verify", NULL, "take any certificate: whoever is on the way can then take password and shares",
	  .kind = FLAG, .field = FIELD(no_verify) },
	{ 0, "proxy", "URL", "reach pools through http://, socks4a:// or socks5h://[USER:PASS@]HOST:PORT",
	  .kind = TEXT, .field = FIELD(proxy), .hide = url_hide },
	{ 'q', "quiet", NULL, "errors and found blocks only", .kind = FLAG, .field = FIELD(quiet) },
	{ 'D', "debug", NULL, "say more", .kind = FLAG, .field = FIELD(debug) },
	{ 'P', "protocol-dump", NULL, "show every line to and from the pool", .kind = FLAG, .field = FIELD(protocol_dump) },
	{ 0, "record", "FILE", "keep every such line, compressed, for devpool --replay", .kind = TEXT, .field = FIELD(record) },
	{ 0, "no-color", NULL, "no colour on a terminal either", .kind = FLAG, .field = FIELD(no_color) },
	{ 0, "cpu-affinity", "MASK", "bind threads to these CPUs, hexadecimal", .kind = TEXT, .field = FIELD(affinity) },
	{ 0, "cpu-priority", "N", "0 idle, 2 normal, 5 highest", .kind = CALL, .set = set_priority },
	{ 'c', "config", "FILE", "these options by their long names, as a JSON object; the command line wins",
	  .kind = CALL, .command_line_only = true },
	{ 'V', "version", NULL, "print version and exit", .kind = CALL, .command_line_only = true },
	{ 'h', "help", NULL, "print this and exit", .kind = CALL, .command_line_only = true },
	{ 0, "inject-fault", "BACKEND", NULL, .kind = TEXT, .field = FIELD(fault) },
};

int option_apply(struct options *o, const struct option_row *row, const char *value, char why[CONFIG_WHY])
{
	char *field = (char *)o + row->field;

	switch (row->kind) {
	case FLAG:
		*(bool *)(void *)field = true;
		return 0;
	case TEXT:
		replace((char **)(void *)field, value, strlen(value));
		return 0;
	case NUMBER:
		return read_number((long *)(void *)field, value, row->min, row->max, why);
	case CALL:
		return row->set(o, value, why);
	}
	return -1;
}

void option_free_texts(struct options *o)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		if (option_rows[i].kind == TEXT) {
			char **field = (char **)(void *)((char *)o + option_rows[i].field);

			free(*field);
			*field = NULL;
		}
	}
}
