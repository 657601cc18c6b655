/*
 * Cards in a benchmark: what they search ("fpga") and what they hash by their stream
 * ("fpga-dma"). Beside the rate stand clocks per hash of the card's own clock, which a faster
 * or slower build of the same design does not change.
 */
#ifndef CLI_CARD_MEASURE_H
#define CLI_CARD_MEASURE_H

#include <jansson.h>

#include "cli/options.h"
#include "fpga/cards.h"
#include "simd/backend.h"

/*
 * Measure all cards that the options name for `limit` seconds, as --backend has it (all: both), with each algorithm that
 * they serve, whose design is loaded before. Prints, or adds to
 * `results` where that is not NULL. *interrupted: by a signal; what there was by then is told. 0, or -1 logged: a card
 * failed, or there was nothing yet.
 */
int card_measure(const struct options *, const struct backend_fault *, double limit, json_t *results, bool *interrupted);

/* One card's stream, proved first, and the CPU on the same messages, all within the limit. The same. */
int stream_measure(struct fpga_unit *, double limit, json_t *results, bool *interrupted);

#endif
