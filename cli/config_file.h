/* A configuration file: one JSON object whose keys are options' long names, or lists of objects of such keys. */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <stdbool.h>

#define CONFIG_WHY 200		/* bytes of a refusal's text */

/*
 * Take one key. `value` is its text, a number's in decimal; it is NULL for true and
 * false, which are in `on`. Returns 0, or -1 with the reason in `why`.
 */
typedef int config_file_apply_fn(void *ctx, const char *name, const char *value, bool on, char why[CONFIG_WHY]);

/*
 * An entry of the list `name` begins, or ends; its keys are taken in between. Returns
 * 0, or -1 with the reason in `why`.
 */
typedef int config_file_entry_fn(void *ctx, const char *name, bool begins, char why[CONFIG_WHY]);

/*
 * Read the file and apply every key in its order. Returns 0, or -1 with one sentence
 * on stderr that names the file, for faulty JSON also line and column, and the cause.
 */
int config_file_read(const char *path, config_file_apply_fn *apply, config_file_entry_fn *entry, void *ctx);

#endif
