/*
 * A card as a mining unit: the card itself while it works, and what stays when it fails, is
 * switched off and tried again. Its thread is a worker (work/worker.h) with the backend
 * "fpga", which claims nonces from the board as a CPU thread does.
 *
 * What a newcomer would get wrong: no nonce may be searched twice, and none that a pool was
 * told of ever again. So of a card that fails only what lies behind its last true hit goes
 * back to the board; what it had not hashed before that is lost.
 */
#ifndef FPGA_UNIT_H
#define FPGA_UNIT_H

#include "fpga/card.h"
#include "fpga/retry.h"
#include "work/worker.h"

#define FPGA_JOBS	4	/* jobs whose late hits still find their work: a power of two */
#define FPGA_HITS_SEEN	256	/* latest hits, to tell when one comes again */

/* A job, as the driver keeps it. */
struct fpga_job {
	struct card_job regs;
	struct work work;		/* with the header's own version alone */
	uint64_t first, end;		/* its nonces */
	uint64_t behind_hits;		/* the first nonce above all true hits so far, at least `first` */
	bool started;			/* before that the card can have no hit of it */
};

struct fpga_unit;

/* Make the transport of a unit. 0, or -1 logged. */
typedef int fpga_open_fn(struct fpga_unit *, struct transport *);

/* What has to come before fpga_unit_start(), and that; it returns the same. Where it waits it asks fpga_unit_unwanted(). */
typedef int fpga_start_fn(struct fpga_unit *);

struct fpga_unit {
	/* set by the owner */
	char name[TRANSPORT_NAME];
	fpga_open_fn *open;
	fpga_start_fn *start;		/* how its thread starts it; NULL: fpga_unit_start() is all that is needed */
	void *open_ctx;
	const struct algo *algo;
	bool (*stop)(void);		/* asked while the owner starts it: true: it is to leave that; NULL: nobody is asked */

	/* its thread's own, or the owner's while there is no thread */
	struct card card;
	struct board *board;		/* of its thread; NULL: there is none */
	struct retry retry;
	uint32_t tag;			/* of the latest job */
	struct fpga_job jobs[FPGA_JOBS];	/* by tag % FPGA_JOBS */
	struct { uint32_t tag, nonce; } seen[FPGA_HITS_SEEN];
	unsigned seen_next;
	unsigned good, bad;		/* hits since it was started */
	uint64_t want;			/* nonces of the next claim */

	/* written by its thread, read by anyone */
	_Atomic bool in_use;		/* the card is open; false only once nothing touches it any more */
	_Atomic bool on;		/* it works, as far as is known */
	_Atomic uint64_t hits;		/* that the card reported, of all kinds */
	_Atomic uint64_t stale;		/* hits of a job that was not the running one any more */
	_Atomic uint64_t duplicates;	/* hits it had reported before */
	_Atomic uint64_t failures;	/* times it was switched off */
	_Atomic uint64_t missed_irqs;	/* interrupts that came while the one before was not served */
	_Atomic uint64_t lost_irqs;	/* events that no interrupt told of */
	_Atomic uint32_t clock_khz;	/* measured */
	_Atomic uint32_t cores, clocks;	/* clocks a hash of one core; 0: never seen */
};

/*
 * Open, identify, reset and test the card. 0, or it stays off: CARD_FOREIGN, logged: what answers is another design; -1, logged:
 * it is missing, silent or wrong, which may pass, or, not logged, it is unwanted meanwhile.
 */
int fpga_unit_start(struct fpga_unit *);

/* Whether the start of it is not worth while any more: the board of its thread is closed, or its owner is told to stop. */
bool fpga_unit_unwanted(const struct fpga_unit *);

/* Stop and close it, if it is in use. */
void fpga_unit_stop(struct fpga_unit *);

/*
 * The backend "fpga"; a worker's device is its unit, which it starts where the owner has not. A card that fails then or
 * later does not fail its worker: it is tried again, after a pause that grows (fpga/retry.h). One
 * that is CARD_FOREIGN from the start is given up, and its worker ends.
 */
extern const struct backend backend_fpga;

#endif
