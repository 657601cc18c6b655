/*
 * The judge of shares: rebuilds the header that a miner says it hashed, byte by byte
 * from the job, and hashes it with the reference.
 */
#ifndef DEVPOOL_SHARE_H
#define DEVPOOL_SHARE_H

#include "miner.h"
#include "tests/devpool/given.h"
#include "tests/devpool/job.h"

enum verdict {
	SHARE_ACCEPTED,
	SHARE_NOT_SUBSCRIBED,
	SHARE_UNAUTHORIZED,
	SHARE_BAD_PARAMS,
	SHARE_BAD_XNONCE2,
	SHARE_BAD_NTIME,
	SHARE_BAD_NONCE,
	SHARE_BAD_VERSION,
	SHARE_VERSION_MASK,
	SHARE_NTIME_RANGE,
	SHARE_UNKNOWN_JOB,
	SHARE_STALE_JOB,
	SHARE_LOW_DIFFICULTY,
	SHARE_DUPLICATE,
	SHARE_TOO_MANY,
	VERDICT_COUNT
};

/* How a verdict is told: to the miner by code and text, in the summary by its key. */
struct verdict_text {
	int code;
	const char *text;
	const char *key;
};
extern const struct verdict_text verdict_texts[VERDICT_COUNT];

/* What a miner claims about a job that was given to it; texts as they came. */
struct claim {
	const struct terms *terms;
	const char *xnonce2, *ntime, *nonce;
	const char *version;	/* bits; NULL: not sent */
};

/* The header that is claimed; or SHARE_BAD_XNONCE2 to SHARE_NTIME_RANGE. */
enum verdict share_header(uint8_t header[80], const struct job *, const struct claim *);

/*
 * SHARE_ACCEPTED and SHARE_LOW_DIFFICULTY on. `scratch` is the algorithm's. An accepted
 * share is remembered in the job; *block then says whether it met the job's bits too.
 */
enum verdict share_check(const struct algo *, void *scratch, bool *block, struct job *, const uint8_t header[80],
			 double difficulty);

#endif
