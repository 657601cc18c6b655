/*
 * The Verilated RTL behind a C interface: miner_top and, beside it on the same clock,
 * sha256d_axis. It knows wires and clocks; what runs by itself is fpga/sim/board.h.
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

#define RTL_STREAM_CORES	4	/* hash cores of the stream; the miner has one */

struct rtl;

/* The wires of sha256d_axis in one clock: its input and its output (AMBA AXI4-Stream). */
struct rtl_stream {
	bool in_valid, in_last, out_ready;	/* set by the caller before rtl_stream_clock() */
	uint32_t in_data;
	bool in_taken;				/* the input word went in */
	bool out_taken, out_last;		/* a word came out */
	uint32_t out_data;
};

/* After reset. NULL: no core of that depth was built, or there is no memory. */
struct rtl *rtl_new(unsigned depth);
void rtl_free(struct rtl *);

/* The depths that were built, as text: "0, 2, 4". */
const char *rtl_depths(void);

/* One AXI4-Lite transfer at a byte offset of fpga/regs.h. */
uint32_t rtl_read(struct rtl *, unsigned offset);
void rtl_write(struct rtl *, unsigned offset, uint32_t value);

/* The interrupt line of the miner. */
bool rtl_irq(const struct rtl *);

/* Up to n clocks, fewer when the interrupt line rises. */
void rtl_clock(struct rtl *, unsigned n);

/* One clock in which the stream's wires are looked at, too. */
void rtl_stream_clock(struct rtl *, struct rtl_stream *);

/* Reset of the stream's cores alone: whatever is in them is gone. */
void rtl_stream_reset(struct rtl *);

#ifdef __cplusplus
}
#endif

#endif
