/* From the command line and the configuration file to struct options, by the table; and --help. */
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "algo/registry.h"
#include "base/hex.h"
#include "base/version.h"
#include "cli/option_table.h"

#define POOLS_KEY "pools"	/* of the configuration file: a list of objects */
#define LONG_ONLY 256	/* getopt's value for row i: LONG_ONLY + i */

static void print_help(void)
{
	printf("adit mines proof-of-work coins and measures, or proves, how this machine hashes.\n\n"
	       "  adit -a ALGO -o stratum+tcp://HOST:PORT -u USER -p PASS\n"
	       "  adit --benchmark [-a ALGO] [--backend NAME]\n"
	       "  adit --self-test | --list | --hash ALGO HEX\n\n");
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		char left[64];

		if (!option_rows[i].help)
			continue;
		snprintf(left, sizeof left, "%c%c%s--%s %s", option_rows[i].letter ? '-' : ' ', option_rows[i].letter ? option_rows[i].letter : ' ',
			 option_rows[i].letter ? ", " : "  ", option_rows[i].name, option_rows[i].value ? option_rows[i].value : "");
		printf("  %-26s %s\n", left, option_rows[i].help);
	}
	printf("\nExit status: 0 done, 1 failed (a self-test, a backend), 2 wrong options, 3 all pools\nwere given up, 4 the same and each had refused the login.\n");
}

/* One key of the configuration file. */
static int apply_key(void *ctx, const char *name, const char *value, bool on, char why[CONFIG_WHY])
{
	struct options *o = ctx;

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *row = &option_rows[i];

		if (strcmp(row->name, name) != 0 || row->command_line_only)
			continue;
		if (!row->value != !value) {
			snprintf(why, CONFIG_WHY, row->value ? "wants a value, not true or false" : "is true or false");
			return -1;
		}
		if (o->pools.in_entry && !row->of_pool) {
			snprintf(why, CONFIG_WHY, "is not an option of a single pool");
			return -1;
		}
		return value || on ? option_apply(o, row, value, why) : 0;
	}
	snprintf(why, CONFIG_WHY, strcmp(name, POOLS_KEY) == 0 ? "is not a list" : "there is no such option");
	return -1;
}

/* The beginning or end of an entry of the file's list of pools. */
static int apply_entry(void *ctx, const char *name, bool begins, char why[CONFIG_WHY])
{
	struct options *o = ctx;

	if (strcmp(name, POOLS_KEY) != 0) {
		snprintf(why, CONFIG_WHY, "is not an option that takes a list");
		return -1;
	}
	if (begins)
		return pool_list_begin(&o->pools) < 0 ? option_refuse_pool(why) : 0;
	if (pool_list_end(&o->pools) == 0)
		return 0;
	snprintf(why, CONFIG_WHY, "it has no url");
	return -1;
}

/* getopt's own tables, from ours. */
static void make_getopt_tables(char letters[2 * OPTION_ROWS + 2], struct option longs[OPTION_ROWS + 1])
{
	char *next = letters;

	*next++ = ':';		/* report a missing value apart from an unknown option */
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		longs[i] = (struct option){ option_rows[i].name, option_rows[i].value ? required_argument : no_argument, NULL, LONG_ONLY + (int)i };
		if (option_rows[i].letter) {
			*next++ = option_rows[i].letter;
			if (option_rows[i].value)
				*next++ = ':';
		}
	}
	*next = '\0';
	longs[OPTION_ROWS] = (struct option){ 0 };
}

static const struct option_row *row_of(int code)
{
	if (code >= LONG_ONLY)
		return &option_rows[code - LONG_ONLY];
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (option_rows[i].letter == code)
			return &option_rows[i];
	return NULL;
}

/*
 * getopt could not take an option. Of a short one it tells the letter, and `word` may be another's value, which
 * may be a secret; of a long one `word` is the option, up to a =.
 */
static void complain_of_option(int code, const char *word)
{
	const char *what = code == ':' ? "wants a value" : optopt >= LONG_ONLY ? "takes no value" : "is none of ours, see --help";

	if (optopt > 0 && optopt < LONG_ONLY)
		fprintf(stderr, "adit: option -%c %s\n", optopt, what);
	else
		fprintf(stderr, "adit: option %.*s %s\n", (int)strcspn(word, "="), word, what);
}

/* Walk the command line once; with only_config, look for -c alone. */
static enum parse_result walk(struct options *o, int argc, char **argv, bool only_config)
{
	char letters[2 * OPTION_ROWS + 2], why[CONFIG_WHY];
	struct option longs[OPTION_ROWS + 1];
	int code;

	make_getopt_tables(letters, longs);
	opterr = 0;
	optind = 0;
	while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (code == '?' || code == ':') {
			complain_of_option(code, argv[optind - 1]);
			return PARSE_ERROR;
		}
		const struct option_row *row = row_of(code);

		if (row->letter == 'h' || row->letter == 'V') {
			if (row->letter == 'h')
				print_help();
			else
				printf("adit %s (commit %s, %s)\n", version_number, version_commit, version_compiler);
			return PARSE_DONE;
		}
		if (row->letter == 'c') {
			if (only_config && config_file_read(optarg, apply_key, apply_entry, o) < 0)
				return PARSE_ERROR;
			continue;
		}
		if (!only_config && option_apply(o, row, optarg, why) < 0) {
			fprintf(stderr, "adit: --%s: %s\n", row->name, why);
			return PARSE_ERROR;
		}
		if (!only_config && row->hide)
			row->hide(optarg);
	}
	return PARSE_OK;
}

static enum parse_result check(struct options *o, int argc, char **argv)
{
	uint8_t header[HEADER_MAX];

	if (o->mode == MODE_HASH && o->algo_named && (o->all_algos || o->algo != o->hash_algo)) {
		fprintf(stderr, "adit: --hash %s and --algo name two algorithms\n", o->hash_algo->name);
		return PARSE_ERROR;
	}
	if (o->mode == MODE_HASH) {
		o->algo = o->hash_algo;
		o->all_algos = false;
	}
	if (o->mode == MODE_SELF_TEST || o->mode == MODE_LIST)
		o->all_algos |= !o->algo;
	if (o->all_algos)
		o->algo = NULL;
	else if (!o->algo)
		o->algo = algos[0];

	if (o->mode == MODE_HASH && optind < argc)
		o->hash_input = strdup(argv[optind++]);

	if (o->mode == MODE_HASH && !o->hash_input)
		fprintf(stderr, "adit: --hash wants an algorithm and a header in hex\n");
	else if (o->mode == MODE_HASH && !hex_decode(header, o->algo->header_len, o->hash_input))
		fprintf(stderr, "adit: --hash: a header of %s is %zu bytes, %zu hex digits\n", o->algo->name, o->algo->header_len,
			2 * o->algo->header_len);
	else if (optind < argc)
		fprintf(stderr, "adit: word %d of the command line belongs to no option; options begin with a dash\n", optind);
	else if (o->mode == MODE_MINE && o->pools.count == 0)
		fprintf(stderr, "adit: mining wants a pool: -o stratum+tcp://HOST:PORT\n");
	else if (o->mode == MODE_MINE && !o->algo)
		fprintf(stderr, "adit: --algo: a pool wants one algorithm, not all\n");
	else if (o->backend && strcasecmp(o->backend, "all") == 0 && o->mode != MODE_BENCHMARK && o->mode != MODE_SELF_TEST)
		fprintf(stderr, "adit: --backend: all is for --benchmark and --self-test\n");
	else if (card_list_only(o->backend) && o->cards.count == 0)
		fprintf(stderr, "adit: --backend %s: on which card? --fpga names it\n", o->backend);
	else if (card_list_only(o->backend) && o->mode == MODE_HASH)
		fprintf(stderr, "adit: --backend %s: a card answers which nonces are hits, and gives no digest of a header\n", o->backend);
	else if (o->backend && strcasecmp(o->backend, "fpga-dma") == 0 && o->mode == MODE_MINE)
		fprintf(stderr, "adit: --backend fpga-dma hashes batches of short messages, in --benchmark and --self-test; fpga mines\n");
	else if (card_list_only(o->backend) && o->threads > 0)
		fprintf(stderr, "adit: --threads: --backend %s is of cards alone; without it they work beside the threads\n", o->backend);
	else if (opencl_list_only(o->backend) && o->opencl.count == 0)
		fprintf(stderr, "adit: --backend opencl: on which device? --opencl names it\n");
	else if (opencl_list_only(o->backend) && o->mode == MODE_HASH)
		fprintf(stderr, "adit: --backend opencl: a device answers which nonces are hits, and gives no digest of a header\n");
	else if (opencl_list_only(o->backend) && (o->threads > 0 || o->cards.count > 0))
		fprintf(stderr, "adit: --backend opencl is of OpenCL devices alone; without it they work beside threads and cards\n");
	else if (o->cards.count == 0 && o->cards.design_count > 0)
		fprintf(stderr, "adit: --fpga-bitstream: there is no --fpga to load it into\n");
	else if ((o->profile || o->compare) && (o->mode != MODE_BENCHMARK || options_devices_only(o->backend)))
		fprintf(stderr, "adit: --profile and --compare are for --benchmark, and for the CPU\n");
	else if (o->profile && o->compare)
		fprintf(stderr, "adit: one of --profile and --compare at a time\n");
	else if (o->profile && o->threads > 1)
		fprintf(stderr, "adit: --threads: a profile is of one thread\n");
	else if (o->compare && (!o->algo || strcmp(o->algo->name, "sha256d") != 0))
		fprintf(stderr, "adit: --compare: OpenSSL has sha256d and no other of our algorithms\n");
	else if (o->json && (o->mode == MODE_SELF_TEST || o->mode == MODE_HASH))
		fprintf(stderr, "adit: --json: is for --benchmark, --list and mining\n");
	else
		return PARSE_OK;
	return PARSE_ERROR;
}

enum parse_result options_parse(struct options *o, int argc, char **argv)
{
	enum parse_result result;

	*o = (struct options){
		.retries = -1, .retry_pause = 5, .timeout = 300, .scan_time = 5, .failover_after = 3, .job_timeout = 300,
	};
	if (argc < 2) {
		fprintf(stderr, "usage: adit -a ALGO -o stratum+tcp://HOST:PORT -u USER -p PASS\n"
				"       adit --benchmark | --self-test | --list | --help\n");
		return PARSE_ERROR;
	}
	const char *pass = getenv("ADIT_PASS");
	if (pass)
		pool_list_pass(&o->pools, pass);	/* anything else is stronger */
	result = walk(o, argc, argv, true);
	pool_list_command_line(&o->pools);
	card_list_command_line(&o->cards);
	opencl_list_command_line(&o->opencl);
	o->algo_named = false;	/* a file's algorithm gives way to --hash */
	if (result == PARSE_OK)
		result = walk(o, argc, argv, false);
	return result == PARSE_OK ? check(o, argc, argv) : result;
}

bool options_devices_only(const char *backend)
{
	return card_list_only(backend) || opencl_list_only(backend);
}

void options_free(struct options *o)
{
	option_free_texts(o);
	pool_list_free(&o->pools);
	card_list_free(&o->cards);
	free(o->backend);
	free(o->hash_input);
	o->backend = o->hash_input = NULL;
}
