/* Finding, mapping and waiting for UIO devices: see uio.h. */
#include "fpga/uio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "fpga/sysfs.h"

#define CLASS "/sys/class/uio"

/* Map the pages that hold [addr, addr + size) of its first region, which the kernel gives from a page's start on. */
static int map_registers(struct uio *uio, const char *root, unsigned number, size_t len)
{
	uint64_t addr, size, offset = 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct stat file;

	if (!sysfs_number(&addr, root, CLASS "/uio%u/maps/map0/addr", number) ||
	    !sysfs_number(&size, root, CLASS "/uio%u/maps/map0/size", number))
		return log_errno("fpga %s: uio%u says nothing of its registers in maps/map0", uio->name, number);
	sysfs_number(&offset, root, CLASS "/uio%u/maps/map0/offset", number);	/* older kernels have none: 0 */
	if (addr % 4 || size < len || size > SIZE_MAX / 2 || offset >= page || offset % 4)
		return log_error("fpga %s: uio%u maps %ju bytes at offset %ju, where %zu are wanted", uio->name, number,
				 (uintmax_t)size, (uintmax_t)offset, len);

	/* a tree of files without the devices: its registers would not be there when they are touched */
	if (fstat(uio->fd, &file) == 0 && S_ISREG(file.st_mode) && (uint64_t)file.st_size < offset + len)
		return log_error("fpga %s: /dev/uio%u is a plain file of %jd bytes, not a device", uio->name, number,
				 (intmax_t)file.st_size);

	uio->map_len = ((size_t)size + (size_t)offset + page - 1) / page * page;
	uio->map = mmap(NULL, uio->map_len, PROT_READ | PROT_WRITE, MAP_SHARED, uio->fd, 0);
	if (uio->map == MAP_FAILED)
		return log_errno("fpga %s: map the registers of uio%u", uio->name, number);
	uio->regs = (volatile uint32_t *)(void *)((char *)uio->map + offset);
	uio->len = (size_t)size;
	return 0;
}

int uio_open(struct uio *uio, const char *root, const char *name, size_t len)
{
	char path[SYSFS_PATH];
	unsigned number;

	*uio = (struct uio){ .fd = -1 };
	snprintf(uio->name, sizeof uio->name, "%s", name);
	if (!sysfs_find(&number, root, CLASS, "uio", "name", name))
		return log_error("fpga %s: no device under %s" CLASS " has that name", name, strcmp(root, "/") ? root : "");
	if (!sysfs_path(path, root, "/dev/uio%u", number))
		return log_errno("fpga %s", name);
	uio->fd = open(path, O_RDWR | O_CLOEXEC);
	if (uio->fd < 0)
		return log_errno("fpga %s: open %s", name, path);
	if (map_registers(uio, root, number, len) < 0) {
		close(uio->fd);
		return -1;
	}
	return 0;
}

bool uio_there(const char *root, const char *name)
{
	char path[SYSFS_PATH];
	unsigned number;

	return sysfs_find(&number, root, CLASS, "uio", "name", name) && sysfs_path(path, root, "/dev/uio%u", number) &&
	       access(path, R_OK | W_OK) == 0;
}

void uio_close(struct uio *uio)
{
	munmap(uio->map, uio->map_len);
	close(uio->fd);
}

int uio_wait(struct uio *uio, double timeout_s)
{
	struct pollfd wait = { .fd = uio->fd, .events = POLLIN };
	uint32_t total;
	int ready = poll(&wait, 1, (int)(1000 * timeout_s + 0.999));

	if (ready < 0 && errno != EINTR)
		return log_errno("fpga %s: wait for an interrupt", uio->name);
	if (ready <= 0)
		return 0;

	ssize_t got = read(uio->fd, &total, sizeof total);
	if (got != (ssize_t)sizeof total) {
		if (got >= 0)
			errno = EIO;
		return log_errno("fpga %s: read the interrupt count", uio->name);
	}
	uint32_t step = uio->counting ? total - uio->count : 1;	/* the total counts from long before we opened it */

	uio->counting = true;
	uio->count = total;
	return step > INT32_MAX ? INT32_MAX : (int)step;
}

int uio_unmask(struct uio *uio)
{
	const uint32_t on = 1;

	if (write(uio->fd, &on, sizeof on) == (ssize_t)sizeof on || errno == ENOSYS)
		return 0;
	return log_errno("fpga %s: unmask the interrupt", uio->name);
}
