/*
 * A card with CubeHash cores (fpga/rtl/offload) as the keeper of that stage in lyra2rev2: a thread of this CPU runs the
 * other stages, and batches go to the card and back by its DMA (fpga/lent_stage.h).
 */
#ifndef FPGA_LENT_CARD_H
#define FPGA_LENT_CARD_H

#include "fpga/lent_stage.h"
#include "fpga/offload_card.h"
#include "work/crew.h"

/* Set by lent_card_init(), and kept while the crew is. */
struct lent_card {
	char title[TRANSPORT_NAME];	/* "card uio:adit-offload" */
	const char *name;		/* the same without "card " */
	const char *root;
	const struct fpga_spec *spec;
	struct offload_card card;	/* its thread's own */
	struct lent_stage lent;
	struct lent_device device;
};

/*
 * The card as a device of a crew, beside `kernel`, this CPU's (NULL: there is none). root and spec, as offload_card_open()
 * wants them, outlive it. backend NULL: the kernel is of no chain with that stage.
 */
struct crew_device lent_card_init(struct lent_card *, const char *root, const struct fpga_spec *spec,
				  const struct kernel *kernel);

#endif
