/* Reading the configuration file; what a key means is the option table's business. */
#include "cli/config_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complaint.h"

#define FILE_MAX (1 << 20)	/* bytes */

static int refuse(const char *path, const char *cause)
{
	return complain("configuration %.500s: %s", path, cause);
}

/* The whole file, a byte order mark left out; NULL after a complaint. */
static char *read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *text = file ? malloc(FILE_MAX + 1) : NULL;

	if (!text) {
		refuse(path, strerror(errno));
		if (file)
			fclose(file);
		return NULL;
	}
	*len = fread(text, 1, FILE_MAX + 1, file);
	int failed = ferror(file) ? errno : 0;
	fclose(file);
	if (failed || *len > FILE_MAX) {
		refuse(path, failed ? strerror(failed) : "is larger than 1 MiB");
		free(text);
		return NULL;
	}
	if (*len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		memmove(text, text + 3, *len -= 3);
	return text;
}

/* Who takes what is read. */
struct taker {
	config_file_apply_fn *apply;
	config_file_entry_fn *entry;
	void *ctx;
};

static int apply_scalar(const struct taker *taker, const char *name, const json_t *value, char why[CONFIG_WHY])
{
	char number[32];

	if (json_is_string(value))
		return taker->apply(taker->ctx, name, json_string_value(value), false, why);
	if (json_is_boolean(value))
		return taker->apply(taker->ctx, name, NULL, json_is_true(value), why);
	if (json_is_integer(value)) {
		snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		return taker->apply(taker->ctx, name, number, false, why);
	}
	if (json_is_real(value)) {
		snprintf(number, sizeof number, "%.17g", json_real_value(value));
		return taker->apply(taker->ctx, name, number, false, why);
	}
	snprintf(why, CONFIG_WHY, "is neither text, a number, true nor false");
	return -1;
}

static int apply_entry(const struct taker *taker, const char *name, json_t *entry, char why[CONFIG_WHY])
{
	const char *key;
	json_t *value;

	if (!json_is_object(entry)) {
		snprintf(why, CONFIG_WHY, "is not a JSON object, { \"option\": value, ... }");
		return -1;
	}
	if (taker->entry(taker->ctx, name, true, why) < 0)
		return -1;
	json_object_foreach(entry, key, value) {
		char cause[CONFIG_WHY];

		if (apply_scalar(taker, key, value, cause) == 0)
			continue;
		snprintf(why, CONFIG_WHY, "\"%.40s\": %.140s", key, cause);
		return -1;
	}
	return taker->entry(taker->ctx, name, false, why);
}

static int apply_value(const struct taker *taker, const char *name, json_t *value, char why[CONFIG_WHY])
{
	if (!json_is_array(value))
		return apply_scalar(taker, name, value, why);
	if (json_array_size(value) == 0) {
		snprintf(why, CONFIG_WHY, "is an empty list");
		return -1;
	}
	for (size_t i = 0; i < json_array_size(value); i++) {
		char cause[CONFIG_WHY];

		if (apply_entry(taker, name, json_array_get(value, i), cause) == 0)
			continue;
		snprintf(why, CONFIG_WHY, "entry %u: %.170s", (unsigned)i + 1, cause);
		return -1;
	}
	return 0;
}

static int apply_object(const char *path, json_t *root, const struct taker *taker)
{
	const char *name;
	json_t *value;

	if (!json_is_object(root))
		return refuse(path, "is not a JSON object, { \"option\": value, ... }");
	json_object_foreach(root, name, value) {
		char why[CONFIG_WHY], cause[CONFIG_WHY + 100];

		if (apply_value(taker, name, value, why) == 0)
			continue;
		snprintf(cause, sizeof cause, "\"%.60s\": %s", name, why);
		return refuse(path, cause);
	}
	return 0;
}

int config_file_read(const char *path, config_file_apply_fn *apply, config_file_entry_fn *entry, void *ctx)
{
	json_error_t error;
	size_t len;
	char *text = read_file(path, &len);

	if (!text)
		return -1;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	free(text);
	if (!root) {
		char *quoted = strstr(error.text, " near ");

		if (quoted)
			*quoted = '\0';		/* what it quotes may be a secret */
		return complain("configuration %.500s:%d:%d: %s (JSON: no comments, no comma after the last value)", path, error.line,
				error.column, error.text);
	}
	int result = apply_object(path, root, &(struct taker){ apply, entry, ctx });
	json_decref(root);
	return result;
}
