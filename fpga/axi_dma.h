/*
 * AXI DMA in simple mode (PG021, "AXI DMA v7.1"): one transfer to the stream and one from it.
 *
 * What a newcomer would get wrong: writing a LENGTH register is what starts a transfer, and
 * that register is only as wide as the design was built with, by default 14 bits. A longer
 * transfer does not fail: its length is cut to the low bits, and nothing tells the width, so
 * it is a setting.
 */
#ifndef FPGA_AXI_DMA_H
#define FPGA_AXI_DMA_H

#include <stddef.h>
#include <stdint.h>

#include "fpga/transport.h"
#include "fpga/uio.h"

#define AXI_DMA_LEN		0x60u	/* bytes of registers */
#define AXI_DMA_LENGTH_BITS	14	/* by default */
#define AXI_DMA_LENGTH_BITS_MIN	8
#define AXI_DMA_LENGTH_BITS_MAX	26

/* Reset both directions. 0, or -1 logged: it does not come out of it. */
int axi_dma_reset(const struct uio *);

/*
 * Send in_len bytes from bus address `in` through the stream and store what comes back, out_len bytes, at `out`; both
 * lengths below 2^length_bits. 0, or -1 logged: an error, a packet of another length, or not done within timeout_s; or -1,
 * not logged: it is not wanted any more, as `asked` says (transport_unwanted()). The engine is then reset.
 */
int axi_dma_transfer(struct uio *, uint64_t out, size_t out_len, uint64_t in, size_t in_len, double timeout_s,
		     const struct transport *asked);

#endif
