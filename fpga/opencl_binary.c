/* See opencl_binary.h. */
#include "fpga/opencl_binary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/log.h"
#include "sha3/sha256.h"

#define PATH_ROOM	4096	/* bytes */
#define DIGEST		32	/* bytes: SHA-256 of all before it ends a kept file, since a driver may crash on a damaged one */

static const struct {
	const char *magic;
	size_t len;
	const char *name;
} formats[] = {
	{ "xclbin2", 8, "an xclbin (Xilinx)" },
	{ "\177ELF", 4, "an aocx (Intel)" },
	{ "poclbin", 7, "a binary of PoCL" },
};

/* The whole file: 0, or -1 with errno set. */
static int read_file(struct opencl_binary *binary, const char *path)
{
	struct stat info;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t got = 0;

	*binary = (struct opencl_binary){ .format = "of no known format" };
	if (file < 0)
		return -1;
	errno = EINVAL;
	if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && info.st_size <= OPENCL_BINARY_MAX) {
		binary->len = (size_t)info.st_size;
		binary->bytes = malloc(binary->len);
	}
	while (binary->bytes && got < binary->len) {
		ssize_t part = read(file, binary->bytes + got, binary->len - got);

		if (part <= 0)
			break;
		got += (size_t)part;
	}
	close(file);
	if (!binary->bytes || got < binary->len) {
		opencl_binary_free(binary);
		return -1;
	}
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (binary->len >= formats[i].len && memcmp(binary->bytes, formats[i].magic, formats[i].len) == 0)
			binary->format = formats[i].name;
	return 0;
}

int opencl_binary_read(struct opencl_binary *binary, const char *path)
{
	if (read_file(binary, path) < 0)
		return log_errno("opencl: the program %s cannot be read", path);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (binary->format == formats[i].name)
			return 0;
	opencl_binary_free(binary);
	return log_error("opencl: %s is no program: neither an xclbin, an aocx nor one of PoCL", path);
}

void opencl_binary_free(struct opencl_binary *binary)
{
	free(binary->bytes);
	binary->bytes = NULL;
}

struct opencl_key opencl_key_make(const char *const *parts, size_t count)
{
	struct opencl_key key;
	uint8_t digest[32] = { 0 };

	/* each part's digest with the digest so far, so that no text can pass from one part into the next */
	for (size_t i = 0; i < count; i++) {
		uint8_t both[64];

		memcpy(both, digest, 32);
		sha256(both + 32, (const uint8_t *)parts[i], strlen(parts[i]));
		sha256(digest, both, sizeof both);
	}
	hex_encode(key.hex, digest, 32);
	return key;
}

/* The cache's folder; with `make` it is made. False: there is none. */
static bool cache_folder(char path[PATH_ROOM], bool make)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int len;

	if (base && base[0] == '/')
		len = snprintf(path, PATH_ROOM, "%s", base);
	else if (home && home[0] == '/')
		len = snprintf(path, PATH_ROOM, "%s/.cache", home);
	else
		return false;
	if (len < 0 || len > PATH_ROOM - 100)
		return false;
	if (make)
		mkdir(path, 0700);
	strcat(path, "/adit");
	return !make || mkdir(path, 0700) == 0 || errno == EEXIST;
}

int opencl_cache_load(const struct opencl_key *key, struct opencl_binary *binary)
{
	char path[PATH_ROOM];

	if (!cache_folder(path, false))
		return -1;
	snprintf(path + strlen(path), PATH_ROOM - strlen(path), "/%s.clbin", key->hex);
	if (read_file(binary, path) < 0)
		return -1;
	if (binary->len > DIGEST) {
		uint8_t digest[DIGEST];

		binary->len -= DIGEST;
		sha256(digest, binary->bytes, binary->len);
		if (memcmp(digest, binary->bytes + binary->len, DIGEST) == 0)
			return 0;
	}
	opencl_binary_free(binary);
	return -1;
}

void opencl_cache_store(const struct opencl_key *key, const struct opencl_binary *binary)
{
	char path[PATH_ROOM], new[PATH_ROOM];

	if (!cache_folder(path, true))
		return;
	size_t len = strlen(path);
	memcpy(new, path, len);
	snprintf(path + len, PATH_ROOM - len, "/%s.clbin", key->hex);
	snprintf(new + len, PATH_ROOM - len, "/%s.%ld", key->hex, (long)getpid());
	int file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0)
		return;
	uint8_t digest[DIGEST];
	sha256(digest, binary->bytes, binary->len);
	bool written = write(file, binary->bytes, binary->len) == (ssize_t)binary->len && write(file, digest, DIGEST) == DIGEST;
	if (close(file) < 0 || !written || rename(new, path) < 0)
		unlink(new);
}
