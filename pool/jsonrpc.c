/* Lines to messages, replies to verdicts: see jsonrpc.h. */
#include "pool/jsonrpc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/secret.h"

#define DEPTH_MAX	32	/* stratum needs 4 */
#define VALUES_MAX	65536	/* each costs the parser up to some 300 bytes */

/* Bounds what the parser will build, before it builds anything: what is too much, or NULL. */
static const char *excess(const char *line, size_t len, size_t values_max)
{
	unsigned depth = 0;
	size_t values = 0;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		char c = line[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '[' || c == '{') {
			if (++depth > DEPTH_MAX)
				return "nested too deeply";
			values++;
		} else if (c == ']' || c == '}') {
			if (depth > 0)
				depth--;
		} else if (c == ',') {
			values++;
		}
		if (values > values_max)
			return "too many values";
	}
	return NULL;
}

const char *message_parse(struct message *message, const char *line, size_t len)
{
	return message_parse_within(message, line, len, VALUES_MAX);
}

const char *message_parse_within(struct message *message, const char *line, size_t len, size_t values_max)
{
	const char *why = excess(line, len, values_max);
	if (why)
		return why;

	json_t *root = json_loadb(line, len, 0, NULL);
	if (!root)
		return "not JSON";
	if (!json_is_object(root)) {
		json_decref(root);
		return "not a JSON object";
	}
	*message = (struct message){
		.root = root,
		.id = json_object_get(root, "id"),
		.method = json_string_value(json_object_get(root, "method")),
		.params = json_object_get(root, "params"),
		.result = json_object_get(root, "result"),
		.error = json_object_get(root, "error"),
	};
	return NULL;
}

void message_free(struct message *message)
{
	json_decref(message->root);
}

bool message_wants_reply(const struct message *message)
{
	return message->id && !json_is_null(message->id);
}

bool message_id(const struct message *message, uint32_t *id)
{
	const char *text = json_string_value(message->id);
	double value = json_is_number(message->id) ? json_number_value(message->id) : -1;

	if (text && strlen(text) <= 10 && text[0] != '\0' && strspn(text, "0123456789") == strlen(text))
		value = strtod(text, NULL);
	if (value < 0 || value > UINT32_MAX || value != floor(value))
		return false;
	*id = (uint32_t)value;
	return true;
}

static bool has_error(const struct message *message)
{
	return message->error && !json_is_null(message->error) && !json_is_false(message->error);
}

/* [code, text, trace], {"code", "message"}, a bare text, or beside a missing error {"reject-reason"}. */
static void find_reason(char reason[REASON_MAX], const struct message *message)
{
	const json_t *error = message->error;
	const json_t *code = json_is_array(error) ? json_array_get(error, 0) : json_object_get(error, "code");
	const json_t *text = json_is_array(error) ? json_array_get(error, 1) : json_object_get(error, "message");

	if (json_is_string(error))
		text = error;
	if (!json_is_string(text))
		text = json_object_get(message->root, "reject-reason");

	if (json_is_string(text) && json_string_length(text) > 0)
		secret_show(reason, REASON_MAX, json_string_value(text));
	else if (json_is_integer(code))
		snprintf(reason, REASON_MAX, "unknown, code %" JSON_INTEGER_FORMAT, json_integer_value(code));
	else
		snprintf(reason, REASON_MAX, "unknown");
}

bool message_accepts(const struct message *message, char reason[REASON_MAX])
{
	if (json_is_true(message->result) && !has_error(message))
		return true;
	find_reason(reason, message);
	return false;
}

bool message_refuses(const struct message *message, char reason[REASON_MAX])
{
	if (!has_error(message))
		return false;
	find_reason(reason, message);
	return true;
}

bool jsonrpc_hex(uint8_t *bytes, size_t len, const json_t *value)
{
	return json_is_string(value) && json_string_length(value) == 2 * len &&
	       hex_decode(bytes, len, json_string_value(value));
}
