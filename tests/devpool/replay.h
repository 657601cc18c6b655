/*
 * The pool's side of a recorded session, played again: each request of the client gets
 * what the same request got then, and what the pool said of its own accord comes at
 * its time, counted from login. A node's answers are found by time: see call.h.
 *
 * What a newcomer would get wrong: the client is not the one of then. Its requests have
 * other ids and come at other times, and it finds other shares; only the kind of a
 * request, and how often it was made, tells which answer belongs to it.
 */
#ifndef DEVPOOL_REPLAY_H
#define DEVPOOL_REPLAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/devpool/peer.h"
#include "tests/devpool/record.h"
#include "tests/devpool/web.h"

/* What a request was answered with. */
struct replay_answer {
	json_t *request, *reply;	/* reply: NULL when there was none */
};

/* A line that answers nothing, and when it was said. */
struct replay_cue {
	double time;
	const char *text;		/* the record's */
};

/* One recorded connection. */
struct replay_scene {
	struct replay_answer *answers;	/* in the order of the requests */
	struct replay_cue *cues;	/* in the order of time */
	size_t answer_count, cue_count;
	double start;			/* cues count from here: the login or, without one, the first line */
	double end;			/* of its last line */
	bool logs_in;
	bool begun;			/* start and end are known */
};

struct replay {
	struct record record;
	struct replay_scene *scenes;	/* connection n is at n - 1 */
	double speed;			/* seconds of then in one of now */
	unsigned clients;		/* met so far, but for those of the node */
	struct web_site site;		/* the node, if it was one */
};

/* One client's place in its scene. */
struct player {
	struct replay *replay;
	struct peer *peer;
	struct web web;			/* once it is known to speak HTTP */
	bool is_web;
	const struct replay_scene *scene;	/* NULL: it speaks HTTP, or that is not known yet */
	bool *given;			/* answers that were */
	size_t next_cue;
	double started;			/* clock_now() at login, or when it connected; infinite before */
	bool last;			/* no connection came after it: it stays open */
};

/* Of one of the record's pools. 0, or -1 logged. */
int replay_load(struct replay *, const char *path, unsigned pool, double speed);
void replay_free(struct replay *);

/* The n-th client meets the n-th connection; more than there were meet the last. 0, or -1 logged. */
int player_open(struct player *, struct replay *, struct peer *, double now);
void player_close(struct player *);

/* Answer what the peer has received. */
void player_hear(struct player *, double now);

/* Say what is due at clock_now() = now, and when something will be next; infinite for never. */
void player_step(struct player *, double now);
double player_due(const struct player *);

#endif
