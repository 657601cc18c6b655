/* Cards in --self-test and --list. */
#ifndef CLI_CARD_INSPECT_H
#define CLI_CARD_INSPECT_H

#include <jansson.h>

#include "cli/options.h"
#include "simd/backend.h"

/*
 * Open and test every card that the options name, with each algorithm that it serves, whose design is loaded before; a line
 * for each and for its stream. 0, or -1: one failed, or a signal came before the end of it, which is logged. The fault is
 * of kernels: a chain runs on one beside the card.
 */
int card_self_test(const struct options *, const struct backend_fault *);

/* A row for each card and algorithm that the options ask for, printed or added to `rows` where that is not NULL. */
void card_list_print(const struct options *, json_t *rows);

/* Whether the named cards are to search this algorithm: the one that was asked for, whatever it is, or one that they can. */
bool card_search_wanted(const struct options *, const struct algo *);

#endif
