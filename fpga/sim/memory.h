/*
 * A buffer of the u-dma-buf module in two copies: what the CPU sees through its cache, and
 * what a device sees in memory. Bytes go from one to the other only by the module's sync
 * files, and only in the direction and range that they are asked for, so that a driver
 * which forgets one reads old bytes here as it would on a board.
 *
 * A device may write only where the buffer was lent to it, by sync_for_device in another
 * direction than to the device alone. Elsewhere the CPU's cache may write what it holds over
 * the device's bytes, now or never; here it always does, before sync_for_cpu.
 */
#ifndef FPGA_SIM_MEMORY_H
#define FPGA_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory {
	int cpu_fd, device_fd;		/* each copy as a file, to be mapped */
	uint8_t *cpu, *device;		/* and as bytes */
	bool *lent;			/* each of them, to the device */
	size_t len;
	/* the files of the same names, for who does not put all in one write */
	uint64_t sync_offset, sync_size, sync_direction;
};

/* 0, or -1 with errno. */
int memory_init(struct memory *, size_t len);
void memory_release(struct memory *);

/* A write of `text` to the attribute `name`, "sync_for_cpu" and so on. 0, or a negative errno as the module gives it. */
int memory_attribute(struct memory *, const char *name, const char *text);

#endif
