/*
 * Xilinx' AXI DMA in simple (direct register) mode, after its product guide PG021: two
 * channels, each one transfer at a time, between memory and the stream of the simulated RTL.
 *
 * What a newcomer would get wrong: the LENGTH register is narrower than 32 bits, and which
 * width it has cannot be read anywhere. What is written above it is cut off, and a length
 * that is cut to 0 starts nothing: a transfer of exactly 2^width bytes never ends.
 */
#ifndef FPGA_SIM_DMA_H
#define FPGA_SIM_DMA_H

#include "fpga/sim/bus_memory.h"
#include "fpga/sim/faults.h"
#include "fpga/sim/rtl.h"

enum dma_direction { DMA_MM2S, DMA_S2MM, DMA_DIRECTIONS };	/* from memory into the stream, and back */

struct dma_channel {
	uint32_t control, status, addr_low, addr_high, length;
	uint8_t *at;		/* of the transfer under way, and NULL without one */
	size_t len, done;	/* bytes to be moved, and moved */
};

struct dma {
	struct bus_memory memory;	/* what it reaches */
	struct rtl *rtl;
	struct faults *faults;
	uint32_t length_mask;
	unsigned word;		/* bytes, of the stream */
	bool stalled;		/* nothing moves until the reset */
	unsigned resetting;	/* looks at CR until the reset is over */
	struct dma_channel channel[DMA_DIRECTIONS];
};

/*
 * Beside `rtl`, whose stream it feeds and resets: its reset outputs are wired to sha256d_axis. It is as wide as the stream,
 * without realignment, so addresses and lengths are whole words of it. length_bits: the width of the LENGTH registers, 8
 * to 26. Memory, RTL and faults stay the caller's.
 */
void dma_init(struct dma *, struct rtl *, const struct bus_memory *, unsigned length_bits, struct faults *);

/* A register at its byte offset. */
uint32_t dma_read(struct dma *, unsigned offset);
void dma_write(struct dma *, unsigned offset, uint32_t value);

/* Whether a transfer is under way, and so the stream to be clocked. */
bool dma_busy(const struct dma *);
bool dma_irq(const struct dma *);

/* One clock of both channels and of the RTL. */
void dma_clock(struct dma *);

#endif
