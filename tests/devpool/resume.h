/*
 * Sessions that outlive their connection: a client that comes back and names its
 * session keeps its extranonce, its difficulty and the jobs it was given, so that
 * shares it found meanwhile still count. The last few that left are kept.
 */
#ifndef DEVPOOL_RESUME_H
#define DEVPOOL_RESUME_H

#include "tests/devpool/given.h"

#define RESUME_KEPT 16

/* What a client keeps. Version bits and logins are agreed on anew. */
struct tenure {
	uint32_t id;		/* the session's, told as 8 hex digits; 0: none yet */
	double difficulty;	/* to be, from the next job on */
	struct xnonce xnonce;
	struct given given;
};

struct resume {
	struct tenure left[RESUME_KEPT];
	size_t next;		/* to be written */
};

/* Keep a copy: its client is gone. */
void resume_keep(struct resume *, const struct tenure *);

/* Move the session of this id, as it was told, to *tenure. False, *tenure untouched, when it is not kept. */
bool resume_take(struct resume *, struct tenure *, const char *id);

#endif
