/* A card as users name it: the value of --fpga, of adit and of adit-offload. */
#ifndef FPGA_SPEC_H
#define FPGA_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#define FPGA_SPEC_NAME	32	/* bytes of a device's name */

struct fpga_spec {
	bool sim;			/* "sim[:DEPTH]": the RTL simulated within the process */
	unsigned depth;			/* of a miner's core: 0 or a power of two up to 64 */
	bool serial;			/* "serial:NAME": on a serial line, /dev/NAME, which is `miner` */
	char miner[FPGA_SPEC_NAME];	/* "uio:NAME[,dma=NAME,buf=NAME,length-bits=N]": else on a board */
	char dma[FPGA_SPEC_NAME];	/* "": there is none */
	char buffer[FPGA_SPEC_NAME];
	unsigned length_bits;
};

/* Returns 0, or -1 with a sentence about the value in `why`, which is `why_len` bytes. */
int fpga_spec_parse(struct fpga_spec *, const char *value, char *why, size_t why_len);

/* The same for a card with an offload core, which has a stream: "sim", or uio: with a DMA. */
int fpga_spec_parse_offload(struct fpga_spec *, const char *value, char *why, size_t why_len);

#endif
