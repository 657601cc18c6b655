/* What the server counts, and how it says so: lines as it goes, one JSON object at the end. */
#ifndef DEVPOOL_STATS_H
#define DEVPOOL_STATS_H

#include "tests/devpool/fault.h"
#include "tests/devpool/share.h"

struct stats {
	double started;			/* clock_now() */
	double mining;			/* seconds with at least one client that had work */
	unsigned connections;		/* so far */
	unsigned resumed;		/* of them, that went on with an earlier session */
	unsigned cut;			/* of them, closed by a fault */
	unsigned dropped;		/* of them, closed by the server for misbehaving */
	unsigned bad_lines;		/* that were neither a request nor an answer to one */
	unsigned answers;		/* right ones, to questions of the pool */
	unsigned blocks;		/* accepted shares that met their job's bits too */
	unsigned late;			/* accepted shares of a job that a clean one had ended, within the grace */
	unsigned verdicts[VERDICT_COUNT];
	unsigned told_accepted;		/* verdicts that went out, which faults may have changed or withheld */
	unsigned told_rejected;
	unsigned duplicates;		/* shares that came before, on any connection, whatever became of them */
	unsigned unchecked;		/* shares for whose headers there was no more room */
	unsigned after_clean;		/* shares of a job that had ended for their client half a second before */
	double difficulty_sum;		/* of accepted shares, in the pool's unit */
	double reported;		/* when the last line was said, and at how many shares */
	unsigned shares_reported;
};

void stats_share(struct stats *, enum verdict, double difficulty);

/* When the counts will next have to be said; infinite when nothing has changed. */
double stats_report_due(const struct stats *);

/* Say the counts in one log line. */
void stats_report(struct stats *, const struct algo *, double now);

/*
 * On one line of stdout, with `faults` (each with how often it struck): {"algo","port","seconds","connections",
 * "resumed","cut","dropped","jobs","bad_lines","answers","accepted","rejected","told_accepted","told_rejected",
 * "duplicates","unchecked","after_clean","late","blocks","reasons":{one for each kind of refusal},
 * "faults":{...},"difficulty_sum","hashrate_estimate"}. 0, or -1 logged.
 */
int stats_print_json(const struct stats *, const struct algo *, const struct faults *, unsigned port, unsigned jobs,
		     double now);

#endif
