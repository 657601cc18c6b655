/*
 * The node's side of recorded HTTP: which answer of then a request gets now.
 *
 * What a newcomer would get wrong: the answers of then are not given one after another. The
 * client of now asks at other times, and work on an old block must not follow work on a new
 * one. So the time since the first request decides: a request gets the next answer that was
 * given then to the same question.
 */
#ifndef DEVPOOL_CALL_H
#define DEVPOOL_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/devpool/record.h"

#define CALL_METHOD_MAX 40	/* bytes, with the NUL */

/* What makes two requests the same: not their ids, nor what they submit. */
struct question {
	const char *path;	/* one of the record's; all others are that of its first request */
	char method[CALL_METHOD_MAX];
	bool longpoll;		/* by the template it names */
	bool submits;		/* it has parameters, where a method serves to ask and to submit */
};

struct call {
	struct question question;
	double asked, answered;		/* seconds since the first request */
	const struct record_line *answer;	/* NULL: it was cut off */
};

struct calls {
	struct call *list;	/* in the order of the requests */
	size_t count;
};

/* Of a record, which has to stay. 0, or -1 logged. */
int calls_load(struct calls *, const struct record *);
void calls_free(struct calls *);

/*
 * The call whose answer the request gets, `moment` seconds after the first one. False: this never was asked. *call
 * NULL: no answer came any more, and none shall.
 */
bool calls_find(const struct call **call, const struct calls *, const char *path, const char *body, size_t body_len,
		double moment);

#endif
