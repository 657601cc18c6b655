/*
 * The jobs that one client was given: on which terms, and when each ended for it.
 *
 * What a newcomer would get wrong: a job ends for a client when the clean job behind it
 * has left for its socket, not when it was made. Only from then on can the client know.
 */
#ifndef DEVPOOL_GIVEN_H
#define DEVPOOL_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/devpool/job.h"

struct xnonce {
	uint8_t first[XNONCE1_MAX];	/* no other client's */
	size_t first_len;		/* bytes */
	size_t second_len;		/* of the part that the client counts; both together are the same for all */
};

/* What a share of a job is judged by. Changes are for the jobs that come after them. */
struct terms {
	double difficulty;
	struct xnonce xnonce;
	bool rolling;		/* version bits were agreed on: these */
	uint32_t mask;
};

struct given_job {
	uint32_t number;	/* 0: none */
	struct terms terms;
	uint64_t end_at;	/* the clean job behind it ends at this byte of the connection; 0: there is none */
	double ended;		/* clock_now() when that byte left; infinite until then */
};

struct given {
	struct given_job jobs[JOBS_KEPT];	/* job n is at n % JOBS_KEPT */
};

/* Job `number` ends at byte `end_at` of what is sent; a clean one ends the others. */
void given_add(struct given *, uint32_t number, const struct terms *, bool clean, uint64_t end_at);

/* NULL when it was not given, or so long ago that it is forgotten. */
const struct given_job *given_find(const struct given *, uint32_t number);

/* `sent` bytes have left by clock_now() = now. */
void given_sent(struct given *, uint64_t sent, double now);

/* The connection is gone: what has not left by now never will. */
void given_cut(struct given *);

#endif
