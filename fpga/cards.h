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
	bool (*stop)(void);		/* struct fpga_unit; asked as well while devices are waited for */
};

struct cards {
	struct cards_config config;	/* its texts and tables are the caller's, and stay */
	unsigned count;
	struct fpga_unit units[CARDS_MAX];

	pthread_mutex_t lock;		/* of what follows, held while a design is loaded */
	struct manager manager;
	double loaded_at;		/* clock_now() */
	bool starting[CARDS_MAX];	/* touched by who starts it, though its unit is not in use yet; or held */
	bool tried[CARDS_MAX];		/* started since the design was loaded */
};

/* Nothing is opened yet. NULL, logged: no memory. */
struct cards *cards_create(const struct cards_config *);
void cards_destroy(struct cards *);

/*
 * Stop the cards, and load the design that was named for `algo`, if there is one and it is not loaded yet. No worker may be
 * using the cards. 0, or -1 logged.
 */
int cards_load(struct cards *, const struct algo *);

/*
 * For who opens a card by itself and not as a unit (fpga/lent_card.h), before it does: have the design for `algo` in the
 * FPGA, as the start of a unit does, and wait for the card's devices. From then until cards_release() nothing else is
 * loaded there. 0, or -1 logged: the design cannot be loaded, and there is nothing to release.
 */
int cards_hold(struct cards *, unsigned index, const struct algo *);
void cards_release(struct cards *, unsigned index);

/* Log which design it was that was loaded for `algo`, if one was, when what answers with it is no card for that. */
void cards_tell_foreign(const struct cards *, unsigned index, const struct algo *);

/*
 * Make the cards ready for their workers, which start them, all at once: stop them, and load the design for `algo`, where
 * one was named and is not loaded yet. Nothing is waited for but the kernel's loading. A card that fails when it is started
 * or later is tried again by its worker, on its design loaded anew if it was tried on that already and no other card is in
 * use in the same FPGA. No worker may be using the cards meanwhile.
 *
 * 0, or -1, logged, where no card can be used: none searches `algo`, or its design cannot be loaded. A worker must not be
 * started then.
 */
int cards_prepare(struct cards *, const struct algo *);

/*
 * The same, and start the cards at once, one after the other, for who has to know what they are. Returns how many work, or
 * -1 as cards_prepare() does, and where a design was loaded that all cards say is not one for it.
 */
int cards_use(struct cards *, const struct algo *);

/* The temperature of the board that the unit is on. False: its sensors are not to be seen. */
bool cards_temperature(const struct cards *, unsigned index, double *celsius);

#endif
