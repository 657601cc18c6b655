/*
 * A card with CubeHash cores (fpga/rtl/offload) as the keeper of that stage in lyra2rev2: a thread of this CPU runs the
 * other stages, and batches go to the card and back by its DMA (fpga/lent_stage.h).
 *
 * A card that fails does not fail its worker: what it had not searched goes back to the board, and it is opened and proved
 * again after a pause that grows (fpga/retry.h), on its design loaded anew as a unit's is (fpga/cards.h).
 */
#ifndef FPGA_LENT_CARD_H
#define FPGA_LENT_CARD_H

#include "fpga/cards.h"
#include "fpga/lent_stage.h"
#include "fpga/offload_card.h"
#include "fpga/retry.h"
#include "work/crew.h"

/* Set by lent_card_init(), and kept while the crew is. */
struct lent_card {
	char title[TRANSPORT_NAME];	/* "card uio:adit-offload" */
	const char *name;		/* the same without "card " */
	struct cards *cards;		/* which load its design; as a unit of theirs it is never started */
	unsigned index;			/* among them */
	const struct algo *algo;

	/* its thread's own, or the owner's while there is no thread */
	struct offload_card card;
	bool in_use;			/* it is open */
	double sent_at;			/* clock_now(), of the batch that is at the card */
	struct retry retry;

	struct lent_stage lent;
	struct lent_device device;
};

/*
 * The card as a device of a crew, beside `kernel`, this CPU's (NULL: there is none). The cards outlive it. backend NULL:
 * the kernel is of no chain with that stage.
 *
 * Its worker opens it where the owner has not. One that fails then is tried again as one that fails later, but for what
 * answers as another core, in which case the worker ends, as it does without a board, where nobody will try it again.
 */
struct crew_device lent_card_init(struct lent_card *, struct cards *, unsigned index, const struct algo *algo,
				  const struct kernel *kernel);

/* Open it before its worker does, for who has to know whether it answers; nothing is proved yet. 0, or -1 logged. */
int lent_card_open(struct lent_card *);
void lent_card_close(struct lent_card *);	/* if it is open */

#endif
