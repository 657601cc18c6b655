/* See standard.h. */
#include "base/standard.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"

void standard_fill(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int standard_flush(void)
{
	if (fflush(stdout) != 0)
		return log_errno("standard output");
	return ferror(stdout) ? log_error("standard output: some of it was not written") : 0;
}
