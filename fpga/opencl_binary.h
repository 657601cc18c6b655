/*
 * Programs as files: those a user names, and the cache of those built here, one file for
 * each device, driver and source, in adit/ below $XDG_CACHE_HOME or ~/.cache.
 */
#ifndef FPGA_OPENCL_BINARY_H
#define FPGA_OPENCL_BINARY_H

#include <stddef.h>

struct opencl_binary {
	unsigned char *bytes;
	size_t len;
	const char *format;	/* for messages, by its first bytes: "an xclbin (Xilinx)" */
};

#define OPENCL_BINARY_MAX	(1 << 30)	/* bytes */

/* 0, or -1 logged: it cannot be read, or is of no known format. */
int opencl_binary_read(struct opencl_binary *, const char *path);
void opencl_binary_free(struct opencl_binary *);

/* What a kept program depends on, as the name of its file. */
struct opencl_key {
	char hex[65];
};
struct opencl_key opencl_key_make(const char *const *parts, size_t count);

/* 0, or -1: there is none that is whole. */
int opencl_cache_load(const struct opencl_key *, struct opencl_binary *);

/* It appears whole or not at all; where it cannot be written there is none, which is no error. */
void opencl_cache_store(const struct opencl_key *, const struct opencl_binary *);

#endif
