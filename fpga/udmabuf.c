/* Opening u-dma-buf's devices and handing memory over: see udmabuf.h. */
#include "fpga/udmabuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

enum direction { TO_DEVICE = 1, FROM_DEVICE = 2 };	/* the kernel's enum dma_data_direction */

/* The module has had two names. */
static const char *const classes[] = { "/sys/class/u-dma-buf", "/sys/class/udmabuf" };

static int open_sync(const struct udmabuf *buf, const char *root, const char *class, const char *file)
{
	char path[SYSFS_PATH];

	if (!sysfs_path(path, root, "%s/%s/%s", class, buf->name, file))
		return log_errno("fpga %s", buf->name);

	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 ? fd : log_errno("fpga %s: %s", buf->name, path);
}

static int map(struct udmabuf *buf, const char *root)
{
	char path[SYSFS_PATH];
	struct stat file;
	int fd = sysfs_path(path, root, "/dev/%s", buf->name) ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		return log_errno("fpga %s: open /dev/%s", buf->name, buf->name);
	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && (uintmax_t)file.st_size < buf->size) {
		close(fd);
		return log_error("fpga %s: /dev/%s is a plain file of %jd bytes, not %zu of memory", buf->name, buf->name,
				 (intmax_t)file.st_size, buf->size);
	}
	void *bytes = mmap(NULL, buf->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error = errno;
	close(fd);
	errno = error;
	if (bytes == MAP_FAILED)
		return log_errno("fpga %s: map %zu bytes", buf->name, buf->size);
	buf->bytes = bytes;
	return 0;
}

int udmabuf_open(struct udmabuf *buf, const char *root, const char *name)
{
	const char *class = NULL;
	uint64_t size = 0;

	*buf = (struct udmabuf){ .to_cpu_fd = -1, .to_device_fd = -1 };
	snprintf(buf->name, sizeof buf->name, "%s", name);
	for (size_t i = 0; i < sizeof classes / sizeof *classes && !class; i++)
		if (sysfs_number(&buf->bus_addr, root, "%s/%s/phys_addr", classes[i], name))
			class = classes[i];
	if (!class)
		return log_error("fpga %s: there is no such u-dma-buf: no %s/%s/phys_addr", name, classes[0], name);
	if (!sysfs_number(&size, root, "%s/%s/size", class, name) || size == 0 || size > SIZE_MAX / 2)
		return log_error("fpga %s: %s/%s/size is not a size", name, class, name);
	buf->size = (size_t)size;

	buf->to_cpu_fd = open_sync(buf, root, class, "sync_for_cpu");
	buf->to_device_fd = open_sync(buf, root, class, "sync_for_device");
	if (buf->to_cpu_fd >= 0 && buf->to_device_fd >= 0 && map(buf, root) == 0)
		return 0;
	udmabuf_close(buf);
	return -1;
}

bool udmabuf_there(const char *root, const char *name)
{
	char path[SYSFS_PATH];

	return sysfs_path(path, root, "/dev/%s", name) && access(path, R_OK | W_OK) == 0;
}

void udmabuf_close(struct udmabuf *buf)
{
	if (buf->bytes)
		munmap(buf->bytes, buf->size);
	if (buf->to_cpu_fd >= 0)
		close(buf->to_cpu_fd);
	if (buf->to_device_fd >= 0)
		close(buf->to_device_fd);
}

/* One write says it all: offset, size in units of 16, direction, and bit 0 to begin. */
static int sync_range(const struct udmabuf *buf, int fd, size_t offset, size_t len, enum direction direction)
{
	char text[2 + 16 + 1];
	uint32_t size = ((uint32_t)len + 15) & ~UINT32_C(0xf);

	int text_len = snprintf(text, sizeof text, "0x%08X%08X", (unsigned)offset,
				(unsigned)(size | (uint32_t)direction << 2 | 1));
	if (pwrite(fd, text, (size_t)text_len, 0) == text_len)
		return 0;
	return log_errno("fpga %s: hand %zu bytes over", buf->name, len);
}

int udmabuf_to_device(struct udmabuf *buf, size_t offset, size_t len)
{
	return sync_range(buf, buf->to_device_fd, offset, len, TO_DEVICE);
}

int udmabuf_lend_to_device(struct udmabuf *buf, size_t offset, size_t len)
{
	return sync_range(buf, buf->to_device_fd, offset, len, FROM_DEVICE);
}

int udmabuf_to_cpu(struct udmabuf *buf, size_t offset, size_t len)
{
	return sync_range(buf, buf->to_cpu_fd, offset, len, FROM_DEVICE);
}
