/* See key.h. */
#include "offload/key.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"

#define KEY_FILE_MAX	128	/* bytes; a longer file holds no key */

static int from_text(uint8_t *key, size_t len, char *text, const char *source)
{
	text[strcspn(text, "\r\n")] = '\0';
	return hex_decode(key, len, text) ? 0 :
	       log_error("%s holds no key: %zu hexadecimal digits are wanted", source, 2 * len);
}

int key_load(uint8_t *key, size_t len, const char *file)
{
	char text[KEY_FILE_MAX + 1] = "";
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
		size_t got = fread(text, 1, KEY_FILE_MAX, stream);
		fclose(stream);
		if (got == len) {
			memcpy(key, text, len);
			status = 0;
		} else if (strlen(text) == got) {
			status = from_text(key, len, text, file);
		} else {
			status = log_error("%s holds no key: %zu bytes or twice as many hexadecimal digits are wanted", file, len);
		}
	}
	OPENSSL_cleanse(text, sizeof text);
	return status;
}
