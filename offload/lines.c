/* See lines.h. Its own buffer, since what stdio has buffered can not be waited for together with a stop. */
#include "offload/lines.h"

#include <string.h>

#include "base/log.h"

int lines_open(struct lines *lines, const char *path)
{
	return input_open(&lines->input, path);
}

void lines_close(struct lines *lines)
{
	input_close(&lines->input);
}

void lines_stop(struct lines *lines)
{
	input_stop(&lines->input);
}

/* Put more behind what is in the buffer. 0, or -1, logged but for a stop. */
static int read_more(struct lines *lines)
{
	memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
	lines->end -= lines->begin;
	lines->begin = 0;
	if (lines->end == LINES_ROOM)
		return log_error("%s, line %llu is longer than %d bytes", lines->input.path, (unsigned long long)lines->number + 1,
				 LINES_ROOM - 1);
	ssize_t got = input_read(&lines->input, lines->buffer + lines->end, LINES_ROOM - lines->end);
	if (got < 0)
		return -1;
	lines->end += (size_t)got;
	lines->ended = got == 0;
	return 0;
}

/* The next line: 1, 0 when there is none, or -1. The last one may lack its end. */
static int next_line(struct lines *lines)
{
	char *end;

	while (!(end = memchr(lines->buffer + lines->begin, '\n', lines->end - lines->begin)) && !lines->ended)
		if (read_more(lines) < 0)
			return -1;
	if (!end && lines->begin == lines->end)
		return 0;
	if (!end)
		end = lines->buffer + lines->end++;
	*end = '\0';
	lines->line = lines->buffer + lines->begin;
	lines->len = (size_t)(end - lines->line);
	lines->begin += lines->len + 1;
	lines->number++;
	return 1;
}

int lines_fill(struct lines *lines, struct task *task)
{
	size_t item = task->batch.core->item_in, most = task->room / item;

	for (task->batch.items = 0; task->batch.items < most; task->batch.items++) {
		int more = next_line(lines);

		if (more < 0)
			return -1;
		if (more == 0)
			break;
		if (lines->read(lines, task->in + task->batch.items * item) < 0)
			return -1;
	}
	return task->batch.items > 0;
}
