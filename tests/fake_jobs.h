/*
 * The fake pool's jobs: as it announces them, and what shares of them are checked
 * against, by code that has nothing of the miner's.
 */
#ifndef TESTS_FAKE_JOBS_H
#define TESTS_FAKE_JOBS_H

#include <jansson.h>

#include "tests/fake_pool.h"

#define FAKE_JOBS_MAX 64

struct fake_jobs {
	struct known_job {
		char *id, *xnonce1, *half1, *half2, *nbits, *ntime;
		json_t *branches;
		size_t xnonce2_len;
		uint32_t version, mask;
		double difficulty;
		bool live;
	} jobs[FAKE_JOBS_MAX];
	unsigned count;
};

/* Its notify as a text, to be freed. Unless it is `keep`, shares of earlier ones are faults from now on. */
char *fake_jobs_add(struct fake_jobs *, const struct fake_job *);

/* NULL when one of the jobs that the share's id stands for makes it good, else its fault. */
const char *fake_jobs_check(const struct fake_jobs *, const struct fake_share *);

void fake_jobs_free(struct fake_jobs *);

#endif
