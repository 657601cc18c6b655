/* The bell as a pipe that never blocks: see wake.h. */
#include "pool/wake.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/log.h"

int wake_init(struct wake *wake)
{
	if (pipe(wake->fd) < 0)
		return log_errno("cannot make a pipe");
	for (int i = 0; i < 2; i++) {
		if (fcntl(wake->fd[i], F_SETFL, O_NONBLOCK) < 0 || fcntl(wake->fd[i], F_SETFD, FD_CLOEXEC) < 0) {
			log_errno("cannot set up a pipe");
			wake_destroy(wake);
			return -1;
		}
	}
	return 0;
}

void wake_destroy(struct wake *wake)
{
	close(wake->fd[0]);
	close(wake->fd[1]);
}

void wake_ring(struct wake *wake)
{
	/* when the pipe is full the bell is ringing already */
	ssize_t ignored = write(wake->fd[1], "", 1);

	(void)ignored;
}

void wake_clear(struct wake *wake)
{
	char rings[256];

	while (read(wake->fd[0], rings, sizeof rings) == sizeof rings)
		;
}
