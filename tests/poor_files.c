/*
 * Preloaded: files as on a poor file system, without what $LACKS names: nameless files, second names, renaming to new names
 * only. Where files may be large the program's open() is open64(), so both names are here, and neither may become the other.
 */
#undef _FILE_OFFSET_BITS
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int lacks(const char *what, int error)
{
	const char *list = getenv("LACKS");

	if (!list || !strstr(list, what))
		return 0;
	errno = error;
	return 1;
}

int open(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if ((flags & O_TMPFILE) == O_TMPFILE && lacks("nameless", EOPNOTSUPP))
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int link(const char *from, const char *to)
{
	return lacks("second", EPERM) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	if (flags != 0 && lacks("new", EINVAL))
		return -1;
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
