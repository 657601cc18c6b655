/*
 * The cards of a simulated machine, as fpga/sim/mkroot wrote them into the file `cards` of
 * its root folder: one line each, `DESIGN LENGTH-BITS CARD DMA BUFFER`, such as
 * `16 14 uio0 uio1 udmabuf0`, with - for a card without DMA. A card is powered up when one of its
 * devices is first opened, and stays so until the program ends, whoever closes what.
 *
 * All are in one FPGA. When the driver has the FPGA manager load a file of lib/firmware whose first line is `design NAME`,
 * each becomes that design as soon as one of its devices is opened; another file changes nothing, as the line stays
 * the list's.
 */
#ifndef FPGA_SIM_MACHINE_H
#define FPGA_SIM_MACHINE_H

#include "fpga/sim/board.h"
#include "fpga/sim/memory.h"

#define MACHINE_CARDS	8
#define MACHINE_NAME	32	/* bytes of a device's name */
#define MACHINE_REGS_LEN	0x10000	/* bytes of a device's registers, as mkroot says them, too */

struct sim_card {
	char device[BOARD_DEVICES][MACHINE_NAME];	/* "uio0"; "" for none */
	char buffer[MACHINE_NAME];		/* "udmabuf0"; "" for none */
	char design[MACHINE_NAME];		/* after power-up; one of rtl_designs() */
	unsigned length_bits;
	struct memory memory;
	struct board *board;			/* NULL: not powered up yet */
};

/* The card with that uio device, which is then *device, or with that buffer; powered up. NULL for any other name. */
struct sim_card *machine_device(const char *root, const char *name, enum board_device *device);
struct sim_card *machine_buffer(const char *root, const char *name);

#endif
