/*
 * What a pool should not say, and odd ways to say what it may: the wordings that real
 * pools have been seen to use. Each function has a list and goes through it with
 * `turn`, any number that counts up. Text is the caller's to free, JSON a new
 * reference; NULL when there is no memory.
 */
#ifndef DEVPOOL_NONSENSE_H
#define DEVPOOL_NONSENSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A line that is no message. */
const char *nonsense_garbage(unsigned turn);

/* A line of brackets, as a message or by themselves. */
char *nonsense_deep(unsigned turn);

/* A message that says nothing new, the difficulty, in 200 kB. */
char *nonsense_long(double difficulty);

/* `job`, a good notification, made useless, by a name that no job has, and clean. */
json_t *nonsense_job(json_t *job, unsigned turn);

/* A refusal of a share. */
json_t *nonsense_refusal(json_t *id, unsigned turn);

/* Give `message` another shape that means the same. */
void nonsense_style(json_t *message, unsigned turn);

/*
 * Something to ask or tell the client. nonsense_is_answered() says whether `answer` is
 * a right one to any of the questions.
 */
const char *nonsense_request(unsigned turn);
bool nonsense_is_answered(json_t *answer);

/* A call to come back, here or to `port` of this host; some calls are to be ignored. */
json_t *nonsense_reconnect(uint16_t port, unsigned turn);

#endif
