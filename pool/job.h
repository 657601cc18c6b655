/*
 * A job: all that a pool or node says about one block to be. Works are made from it
 * one after the other, each with an extranonce2, versions or a time of its own: the
 * extranonce2s first, then the versions of the mask that the works so far did not have,
 * then the next second with all of them again.
 *
 * What a newcomer would get wrong: two jobs may make the same headers, be it that a
 * pool sends one twice, that a second has passed, or that another pool has the same.
 * So a job does not count its works itself: it takes what is left of them (pool/searched.h).
 */
#ifndef POOL_JOB_H
#define POOL_JOB_H

#include <jansson.h>

#include "miner.h"
#include "pool/header.h"
#include "pool/searched.h"

#define EXTRANONCE1_MAX	64	/* bytes */
#define ROLL_MAX	600	/* s that ntime may run ahead of a job's, unless the pool sets another bound */

/* What a pool lets its miner put into the coinbase. */
struct extranonce {
	uint8_t first[EXTRANONCE1_MAX];	/* extranonce1: given by the pool */
	size_t first_len;
	uint8_t second_len;		/* of extranonce2, the miner's own: 0..XNONCE2_MAX bytes */
};

struct job {
	char *id;			/* the pool's; jobs of one id are of one block */
	uint32_t number;		/* ours */
	bool live;			/* the pool still takes shares of it */
	bool clean;			/* the pool takes no shares of older jobs */
	double difficulty;		/* the pool's number */
	uint32_t target[8];
	double arrived;			/* clock_now() */

	uint8_t header[HEADER_LEN];	/* with the root for an extranonce2 of zeros: also tells jobs apart */
	uint32_t version_mask;		/* the bits of the version that we may choose, of ROLLED_BITS; 0: none */
	unsigned versions;		/* of which a work carries so many, if there are: at most VERSIONS_MAX; 0: the header's only */
	uint32_t ntime;
	unsigned roll_max;		/* s that a work's time may run ahead of it */
	long height;			/* of the block, as the coinbase begins with it (BIP 34); or -1 */
	uint8_t *coinbase;		/* whole; NULL when only the header is known, and xnonce2_len then 0 */
	size_t coinbase_len;
	size_t xnonce2_off;		/* where extranonce2 stands in it */
	uint8_t xnonce2_len;
	uint8_t (*branches)[32];
	size_t branch_count;

	unsigned second;		/* of its time, from 0 on: the earliest that may have works left */
};

/*
 * A job that is live, has arrived now and may roll its time by ROLL_MAX; the caller
 * fills in the rest, but for its number. NULL: no memory.
 */
struct job *job_new(void);

/*
 * The job that the parameters of a mining.notify describe, or NULL and *why. Its
 * number is 0 and it is live. Shares of `algo` must reach `difficulty`.
 */
struct job *job_parse(const json_t *params, const struct extranonce *, double difficulty, const struct algo *,
		      const char **why);

/* Harmless on NULL. */
void job_free(struct job *);

/*
 * Fill in the next work that is not searched, all but its generation and pool. False
 * when there is none now: extranonce2 and versions are used up, and ntime may step on
 * only as real time does, and only so far.
 */
bool job_next(struct job *, struct searched *, struct work *, double now);

/* Do both make exactly the same headers? */
bool job_is_same(const struct job *, const struct job *);

#endif
