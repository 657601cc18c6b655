/* Reading what was recorded: see record.h. */
#include "tests/devpool/record.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/log.h"

#define FORMAT		2
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

/* Where the file is read, line by line. */
struct reading {
	struct record *record;
	unsigned pool;				/* whose lines are wanted */
	unsigned connections[RECORD_CONNECTIONS_MAX + 1];	/* the file's number to ours; 0: not met yet */
	double last;				/* time of the line before, of any pool */
};

/* A number from 1 up; 0: it is none. */
static unsigned read_number(const json_t *value, json_int_t most)
{
	json_int_t number = json_is_integer(value) ? json_integer_value(value) : 0;

	return number >= 1 && number <= most ? (unsigned)number : 0;
}

/* What only HTTP has. NULL when all is well. */
static const char *read_call(struct record_line *line, json_t *object)
{
	const char *path = json_string_value(json_object_get(object, "path")), *name;
	json_t *status = json_object_get(object, "status"), *headers = json_object_get(object, "headers"), *value;

	line->call = read_number(json_object_get(object, "call"), UINT_MAX);
	if (line->call == 0)
		return "call is not a call's number";
	if (!line->from_pool) {
		line->path = path ? strdup(path) : NULL;
		return path && path[0] == '/' ? line->path ? NULL : "no memory" : "path is not a path";
	}
	if (!json_is_integer(status) || json_integer_value(status) < 0 || json_integer_value(status) > 999)
		return "status is not one of HTTP";
	line->status = (long)json_integer_value(status);
	json_object_foreach(headers, name, value)
		if (!json_is_string(value) || strpbrk(json_string_value(value), "\r\n") || strpbrk(name, "\r\n: "))
			return "headers are not texts";
	line->headers = json_incref(headers);
	return NULL;
}

static void free_line(struct record_line *line)
{
	free(line->text);
	free(line->path);
	json_decref(line->headers);
}

/* Take the line over, with its connection's number made ours. NULL when all is well. */
static const char *add_line(struct reading *reading, const struct record_line *line)
{
	struct record *record = reading->record;
	unsigned *number = &reading->connections[line->connection];
	struct record_line *lines = realloc(record->lines, (record->count + 1) * sizeof *lines);

	if (!lines)
		return "no memory";
	record->lines = lines;
	lines[record->count] = *line;
	if (line->call == 0 && *number == 0)
		*number = ++record->connections;
	if (line->call == 0)
		lines[record->count].connection = *number;
	record->count++;
	return NULL;
}

/* NULL when all is well. */
static const char *read_line(struct reading *reading, json_t *object)
{
	json_t *time = json_object_get(object, "t");
	const char *direction = json_string_value(json_object_get(object, "dir"));
	const char *text = json_string_value(json_object_get(object, "line"));
	struct record_line line = { .connection = read_number(json_object_get(object, "conn"), RECORD_CONNECTIONS_MAX) };
	unsigned pool = read_number(json_object_get(object, "pool"), UINT_MAX);
	bool is_call = json_object_get(object, "call") != NULL;
	const char *why = NULL;

	if (!json_is_number(time) || !(json_number_value(time) >= reading->last))
		return "t is not a number of seconds that goes on from the line before";
	if (pool == 0)
		return "pool is not a pool's number";
	if (line.connection == 0)
		return "conn is not a connection's number";
	if (!direction || (strcmp(direction, "<") != 0 && strcmp(direction, ">") != 0))
		return "dir is neither \"<\" nor \">\"";
	if (!text || (!is_call && strchr(text, '\n')))
		return "line is not one line of text";
	reading->last = line.time = json_number_value(time);
	if (pool != reading->pool)
		return NULL;

	line.from_pool = direction[0] == '<';
	line.text = strdup(text);
	if (!line.text)
		why = "no memory";
	if (!why && is_call)
		why = read_call(&line, object);
	if (!why)
		why = add_line(reading, &line);
	if (why)
		free_line(&line);
	return why;
}

static const char *read_head(json_t *object)
{
	json_t *format = json_object_get(object, "adit-record");

	if (!json_is_integer(format))
		return "this is no recorded session: \"adit-record\" is missing";
	return json_integer_value(format) == FORMAT ? NULL : "a record of another format than 2";
}

int record_load(struct record *record, const char *path, unsigned pool)
{
	bool whole;
	size_t len;
	unsigned number = 0;
	const char *why = NULL;
	char *text = unpack(&whole, &len, path);
	struct reading *reading = calloc(1, sizeof *reading);

	*record = (struct record){ 0 };
	if (text && !reading)
		log_errno("record %s", path);
	if (!text || !reading) {
		free(reading);
		free(text);
		return -1;
	}
	reading->record = record;
	reading->pool = pool;
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
			why = number == 1 ? read_head(object) : read_line(reading, object);
		json_decref(object);
	}
	free(reading);
	free(text);
	if (!why && number == 0)
		why = "this is no recorded session: it is empty";
	if (!why && record->count == 0)
		why = "it has no lines of the pool that is to be played";
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
		free_line(&record->lines[i]);
	free(record->lines);
	*record = (struct record){ 0 };
}
