/* The memory that an algorithm's hash() works in: one for each thread, made once and not with every hash. */
#ifndef ALGO_SCRATCH_H
#define ALGO_SCRATCH_H

#include "miner.h"

/* As much as the algorithm wants, to be freed; not NULL for one that wants none. NULL, logged: there is no memory. */
void *algo_scratch(const struct algo *algo);

#endif
