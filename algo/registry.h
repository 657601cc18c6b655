/* The algorithms by name. */
#ifndef ALGO_REGISTRY_H
#define ALGO_REGISTRY_H

#include "miner.h"

/* All algorithms in list order, ended by NULL. */
extern const struct algo *const algos[];

/* By name or alias, in any case of letters; NULL when there is none. */
const struct algo *algo_find(const char *name);

#endif
