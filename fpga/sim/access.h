/*
 * Register accesses of an unmodified driver, caught on their way. A device's registers are
 * mapped as pages without any access right; each load or store faults, is carried out here as
 * a bus transfer on the simulated board, and the program goes on behind it. x86-64 on Linux only.
 *
 * What a newcomer would get wrong: the CPU never carries out such an instruction itself, neither on
 * opened pages, which other threads would then read without a fault, nor on other memory in a single
 * step, whose trap was seen to come an instruction late in a virtual machine.
 *
 * A driver's access is a plain, aligned load or store of 32 bits; anything else (a byte, 64
 * bits, a vector, a read-modify-write in memory) would do something else on a bus, and ends
 * the program with a sentence.
 */
#ifndef FPGA_SIM_ACCESS_H
#define FPGA_SIM_ACCESS_H

#include <stdbool.h>

#include "fpga/sim/board.h"

struct access_window {
	uint8_t *base;		/* of the pages */
	size_t len;		/* bytes, whole pages */
	struct board *board;
	unsigned plugged;	/* board_plugged() when the device was opened */
	enum board_device device;
};

/* Map pages for a window, whose base is set here. 0, or -1 with errno. */
int access_map(struct access_window *);

/* Whether [base, base + len) is a window; it is then unmapped. */
bool access_unmap(void *base, size_t len);

#endif
