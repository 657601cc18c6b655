/* Putting a design's file where the kernel looks, and having it loaded: see manager.h. */
#include "fpga/manager.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/log.h"
#include "fpga/sysfs.h"
#include "sha3/sha256.h"

#define SUM_TEXT	(64 + 2)	/* a sum, the character behind it, and the end */
#define FIRMWARE	"/lib/firmware"
#define FPGA0		"/sys/class/fpga_manager/fpga0"
#define OVERLAY		"/sys/kernel/config/device-tree/overlays/adit"

/* A file in memory. */
struct image {
	uint8_t *bytes;
	size_t len;
};

/* The whole file, which must be some bytes long. O_NONBLOCK: nor is a pipe one, and opening it could wait for ever. */
static int read_image(struct image *image, const char *path)
{
	struct stat stat;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), result = -1;

	*image = (struct image){ .bytes = NULL };
	if (fd < 0)
		return log_errno("bitstream %s", path);
	if (fstat(fd, &stat) < 0)
		log_errno("bitstream %s", path);
	else if (!S_ISREG(stat.st_mode) || stat.st_size == 0 || (uintmax_t)stat.st_size > BITSTREAM_MAX)
		log_error("bitstream %s: it is no file of 1 to %u bytes", path, BITSTREAM_MAX);
	else
		result = 0;
	if (result == 0) {
		image->len = (size_t)stat.st_size;
		image->bytes = malloc(image->len);
		ssize_t got = image->bytes ? read(fd, image->bytes, image->len) : -1;

		if (got != (ssize_t)image->len) {
			result = got < 0 ? log_errno("bitstream %s", path) : log_error("bitstream %s: it changes while it is read", path);
			free(image->bytes);
			image->bytes = NULL;
		}
	}
	close(fd);
	return result;
}

/* Its bytes against the first word of FILE.sha256. */
static int check_sum(const struct image *image, const char *path)
{
	char name[SYSFS_PATH + 8], text[SUM_TEXT];
	uint8_t expected[32], digest[32];

	snprintf(name, sizeof name, "%s.sha256", path);
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return log_errno("bitstream %s: no checksum to hold it against: %s", path, name);
	ssize_t len = read(fd, text, sizeof text - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	text[strcspn(text, " \t\r\n")] = '\0';
	if (!hex_decode(expected, sizeof expected, text))
		return log_error("bitstream %s: %s does not begin with a SHA-256 sum", path, name);
	sha256(digest, image->bytes, image->len);
	if (memcmp(digest, expected, sizeof digest) != 0)
		return log_error("bitstream %s: it is damaged: its sum is not the one in %s", path, name);
	return 0;
}

/* Forms that the kernel's managers do not take. */
static int check_form(const struct image *image, const char *path)
{
	static const uint8_t xilinx_bit[] = { 0x00, 0x09, 0x0f, 0xf0 };	/* a header before the bitstream */
	static const uint8_t elf[] = { 0x7f, 'E', 'L', 'F' };

	if (image->len >= sizeof xilinx_bit && memcmp(image->bytes, xilinx_bit, sizeof xilinx_bit) == 0)
		return log_error("bitstream %s: it is a .bit file; the kernel wants the .bin that bootgen makes of it", path);
	if (image->len >= sizeof elf && memcmp(image->bytes, elf, sizeof elf) == 0)
		return log_error("bitstream %s: it is a program", path);
	return 0;
}

static bool is_overlay(const char *file)
{
	size_t len = strlen(file);

	return len > 5 && strcmp(file + len - 5, ".dtbo") == 0;
}

/* The bytes as /lib/firmware/`name`, whole or not at all. What lies in the way goes first: it may be a pipe, or a link. */
static int place(const struct manager *m, const struct image *image, const char *name, const char *file)
{
	char path[SYSFS_PATH], unfinished[SYSFS_PATH];

	if (!sysfs_path(path, m->root, FIRMWARE "/%s", name) || !sysfs_path(unfinished, m->root, FIRMWARE "/%s.new", name))
		return log_errno("bitstream %s", file);
	if (unlink(unfinished) < 0 && errno != ENOENT)
		return log_errno("bitstream %s: remove %s", file, unfinished);
	int fd = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return log_errno("bitstream %s: %s", file, unfinished);

	bool written = write(fd, image->bytes, image->len) == (ssize_t)image->len;
	if (close(fd) == 0 && written && rename(unfinished, path) == 0)
		return 0;
	log_errno("bitstream %s: write %s", file, path);
	unlink(unfinished);
	return -1;
}

/* A file that is there already under that name must not have changed meanwhile. */
static int check_placed(const struct manager *m, const struct image *image, const char *name, const char *file)
{
	char path[SYSFS_PATH];
	struct image placed;

	if (!sysfs_path(path, m->root, FIRMWARE "/%s", name))
		return log_errno("bitstream %s", file);
	if (read_image(&placed, path) < 0)
		return -1;
	bool same = placed.len == image->len && memcmp(placed.bytes, image->bytes, image->len) == 0;
	free(placed.bytes);
	return same ? 0 : log_error("bitstream %s: %s was changed while it was loaded", file, path);
}

/* One write to a file of the kernel's. */
static int set(const struct manager *m, const char *path, const char *text)
{
	char whole[SYSFS_PATH];

	return sysfs_path(whole, m->root, "%s", path) ? sysfs_write(whole, text) : log_errno("fpga: %s", path);
}

static int load_firmware(const struct manager *m, const char *name, const char *file)
{
	char state[SYSFS_TEXT];

	if (set(m, FPGA0 "/flags", "0") < 0 || set(m, FPGA0 "/firmware", name) < 0)
		return log_error("bitstream %s: the FPGA manager does not take it", file);
	if (!sysfs_read(state, m->root, FPGA0 "/state"))
		return log_errno("bitstream %s: " FPGA0 "/state", file);
	if (strcmp(state, "operating") != 0)
		return log_error("bitstream %s: the FPGA's state is \"%s\" after loading, not \"operating\"", file, state);
	return 0;
}

static int remove_overlay(struct manager *m, const char *file)
{
	char path[SYSFS_PATH];

	if (!sysfs_path(path, m->root, OVERLAY))
		return log_errno("bitstream %s: " OVERLAY, file);
	if (rmdir(path) < 0 && errno != ENOENT)
		return log_errno("bitstream %s: remove the overlay %s", file, path);
	m->overlay = false;
	return 0;
}

static int load_overlay(struct manager *m, const char *name, const char *file)
{
	char path[SYSFS_PATH], status[SYSFS_TEXT] = "";

	if (remove_overlay(m, file) < 0)	/* also that of an earlier run */
		return -1;
	if (!sysfs_path(path, m->root, OVERLAY) || mkdir(path, 0755) < 0)
		return log_errno("bitstream %s: make the overlay " OVERLAY, file);
	m->overlay = true;
	if (set(m, OVERLAY "/path", name) == 0 && sysfs_read(status, m->root, OVERLAY "/status") &&
	    strcmp(status, "applied") == 0)
		return 0;
	log_error("bitstream %s: the kernel does not apply the overlay: its status is \"%s\"", file, status);
	remove_overlay(m, file);
	return -1;
}

/* The file's own name, to have in /lib/firmware. */
static int name_of(char name[MANAGER_NAME], const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *last = slash ? slash + 1 : file;
	size_t len = strlen(last);

	if (len == 0 || len >= MANAGER_NAME)
		return log_error("bitstream %s: a name of 1 to %d bytes is wanted", file, MANAGER_NAME - 1);
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)last[i]))
			return log_error("bitstream %s: spaces and the like cannot be in its name", file);
	memcpy(name, last, len + 1);
	return 0;
}

int manager_load(struct manager *m, const struct algo *algo, const char *file)
{
	char name[MANAGER_NAME], path[SYSFS_PATH];
	const bool in_firmware = !strchr(file, '/') && access(file, F_OK) < 0;
	struct image image;
	int result = -1;

	if (m->loaded == algo)
		return 0;
	if (name_of(name, file) < 0)
		return -1;
	if (!(in_firmware ? sysfs_path(path, m->root, FIRMWARE "/%s", file) : sysfs_path(path, "", "%s", file)))
		return log_errno("bitstream %s", file);
	if (read_image(&image, path) < 0)
		return -1;
	if (check_sum(&image, path) < 0 || check_form(&image, path) < 0 || (!in_firmware && place(m, &image, name, file) < 0))
		goto free_image;
	m->loaded = NULL;
	if (m->overlay && remove_overlay(m, file) < 0)
		goto free_image;
	if ((is_overlay(file) ? load_overlay(m, name, file) : load_firmware(m, name, file)) < 0)
		goto free_image;
	if (check_placed(m, &image, name, file) < 0)
		goto free_image;
	m->loaded = algo;
	log_info("bitstream %s: loaded for %s", file, algo->name);
	result = 0;

free_image:
	free(image.bytes);
	return result;
}
