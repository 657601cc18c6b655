/*
 * The system calls by which a driver reaches its card, answered by a simulated board:
 *
 *     fpga/sim/mkroot DIR 16
 *     ADIT_FPGA_ROOT=DIR LD_PRELOAD=./libadit-fpga-shim.so ./adit --fpga uio:adit-miner --fpga-root DIR ...
 *
 * so that what is tested is the driver of a real board, its open(), mmap(), read() and write() included.
 * The plain files of DIR (names, sizes) are read as they are. Below it these are not plain:
 *
 *   dev/uioN              registers (access.h) and interrupts: read() of 4 bytes waits and gives the total count,
 *                         poll() tells of new ones, a write of 1 lets them through again, of 0 keeps them back
 *   dev/BUFFER            the CPU's copy of a buffer, or with O_SYNC, which means uncached, the device's (memory.h)
 *   sys/class/u-dma-buf/BUFFER/sync_*     the same under /udmabuf/: what is written moves bytes between the copies
 *
 * What a newcomer would get wrong: only calls made by the program itself come through here. stdio
 * calls its own write(), so a driver must use open() and write() on these files, as it should anyway.
 */
#include "fpga/sim/access.h"
#include "fpga/sim/machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILES	1024		/* descriptors that may be ours: 0..FILES-1 */

enum kind { PLAIN, UIO, SYNC };

/* What is open under a descriptor. Written between open() and close(), when nobody else uses that descriptor. */
struct file {
	_Atomic int kind;
	struct sim_card *card;
	enum board_device device;
	unsigned plugged;
	bool nonblocking;
	char attribute[MACHINE_NAME];
};
static struct file files[FILES];

/* The functions which these stand in front of, once they were looked up. */
static _Atomic(void *) real_open, real_openat, real_close, real_mmap, real_munmap, real_read, real_write, real_pwrite,
	real_pthread_sigmask, real_sigprocmask;
#define REAL(name) ((__typeof__(&name))real(&real_##name, #name))

static void *real(_Atomic(void *) *known, const char *name)
{
	void *function = *known;

	if (!function) {
		*known = function = dlsym(RTLD_NEXT, name);
		if (!function) {
			fprintf(stderr, "fpga sim: the C library has no %s\n", name);
			abort();
		}
	}
	return function;
}

static struct file *file_of(int fd)
{
	return fd >= 0 && fd < FILES && files[fd].kind != PLAIN ? &files[fd] : NULL;
}

/* The path within the simulated machine; NULL: it is outside. */
static const char *inside(const char *path, const char *root)
{
	size_t len = root ? strlen(root) : 0;

	return len > 0 && strncmp(path, root, len) == 0 && path[len] == '/' ? path + len : NULL;
}

/* The descriptor, or -1 with errno, when there are too many. */
static int keep(int fd, const struct file *file)
{
	if (fd < 0)
		return -1;
	if (fd >= FILES) {
		close(fd);
		errno = EMFILE;
		return -1;
	}
	files[fd].card = file->card;
	files[fd].device = file->device;
	files[fd].plugged = file->plugged;
	files[fd].nonblocking = file->nonblocking;
	memcpy(files[fd].attribute, file->attribute, sizeof file->attribute);
	files[fd].kind = file->kind;
	return fd;
}

static int open_uio(struct sim_card *card, enum board_device device, int flags)
{
	struct file file = {
		.kind = UIO, .card = card, .device = device, .plugged = board_plugged(card->board), .nonblocking = flags & O_NONBLOCK,
	};
	uint32_t count;

	if (file.plugged == 0) {
		errno = ENODEV;
		return -1;
	}
	board_irq_take(card->board, file.plugged, device, &count);	/* what was before is not told */
	return keep(fcntl(board_irq_fd(card->board, device), F_DUPFD_CLOEXEC, 0), &file);
}

/* -1 with errno, a descriptor, or -2: it is a plain file. */
static int open_special(const char *path, int flags)
{
	const char *root = getenv("ADIT_FPGA_ROOT"), *at = inside(path, root);
	char name[MACHINE_NAME];
	struct file file = { .kind = SYNC };
	enum board_device device;
	int end = 0;

	if (!at)
		return -2;
	if (sscanf(at, "/dev/%31[^/]%n", name, &end) == 1 && !at[end]) {
		file.card = machine_device(root, name, &device);
		if (file.card)
			return open_uio(file.card, device, flags);
		file.card = machine_buffer(root, name);
		if (file.card)
			return fcntl(flags & O_SYNC ? file.card->memory.device_fd : file.card->memory.cpu_fd, F_DUPFD_CLOEXEC, 0);
	}
	if ((flags & O_ACCMODE) != O_RDONLY &&
	    (sscanf(at, "/sys/class/u-dma-buf/%31[^/]/%31[a-z_]%n", name, file.attribute, &end) == 2 ||
	     sscanf(at, "/sys/class/udmabuf/%31[^/]/%31[a-z_]%n", name, file.attribute, &end) == 2) && !at[end]) {
		file.card = machine_buffer(root, name);
		if (file.card)
			return keep(REAL(open)(path, flags), &file);
	}
	return -2;
}

int open(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	int fd = open_special(path, flags);
	return fd == -2 ? REAL(open)(path, flags, mode) : fd;
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	int fd = open_special(path, flags);
	return fd == -2 ? REAL(openat)(folder, path, flags, mode) : fd;
}

int close(int fd)
{
	struct file *file = file_of(fd);

	if (file)
		file->kind = PLAIN;
	return REAL(close)(fd);
}

/* Fails as the kernel does on a wrong offset or length: a map is asked for by its number of pages, and it is the first. */
static void *map_uio(const struct file *file, size_t len, off_t offset)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct access_window window = {
		.len = (len + page - 1) / page * page, .board = file->card->board, .plugged = file->plugged, .device = file->device,
	};

	if (offset != 0 || len == 0 || len > MACHINE_REGS_LEN) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return access_map(&window) == 0 ? window.base : MAP_FAILED;
}

void *mmap(void *addr, size_t len, int protection, int flags, int fd, off_t offset)
{
	const struct file *file = file_of(fd);

	if (file && file->kind == UIO)
		return map_uio(file, len, offset);
	return REAL(mmap)(addr, len, protection, flags, fd, offset);
}

int munmap(void *addr, size_t len)
{
	return access_unmap(addr, len) ? 0 : REAL(munmap)(addr, len);
}

static ssize_t fail(int error)
{
	errno = error;
	return -1;
}

/* drivers/uio/uio.c, uio_read(): exactly one count, and an error when the device is gone. */
static ssize_t read_uio(const struct file *file, int fd, void *to, size_t len)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	uint32_t count;
	int error;

	if (len != sizeof count)
		return fail(EINVAL);
	while ((error = board_irq_take(file->card->board, file->plugged, file->device, &count)) == -EAGAIN) {
		if (file->nonblocking)
			return fail(EAGAIN);
		if (poll(&wait, 1, -1) < 0)
			return -1;
	}
	if (error != 0)
		return fail(-error);
	memcpy(to, &count, sizeof count);
	return sizeof count;
}

/* uio_write(): one word, 0 or 1. */
static ssize_t write_uio(const struct file *file, const void *from, size_t len)
{
	int32_t on;

	if (len != sizeof on)
		return fail(EINVAL);
	memcpy(&on, from, sizeof on);
	int error = board_irq_mask(file->card->board, file->plugged, file->device, on == 0);
	return error == 0 ? (ssize_t)sizeof on : fail(-error);
}

static ssize_t write_attribute(const struct file *file, const void *from, size_t len)
{
	char text[64];

	if (len >= sizeof text)
		return fail(EINVAL);
	memcpy(text, from, len);
	text[len] = '\0';
	int error = memory_attribute(&file->card->memory, file->attribute, text);
	return error == 0 ? (ssize_t)len : fail(-error);
}

ssize_t read(int fd, void *to, size_t len)
{
	const struct file *file = file_of(fd);

	return file && file->kind == UIO ? read_uio(file, fd, to, len) : REAL(read)(fd, to, len);
}

ssize_t write(int fd, const void *from, size_t len)
{
	const struct file *file = file_of(fd);

	if (!file)
		return REAL(write)(fd, from, len);
	return file->kind == UIO ? write_uio(file, from, len) : write_attribute(file, from, len);
}

ssize_t pwrite(int fd, const void *from, size_t len, off_t offset)
{
	const struct file *file = file_of(fd);

	if (!file)
		return REAL(pwrite)(fd, from, len, offset);
	return file->kind == UIO ? fail(ESPIPE) : write_attribute(file, from, len);
}

/* A thread that blocked the signal of a fault would end with the program at its first register access. */
static const sigset_t *without_faults(sigset_t *copy, const sigset_t *set)
{
	if (!set)
		return NULL;
	*copy = *set;
	sigdelset(copy, SIGSEGV);
	return copy;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	sigset_t copy;

	return REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_faults(&copy, set), before);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	sigset_t copy;

	return REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_faults(&copy, set), before);
}

/* On x86-64 a file's offset has 64 bits under either name. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));
void *mmap64(void *addr, size_t len, int protection, int flags, int fd, off64_t offset) __attribute__((alias("mmap")));
ssize_t pwrite64(int fd, const void *from, size_t len, off64_t offset) __attribute__((alias("pwrite")));
