/* See options.h. A row of the table is an option and its line of --help. */
#include "offload/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum offload_run run;
	unsigned operands_min, operands_max;
	const char *operands, *help;
} runs[] = {
	{ "bench", RUN_BENCH, 0, 0, "", "time each core on each kind of worker, from small to large" },
	{ "encrypt", RUN_ENCRYPT, 2, 2, "IN OUT", "IN may be -; what was written is either whole or not there" },
	{ "decrypt", RUN_DECRYPT, 2, 2, "IN OUT", "refuses a wrong key and a damaged file, and then leaves nothing" },
	{ "digest", RUN_DIGEST, 1, 1, "FILE", "SHA-256d of each line of up to 55 bytes; FILE may be -" },
	{ "field", RUN_FIELD, 2, 3, "add|sub|mul A B", "in secp256k1's field, hexadecimal; or add|sub|mul FILE with a pair a line" },
};
#define RUN_COUNT	(sizeof runs / sizeof runs[0])

enum option_kind { FLAG, TEXT, NUMBER, WORKERS, CARD, CORES };

static const struct {
	const char *name, *value, *help;
	enum option_kind kind;
	size_t field;
	long min, max;
} rows[] = {
#define FIELD(name) offsetof(struct offload_options, name)
	{ "workers", "LIST", "who computes, as in cpu:2,plain,null: how many of each kind (cpu:1)", WORKERS, 0, 0, 0 },
	{ "opencl-form", "FORM", "range (CPUs, GPUs) or pipeline (FPGAs); else by the device's type", TEXT, FIELD(settings.opencl_form), 0, 0 },
	{ "opencl-binary", "FILE", "the device's program, as .xclbin, .aocx or PoCL's; else it is built from source", TEXT, FIELD(settings.opencl_binary), 0, 0 },
	{ "fpga", "CARD", "a card: uio:NAME,dma=NAME,buf=NAME[,length-bits=N] or sim; again for more", CARD, 0, 0, 0 },
	{ "fpga-root", "DIR", "look for cards below this folder, not /", TEXT, FIELD(settings.fpga_root), 0, 0 },
	{ "cipher", "NAME", "chacha20-poly1305, chacha20 or aes128-ctr; the latter two see no damage and no wrong key, so decrypt wants them named", TEXT, FIELD(cipher), 0, 0 },
	{ "key-file", "FILE", "the key: its bytes, or twice as many hexadecimal digits; else it is in ADIT_OFFLOAD_KEY", TEXT, FIELD(key_file), 0, 0 },
	{ "force", NULL, "replace OUT if it is there", FLAG, FIELD(force), 0, 0 },
	{ "discard", NULL, "throw the result away: OUT is not written", FLAG, FIELD(discard), 0, 0 },
	{ "hex", NULL, "the lines of FILE are hexadecimal", FLAG, FIELD(hex), 0, 0 },
	{ "chunk", "KIB", "the size of a task (2048; 512 where the workers are threads and have all CPUs)", NUMBER, FIELD(chunk_kib), 4, 1 << 20 },
	{ "depth", "COUNT", "tasks under way at most (two more than workers; there as many)", NUMBER, FIELD(depth), 2, 1024 },
	{ "core", "LIST", "bench: these cores only", CORES, 0, 0, 0 },
	{ "min", "KIB", "bench: the smallest size (48)", NUMBER, FIELD(min_kib), 1, 1 << 20 },
	{ "max", "KIB", "bench: the largest size (196608)", NUMBER, FIELD(max_kib), 1, 1 << 20 },
	{ "rounds", "COUNT", "bench: the median of so many (5)", NUMBER, FIELD(rounds), 1, 1000 },
	{ "svg", "FILE", "bench: draw the result, too", TEXT, FIELD(svg), 0, 0 },
	{ "profile", NULL, "bench: where the plain ciphers spend their time", FLAG, FIELD(profile), 0, 0 },
	{ "seal", NULL, "bench: what encrypt does in memory, beside OpenSSL on as many threads", FLAG, FIELD(seal), 0, 0 },
	{ "json", NULL, "print one JSON object instead of text", FLAG, FIELD(json), 0, 0 },
	{ "quiet", NULL, "no progress and no summary", FLAG, FIELD(quiet), 0, 0 },
	{ "version", NULL, "print the version", FLAG, 0, 0, 0 },
	{ "help", NULL, "print this", FLAG, 0, 0, 0 },
#undef FIELD
};
#define ROW_COUNT	(sizeof rows / sizeof rows[0])

void offload_usage(void)
{
	printf("usage: adit-offload RUN [OPTION...] [OPERAND...]\n\n");
	for (size_t i = 0; i < RUN_COUNT; i++) {
		char head[40];

		snprintf(head, sizeof head, "%s %s", runs[i].name, runs[i].operands);
		printf("  %-26s %s\n", head, runs[i].help);
	}
	printf("\n");
	for (size_t i = 0; i < ROW_COUNT; i++) {
		char head[40];

		snprintf(head, sizeof head, "--%s %s", rows[i].name, rows[i].value ? rows[i].value : "");
		printf("  %-21s %s\n", head, rows[i].help);
	}
	printf("\nWorkers:\n");
	for (const struct device_kind *const *kind = device_kinds; *kind; kind++)
		printf("  %-21s %s\n", (*kind)->name, (*kind)->help);
	printf("\nCores:");
	for (const struct core *core = cores; core->name; core++)
		printf(" %s", core->name);
	printf("\n");
}

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "adit-offload: %s: %s\n", what, why);
	return -1;
}

static int add_card(struct device_settings *settings, const char *text)
{
	struct fpga_spec spec;
	char why[DEVICE_WHY];

	if (fpga_spec_parse_offload(&spec, text, why, sizeof why) < 0)
		return refuse("--fpga", why);
	for (unsigned i = 0; i < settings->fpga_count; i++)
		if (!spec.sim && strcmp(settings->fpga[i].miner, spec.miner) == 0)
			return refuse("--fpga", "a card is named twice");
	if (settings->fpga_count == FPGA_MAX)
		return refuse("--fpga", "too many cards");
	settings->fpga[settings->fpga_count++] = spec;
	return 0;
}

static int parse_cores(struct offload_options *options, const char *text)
{
	unsigned count = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		char name[32];

		snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1), text);
		const struct core *core = core_find(name);
		if (!core || count == CORES_MAX - 1)
			return refuse("--core", core ? "too many" : "there is no such core; --help lists them");
		options->cores[count++] = core;
		options->cores[count] = NULL;
		if (text[len] == '\0')
			return 0;
		text += len + 1;
	}
}

static int apply(struct offload_options *options, size_t row, const char *value)
{
	char *field = (char *)options + rows[row].field, why[DEVICE_WHY], name[32], *end;

	snprintf(name, sizeof name, "--%s", rows[row].name);
	switch (rows[row].kind) {
	case FLAG:
		*(bool *)(void *)field = true;
		return 0;
	case TEXT:
		*(const char **)(void *)field = value;
		return 0;
	case NUMBER:
		*(long *)(void *)field = strtol(value, &end, 10);
		if (end == value || *end || *(long *)(void *)field < rows[row].min || *(long *)(void *)field > rows[row].max) {
			snprintf(why, sizeof why, "'%.20s' is no number from %ld to %ld", value, rows[row].min, rows[row].max);
			return refuse(name, why);
		}
		return 0;
	case WORKERS: {
		int count = devices_parse(options->workers, value, &options->settings, why);

		options->worker_count = count > 0 ? (unsigned)count : 0;
		return count > 0 ? 0 : refuse(name, why);
	}
	case CARD:
		return add_card(&options->settings, value);
	case CORES:
		return parse_cores(options, value);
	}
	return -1;
}

int offload_options_parse(struct offload_options *options, int argc, char **argv)
{
	struct option longs[ROW_COUNT + 1] = { { NULL, 0, NULL, 0 } };
	size_t run = 0;
	int c;

	*options = (struct offload_options){ .cipher = "chacha20-poly1305", .rounds = 5, .min_kib = 48, .max_kib = 192 * 1024,
					     .settings.fpga_root = "/" };
	for (size_t i = 0; i < ROW_COUNT; i++)
		longs[i] = (struct option){ rows[i].name, rows[i].value ? required_argument : no_argument, NULL, (int)i };
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":hV", longs, NULL)) != -1) {
		if (c == ':')
			return refuse(argv[optind - 1], "a value is missing");
		if (c == '?')
			return refuse(argv[optind - 1], "there is no such option, or it takes no value; see --help");
		if (c == 'h' || (c < (int)ROW_COUNT && strcmp(rows[c].name, "help") == 0)) {
			options->run = RUN_HELP;
			return 0;
		}
		if (c == 'V' || (c < (int)ROW_COUNT && strcmp(rows[c].name, "version") == 0)) {
			options->run = RUN_VERSION;
			return 0;
		}
		if (apply(options, (size_t)c, optarg) < 0)
			return -1;
	}
	while (run < RUN_COUNT && (optind == argc || strcmp(argv[optind], runs[run].name) != 0))
		run++;
	if (run == RUN_COUNT)
		return refuse(optind < argc ? argv[optind] : "what to do", "one of bench, encrypt, decrypt, digest, field; see --help");
	options->run = runs[run].run;
	options->operands = argv + optind + 1;
	options->operand_count = (unsigned)(argc - optind - 1);
	if (options->operand_count < runs[run].operands_min || options->operand_count > runs[run].operands_max) {
		char why[120];

		snprintf(why, sizeof why, "takes %s", runs[run].operands_max > 0 ? runs[run].operands : "no operands");
		return refuse(runs[run].name, why);
	}
	const bool makes_a_file = (options->run == RUN_ENCRYPT || options->run == RUN_DECRYPT) && !options->discard;
	if (makes_a_file && strcmp(options->operands[1], "-") == 0)
		return refuse(runs[run].name, "OUT is a file, since nothing can be taken back from standard output");
	if (options->worker_count == 0)
		options->worker_count = (unsigned)devices_parse(options->workers, "cpu", &options->settings, (char[DEVICE_WHY]){ 0 });
	const char *form = options->settings.opencl_form;
	if (form && strcmp(form, "range") != 0 && strcmp(form, "pipeline") != 0)
		return refuse("--opencl-form", "it is range or pipeline");
	if (options->min_kib > options->max_kib)
		return refuse("--min", "it is above --max (without it, 48 KiB)");
	for (unsigned i = 0; i < options->worker_count; i++)
		if (options->workers[i].kind->keeps_nothing && !options->discard && options->run != RUN_BENCH)
			return refuse(options->workers[i].kind->name, "it computes nothing, so it wants --discard");
	for (unsigned i = 0; i < options->worker_count; i++)
		if (options->workers[i].kind == &device_fpga && options->workers[i].index >= options->settings.fpga_count)
			return refuse("fpga", "there are more such workers than cards; --fpga names one");
	return 0;
}
