/*
 * What the pool may do wrong on purpose: a table of faults, which of them are chosen,
 * and which are on now. How a fault is done is the business of who asks here.
 *
 * What a newcomer would get wrong: a fault changes what is said to a client, never what
 * is true. Shares are judged and counted as if there were no faults.
 */
#ifndef DEVPOOL_FAULT_H
#define DEVPOOL_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* name, its argument: usual value, most, unit; what it does */
#define FAULTS(X) \
	X(LATE, "late", 400, 60000, "MS", "answers to shares come so much later") \
	X(SHUFFLE, "shuffle", 400, 60000, "MS", "each later by up to so much, so out of order") \
	X(MUTE, "mute", 30, 100, "%", "of shares are never answered") \
	X(STRAY, "stray", 50, 100, "%", "of shares are answered twice, and one more nobody sent") \
	X(REFUSALS, "refusals", 50, 100, "%", "of good shares are refused, in every shape") \
	X(STYLE, "style", 70, 100, "%", "of good messages have an unusual shape") \
	X(HALVES, "halves", 7, 4096, "BYTES", "in a write, some time before the next") \
	X(BATCH, "batch", 200, 10000, "MS", "of messages go in one write") \
	X(CRLF, "crlf", 50, 100, "%", "of lines end in CR LF") \
	X(BLANK, "blank", 50, 100, "%", "of lines have a blank one before them") \
	X(GARBAGE, "garbage", 0.2, 3600, "SEC", "between lines that are no message") \
	X(DEEP, "deep", 1, 3600, "SEC", "between lines of 100000 brackets") \
	X(LONG, "long", 1, 3600, "SEC", "between good lines of 200 kB") \
	X(REQUESTS, "requests", 0.5, 3600, "SEC", "between questions and messages to the client") \
	X(RECONNECT, "reconnect", 4, 3600, "SEC", "between calls to connect anew") \
	X(BADJOBS, "badjobs", 70, 100, "%", "of jobs have a malformed one behind them") \
	X(JUMPS, "jumps", 70, 100, "%", "of jobs have their own difficulty, times 1/8 to 8") \
	X(STORM, "storm", 100, 10000, "MS", "between jobs, all clean") \
	X(SILENT, "silent", 2, 3600, "SEC", "of silence, then so long not") \
	X(DROP, "drop", 5, 3600, "SEC", "on average till a connection is closed") \
	X(HANGUP, "hangup", 50, 100, "%", "of connections are closed after subscribe") \
	X(REFUSE, "refuse", 50, 100, "%", "of logins are refused")

#define FAULT_ENUM(id, name, usual, most, unit, text) FAULT_##id,
enum fault { FAULTS(FAULT_ENUM) FAULT_COUNT };

struct fault_row {
	const char *name;
	double usual, most;	/* of its argument; the least is above 0 */
	const char *unit, *text;
};
extern const struct fault_row fault_rows[FAULT_COUNT];

/* From the command line. */
struct fault_choice {
	bool on[FAULT_COUNT];
	double argument[FAULT_COUNT];
	double turn;		/* seconds that each of the others is on, one after the other; 0: never */
	uint64_t seed;
};

struct faults {
	const struct fault_choice *choice;
	double started, now;	/* clock_now(); `now` is the server's, once a step */
	unsigned turn;		/* counts up from 1; 0 without turns */
	enum fault in_turn;	/* whose it is; FAULT_COUNT: nobody's */
	bool used;		/* it has struck in this turn */
	uint64_t random;
	unsigned struck[FAULT_COUNT];
};

/* FAULT_COUNT when there is none of that name. */
enum fault fault_find(const char *name);

void faults_init(struct faults *, const struct fault_choice *, double now);

/* Is any chosen, now or later? */
bool faults_any(const struct faults *);

/* Time goes on. */
void faults_step(struct faults *, double now);

/* Is it on now, and with which argument? A turn has room for two periods. */
bool fault_on(const struct faults *, enum fault);
double fault_argument(const struct faults *, enum fault);

/*
 * It is on and, when its argument is a percentage, chance wills it; but the first
 * occasion in a turn is always taken. Counted.
 */
bool fault_strikes(struct faults *, enum fault);

/* At least 0, below 1. */
double fault_random(struct faults *);

#endif
