/*
 * The server's side of stratum v1 with one client: subscribe, authorize, jobs, shares.
 *
 * What a newcomer would get wrong: a difficulty belongs to the jobs that are announced
 * after it, and so do an extranonce and a version mask. A share is judged by what
 * its own job was given out with, however often they have changed since.
 */
#ifndef DEVPOOL_SESSION_H
#define DEVPOOL_SESSION_H

#include "tests/devpool/fault.h"
#include "tests/devpool/job.h"
#include "tests/devpool/options.h"
#include "tests/devpool/outlet.h"
#include "tests/devpool/resume.h"
#include "tests/devpool/stats.h"
#include "tests/devpool/vardiff.h"

#define USER_MAX 256	/* bytes of a user name, its NUL included */

/* What all sessions share; the server's. */
struct devpool {
	const struct options *options;
	void *scratch;			/* for the algorithm's hash() */
	struct jobs jobs;
	struct stats stats;
	struct faults faults;
	struct resume resume;
	struct seen sent;		/* the headers of all shares, whoever sent them and whatever became of them */
	uint32_t next_xnonce1;
};

struct session {
	struct devpool *pool;
	struct outlet *outlet;
	bool subscribed;
	char user[USER_MAX];		/* the last one let in; "": none */
	bool has_job;
	struct tenure tenure;
	double announced;		/* difficulty; 0: none yet */
	double least;			/* the client wants no lower one */
	struct vardiff vardiff;
	unsigned bad_lines;

	/* see extensions.h */
	bool rolling;			/* version bits */
	uint32_t granted, mask;		/* as agreed; for the jobs to come, a part of that */
	bool follows_xnonce;		/* the client can be given another extranonce */
	double next_mask, next_xnonce;	/* clock_now() when they change; infinite for never */
};

/* Takes neither the pool nor the outlet over; nothing is sent before the client speaks. */
void session_open(struct session *, struct devpool *, struct outlet *);

/* Keeps what a client that comes back is to have. */
void session_close(struct session *);

/* Answer one line from the client; a client that only talks nonsense dooms its peer. */
void session_line(struct session *, const char *line, size_t len);

/* Has the client come so far that jobs may be sent? */
bool session_is_ready(const struct session *);

/* Announce the newest job, with a difficulty before it when that changes. The session is ready. */
void session_give_job(struct session *);

/* An extranonce that no client has had, with one byte more or less than the last. */
void session_new_xnonce(struct session *);

#endif
