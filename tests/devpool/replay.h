/*
 * The pool's side of a recorded session, played again: each request of the client gets
 * what the same request got then, and what the pool said of its own accord comes at
 * its time, counted from login.
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
};

/* One client's place in its scene. */
struct player {
	const struct replay *replay;
	const struct replay_scene *scene;
	struct peer *peer;
	bool *given;			/* answers that were */
	size_t next_cue;
	double started;			/* clock_now() at login, or when it connected; infinite before */
	bool last;			/* no connection came after it: it stays open */
};

/* 0, or -1 logged. */
int replay_load(struct replay *, const char *path, double speed);
void replay_free(struct replay *);

/* The n-th client, from 1, meets the n-th connection; more than there were meet the last. 0, or -1 logged. */
int player_open(struct player *, const struct replay *, struct peer *, unsigned n, double now);
void player_close(struct player *);

/* Answer one line from the client. */
void player_line(struct player *, const char *line, size_t len, double now);

/* Say what is due at clock_now() = now, and when something will be next; infinite for never. */
void player_step(struct player *, double now);
double player_due(const struct player *);

#endif
