/* Requests and answers of then, paired: see call.h. */
#include "tests/devpool/call.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static void read_question(struct question *question, const struct calls *calls, const char *path, const char *body, size_t body_len)
{
	json_t *request = json_loadb(body, body_len, 0, NULL), *params = json_object_get(request, "params");
	const char *method = json_string_value(json_object_get(request, "method"));

	*question = (struct question){ .path = calls->count > 0 ? calls->list[0].question.path : path };
	for (size_t i = 0; i < calls->count; i++)
		if (strcmp(calls->list[i].question.path, path) == 0)
			question->path = calls->list[i].question.path;
	snprintf(question->method, sizeof question->method, "%s", method ? method : "");
	question->longpoll = json_object_get(json_array_get(params, 0), "longpollid") != NULL;
	question->submits = strcmp(question->method, "getwork") == 0 && json_array_size(params) > 0;
	json_decref(request);
}

static bool same_question(const struct question *a, const struct question *b)
{
	return strcmp(a->path, b->path) == 0 && strcmp(a->method, b->method) == 0 && a->longpoll == b->longpoll &&
	       a->submits == b->submits;
}

/* The answer to a request: the next one of its connection and number. */
static const struct record_line *find_answer(const struct record *record, const struct record_line *request)
{
	for (const struct record_line *line = request + 1; line < record->lines + record->count; line++)
		if (line->from_pool && line->call == request->call && line->connection == request->connection)
			return line;
	return NULL;
}

int calls_load(struct calls *calls, const struct record *record)
{
	double start = 0;

	*calls = (struct calls){ .list = calloc(record->count + 1, sizeof *calls->list) };
	if (!calls->list)
		return log_error("replay: no memory");
	for (size_t i = 0; i < record->count; i++) {
		const struct record_line *line = &record->lines[i];
		struct call *call = &calls->list[calls->count];

		if (line->call == 0 || line->from_pool)
			continue;
		if (calls->count == 0)
			start = line->time;
		read_question(&call->question, calls, line->path, line->text, strlen(line->text));
		if (calls->count > 0 && strcmp(call->question.path, line->path) != 0)
			call->question.path = line->path;	/* one that is new */
		call->answer = find_answer(record, line);
		call->asked = line->time - start;
		call->answered = call->answer ? call->answer->time - start : INFINITY;
		calls->count++;
	}
	return 0;
}

void calls_free(struct calls *calls)
{
	free(calls->list);
}

bool calls_find(const struct call **call, const struct calls *calls, const char *path, const char *body, size_t body_len,
		double moment)
{
	struct question question;
	const struct call *last = NULL;
	bool known = false;

	read_question(&question, calls, path, body, body_len);
	*call = NULL;
	for (size_t i = 0; i < calls->count; i++) {
		const struct call *one = &calls->list[i];

		if (!same_question(&one->question, &question))
			continue;
		known = true;
		if (!one->answer)
			continue;
		if (one->answered >= moment && (!*call || one->answered < (*call)->answered))
			*call = one;
		if (!last || one->answered > last->answered)
			last = one;
	}
	/* a poll is answered for ever, but news there is no more */
	if (!*call && !question.longpoll && strcmp(question.path, calls->list[0].question.path) == 0)
		*call = last;
	return known;
}
