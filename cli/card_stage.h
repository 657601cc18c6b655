/*
 * The cards as the user names them, where they do not search the algorithm but compute a stage of it: "fpga-dma" with
 * lyra2rev2. In a mining run, in --benchmark, --self-test and --list.
 */
#ifndef CLI_CARD_STAGE_H
#define CLI_CARD_STAGE_H

#include <jansson.h>

#include "cli/device_set.h"
#include "cli/options.h"
#include "fpga/lent_card.h"
#include "simd/backend.h"

struct card_stages {
	struct device_set set;
	struct lent_card lent[CARDS_MAX];
};

/*
 * Whether that is what the named cards are for with this algorithm: cards cannot search it, --backend does not want that,
 * and they serve it (card_list_serves()).
 */
bool card_stages_wanted(const struct options *, const struct algo *);

/*
 * Load the design that was named for the algorithm, and have a device for each card, not opened yet; `kernel` is this
 * CPU's, for all other stages. The cards outlive it. NULL, logged: no memory, no such stage, or the design cannot be loaded.
 */
struct card_stages *card_stages_create(struct cards *, const struct algo *, const struct kernel *kernel);

/* Open each before its worker does. Returns how many answer; why others do not is logged. */
int card_stages_open(struct card_stages *);

/* Their workers have ended. */
void card_stages_free(struct card_stages *);

/* As device_set_measure() and device_set_self_test(). */
int card_stages_measure(struct cards *, const struct algo *, const struct backend_fault *, double limit, json_t *results,
			bool *interrupted);
int card_stages_self_test(struct cards *, const struct algo *, const struct backend_fault *);

/* A row for each card, printed or added to `rows` where that is not NULL. */
void card_stages_list(struct cards *, const struct algo *, json_t *rows);

#endif
