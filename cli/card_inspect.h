/* Cards in --self-test and --list. */
#ifndef CLI_CARD_INSPECT_H
#define CLI_CARD_INSPECT_H

#include <jansson.h>

#include "cli/options.h"

/* Open and test every card that the options name; a line for each and for its stream. 0, or -1: one failed. */
int card_self_test(const struct options *);

/* A row for each card and algorithm that the options ask for, printed or added to `rows` where that is not NULL. */
void card_list_print(const struct options *, json_t *rows);

/* The algorithm that cards are tried with: the one asked for, or the first that a card can search. */
const struct algo *card_algo(const struct options *);

#endif
