/*
 * What came to stratum after its first version: mining.configure with version rolling
 * (BIP310), mining.suggest_difficulty, and extranonces that change.
 */
#ifndef DEVPOOL_EXTENSIONS_H
#define DEVPOOL_EXTENSIONS_H

#include "tests/devpool/session.h"

/* Methods, as session.c's table wants them. */
void extensions_configure(struct session *, json_t *id, json_t *params);
void extensions_suggest_difficulty(struct session *, json_t *id, json_t *params);
void extensions_subscribe_xnonce(struct session *, json_t *id, json_t *params);

/* Announce the mask or extranonce that is due at clock_now() = now, and when the next will be. */
void extensions_step(struct session *, double now);
double extensions_due(const struct session *);

#endif
