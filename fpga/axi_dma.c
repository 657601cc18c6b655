/* Driving AXI DMA's registers: see axi_dma.h. */
#include "fpga/axi_dma.h"

#include <stdbool.h>

#include "base/clock.h"
#include "base/log.h"

/* Each direction's registers, from its first. MM2S reads memory for the stream, S2MM writes what comes back. */
enum { MM2S = 0x00, S2MM = 0x30 };
enum { CR = 0x00, SR = 0x04, ADDRESS = 0x18, ADDRESS_HIGH = 0x1c, LENGTH = 0x28 };

enum { CR_RUN = 1 << 0, CR_RESET = 1 << 2, CR_WHEN_DONE = 1 << 12, CR_ON_ERROR = 1 << 14 };
enum { SR_IDLE = 1 << 1, SR_ERRORS = 0x70, SR_INTERRUPTS = 0x7000 };

#define RESET_READS	1000	/* of the control register, until it has come out of a reset */
#define GONE		UINT32_MAX	/* what registers read as that nobody answers for */
#define LOOK_S		0.01	/* a lost interrupt costs no more */

/* Whether it came out of it. */
static bool reset(const struct uio *dma)
{
	uint32_t control = CR_RESET;

	uio_write(dma, MM2S + CR, CR_RESET);	/* it resets both directions */
	for (int i = 0; i < RESET_READS && control & CR_RESET && control != GONE; i++)
		control = uio_read(dma, MM2S + CR) | uio_read(dma, S2MM + CR);
	return !(control & CR_RESET);
}

int axi_dma_reset(const struct uio *dma)
{
	return reset(dma) ? 0 : log_error("fpga %s: the DMA engine does not come out of its reset", dma->name);
}

static void prepare(const struct uio *dma, unsigned direction, uint32_t interrupts, uint64_t address)
{
	uio_write(dma, direction + CR, CR_RUN | interrupts);
	uio_write(dma, direction + SR, SR_INTERRUPTS);	/* forget the last transfer's */
	uio_write(dma, direction + ADDRESS, (uint32_t)address);
	uio_write(dma, direction + ADDRESS_HIGH, (uint32_t)(address >> 32));
}

/* Not done, in whatever way, which was logged where there is a reason to. */
static int give_up(const struct uio *dma)
{
	reset(dma);
	return -1;
}

static int fail(const struct uio *dma, const char *what)
{
	uint32_t to_stream = uio_read(dma, MM2S + SR), from_stream = uio_read(dma, S2MM + SR);

	if ((to_stream & from_stream) == GONE)
		log_error("fpga %s: the DMA engine does not answer any more", dma->name);
	else
		log_error("fpga %s: DMA %s: status %08x to the stream, %08x from it", dma->name, what, (unsigned)to_stream,
			  (unsigned)from_stream);
	return give_up(dma);
}

int axi_dma_transfer(struct uio *dma, uint64_t out, size_t out_len, uint64_t in, size_t in_len, double timeout_s,
		     const struct transport *asked)
{
	const double start = clock_now();
	bool late = false;

	/* the answer's end is the end of both */
	prepare(dma, S2MM, CR_WHEN_DONE | CR_ON_ERROR, out);
	prepare(dma, MM2S, CR_ON_ERROR, in);
	if (uio_unmask(dma) < 0)
		return give_up(dma);
	uio_write(dma, S2MM + LENGTH, (uint32_t)out_len);	/* first, or what comes back early finds no place */
	uio_write(dma, MM2S + LENGTH, (uint32_t)in_len);
	for (;;) {
		if (uio_wait(dma, LOOK_S) < 0)
			return give_up(dma);

		uint32_t to_stream = uio_read(dma, MM2S + SR), from_stream = uio_read(dma, S2MM + SR);

		if ((to_stream | from_stream) & SR_ERRORS)
			return fail(dma, "error");
		if (to_stream & from_stream & SR_IDLE)
			break;
		if (transport_unwanted(asked))
			return give_up(dma);
		if (late)
			return fail(dma, "is not done in time");
		late = clock_now() - start > timeout_s;		/* and one more look */
	}
	uint32_t came = uio_read(dma, S2MM + LENGTH);		/* a packet may end before its place does */

	if (came == (uint32_t)out_len)
		return 0;
	log_error("fpga %s: DMA brought %u bytes where %zu were due", dma->name, (unsigned)came, out_len);
	return give_up(dma);
}
