/*
 * A simulated board that runs by itself, as hardware does: a thread clocks the RTL and the
 * DMA while there is something to do and sleeps otherwise, register accesses come from any
 * thread and are put in order, and each device has an interrupt with the semantics of the
 * kernel's UIO. The two ways in, fpga/sim/shim.c and fpga/sim_transport.c, add nothing to it.
 *
 * What a newcomer would get wrong: its clock stands while no job is searched and no transfer
 * moves, so CYCLES counts less than the time that has passed.
 */
#ifndef FPGA_SIM_BOARD_H
#define FPGA_SIM_BOARD_H

#include <stdbool.h>

#include "fpga/sim/bus_memory.h"

enum board_device { BOARD_CARD, BOARD_DMA, BOARD_DEVICES };	/* the design's registers, and the DMA's */

struct board_config {
	const char *design;		/* one of rtl_designs() */
	unsigned length_bits;		/* dma.h */
	struct bus_memory memory;	/* what the DMA and the design reach; stays the caller's */
	const char *faults;		/* faults.h: a file, or NULL */
	unsigned card;			/* what the file calls this one */
};

struct board;

/* NULL, with a sentence in why[why_len], when it cannot be. */
struct board *board_new(const struct board_config *, char *why, size_t why_len);
void board_free(struct board *);

/*
 * Another design into its FPGA: as if it were unplugged, and plugged in with that. Nothing happens where it has that one.
 * False: no such design was built, or there is no memory, and it is as it was.
 */
bool board_load(struct board *, const char *design);

/*
 * Which plugging-in of the card this is; 0 while it is unplugged. Whoever opens a device keeps the number: after an
 * unplugging what it has opened is dead for good, also when the card is back.
 */
unsigned board_plugged(struct board *);

/* A register at its byte offset. All ones, and no effect, when the card of that plugging-in is gone. */
uint32_t board_read(struct board *, unsigned plugged, enum board_device, unsigned offset);
void board_write(struct board *, unsigned plugged, enum board_device, unsigned offset, uint32_t value);

/*
 * board_irq_fd(): to be polled only; readable from an interrupt on until it is taken, or once the card is gone; it stays
 * the board's. board_irq_take(): 0 with the total of interrupts in *count, or a negative errno: EAGAIN when none came
 * since the last time, EIO when the card is gone. An interrupt masks itself, for which there is board_irq_mask(): 0, or
 * a negative errno: EIO, or ENOSYS (faults.h).
 */
int board_irq_fd(const struct board *, enum board_device);
int board_irq_take(struct board *, unsigned plugged, enum board_device, uint32_t *count);
int board_irq_mask(struct board *, unsigned plugged, enum board_device, bool masked);

/*
 * The same as one symbol, for who loads the simulation at run time by dlsym(BOARD_API). `version` comes first and is
 * BOARD_API_VERSION of its build; the rest means nothing to another version.
 */
#define BOARD_API		"adit_fpga_sim"
#define BOARD_API_VERSION	2u

struct board_api {
	unsigned version;
	const char *(*designs)(void);
	struct board *(*new)(const struct board_config *, char *why, size_t why_len);
	void (*free)(struct board *);
	unsigned (*plugged)(struct board *);
	uint32_t (*read)(struct board *, unsigned plugged, enum board_device, unsigned offset);
	void (*write)(struct board *, unsigned plugged, enum board_device, unsigned offset, uint32_t value);
	int (*irq_fd)(const struct board *, enum board_device);
	int (*irq_take)(struct board *, unsigned plugged, enum board_device, uint32_t *count);
	int (*irq_mask)(struct board *, unsigned plugged, enum board_device, bool masked);
};

#endif
