/*
 * Variable difficulty: from what a client sent, what its next shares should be worth.
 * It is asked once for each job, so that a difficulty is always bound to a job.
 */
#ifndef DEVPOOL_VARDIFF_H
#define DEVPOOL_VARDIFF_H

struct vardiff {
	double since;		/* clock_now() at the last change or decision to stay */
	double sum;		/* of the difficulties of accepted shares since then */
	unsigned shares;
};

void vardiff_start(struct vardiff *, double now);
void vardiff_share(struct vardiff *, double difficulty);

/*
 * The difficulty for the next job: `difficulty` while too little is known or it is
 * about right, else what would have given `rate` shares per second, at most 16 times
 * more or less than now. rate > 0.
 */
double vardiff_next(struct vardiff *, double difficulty, double rate, double now);

#endif
