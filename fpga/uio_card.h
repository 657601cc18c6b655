/* A card on a board: the design's registers by UIO, and where they are named its DMA engine and the memory for that. */
#ifndef FPGA_UIO_CARD_H
#define FPGA_UIO_CARD_H

#include <stdbool.h>

#include "fpga/spec.h"
#include "fpga/transport.h"

struct uio_card_names {
	const char *miner;		/* UIO device, of an offload core as well */
	const char *dma;		/* UIO device of the AXI DMA; NULL: there is no stream */
	const char *buffer;		/* u-dma-buf, with a dma */
	unsigned length_bits;		/* of the DMA's LENGTH registers */
};

/* Those that a user gave, which stay the spec's. It is of a card on a board. */
struct uio_card_names uio_card_names(const struct fpga_spec *);

/* 0, or -1 logged. Names are below `root`, of which no copy is made. */
int transport_open_uio(struct transport *, const char *root, const struct uio_card_names *);

/* Whether the kernel has all its devices already. */
bool uio_card_there(const char *root, const struct uio_card_names *);

#endif
