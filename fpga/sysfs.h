/*
 * Small files of the kernel, one value each, below a root that --fpga-root may move:
 * sysfs_*() take that root and a path that begins with a slash, "/sys/class/uio".
 */
#ifndef FPGA_SYSFS_H
#define FPGA_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSFS_PATH	512	/* bytes */
#define SYSFS_TEXT	128	/* bytes of a value */

/* root and path as one. False, nothing logged, when it is too long. */
__attribute__((format(printf, 3, 4)))
bool sysfs_path(char path[SYSFS_PATH], const char *root, const char *format, ...);

/* The file's first line without what ends it. False, nothing logged, errno set, when it cannot be read or is too long. */
__attribute__((format(printf, 3, 4)))
bool sysfs_read(char text[SYSFS_TEXT], const char *root, const char *format, ...);

/* The file's value as a number: hexadecimal where it begins with 0x, or else decimal. The same otherwise. */
__attribute__((format(printf, 3, 4)))
bool sysfs_number(uint64_t *value, const char *root, const char *format, ...);

/* Write a text in one write(), as these files want it. 0, or -1 logged. The file must be there. */
int sysfs_write(const char *path, const char *text);

/*
 * The first entry of the folder `class`, in order of their numbers, that is called `prefix`NUMBER and whose file
 * `file` holds `value` (any, when NULL). False, nothing logged, when there is none.
 */
bool sysfs_find(unsigned *number, const char *root, const char *class, const char *prefix, const char *file,
		const char *value);

#endif
