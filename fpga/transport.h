/*
 * How a card is reached: its registers, its interrupt and, where it has one, its stream
 * through DMA. The driver (card.c) sees no more of the outside than this: UIO on a board,
 * the simulated RTL within the process and the tests' fake card are each one of these.
 *
 * What a newcomer would get wrong: a register access cannot fail. A card that is gone reads
 * as all ones and swallows what is written, as a bus without it does; whoever reads all ones
 * where they make no sense asks for FPGA_ID. Only wait() and stream() can say that it is gone.
 *
 * One thread uses a transport at a time.
 */
#ifndef FPGA_TRANSPORT_H
#define FPGA_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_GONE	UINT32_MAX	/* what registers of a card that is gone read as */
#define TRANSPORT_NAME	48		/* bytes */

struct transport;

struct transport_ops {
	/* One 32-bit access at a byte offset of fpga/regs.h or fpga/offload_regs.h, in the order of the calls. */
	uint32_t (*read)(struct transport *, unsigned offset);
	void (*write)(struct transport *, unsigned offset, uint32_t value);

	/*
	 * Wait at most timeout_s for an interrupt. Returns how many there were since the last call (above 1: some were
	 * missed, which is no error since the registers say what happened), 0 when none came, or -1, logged, when the
	 * card is gone. timeout_s 0 only looks. Once it returns above 0, the interrupt is masked until unmask().
	 */
	int (*wait)(struct transport *, double timeout_s);

	/* Let interrupts through again: after their cause was acknowledged in the card. 0, or -1 logged: the card is gone. */
	int (*unmask)(struct transport *);

	/*
	 * Send in[0 .. in_len) through the card and have its answer in out[0 .. out_len), both multiples of 4 and not above
	 * in_size and out_size; the last word in goes with TLAST. Returns 0, or -1, logged, when the transfer failed, came
	 * short or was not done within timeout_s, or, not logged, when nobody wants it any more; the stream is then reset and
	 * may be tried again. NULL: it has no stream.
	 */
	int (*stream)(struct transport *, size_t in_len, size_t out_len, double timeout_s);

	/*
	 * For a core that writes to memory by itself: from lend() to take_back() out[0 .. len), len up to out_memory, is the
	 * core's. Return 0, or -1 logged. NULL, both: there is no memory.
	 */
	int (*lend)(struct transport *, size_t len);
	int (*take_back)(struct transport *, size_t len);

	/* Release all that open made. */
	void (*close)(struct transport *);
};

struct transport {
	const struct transport_ops *ops;
	char name[TRANSPORT_NAME];	/* for the log: "uio:adit-miner", "sim:16" */
	void *ctx;			/* the implementation's */

	/* The stream's memory; sizes 0 without. Written and read by the user of the stream between two calls of stream(). */
	uint8_t *in;
	const uint8_t *out;
	size_t in_size, out_size;	/* bytes one transfer can carry */
	size_t out_memory;		/* bytes there are at `out` */
	uint64_t out_addr;		/* of out[0] on the card's bus, a multiple of 64 */

	/* Set by its user: asked while an answer is long in coming; true: nobody wants it any more. NULL: nobody is asked. */
	bool (*unwanted)(void *ctx);
	void *unwanted_ctx;
};

static inline bool transport_unwanted(const struct transport *t)
{
	return t->unwanted && t->unwanted(t->unwanted_ctx);
}

/*
 * The simulated RTL within the process (fpga/sim): miner_top with one core, by its depth ("2" .. "64" for a ring, "0" for
 * the iterative core), and sha256d_axis as its stream, on the same clock, so CYCLES counts both; or offload_top, by its
 * core's name ("chacha20"). It runs by itself, as a board does, and its clock stands while it has nothing to do. 0, or -1
 * logged: there is no simulation to be loaded, or none of that design. `transport` is then unchanged.
 */
int transport_open_sim(struct transport *, const char *design);

#endif
