/*
 * The table of options: one row is an option on the command line, a key of the
 * configuration file and a line of --help. Adding an option is adding a row.
 */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/config_file.h"
#include "cli/options.h"

/* How an option's value is read, and into what of struct options. */
enum option_kind { FLAG, TEXT, NUMBER, CALL };

typedef int option_set_fn(struct options *, const char *value, char why[CONFIG_WHY]);

struct option_row {
	char letter;			/* 0: only the long name */
	const char *name;
	const char *value;		/* what --help calls it; NULL: takes none */
	const char *help;		/* NULL: not shown */
	enum option_kind kind;
	size_t field;			/* FLAG: bool, TEXT: char *, NUMBER: long */
	long min, max;			/* NUMBER */
	option_set_fn *set;			/* CALL */
	bool command_line_only;
	bool of_pool;			/* may stand in an entry of the file's list of pools */
	void (*hide)(char *value);	/* take what is secret out of a value, in place; NULL: nothing is */
};

#define OPTION_ROWS	51
extern const struct option_row option_rows[OPTION_ROWS];

/* Read a value as its row says; NULL for a row that takes none. Returns 0, or -1 with the reason in `why`. */
int option_apply(struct options *, const struct option_row *, const char *value, char why[CONFIG_WHY]);

/* Its reason for a pool too many. */
int option_refuse_pool(char why[CONFIG_WHY]);

/* Free what a row of texts has stored. */
void option_free_texts(struct options *);

#endif
