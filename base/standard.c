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
	return fflush(stdout) != 0 || ferror(stdout) ? log_errno("standard output") : 0;
}
