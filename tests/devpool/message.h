/*
 * The pool's messages as JSON, and reading what came. All give a new reference, NULL
 * when there is no memory; `id` stays the caller's.
 */
#ifndef DEVPOOL_MESSAGE_H
#define DEVPOOL_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/devpool/job.h"

/* A request's answer; takes `result` over. */
json_t *message_reply(json_t *id, json_t *result);
json_t *message_error(json_t *id, int code, const char *text);

/* A notification; takes `params` over. */
json_t *message_notification(const char *method, json_t *params);

json_t *message_job(const struct job *, bool clean);

/* A number as stratum writes it: 8 hex digits, the most significant first. */
void message_number(char text[9], uint32_t value);

/* params[i] as text; NULL when it is not there or is none. */
const char *message_text(json_t *params, size_t i);

#endif
