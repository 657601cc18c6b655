/* What is said of cards while they mine and at the end. */
#ifndef CLI_CARD_REPORT_H
#define CLI_CARD_REPORT_H

#include <jansson.h>

#include "fpga/cards.h"

/* A line for each card; `workers` are the cards' own, in their order, and `seconds` is how long they have run. */
void card_report(const struct cards *, const struct worker *workers, double seconds);

/* The same for --json: an array of objects. */
json_t *card_report_json(const struct cards *, const struct worker *workers, double seconds);

#endif
