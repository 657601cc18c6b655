/* See key.h. */
#include "offload/key.h"

#include <ctype.h>
#include <openssl/crypto.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"

#define KEY_FILE_MAX	128	/* bytes; a longer file holds no key */

/* Digits of a short key without a line's end are no key of as many bytes, if they look like one. */
static bool all_digits(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)bytes[i]))
			return false;
	return true;
}

static int from_text(uint8_t *key, size_t len, char *text, const char *source)
{
	size_t digits = strcspn(text, "\r\n");
	bool one_line = text[digits + strspn(text + digits, "\r\n")] == '\0';

	text[digits] = '\0';
	return one_line && hex_decode(key, len, text) ? 0 :
	       log_error("%s holds no key: %zu hexadecimal digits are wanted", source, 2 * len);
}

int key_load(uint8_t *key, size_t len, const char *file)
{
	char text[KEY_FILE_MAX + 2] = "";
	int status;

	if (!file) {
		const char *variable = getenv(KEY_VARIABLE);

		if (!variable)
			return log_error("a key is wanted: by --key-file or in %s", KEY_VARIABLE);
		snprintf(text, sizeof text, "%s", variable);
		status = from_text(key, len, text, KEY_VARIABLE);
	} else {
		FILE *stream = fopen(file, "rb");

		if (!stream)
			return log_errno("the key file %s cannot be read", file);
		setvbuf(stream, NULL, _IONBF, 0);
		size_t got = fread(text, 1, KEY_FILE_MAX + 1, stream);
		if (ferror(stream)) {
			status = log_errno("the key file %s cannot be read", file);
		} else if (got == len && !all_digits(text, len)) {
			memcpy(key, text, len);
			status = 0;
		} else if (got <= KEY_FILE_MAX && strlen(text) == got) {
			status = from_text(key, len, text, file);
		} else {
			status = log_error("%s holds no key: %zu bytes or twice as many hexadecimal digits are wanted", file, len);
		}
		fclose(stream);
	}
	OPENSSL_cleanse(text, sizeof text);
	return status;
}
