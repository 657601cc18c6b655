/* The registers and the transfers of AXI DMA: see dma.h. */
#include "fpga/sim/dma.h"

#include <string.h>

/* PG021, "AXI DMA Register Address Map for Direct Register Mode", from each channel's base on. */
enum offset { CR = 0x00, SR = 0x04, ADDR_LOW = 0x18, ADDR_HIGH = 0x1c, LENGTH = 0x28 };
#define S2MM_BASE	0x30u

#define CR_RUN		0x0001u
#define CR_RESET	0x0004u
#define CR_RESERVED	0x00010002u	/* read as these after reset: one interrupt a transfer, and a bit that is always set */
#define CR_IRQS		0x7000u
#define SR_HALTED	0x0001u
#define SR_IDLE		0x0002u
#define SR_INTERNAL	0x0010u
#define SR_DECODE	0x0040u
#define SR_IOC		0x1000u
#define SR_ERROR	0x4000u
#define SR_IRQS		0x7000u

/* A reset takes a while, which is told in looks at CR; until then nothing that is written is taken. */
#define RESET_LOOKS	2u

static void reset(struct dma *d)
{
	for (int i = 0; i < DMA_DIRECTIONS; i++)
		d->channel[i] = (struct dma_channel){ .control = CR_RESERVED, .status = SR_HALTED };
	d->stalled = false;
	rtl_stream_reset(d->rtl);
}

void dma_init(struct dma *d, struct rtl *rtl, const struct bus_memory *memory, unsigned length_bits, struct faults *faults)
{
	*d = (struct dma){ .memory = *memory, .rtl = rtl, .faults = faults, .word = rtl_word(rtl),
			   .length_mask = (UINT32_C(1) << length_bits) - 1 };
	reset(d);
}

static void fail(struct dma_channel *c, uint32_t error)
{
	c->at = NULL;
	c->control &= ~CR_RUN;
	c->status = (c->status & ~SR_IDLE) | SR_HALTED | error | SR_ERROR;
}

static void finish(struct dma_channel *c)
{
	c->length = (uint32_t)c->done;
	c->at = NULL;
	c->status |= SR_IDLE | SR_IOC;
}

static void start(struct dma *d, struct dma_channel *c)
{
	uint64_t addr = (uint64_t)c->addr_high << 32 | c->addr_low;

	/* A channel that is halted or at work, and a length of 0, start nothing. */
	if (c->status & SR_HALTED || c->at || c->length == 0)
		return;
	c->status &= ~SR_IDLE;
	if (faults_strike(d->faults, FAULT_DMA_ERROR)) {
		fail(c, SR_DECODE);
		return;
	}
	if (c == &d->channel[DMA_MM2S] && !d->channel[DMA_S2MM].at && faults_strike(d->faults, FAULT_NO_PLACE)) {
		fail(c, SR_INTERNAL);
		return;
	}
	/* Unaligned transfers were not built in; outside of memory nobody answers. */
	if (addr % d->word || c->length % d->word) {
		fail(c, SR_INTERNAL);
		return;
	}
	c->at = bus_memory_at(&d->memory, addr, c->length);
	if (!c->at) {
		fail(c, SR_DECODE);
		return;
	}
	c->len = c->length;
	c->done = 0;
	if (faults_strike(d->faults, FAULT_STALL))
		d->stalled = true;
}

/* Whose register it is; the offset is then from that channel's base. */
static struct dma_channel *channel_at(struct dma *d, unsigned *offset)
{
	if (*offset < S2MM_BASE)
		return &d->channel[DMA_MM2S];
	*offset -= S2MM_BASE;
	return &d->channel[DMA_S2MM];
}

uint32_t dma_read(struct dma *d, unsigned offset)
{
	struct dma_channel *c = channel_at(d, &offset);

	switch (offset) {
	case CR:
		if (d->resetting > 0) {
			d->resetting--;
			return c->control | CR_RESET;
		}
		return c->control;
	case SR: return c->status;
	case ADDR_LOW: return c->addr_low;
	case ADDR_HIGH: return c->addr_high;
	case LENGTH: return c->length;
	default: return 0;
	}
}

void dma_write(struct dma *d, unsigned offset, uint32_t value)
{
	struct dma_channel *c = channel_at(d, &offset);

	if (d->resetting > 0)
		return;
	switch (offset) {
	case CR:
		if (value & CR_RESET) {		/* of either channel: of the whole engine */
			reset(d);
			d->resetting = RESET_LOOKS;
			return;
		}
		c->control = CR_RESERVED | (value & (CR_RUN | CR_IRQS));
		if (!(value & CR_RUN)) {
			c->at = NULL;
			c->status = (c->status & ~SR_IDLE) | SR_HALTED;
		} else if (!(c->status & SR_ERROR)) {
			c->status &= ~SR_HALTED;
		}
		return;
	case SR:
		c->status &= ~(value & SR_IRQS);
		return;
	case ADDR_LOW:
		c->addr_low = value;
		return;
	case ADDR_HIGH:
		c->addr_high = value;
		return;
	case LENGTH:
		c->length = value & d->length_mask;
		start(d, c);
		return;
	default:
		return;
	}
}

bool dma_busy(const struct dma *d)
{
	return d->channel[DMA_MM2S].at || d->channel[DMA_S2MM].at;
}

bool dma_irq(const struct dma *d)
{
	for (int i = 0; i < DMA_DIRECTIONS; i++)
		if (d->channel[i].status & d->channel[i].control & SR_IRQS)
			return true;
	return false;
}

void dma_clock(struct dma *d)
{
	struct dma_channel *in = &d->channel[DMA_MM2S], *out = &d->channel[DMA_S2MM];
	struct rtl_stream wires = { .in_valid = in->at && !d->stalled, .out_ready = out->at && !d->stalled };

	if (wires.in_valid) {
		memcpy(wires.in, in->at + in->done, d->word);
		wires.in_last = in->done == in->len - d->word;
	}
	rtl_stream_clock(d->rtl, &wires);

	if (wires.in_taken && (in->done += d->word) == in->len)
		finish(in);
	if (!wires.out_taken)
		return;
	memcpy(out->at + out->done, wires.out, d->word);
	out->done += d->word;
	if (out->done == out->len - d->word && !wires.out_last && faults_strike(d->faults, FAULT_SHORT_TRANSFER))
		finish(out);	/* with an early TLAST */
	else if (wires.out_last)
		finish(out);
	else if (out->done == out->len)
		fail(out, SR_INTERNAL);		/* more in the packet than there is room for */
}
