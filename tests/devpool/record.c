/* Reading what was recorded: see record.h. */
#include "tests/devpool/record.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/log.h"

#define FORMAT		1
#define SIZE_MAX_MIB	256	/* of the text: a damaged file may unpack to anything */

/* The whole file unpacked, ended by NUL; *whole says whether its end was there. NULL, logged. */
static char *unpack(bool *whole, size_t *len, const char *path)
{
	gzFile file = gzopen(path, "rb");
	size_t room = 1 << 16;
	char *text = malloc(room);
	int n = 0, error;

	*len = 0;
	if (!file || !text) {
		log_errno("record %s: open", path);
		goto failed;
	}
	while ((n = gzread(file, text + *len, (unsigned)(room - *len - 1))) > 0) {
		*len += (size_t)n;
		if (*len + 1 < room)
			continue;
		char *bigger = room < (size_t)SIZE_MAX_MIB << 20 ? realloc(text, 2 * room) : NULL;
		if (!bigger) {
			log_error("record %s: no room for more than %zu MiB", path, room >> 20);
			goto failed;
		}
		text = bigger;
		room *= 2;
	}
	const char *why = gzerror(file, &error);
	*whole = n == 0 && error == Z_OK;
	if (!*whole && error != Z_BUF_ERROR) {
		log_error("record %s: damaged behind %zu bytes of text: %s", path, *len, why);
		goto failed;
	}
	gzclose(file);
	text[*len] = '\0';
	return text;

failed:
	if (file)
		gzclose(file);
	free(text);
	return NULL;
}

/* NULL when all is well. */
static const char *read_line(struct record *record, json_t *object)
{
	json_t *time = json_object_get(object, "t"), *connection = json_object_get(object, "conn");
	const char *direction = json_string_value(json_object_get(object, "dir"));
	const char *text = json_string_value(json_object_get(object, "line"));
	double last = record->count > 0 ? record->lines[record->count - 1].time : 0;
	json_int_t number = json_integer_value(connection);

	if (!json_is_number(time) || !(json_number_value(time) >= last))
		return "t is not a number of seconds that goes on from the line before";
	if (!json_is_integer(connection) || number < 1 || number > RECORD_CONNECTIONS_MAX)
		return "conn is not a connection's number";
	if (!direction || (strcmp(direction, "<") != 0 && strcmp(direction, ">") != 0))
		return "dir is neither \"<\" nor \">\"";
	if (!text || strchr(text, '\n'))
		return "line is not one line of text";

	struct record_line *lines = realloc(record->lines, (record->count + 1) * sizeof *lines);
	if (!lines)
		return "no memory";
	record->lines = lines;
	lines[record->count] = (struct record_line){
		.time = json_number_value(time), .connection = (unsigned)number,
		.from_pool = direction[0] == '<', .text = strdup(text),
	};
	if (!lines[record->count].text)
		return "no memory";
	record->count++;
	if (number > record->connections)
		record->connections = (unsigned)number;
	return NULL;
}

static const char *read_head(json_t *object)
{
	json_t *format = json_object_get(object, "adit-record");

	if (!json_is_integer(format))
		return "this is no recorded session: \"adit-record\" is missing";
	return json_integer_value(format) == FORMAT ? NULL : "a record of another format than 1";
}

int record_load(struct record *record, const char *path)
{
	bool whole;
	size_t len;
	unsigned number = 0;
	const char *why = NULL;
	char *text = unpack(&whole, &len, path);

	*record = (struct record){ 0 };
	if (!text)
		return -1;
	for (char *line = text, *next; !why && line < text + len; line = next) {
		char *end = memchr(line, '\n', (size_t)(text + len - line));
		json_t *object;

		if (!end) {
			whole = false;		/* its last line has no end */
			break;
		}
		next = end + 1;
		number++;
		object = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
		if (!json_is_object(object))
			why = "not a JSON object";
		else
			why = number == 1 ? read_head(object) : read_line(record, object);
		json_decref(object);
	}
	free(text);
	if (!why && number == 0)
		why = "this is no recorded session: it is empty";
	if (!why && record->count == 0)
		why = "it has no lines";
	if (why) {
		log_error("record %s, line %u: %s", path, number, why);
		record_free(record);
		return -1;
	}
	if (!whole)
		log_warn("record %s: ends in the middle, behind line %u; what is whole is played", path, number);
	return 0;
}

void record_free(struct record *record)
{
	for (size_t i = 0; i < record->count; i++)
		free(record->lines[i].text);
	free(record->lines);
	*record = (struct record){ 0 };
}
