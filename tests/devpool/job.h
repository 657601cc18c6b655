/*
 * Jobs: made-up blocks on a made-up chain, in the shape that real ones have. A job is
 * the same for every client; what differs, its difficulty, is the session's.
 *
 * What a newcomer would get wrong: all bytes here stand in header order. Stratum
 * writes the previous hash with the bytes of each 32-bit word turned round, and
 * the version, time, bits and nonce as numbers; message.c and share.c do that turning.
 */
#ifndef DEVPOOL_JOB_H
#define DEVPOOL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/devpool/seen.h"

#define JOBS_KEPT	128	/* a share for an older one is for an unknown job */
#define JOB_ID_LEN	8	/* characters */
#define BRANCHES_MAX	12
#define COINBASE_MAX	128	/* bytes of each part */
#define XNONCE1_LEN	4	/* bytes, unless changed: then one more, and extranonce2 has one less */
#define XNONCE1_MAX	5

struct job {
	uint32_t number;		/* counts up from 1 */
	char id[JOB_ID_LEN + 1];	/* the number in hex */
	bool clean;			/* it ends all jobs before it */
	double ended;			/* clock_now() of the clean job that ended this one; infinite while it is good */
	uint8_t prevhash[32];
	uint8_t branches[BRANCHES_MAX][32];
	size_t branch_count;
	uint8_t coinbase1[COINBASE_MAX], coinbase2[COINBASE_MAX];	/* the extranonces stand between them */
	size_t coinbase1_len, coinbase2_len;
	uint32_t version, ntime, bits;
	struct seen seen;		/* shares accepted for this job */
};

struct jobs {
	struct job ring[JOBS_KEPT];	/* job n is at n % JOBS_KEPT */
	uint32_t made;			/* also the newest job's number */
	uint32_t height;
	uint32_t bits;
	uint8_t prevhash[32];
	size_t xnonce2_len;
	unsigned clean_every;
};

/* No job yet. `network_difficulty` is what makes a block, for target_from_difficulty(). */
void jobs_init(struct jobs *, size_t xnonce2_len, unsigned clean_every, double network_difficulty);
void jobs_destroy(struct jobs *);

/*
 * Make the next job at clock_now() = now: in every clean_every-th place, or when asked,
 * a clean one on a new block, else the same block with other transactions. NULL,
 * logged, when there is no randomness to be had.
 */
const struct job *jobs_next(struct jobs *, bool clean, double now);

/* After the first jobs_next(). */
const struct job *jobs_newest(const struct jobs *);

/* NULL when no job that is still kept has this id. */
struct job *jobs_find(struct jobs *, const char *id);

#endif
