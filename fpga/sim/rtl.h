/*
 * The Verilated RTL behind a C interface: miner_top with, beside it on the same clock, sha256d_axis;
 * or offload_top. It knows wires and clocks; what runs by itself is fpga/sim/board.h.
 *
 * What a newcomer would get wrong: time is what is spent here. Nothing happens between two
 * calls, and a bus access takes the clocks that it takes on a board.
 *
 * Not for several threads at once; two struct rtl have nothing in common.
 */
#ifndef FPGA_SIM_RTL_H
#define FPGA_SIM_RTL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTL_WORD_MAX	16	/* bytes of a stream's word, and of one written to memory */

struct rtl;

/* The wires of a stream's input and its output in one clock (AMBA AXI4-Stream), of rtl_word() bytes each. */
struct rtl_stream {
	bool in_valid, in_last, out_ready;	/* set by the caller before rtl_stream_clock() */
	uint8_t in[RTL_WORD_MAX];
	bool in_taken;				/* the input word went in */
	bool out_taken, out_last;		/* a word came out */
	uint8_t out[RTL_WORD_MAX];
};

/* What a design writes to memory by itself, RTL_WORD_MAX bytes at a bus address. False: an error is answered. */
typedef bool rtl_store_fn(void *ctx, uint64_t addr, const uint8_t *bytes);

/*
 * After reset. A miner by its depth ("16", or "0" for the iterative core), or an offload core by its name ("chacha20").
 * NULL: no such design was built, or there is no memory.
 */
struct rtl *rtl_new(const char *design, rtl_store_fn *store, void *ctx);
void rtl_free(struct rtl *);

/* The designs that were built, as text: "0, 2, 4". */
const char *rtl_designs(void);

/* Whether it is a miner, which has hits (fpga/regs.h); else it is an offload core (fpga/offload_regs.h). */
bool rtl_mines(const struct rtl *);

/* One AXI4-Lite transfer at a byte offset of its registers. */
uint32_t rtl_read(struct rtl *, unsigned offset);
void rtl_write(struct rtl *, unsigned offset, uint32_t value);

/* STATUS.BUSY, by such a transfer. */
bool rtl_busy(struct rtl *);

/* The interrupt line. */
bool rtl_irq(const struct rtl *);

/* Up to n clocks, fewer when the interrupt line rises. */
void rtl_clock(struct rtl *, unsigned n);

/* Bytes of a word of its stream: 4 or 16. */
unsigned rtl_word(const struct rtl *);

/* One clock in which the stream's wires are looked at, too. */
void rtl_stream_clock(struct rtl *, struct rtl_stream *);

/* The DMA's reset, which is wired to sha256d_axis: whatever is in it is gone. An offload core has its own in CONTROL. */
void rtl_stream_reset(struct rtl *);

#ifdef __cplusplus
}
#endif

#endif
