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
#include "cli/complaint.h"
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
		const struct option_row *row = &option_rows[i];
		char letter[] = "    ", left[64];

		if (!row->help)
			continue;
		if (row->letter)
			snprintf(letter, sizeof letter, "-%c, ", row->letter);
		snprintf(left, sizeof left, "%s--%s %s", letter, row->name, row->value ? row->value : "");
		printf("  %-26s %s\n", left, row->help);
	}
	printf("\nExit status: 0 done, 1 failed (a self-test, a backend), 2 wrong options, 3 all pools\n"
	       "were given up, 4 the same and each had refused the login.\n");
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
		const struct option_row *row = &option_rows[i];

		longs[i] = (struct option){ row->name, row->value ? required_argument : no_argument, NULL, LONG_ONLY + (int)i };
		if (row->letter) {
			*next++ = row->letter;
			if (row->value)
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

/* How much of a long option's name begins as one of ours does. */
static size_t known_len(const char *name)
{
	size_t longest = 0;

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		size_t len = 0;

		while (name[len] && name[len] == option_rows[i].name[len])
			len++;
		longest = len > longest ? len : longest;
	}
	return longest;
}

/*
 * getopt could not take an option. Of a short one it tells the letter, and `word` may be another's value, which
 * may be a secret; of a long one `word` is the option, up to a =. Where that ceases to be one of ours a secret may
 * begin too, as in --passSECRET.
 */
static void complain_of_option(int code, const char *word)
{
	const char *what = code == ':' ? "wants a value" : optopt >= LONG_ONLY ? "takes no value" : "is none of ours, see --help";

	if (optopt > 0 && optopt < LONG_ONLY) {
		complain("option -%c %s", optopt, what);
		return;
	}
	size_t len = 2 + known_len(word + 2);
	complain("option %.*s%s %s", (int)len, word, word[len] == '\0' || word[len] == '=' ? "" : "...", what);
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
			complain("--%s: %s", row->name, why);
			return PARSE_ERROR;
		}
		if (!only_config && row->hide)
			row->hide(optarg);
	}
	return PARSE_OK;
}

/* Where a word stands on the command line. */
static int place_of(const char *word, char *const *argv)
{
	int place = 0;

	while (argv[place] != word)
		place++;
	return place;
}

/* `words` are argv's in the order that getopt has put them into. */
static enum parse_result check(struct options *o, int argc, char *const *words, char *const *argv)
{
	uint8_t header[HEADER_MAX];

	if (o->mode == MODE_HASH && o->algo_named && (o->all_algos || o->algo != o->hash_algo)) {
		complain("--hash %s and --algo name two algorithms", o->hash_algo->name);
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
		o->hash_input = strdup(words[optind++]);

	if (o->mode == MODE_HASH && !o->hash_input)
		complain("--hash wants an algorithm and a header in hex");
	else if (o->mode == MODE_HASH && !hex_decode(header, o->algo->header_len, o->hash_input))
		complain("--hash: a header of %s is %zu bytes, %zu hex digits", o->algo->name, o->algo->header_len,
			2 * o->algo->header_len);
	else if (optind < argc)
		complain("word %d of the command line belongs to no option; options begin with a dash", place_of(words[optind], argv));
	else if (o->mode == MODE_MINE && o->pools.count == 0)
		complain("mining wants a pool: -o stratum+tcp://HOST:PORT");
	else if (o->mode == MODE_MINE && !o->algo)
		complain("--algo: a pool wants one algorithm, not all");
	else if (o->backend && strcasecmp(o->backend, "all") == 0 && o->mode != MODE_BENCHMARK && o->mode != MODE_SELF_TEST)
		complain("--backend: all is for --benchmark and --self-test");
	else if (card_list_only(o->backend) && o->cards.count == 0)
		complain("--backend %s: on which card? --fpga names it", o->backend);
	else if (card_list_only(o->backend) && o->mode == MODE_HASH)
		complain("--backend %s: a card answers which nonces are hits, and gives no digest of a header", o->backend);
	else if (o->backend && strcasecmp(o->backend, "fpga-dma") == 0 && o->mode == MODE_MINE && card_knows(o->algo))
		complain("--backend fpga-dma: of %s it hashes batches of short messages, in --benchmark and --self-test; fpga mines",
			o->algo->name);
	else if (card_list_only(o->backend) && o->threads > 0)
		complain("--threads: --backend %s is of cards alone; without it they work beside the threads", o->backend);
	else if (opencl_list_only(o->backend) && o->opencl.count == 0)
		complain("--backend opencl: on which device? --opencl names it");
	else if (opencl_list_only(o->backend) && o->mode == MODE_HASH)
		complain("--backend opencl: a device answers which nonces are hits, and gives no digest of a header");
	else if (opencl_list_only(o->backend) && (o->threads > 0 || o->cards.count > 0))
		complain("--backend opencl is of OpenCL devices alone; without it they work beside threads and cards");
	else if (o->cards.count == 0 && o->cards.design_count > 0)
		complain("--fpga-bitstream: there is no --fpga to load it into");
	else if ((o->profile || o->compare) && (o->mode != MODE_BENCHMARK || options_devices_only(o->backend)))
		complain("--profile and --compare are for --benchmark, and for the CPU");
	else if (o->profile && o->compare)
		complain("one of --profile and --compare at a time");
	else if (o->profile && o->threads > 1)
		complain("--threads: a profile is of one thread");
	else if (o->compare && (!o->algo || strcmp(o->algo->name, "sha256d") != 0))
		complain("--compare: OpenSSL has sha256d and no other of our algorithms");
	else if (o->json && (o->mode == MODE_SELF_TEST || o->mode == MODE_HASH))
		complain("--json: is for --benchmark, --list and mining");
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
	char **words = malloc(((size_t)argc + 1) * sizeof *words);
	if (!words) {
		complain("no memory for the command line");
		return PARSE_ERROR;
	}
	memcpy(words, argv, ((size_t)argc + 1) * sizeof *words);

	const char *pass = getenv("ADIT_PASS");
	if (pass)
		pool_list_pass(&o->pools, pass);	/* anything else is stronger */
	result = walk(o, argc, words, true);
	pool_list_command_line(&o->pools);
	card_list_command_line(&o->cards);
	opencl_list_command_line(&o->opencl);
	o->algo_named = false;	/* a file's algorithm gives way to --hash */
	if (result == PARSE_OK)
		result = walk(o, argc, words, false);
	if (result == PARSE_OK)
		result = check(o, argc, words, argv);
	free(words);
	return result;
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
