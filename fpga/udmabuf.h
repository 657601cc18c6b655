/*
 * Memory that the CPU and a device's DMA both see, by the u-dma-buf module (older: udmabuf).
 *
 * What a newcomer would get wrong: the CPU looks at it through its cache and the device does
 * not, so every hand-over is a call here; and one towards the CPU that does not say "from
 * the device" throws nothing out of the cache, so that the CPU goes on seeing old bytes.
 */
#ifndef FPGA_UDMABUF_H
#define FPGA_UDMABUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fpga/sysfs.h"

struct udmabuf {
	char name[32];
	uint8_t *bytes;
	size_t size;			/* bytes */
	uint64_t bus_addr;		/* of bytes[0], as the device sees it */
	int to_cpu_fd, to_device_fd;	/* sync_for_cpu and sync_for_device */
};

/* 0, or -1 logged. */
int udmabuf_open(struct udmabuf *, const char *root, const char *name);
void udmabuf_close(struct udmabuf *);

/* Whether there is such a buffer, and may be opened. Logs nothing. */
bool udmabuf_there(const char *root, const char *name);

/*
 * What the CPU wrote at [offset, offset + len) is for the device to read. `offset` is a multiple of 64. 0, or -1
 * logged.
 */
int udmabuf_to_device(struct udmabuf *, size_t offset, size_t len);

/* The device may now write there: the CPU's cache must not write old bytes over it. The same. */
int udmabuf_lend_to_device(struct udmabuf *, size_t offset, size_t len);

/* What the device wrote there is for the CPU to read. The same. */
int udmabuf_to_cpu(struct udmabuf *, size_t offset, size_t len);

#endif
