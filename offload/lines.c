/* See lines.h. */
#include "offload/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

int lines_open(struct lines *lines, const char *path)
{
	lines->path = path;
	lines->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	return lines->file ? 0 : log_errno("%s cannot be read", path);
}

void lines_close(struct lines *lines)
{
	if (lines->file && lines->file != stdin)
		fclose(lines->file);
	free(lines->line);
}

int lines_fill(struct lines *lines, struct task *task)
{
	size_t item = task->batch.core->item_in, most = task->room / item;

	for (task->batch.items = 0; task->batch.items < most; task->batch.items++) {
		ssize_t len = getline(&lines->line, &lines->room, lines->file);

		if (len < 0 && ferror(lines->file))
			return log_errno("%s cannot be read", lines->path);
		if (len < 0)
			break;
		lines->number++;
		if (len > 0 && lines->line[len - 1] == '\n')
			lines->line[--len] = '\0';
		lines->len = (size_t)len;
		if (lines->read(lines, task->in + task->batch.items * item) < 0)
			return -1;
	}
	return task->batch.items > 0;
}
