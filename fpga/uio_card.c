/*
 * The transport of a card on a board. Its DMA memory is one u-dma-buf: the way in lies in the
 * first two thirds and the answer in the last, since a block of 64 bytes has one of 32.
 */
#include "fpga/uio_card.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "fpga/axi_dma.h"
#include "fpga/regs.h"
#include "fpga/udmabuf.h"
#include "fpga/uio.h"

#define ALIGN	64	/* bytes: a cache line, and a block */

struct uio_card {
	struct uio miner, dma;
	struct udmabuf buffer;
	size_t out_offset;	/* in the buffer */
};

static uint32_t card_read(struct transport *t, unsigned offset)
{
	return uio_read(&((struct uio_card *)t->ctx)->miner, offset);
}

static void card_write(struct transport *t, unsigned offset, uint32_t value)
{
	uio_write(&((struct uio_card *)t->ctx)->miner, offset, value);
}

static int card_wait(struct transport *t, double timeout_s)
{
	return uio_wait(&((struct uio_card *)t->ctx)->miner, timeout_s);
}

static int card_unmask(struct transport *t)
{
	return uio_unmask(&((struct uio_card *)t->ctx)->miner);
}

static int card_stream(struct transport *t, size_t in_len, size_t out_len, double timeout_s)
{
	struct uio_card *card = t->ctx;
	struct udmabuf *buf = &card->buffer;

	if (udmabuf_to_device(buf, 0, in_len) < 0 || udmabuf_lend_to_device(buf, card->out_offset, out_len) < 0)
		return -1;
	if (axi_dma_transfer(&card->dma, buf->bus_addr + card->out_offset, out_len, buf->bus_addr, in_len, timeout_s, t) < 0)
		return -1;
	return udmabuf_to_cpu(buf, card->out_offset, out_len);
}

static int card_lend(struct transport *t, size_t len)
{
	struct uio_card *card = t->ctx;

	return udmabuf_lend_to_device(&card->buffer, card->out_offset, len);
}

static int card_take_back(struct transport *t, size_t len)
{
	struct uio_card *card = t->ctx;

	return udmabuf_to_cpu(&card->buffer, card->out_offset, len);
}

static void card_close(struct transport *t)
{
	struct uio_card *card = t->ctx;

	if (t->in_size > 0) {
		axi_dma_reset(&card->dma);	/* no transfer may outlive its memory */
		udmabuf_close(&card->buffer);
		uio_close(&card->dma);
	}
	uio_close(&card->miner);
	free(card);
	t->ctx = NULL;
}

static const struct transport_ops ops = {
	.read = card_read, .write = card_write, .wait = card_wait, .unmask = card_unmask, .close = card_close,
};
static const struct transport_ops ops_with_stream = {
	.read = card_read, .write = card_write, .wait = card_wait, .unmask = card_unmask, .stream = card_stream,
	.lend = card_lend, .take_back = card_take_back, .close = card_close,
};

static size_t at_most(size_t size, unsigned length_bits)
{
	size_t most = ((size_t)1 << length_bits) - 1;

	return (size < most ? size : most) / ALIGN * ALIGN;
}

static int open_stream(struct transport *t, struct uio_card *card, const char *root, const struct uio_card_names *names)
{
	if (uio_open(&card->dma, root, names->dma, AXI_DMA_LEN) < 0)
		return -1;
	if (udmabuf_open(&card->buffer, root, names->buffer) < 0)
		goto close_dma;
	if (card->buffer.size < 3 * ALIGN) {
		log_error("fpga %s: %zu bytes are too few", names->buffer, card->buffer.size);
		goto close_buffer;
	}
	if (axi_dma_reset(&card->dma) < 0)
		goto close_buffer;
	card->out_offset = card->buffer.size / (3 * ALIGN) * 2 * ALIGN;
	t->in = card->buffer.bytes;
	t->in_size = at_most(card->out_offset, names->length_bits);
	t->out = card->buffer.bytes + card->out_offset;
	t->out_memory = (card->buffer.size - card->out_offset) / ALIGN * ALIGN;
	t->out_size = at_most(t->out_memory, names->length_bits);
	t->out_addr = card->buffer.bus_addr + card->out_offset;
	return 0;

close_buffer:
	udmabuf_close(&card->buffer);
close_dma:
	uio_close(&card->dma);
	return -1;
}

struct uio_card_names uio_card_names(const struct fpga_spec *spec)
{
	return (struct uio_card_names){
		.miner = spec->miner, .dma = spec->dma[0] ? spec->dma : NULL, .buffer = spec->buffer,
		.length_bits = spec->length_bits,
	};
}

bool uio_card_there(const char *root, const struct uio_card_names *names)
{
	return uio_there(root, names->miner) && (!names->dma || (uio_there(root, names->dma) && udmabuf_there(root, names->buffer)));
}

int transport_open_uio(struct transport *t, const char *root, const struct uio_card_names *names)
{
	struct uio_card *card = calloc(1, sizeof *card);
	struct transport opened = { .ops = names->dma ? &ops_with_stream : &ops, .ctx = card };

	if (!card)
		return log_errno("fpga %s", names->miner);
	snprintf(opened.name, sizeof opened.name, "uio:%.40s", names->miner);
	if (uio_open(&card->miner, root, names->miner, FPGA_REGS_LEN) < 0)
		goto free_card;
	if (names->dma && open_stream(&opened, card, root, names) < 0)
		goto close_miner;
	*t = opened;
	return 0;

close_miner:
	uio_close(&card->miner);
free_card:
	free(card);
	return -1;
}
