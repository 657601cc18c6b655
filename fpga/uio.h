/*
 * A device of the kernel's userspace I/O (Documentation/driver-api/uio-howto.rst): its
 * registers as memory, its interrupt as reads of a counter.
 *
 * What a newcomer would get wrong: devices are numbered as they were found, so one is asked
 * for by its name; the counter is the total of all interrupts, so it may step by more than
 * one; and after each the kernel has masked the interrupt until it is told otherwise.
 */
#ifndef FPGA_UIO_H
#define FPGA_UIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UIO_NAME	32	/* bytes of a device's name */

struct uio {
	char name[UIO_NAME];
	int fd;
	void *map;			/* the pages of its first map */
	size_t map_len;
	volatile uint32_t *regs;	/* within them */
	size_t len;			/* bytes */
	uint32_t count;			/* the latest total of interrupts */
	bool counting;			/* there is one */
};

/*
 * Open the device called `name` below `root` and map its first region, of which at least `len` bytes must be there.
 * 0, or -1 logged.
 */
int uio_open(struct uio *, const char *root, const char *name, size_t len);
void uio_close(struct uio *);

/* Whether there is such a device, and may be opened. Logs nothing. */
bool uio_there(const char *root, const char *name);

/* At most timeout_s for an interrupt. Returns how many came since the last call, 0 for none, or -1 logged. */
int uio_wait(struct uio *, double timeout_s);

/* 0, or -1 logged. A driver without interrupt control (ENOSYS) never masked it, so nothing is to be done. */
int uio_unmask(struct uio *);

static inline uint32_t uio_read(const struct uio *uio, unsigned offset)
{
	return uio->regs[offset / 4];
}

static inline void uio_write(const struct uio *uio, unsigned offset, uint32_t value)
{
	uio->regs[offset / 4] = value;
}

#endif
