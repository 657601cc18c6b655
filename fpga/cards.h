/*
 * All cards of a run: from what the user named to units that mine, and the design each
 * algorithm wants loaded before.
 */
#ifndef FPGA_CARDS_H
#define FPGA_CARDS_H

#include <pthread.h>

#include "fpga/manager.h"
#include "fpga/spec.h"
#include "fpga/unit.h"

#define CARDS_MAX 16

/* --fpga-bitstream: what an algorithm wants loaded. */
struct card_design {
	const struct algo *algo;
	char *file;
};

struct cards_config {
	const char *root;		/* --fpga-root: below which all files of the system are looked for */
	const struct fpga_spec *specs;	/* 1..CARDS_MAX */
	unsigned count;
	const struct card_design *designs;
	unsigned design_count;
};

struct cards {
	pthread_mutex_t lock;		/* held while a card is started again: its design may be loaded anew */
	struct cards_config config;	/* its texts and tables are the caller's, and stay */
	struct manager manager;
	unsigned count;
	struct fpga_unit units[CARDS_MAX];
};

/* Nothing is opened yet. NULL, logged: no memory. */
struct cards *cards_create(const struct cards_config *);
void cards_destroy(struct cards *);

/*
 * Load the design that was named for `algo`, if there is one and it is not loaded yet, and wait for the devices that it
 * brings; no card may be in use. 0, or -1 logged.
 */
int cards_load(struct cards *, const struct algo *);

/*
 * Make the cards ready for `algo`: load its design, where one was named and is not loaded yet, and start each card.
 * Called again with another algorithm, it stops them and loads that one's; no worker may be using them meanwhile.
 * Returns how many cards work; those that do not are tried again by their workers, and why is logged. Before that the
 * design is loaded again, unless another card is at work in the same FPGA. -1, logged: no card can be used, since none
 * searches `algo` or its design cannot be loaded or is not this miner's; a worker must not be started then.
 */
int cards_use(struct cards *, const struct algo *);

/* The temperature of the board that the unit is on. False: its sensors are not to be seen. */
bool cards_temperature(const struct cards *, unsigned index, double *celsius);

#endif
