/* Reading, writing and finding the kernel's small files: see sysfs.h. */
#include "fpga/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static bool format_path(char path[SYSFS_PATH], const char *root, const char *format, va_list args)
{
	size_t len = strlen(root);

	while (len > 0 && root[len - 1] == '/')
		len--;
	if (len < SYSFS_PATH) {
		memcpy(path, root, len);

		int more = vsnprintf(path + len, SYSFS_PATH - len, format, args);
		if (more >= 0 && (size_t)more < SYSFS_PATH - len)
			return true;
	}
	errno = ENAMETOOLONG;
	return false;
}

bool sysfs_path(char path[SYSFS_PATH], const char *root, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	bool fits = format_path(path, root, format, args);
	va_end(args);
	return fits;
}

static bool read_line(char text[SYSFS_TEXT], const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);	/* of a pipe nobody writes to it is the end, not a wait */

	if (fd < 0)
		return false;
	ssize_t len = read(fd, text, SYSFS_TEXT - 1);
	close(fd);
	if (len < 0)
		return false;
	text[len] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	if (strlen(text) == SYSFS_TEXT - 1) {
		errno = EOVERFLOW;
		return false;
	}
	return true;
}

bool sysfs_read(char text[SYSFS_TEXT], const char *root, const char *format, ...)
{
	char path[SYSFS_PATH];
	va_list args;

	va_start(args, format);
	bool fits = format_path(path, root, format, args);
	va_end(args);
	return fits && read_line(text, path);
}

bool sysfs_number(uint64_t *value, const char *root, const char *format, ...)
{
	char path[SYSFS_PATH], text[SYSFS_TEXT], *end;
	va_list args;

	va_start(args, format);
	bool fits = format_path(path, root, format, args);
	va_end(args);
	if (!fits || !read_line(text, path))
		return false;
	errno = 0;
	*value = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	if (end == text || *end || text[0] == '-')
		errno = EINVAL;
	return errno == 0;
}

int sysfs_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return log_errno("fpga: %s", path);
	ssize_t written = write(fd, text, strlen(text));
	int error = errno;
	close(fd);
	errno = error;
	return written == (ssize_t)strlen(text) ? 0 : log_errno("fpga: %s: write \"%s\"", path, text);
}

/* The number of "uio12" under the prefix "uio". False for any other name. */
static bool entry_number(unsigned *number, const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, len) != 0 || name[len] < '0' || name[len] > '9')
		return false;
	unsigned long long value = strtoull(name + len, &end, 10);
	*number = (unsigned)value;
	return !*end && value <= UINT_MAX;
}

bool sysfs_find(unsigned *number, const char *root, const char *class, const char *prefix, const char *file,
		const char *value)
{
	char path[SYSFS_PATH], text[SYSFS_TEXT];
	bool found = false;
	DIR *folder = sysfs_path(path, root, "%s", class) ? opendir(path) : NULL;

	for (struct dirent *entry; folder && (entry = readdir(folder)); ) {
		unsigned n;

		if (!entry_number(&n, entry->d_name, prefix) || (found && n > *number))
			continue;
		if (!sysfs_read(text, root, "%s/%s/%s", class, entry->d_name, file) || (value && strcmp(text, value) != 0))
			continue;
		*number = n;
		found = true;
	}
	if (folder)
		closedir(folder);
	return found;
}
