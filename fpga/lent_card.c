/*
 * See lent_card.h.
 *
 * What a newcomer would get wrong: a batch under way cannot be called back, so it must be short, and how many nonces are
 * short is the card's clock and cores to say. It is asked once, when it is opened.
 */
#include "fpga/lent_card.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

#define CORE		"cubehash256"
#define TRIAL_ITEMS	64
#define BATCH_S		0.02	/* of a batch at the card: how soon newer work is seen */

static int run_card(void *ctx, uint8_t *out, const uint8_t *in, size_t items)
{
	struct lent_card *lent = ctx;

	return offload_card_run(&lent->card, &(struct batch){ .items = items, .in = in, .out = out });
}

/* Nonces worth BATCH_S, at most LENT_BATCH. 0: logged, the card failed. */
static unsigned batch_worth(struct lent_card *lent)
{
	static const uint8_t in[32 * TRIAL_ITEMS];
	uint8_t out[32 * TRIAL_ITEMS];
	double began = clock_now();

	if (run_card(lent, out, in, TRIAL_ITEMS) < 0)
		return 0;
	double items = TRIAL_ITEMS * BATCH_S / (clock_now() - began);
	return items < 1 ? 1 : items < LENT_BATCH ? (unsigned)items : LENT_BATCH;
}

static int open_card(void *ctx)
{
	struct lent_card *lent = ctx;

	if (offload_card_open(&lent->card, lent->root, lent->spec, CORE) < 0)
		return -1;
	lent->lent.batch = batch_worth(lent);
	if (lent->lent.batch == 0) {
		offload_card_close(&lent->card);
		return -1;
	}
	log_info("%s: " CORE ", %u core%s, %u clocks a hash", lent->title, lent->card.cores, lent->card.cores == 1 ? "" : "s",
		 lent->card.clocks);
	return 0;
}

static void close_card(void *ctx)
{
	struct lent_card *lent = ctx;

	offload_card_close(&lent->card);
}

struct crew_device lent_card_init(struct lent_card *lent, const char *root, const struct fpga_spec *spec,
				  const struct kernel *kernel)
{
	*lent = (struct lent_card){ .root = root, .spec = spec };
	snprintf(lent->title, sizeof lent->title, "card %s%s", spec->sim ? "sim" : spec->serial ? "serial:" : "uio:", spec->miner);
	lent->name = lent->title + strlen("card ");
	lent->device = (struct lent_device){ lent->title, open_card, run_card, close_card };
	lent->lent = (struct lent_stage){ .name = CORE, .kernel = kernel, .device = &lent->device, .ctx = lent, .batch = LENT_BATCH,
					  .depth = LENT_DEPTH };
	return lent_stage_fits(&lent->lent) ? (struct crew_device){ &backend_lent_stage, &lent->lent } :
					      (struct crew_device){ NULL, NULL };
}
