/* A configuration file. Keys go to a taker that only reads them. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/config_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int take_key(void *ctx, const char *name, const char *value, bool on, char why[CONFIG_WHY])
{
	size_t *total = ctx;

	*total += strlen(name) + (value ? strlen(value) : on);
	snprintf(why, CONFIG_WHY, "it is odd");
	return *total % 2 ? -1 : 0;
}

static int take_entry(void *ctx, const char *name, bool begins, char why[CONFIG_WHY])
{
	(void)ctx, (void)name, (void)begins, (void)why;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char path[32];
	size_t total = 0;
	int fd = memfd_create("config", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	if (write(fd, data, len) == (ssize_t)len) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		config_file_read(path, take_key, take_entry, &total);
	}
	close(fd);
	return 0;
}
