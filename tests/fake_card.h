/*
 * A card in software behind fpga/transport.h: registers as regs.def says, a search by the
 * reference hash whose clock runs with each access and while it is waited for, and faults
 * that a board could have.
 */
#ifndef TESTS_FAKE_CARD_H
#define TESTS_FAKE_CARD_H

#include "fpga/transport.h"
#include "miner.h"

#define FAKE_HITS	16	/* its queue holds */
#define FAKE_CLOCKS	8	/* a hash */
#define FAKE_LONG	200	/* nonces: longer than it takes to write a job */

enum fake_fault {
	FAKE_SOUND,
	FAKE_FOREIGN,		/* another identity */
	FAKE_OTHER_VERSION,	/* another register layout */
	FAKE_OTHER_ALGO,
	FAKE_NONSENSE,		/* no cores */
	FAKE_DIRTY,		/* a reset does not empty it */
	FAKE_SILENT,		/* takes jobs and does nothing */
	FAKE_FALLS_SILENT,	/* the same, once a hit of the job was read */
	FAKE_STOPPED,		/* its clock stands */
	FAKE_UNPLUGGED,
	FAKE_WRONG_NONCE,	/* every hit's nonce is one off */
	FAKE_FAR_NONCE,		/* or far outside of the job */
	FAKE_BEYOND,		/* or a true hit behind the job's end, which is another's */
	FAKE_REPEATED_NONCE,	/* every hit comes twice */
	FAKE_WRONG_TAG,		/* every hit's tag is one no job had */
	FAKE_MISSED_NONCE,	/* it overlooks every other hit */
	FAKE_OVERFLOWING,	/* a full queue does not stop its search: hits are lost */
	FAKE_SKIPPING,		/* says that it is done half-way */
	FAKE_STUCK_IRQ,		/* the interrupt comes all the time */
	FAKE_LOST_IRQ,		/* it never comes */
	FAKE_STUCK_HITS,	/* the queue never gets empty */
	FAKE_BUSY_WHEN_DONE,
};

struct fake_card {
	/* set by the test, also while it runs */
	_Atomic enum fake_fault fault;
	_Atomic uint32_t target_floor;	/* the search takes at least this top word as a hit, whatever the job says */

	/* what the test may ask: written by the thread that drives the card */
	_Atomic unsigned opened, closed;
	_Atomic unsigned writes, starts;
	_Atomic unsigned job_writes;	/* most writes of JOB registers between two STARTs */
	_Atomic unsigned late_writes;	/* the same once the job before, of FAKE_LONG nonces or more, was done */
	_Atomic uint64_t late_hit;	/* tag << 32 | nonce: reported beside the next hit; 0: none */
	_Atomic bool misses_one;	/* each wait() tells of one interrupt more than there was */
	_Atomic bool stuck_high;	/* its interrupt, of a kernel's driver that cannot mask it: no wait() waits */
	_Atomic unsigned unmasked, waits;
	_Atomic bool busy;

	/* its own */
	uint32_t regs[32];		/* the JOB registers and others as written */
	uint32_t running[32];
	unsigned since_start, while_idle;
	bool irq, masked;
	uint64_t next, end;		/* nonces of the running job, `end` one behind */
	uint32_t irq_status, irq_enable;
	uint32_t cycles, hashes;
	unsigned clock_rest;
	struct { uint32_t tag, nonce; } queue[FAKE_HITS];
	unsigned queued, interrupts, popped;
	bool odd;
};

/* The transport of this card, which stays the test's. */
void fake_card_open(struct fake_card *, struct transport *);

#endif
