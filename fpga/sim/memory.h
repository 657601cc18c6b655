/*
 * A buffer of the u-dma-buf module in two copies: what the CPU sees through its cache, and
 * what a device sees in memory. Bytes go from one to the other only by the module's sync
 * files, and only in the direction and range that they are asked for, so that a driver
 * which forgets one reads old bytes here as it would on a board.
 */
#ifndef FPGA_SIM_MEMORY_H
#define FPGA_SIM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct memory {
	int cpu_fd, device_fd;		/* each copy as a file, to be mapped */
	uint8_t *cpu, *device;		/* and as bytes */
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
