/*
 * A card's registers, as a driver uses them: what it is, its jobs and its hits, and whether
 * it is still alive. No threads and no board here.
 *
 * What a newcomer would get wrong: START throws away what the card is hashing, so the next
 * job is written into the JOB registers early and started only when the running one is
 * exhausted; and a hit is read in the order acknowledge, STATUS, HIT_TAG, HIT_NONCE, because
 * reading the nonce takes the hit out of the queue.
 */
#ifndef FPGA_CARD_H
#define FPGA_CARD_H

#include "fpga/transport.h"
#include "miner.h"

#define CARD_LATE_CLOCKS 65536	/* over twice its time that a job may take before its card counts as silent */
#define CARD_STOPPED_S	10	/* s in which CYCLES has to move while a job runs */
#define CARD_FOREIGN	(-2)	/* what answers is another design, which trying again does not change */

/* One range of nonces of one header. */
struct card_job {
	uint32_t tag;			/* of all jobs a driver gives this card, all different */
	uint32_t first, last;		/* nonces, inclusive */
	uint32_t target;		/* most significant word */
	uint32_t midstate[8], tail[3];	/* the header, as the registers want it */
};

/* A hit, as the card says. */
typedef void card_hit_fn(void *ctx, uint32_t tag, uint32_t nonce);

struct card {
	struct transport transport;
	card_hit_fn *hit;
	void *hit_ctx;

	/* what it is, from card_identify() */
	unsigned cores;
	unsigned clocks;		/* a hash of one core */
	unsigned hits_max;		/* its queue holds */

	/* the running job */
	bool running;
	uint64_t job_nonces;
	uint32_t hashes_before;		/* HASHES at its start */
	uint64_t deadline;		/* in `cycles` */

	/* its clock */
	uint32_t cycles_read;		/* CYCLES, when last read */
	uint64_t cycles;		/* the same without the overflows; from 0 at each reset */
	double moved_at;		/* clock_now() when it last moved */
	double stopped_s;		/* CARD_STOPPED_S, or less in tests */
	double clock_hz;		/* of the latest job that took long enough to tell; 0: of none yet */
	uint64_t job_cycles;		/* `cycles` at the running job's start */
	double job_at;			/* clock_now() then */

	bool more_hits;			/* some were left in the queue */
	bool polling;			/* its interrupt is of no use: it is masked, and the card looked at now and then */
	unsigned idle_interrupts;	/* in a row without a cause */
	uint64_t missed;		/* interrupts that came while the one before was not served yet */
	uint64_t lost;			/* events that no interrupt told of */
};

/*
 * A card behind `transport`, which it takes over with card_close(). Nothing is asked of it yet: set hit and hit_ctx,
 * then call card_identify() and card_reset().
 */
void card_init(struct card *, const struct transport *transport);
void card_close(struct card *);

/*
 * ID, VERSION, and CAPS: it must be a miner of `algo`, in a version that this driver knows. 0; CARD_FOREIGN, logged: it is
 * something else; -1, logged: nothing answers.
 */
int card_identify(struct card *, const struct algo *algo);

/* Stop, empty, clear, and let interrupts through. 0, or -1 logged. */
int card_reset(struct card *);

/* Whether a card can search this algorithm at all. */
bool card_knows(const struct algo *);

/* The nonces [first, end) of `work`, under its header's own version; 0 < end - first <= 2^32. */
void card_job_make(struct card_job *, uint32_t tag, const struct work *work, uint64_t first, uint64_t end);

/* Write it into the JOB registers: 15 writes, which do not disturb the running job. */
void card_prepare(struct card *, const struct card_job *);

/* Start it, which must be in the JOB registers: one write. What runs is abandoned. */
void card_start(struct card *, const struct card_job *);

/* Abandon what runs. Hits already queued stay. */
void card_stop(struct card *);

/*
 * Wait at most timeout_s for something to happen, and hand out the hits there are. Returns 1 when the running job is
 * exhausted (and all its hits were handed out), 0 when it is not, -1, logged, when the card is gone, silent or wrong
 * about itself.
 */
int card_serve(struct card *, double timeout_s);

/* Nonces of the running job that are hashed, at most all; 0 of a card that is gone. */
uint64_t card_progress(struct card *);

#endif
