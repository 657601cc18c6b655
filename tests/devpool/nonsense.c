/* The wordings: see nonsense.h. */
#include "tests/devpool/nonsense.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof (list) / sizeof *(list))
#define DEEP 100000
#define LONG 200000

const char *nonsense_garbage(unsigned turn)
{
	static const char *const lines[] = {
		"{ id: null, result: [], error: true }",
		"{\"error\":null,\"id\":auth,\"result\":true}",
		"not json",
		"[]",
		"42",
		"\"s\"",
		"null",
		"{}",
		"<html>502 Bad Gateway</html>",
		"\xff\xfe\x01",
		"{\"id\":{},\"method\":[],\"params\":\"x\"}",
		"{\"id\":null,\"method\":\"mining.notify\"}",
		"{\"id\":null,\"method\":\"mining.notify\",\"params\":[",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[]}",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[\"x\"]}",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[-1]}",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[0]}",
		"{\"id\":null,\"method\":\"mining.set_extranonce\",\"params\":[\"zz\",3]}",
		"{\"id\":null,\"method\":\"mining.set_extranonce\",\"params\":[\"00\",-1]}",
		"{\"id\":null,\"method\":\"mining.set_extranonce\",\"params\":[\"0badc0de05\"]}",
		"{\"id\":null,\"method\":\"mining.set_version_mask\",\"params\":[7]}",
		"{\"id\":null,\"method\":\"mining.no_such_thing\",\"params\":[1,2]}",
	};

	return lines[turn % COUNT(lines)];
}

char *nonsense_deep(unsigned turn)
{
	static const char start[] = "{\"id\":null,\"method\":\"mining.notify\",\"params\":", end[] = "}";
	char *text = malloc(sizeof start + 2 * DEEP + sizeof end), *at = text;

	if (!text)
		return NULL;
	if (turn % 2 == 1)
		at = stpcpy(at, start);
	memset(at, '[', DEEP);
	at += DEEP;
	if (turn % 2 == 1) {
		memset(at, ']', DEEP);
		at = stpcpy(at + DEEP, end);
	}
	*at = '\0';
	return text;
}

char *nonsense_long(double difficulty)
{
	char *padding = malloc(LONG);

	if (!padding)
		return NULL;
	memset(padding, 'x', LONG);
	json_t *message = json_pack("{s:s%,s:n,s:s,s:[f]}", "padding", padding, (size_t)LONG, "id", "method",
				    "mining.set_difficulty", "params", difficulty);
	char *text = json_dumps(message, JSON_COMPACT);
	json_decref(message);
	free(padding);
	return text;
}

json_t *nonsense_job(json_t *job, unsigned turn)
{
	static const struct {
		size_t place;		/* in params */
		const char *value;	/* NULL: params end here */
	} changes[] = {
		{ 0, "null" }, { 1, "12345" }, { 1, "\"00\"" }, { 2, "\"zz000000\"" }, { 2, "\"000\"" }, { 2, "null" },
		{ 3, "{}" }, { 4, "[null]" }, { 4, "\"x\"" }, { 4, "[\"00\"]" }, { 5, "\"0020000000\"" },
		{ 6, "\"1d00ff\"" }, { 7, "\"65a0b1\"" }, { 7, "null" }, { 2, NULL }, { 0, NULL }, { 7, NULL },
	};
	json_t *bad = json_deep_copy(job), *params = json_object_get(bad, "params");
	size_t place = changes[turn % COUNT(changes)].place;
	const char *value = changes[turn % COUNT(changes)].value;

	json_array_set_new(params, 0, json_string("bad job"));	/* good ones have hex numbers */
	json_array_set_new(params, 8, json_true());
	if (value)
		json_array_set_new(params, place, json_loads(value, JSON_DECODE_ANY, NULL));
	while (!value && json_array_size(params) > place)
		json_array_remove(params, place);
	return bad;
}

json_t *nonsense_refusal(json_t *id, unsigned turn)
{
	static const char *const shapes[] = {
		"{\"reject-reason\":\"Above target\",\"result\":false,\"error\":null}",
		"{\"result\":null,\"error\":[21,\"Job not found\",\"\"]}",
		"{\"result\":false,\"error\":[20,\"x\",null]}",
		"{\"result\":false,\"error\":\"stale-prevblk\"}",
		"{\"result\":null,\"error\":[23]}",
		"{\"result\":false,\"error\":[\"23\",42,null]}",
		"{\"result\":null,\"error\":{\"code\":22,\"message\":\"duplicate\"}}",
		"{\"result\":null,\"error\":null}",
		"{\"result\":false}",
		"{\"result\":true,\"error\":[20,\"contradiction\",null]}",
		"{\"error\":[20,\"Traceback\",\"Traceback (most recent call last):\\n  File\"]}",
	};
	json_t *message = json_loads(shapes[turn % COUNT(shapes)], 0, NULL);

	json_object_set(message, "id", id);
	return message;
}

/* The flag that ends a job: there, of another type, or behind something else. */
static void style_job(json_t *params, unsigned turn)
{
	bool clean = json_is_true(json_array_get(params, 8));

	if (turn % 3 == 0) {
		json_array_insert_new(params, 8, json_string("future"));
		json_array_insert_new(params, 9, json_integer(7));
	} else if (turn % 3 == 1 && !clean) {
		json_array_remove(params, 8);
	} else {
		json_array_set_new(params, 8, json_integer(clean));
	}
}

/* A number's decimal digits, as a text. */
static json_t *as_text(json_t *number)
{
	return json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(number));
}

void nonsense_style(json_t *message, unsigned turn)
{
	json_t *id = json_object_get(message, "id"), *result = json_object_get(message, "result");
	const char *method = json_string_value(json_object_get(message, "method"));

	if (method && strcmp(method, "mining.notify") == 0)
		style_job(json_object_get(message, "params"), turn);
	if (json_is_array(result))	/* of subscribe: the subscriptions say nothing that is needed */
		json_array_set_new(result, 0, turn % 2 == 0 ? json_null() : json_array());
	switch (turn % 4) {
	case 0:
		if (json_is_integer(id))
			json_object_set_new(message, "id", as_text(id));
		break;
	case 1:
		if (json_is_null(json_object_get(message, "error")))
			json_object_del(message, "error");
		break;
	case 2:
		json_object_set_new(message, "jsonrpc", json_string("2.0"));
		break;
	case 3:
		if (method)
			json_object_del(message, "id");
		break;
	}
}

#define VERSION_ID	7700001	/* far from what a client numbers its own requests with */
#define PING_ID		7700002
#define UNKNOWN_ID	7700003
#define RECONNECT_ID	0	/* seen as the id of a notification */
#define TEXT(x)		TEXT_OF(x)
#define TEXT_OF(x)	#x

const char *nonsense_request(unsigned turn)
{
	static const char *const lines[] = {
		"{\"id\":" TEXT(VERSION_ID) ",\"method\":\"client.get_version\",\"params\":[]}",
		"{\"params\":[],\"id\":" TEXT(PING_ID) ",\"method\":\"mining.ping\"}",
		"{\"id\":" TEXT(UNKNOWN_ID) ",\"method\":\"no.such\",\"params\":[]}",
		"{\"method\":\"client.show_message\",\"params\":[\"hi \\u001b[31mred\\u001b[0m\\nFAKE %s%n \xc3\xa4\"]}",
		"{\"id\":null,\"method\":\"client.show_message\",\"params\":[7]}",
		"{\"id\":null,\"method\":\"client.show_message\"}",
	};

	return lines[turn % COUNT(lines)];
}

bool nonsense_is_answered(json_t *answer)
{
	const char *result = json_string_value(json_object_get(answer, "result"));
	json_t *error = json_object_get(answer, "error"), *id = json_object_get(answer, "id");

	if (!json_is_integer(id))
		return false;
	switch (json_integer_value(id)) {
	case RECONNECT_ID:	/* needs none */
		return true;
	case VERSION_ID:
		return result && result[0];
	case PING_ID:
		return result && strcmp(result, "pong") == 0;
	case UNKNOWN_ID:
		return error && !json_is_null(error);
	}
	return false;
}

json_t *nonsense_reconnect(uint16_t port, unsigned turn)
{
	json_t *params = NULL;

	switch (turn % 7) {
	case 0:
		params = json_array();
		break;
	case 1:
		params = json_pack("[s,i]", "", (int)port);
		break;
	case 2:
		params = json_pack("[s,i,i]", "127.0.0.1", (int)port, 1);
		break;
	case 3:
		params = json_pack("[s,o,s]", "127.0.0.1", json_sprintf("%u", port), "1");
		break;
	case 4:
		params = json_pack("[{},[],i]", -5);	/* this and the next are to be ignored */
		break;
	case 5:
		params = json_pack("[s,i]", "127.0.0.1", 70000);
		break;
	case 6:
		return json_pack("{s:n,s:s}", "id", "method", "client.reconnect");
	}
	return json_pack("{s:i,s:s,s:o}", "id", RECONNECT_ID, "method", "client.reconnect", "params", params);
}
