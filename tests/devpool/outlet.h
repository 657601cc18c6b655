/*
 * The way out to one client: all that a session says goes through here, straight or,
 * where a fault is on, bent, late or not at all.
 *
 * What a newcomer would get wrong: only answers to shares are ever late, out of order
 * or missing. All else keeps its order, as one connection to a real pool would.
 */
#ifndef DEVPOOL_OUTLET_H
#define DEVPOOL_OUTLET_H

#include <jansson.h>

#include "tests/devpool/fault.h"
#include "tests/devpool/peer.h"
#include "tests/devpool/stats.h"

#define OUTLET_LATE_MAX	256	/* answers that wait; one more is sent at once */
#define OUTLET_STEP	0.01	/* seconds between two calls of outlet_step(), at most, while there are faults */

struct outlet {
	struct peer *peer;
	struct faults *faults;
	struct stats *stats;
	uint16_t port;			/* the server's */
	unsigned turn;			/* of the faults, when last looked at */
	double next[FAULT_COUNT];	/* clock_now() when one that comes now and then is due; 0: not known yet */
	double difficulty;		/* last announced */
	struct {
		double due;
		char *text;
		bool good;		/* it tells of an accepted share */
	} late[OUTLET_LATE_MAX];
	size_t late_count;
};

void outlet_open(struct outlet *, struct peer *, struct faults *, struct stats *, uint16_t port);
void outlet_close(struct outlet *);

/* Send a message and let go of it; NULL, from a failed json_pack(), ends the connection. */
void outlet_say(struct outlet *, json_t *message);

/* The same for a set_difficulty; for a job, as message_job() makes it; for the verdict on the share of request `id`. */
void outlet_difficulty(struct outlet *, double difficulty);
void outlet_job(struct outlet *, json_t *message);
void outlet_verdict(struct outlet *, json_t *message, json_t *id, bool good);

/* The client has its answer to subscribe: this may be all it gets. */
void outlet_subscribed(struct outlet *);

/* Say what is due now. */
void outlet_step(struct outlet *);

#endif
