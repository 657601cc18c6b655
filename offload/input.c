/* See input.h. */
#include "offload/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"

int input_open(struct input *input, const char *path)
{
	*input = (struct input){ .path = path, .file = STDIN_FILENO, .wake = -1 };
	if (strcmp(path, "-") != 0)
		input->file = open(path, O_RDONLY | O_CLOEXEC);
	if (input->file < 0)
		return log_errno("%s cannot be read", path);
	input->wake = eventfd(0, EFD_CLOEXEC);
	if (input->wake < 0) {
		log_errno("%s cannot be waited for", path);
		input_close(input);
		return -1;
	}
	return 0;
}

void input_close(struct input *input)
{
	if (input->wake >= 0)
		close(input->wake);
	if (input->file != STDIN_FILENO)
		close(input->file);
}

ssize_t input_read(const struct input *input, void *bytes, size_t len)
{
	struct pollfd events[] = { { .fd = input->file, .events = POLLIN }, { .fd = input->wake, .events = POLLIN } };

	for (;;) {
		ssize_t got = poll(events, 2, -1);

		if (got > 0 && events[1].revents != 0)
			return -1;
		if (got > 0)	/* its end and an error, too, are had by reading */
			got = read(input->file, bytes, len);
		if (got >= 0)
			return got;
		if (errno != EINTR && errno != EAGAIN)	/* who opened the pipe may have made it one that does not wait */
			return log_errno("%s cannot be read", input->path);
	}
}

void input_stop(const struct input *input)
{
	eventfd_write(input->wake, 1);
}
