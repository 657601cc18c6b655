/* The command line of adit-offload, read into one struct. */
#ifndef OFFLOAD_OPTIONS_H
#define OFFLOAD_OPTIONS_H

#include "offload/device.h"

enum offload_run { RUN_HELP, RUN_VERSION, RUN_BENCH, RUN_ENCRYPT, RUN_DECRYPT, RUN_DIGEST, RUN_FIELD };

#define CORES_MAX	16

struct offload_options {
	enum offload_run run;
	char **operands;		/* what follows the options; ended by NULL */
	unsigned operand_count;
	struct device_want workers[DEVICES_MAX];
	unsigned worker_count;
	struct device_settings settings;	/* the workers' */
	const char *cipher;		/* "chacha20-poly1305", "chacha20", "aes128-ctr" */
	const char *key_file;
	const struct core *cores[CORES_MAX];	/* bench; ended by NULL */
	const char *svg;
	long rounds, min_kib, max_kib;
	long chunk_kib;			/* 0: by what the workers are, as `depth` */
	long depth;
	bool discard, force, hex, json, profile, quiet, seal;
};

/* 0, or -1 with one sentence on stderr. */
int offload_options_parse(struct offload_options *, int argc, char **argv);

void offload_usage(void);	/* on stdout */

#endif
