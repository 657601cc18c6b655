/*
 * A chained algorithm of which a device computes one stage: this CPU runs the others in
 * lanes, and batches of the lent one go to the device and back. Several batches are under
 * way at once, so that neither waits for the other while it could work.
 *
 * What a newcomer would get wrong: the stage may stand in the chain more than once, so a
 * batch goes to the device that often; and the device has a thread of its own, because a
 * transfer blocks.
 */
#ifndef FPGA_LENT_STAGE_H
#define FPGA_LENT_STAGE_H

#include "miner.h"

/* Who computes the stage: 32 bytes in, 32 bytes out, each item for itself. Called by one thread at a time. */
struct lent_device {
	const char *name;
	int (*open)(void *ctx);		/* 0, or -1 logged */
	/* 0, or -1 logged: it is lost. */
	int (*run)(void *ctx, uint8_t *out, const uint8_t *in, size_t items);
	void (*close)(void *ctx);
};

/* What a worker whose backend is backend_lent_stage has for its device. Set by the owner, and kept. */
struct lent_stage {
	const char *name;		/* of the stage: "cubehash256" */
	const struct kernel *kernel;	/* of this CPU, a chain, for all other stages */
	const struct lent_device *device;
	void *ctx;			/* the device's */
	unsigned batch;			/* nonces, cut to whole calls of the kernel, one at least; may be set as late as by open() */
	unsigned depth;			/* batches under way, 2 or more: that many share the memory */

	/* written by its threads, read by anyone: seconds of searching, and how many of them each side did not wait */
	_Atomic double searched, cpu_busy, device_busy;
	_Atomic bool on;		/* the device is proved and works, as far as is known */
	_Atomic uint64_t failures;	/* times it was lost */
};

/* Whether the kernel is of a chain that has the stage, and not as its last. */
bool lent_stage_fits(const struct lent_stage *);

#define LENT_BATCH	2048		/* nonces: a transfer of 64 KiB */
#define LENT_DEPTH	4

/*
 * open() proves the device, by a whole batch of its digests, and then the chain, by the reference's verdict on some hundred
 * nonces. When the device is lost, what was not searched goes back to the board and the worker ends. A device whose candidates
 * are wrong, 16 and more and most of them, counts as lost.
 */
extern const struct backend backend_lent_stage;

struct worker;

/*
 * Its scan() for who goes on after a loss: -1 when the device is lost, which it logged, and what was not searched has gone
 * back. backend_lent_stage.close() is then to be called, and open() may be tried again with the same worker. Once the board
 * is closed a device that is lost has not failed.
 */
int64_t lent_stage_scan(struct worker *, const struct work *, uint64_t first, uint64_t end);

#endif
