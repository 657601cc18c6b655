/*
 * A card with an offload core (fpga/rtl/offload/offload_top.v, doc/OFFLOAD_REGISTERS.md): batches of items go to it and
 * come back by its stream, packet by packet; or it computes from registers alone, or writes to memory by itself.
 *
 * What a newcomer would get wrong: a ciphering core counts by itself over the packets after one LOAD, so each batch is
 * loaded with the number of its own first item, and a packet that is lost takes the whole batch with it.
 *
 * One thread at a time uses a card, for each of the calls below. Two cards have nothing in common.
 *
 * Every call which returns an int returns 0, or -1 logged in one sentence that names the device and the reason; what was
 * to be written is then worth nothing. The card has been reset by then: it may be tried again, and one that is gone fails
 * again. Nothing here proves that answers are right: whoever opens a card holds a batch against the core's plain form.
 */
#ifndef FPGA_OFFLOAD_CARD_H
#define FPGA_OFFLOAD_CARD_H

#include "cores/core.h"
#include "fpga/spec.h"
#include "fpga/transport.h"

#define OFFLOAD_TIMEOUT_S	10	/* beyond the clocks that it takes, before a card counts as silent */
#define OFFLOAD_PADS_MAX	(1u << 24)	/* blocks that one START can be asked for */

struct offload_core;

/* Sums over all calls since the card was opened. */
struct offload_sums {
	uint64_t items;			/* that went through; pads and single field operations are items, too */
	uint64_t bytes_in, bytes_out;	/* by the stream; bytes_out: and by the core's own way to memory */
	uint64_t cycles;		/* clocks of the card from each packet's start to its end, what the driver takes for both included */
	uint64_t busy_cycles;		/* those with an item inside. chacha20's wait for their pads outside, and are not counted */
	double in, kernel, out;		/* s: filling the stream's memory and LOAD; transfers; taking the answers from memory */
};

struct offload_card {
	struct transport transport;
	const struct offload_core *core;	/* what it was opened for */
	unsigned cores;			/* side by side, 1..255 */
	unsigned clocks;		/* an item of one of them, 1..255 */
	size_t room;			/* items that one packet can carry, at least 1; 0: it has no stream, so it cannot run batches */
	bool foreign;			/* after it could not be opened: something answered, and is no such core */
	double timeout_s;		/* OFFLOAD_TIMEOUT_S; a test may have less patience */
	struct offload_sums sums;
};

/* Whether there is an offload core for a core of that name (cores/core.h): for each of them now. */
bool offload_card_offers(const char *core);

/*
 * Open the card and make it ready for the core of that name. `sim` simulates just that core, whatever its depth says; a
 * card on a board must have it: another one, a miner, or registers of a version that this driver does not know are refused.
 * A serial line is refused, too. `root` is where the kernel's files are looked for: "/" on a board; no copy is made.
 */
int offload_card_open(struct offload_card *, const char *root, const struct fpga_spec *, const char *core);

/* The same behind a transport, which it takes over, to be released by close(); after -1 it stays the caller's. */
int offload_card_use(struct offload_card *, const struct transport *, const char *core);

/* Overwrites the key that is in it, resets it and releases all. */
void offload_card_close(struct offload_card *);

/*
 * Compute a batch, of any number of items from 0, in packets of at most `room`. batch->core is not looked at and may be
 * NULL, as may batch->params for sha256d and cubehash256; batch->out may be batch->in where items are as long as answers.
 * Of chacha20 the last item is below 2^32, of aes128-ctr the counter is that of item 0 plus `first`, modulo 2^128.
 */
int offload_card_run(struct offload_card *, const struct batch *);

/*
 * chacha20 alone: the pads of blocks first .. first + blocks - 1, below 2^32, 64 bytes each, which the core writes to
 * memory by itself while the stream stands. It needs no dma=... to go through, but the buffer that comes with one.
 */
int offload_card_pads(struct offload_card *, uint8_t *out, const struct core_params *, uint64_t first, size_t blocks);

/* secp256k1 alone: one pair by registers, 32 big-endian bytes each, of any value; the result is below the prime. */
int offload_card_field(struct offload_card *, uint8_t out[32], enum field_operation, const uint8_t a[32], const uint8_t b[32]);

#endif
