/*
 * See lent_card.h.
 *
 * What a newcomer would get wrong: a batch under way cannot be called back, so it must be short, and how many nonces are
 * short is the card's clock and cores to say. It is asked whenever it is opened. And a failed card has no state of the
 * stage's (struct worker), which is how its worker knows that it is off.
 */
#include "fpga/lent_card.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "work/worker.h"

#define CORE		"cubehash256"
#define TRIAL_ITEMS	64
#define BATCH_S		0.02	/* of a batch at the card: how soon newer work is seen */
#define LATE_S		0.5	/* after which a batch is not waited for in any case */

static int run_card(void *ctx, uint8_t *out, const uint8_t *in, size_t items)
{
	struct lent_card *lent = ctx;

	lent->sent_at = clock_now();
	return offload_card_run(&lent->card, &(struct batch){ .items = items, .in = in, .out = out });
}

/* The run may end while a card is silent; one that answers is waited for. */
static bool unwanted(void *ctx)
{
	const struct lent_card *lent = ctx;

	return clock_now() - lent->sent_at > LATE_S && fpga_unit_unwanted(&lent->cards->units[lent->index]);
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

/* With its design in the FPGA. 0, or -1 logged. */
static int use_card(struct lent_card *lent)
{
	const struct cards_config *config = &lent->cards->config;

	if (offload_card_open(&lent->card, config->root, &config->specs[lent->index], CORE) < 0)
		return -1;
	lent->card.transport.unwanted = unwanted;
	lent->card.transport.unwanted_ctx = lent;
	lent->lent.batch = batch_worth(lent);
	if (lent->lent.batch == 0) {
		offload_card_close(&lent->card);
		return -1;
	}
	log_info("%s: " CORE ", %u core%s, %u clocks a hash", lent->title, lent->card.cores, lent->card.cores == 1 ? "" : "s",
		 lent->card.clocks);
	return 0;
}

int lent_card_open(struct lent_card *lent)
{
	if (lent->in_use)
		return 0;
	lent->card = (struct offload_card){ .foreign = false };
	if (cards_hold(lent->cards, lent->index, lent->algo) < 0)
		return -1;
	lent->in_use = use_card(lent) == 0;
	if (!lent->in_use)
		cards_release(lent->cards, lent->index);
	if (lent->card.foreign)
		cards_tell_foreign(lent->cards, lent->index, lent->algo);
	return lent->in_use ? 0 : -1;
}

void lent_card_close(struct lent_card *lent)
{
	if (!lent->in_use)
		return;
	offload_card_close(&lent->card);
	lent->in_use = false;
	cards_release(lent->cards, lent->index);
}

static int open_card(void *ctx)
{
	return lent_card_open(ctx);
}

static void close_card(void *ctx)
{
	lent_card_close(ctx);
}

/* Open and prove it, in its thread. 0, or -1 logged. */
static int start(struct worker *w, struct lent_card *lent)
{
	if (backend_lent_stage.open(w) < 0)
		return -1;
	retry_started(&lent->retry);
	return 0;
}

static struct lent_card *card_of(const struct worker *w)
{
	return ((struct lent_stage *)w->device)->ctx;
}

static int open_worker(struct worker *w)
{
	struct lent_card *lent = card_of(w);
	struct fpga_unit *unit = &lent->cards->units[lent->index];

	unit->board = w->board;
	if (start(w, lent) == 0)
		return 0;
	if (!w->board)
		return -1;
	if (lent->card.foreign) {
		unit->board = NULL;
		return log_error("%s: given up", lent->title);
	}
	if (!board_wait_closed(w->board, 0))
		log_warn("%s: off, tried again in %.0f s", lent->title, retry_pause(&lent->retry));
	return 0;
}

/* It is off: leave the work to others, and try it after a pause. */
static void try_again(struct worker *w, struct lent_card *lent)
{
	if (!retry_wait(&lent->retry, w->board))
		return;
	if (start(w, lent) == 0)
		log_info("%s: works again", lent->title);
	else if (!board_wait_closed(w->board, 0))
		log_warn("%s: still off, tried again in %.0f s", lent->title, retry_pause(&lent->retry));
}

static int64_t scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	struct lent_card *lent = card_of(w);

	if (!w->state) {
		board_give_back(w->board, work, first, end);
		try_again(w, lent);
		return 0;
	}
	int64_t done = lent_stage_scan(w, work, first, end);
	if (done >= 0) {
		retry_worked(&lent->retry);
		return done;
	}
	backend_lent_stage.close(w);
	log_warn("%s: switched off; its work goes to others, and it is tried again in %.0f s", lent->title,
		 retry_pause(&lent->retry));
	return 0;
}

static void close_worker(struct worker *w)
{
	struct lent_card *lent = card_of(w);

	if (w->state)
		backend_lent_stage.close(w);
	lent->cards->units[lent->index].board = NULL;
}

static bool supported(void)
{
	return true;
}

static const struct backend backend_lent_card = {
	.name = "lent-card", .supported = supported, .open = open_worker, .scan = scan, .close = close_worker,
};

struct crew_device lent_card_init(struct lent_card *lent, struct cards *cards, unsigned index, const struct algo *algo,
				  const struct kernel *kernel)
{
	const struct fpga_spec *spec = &cards->config.specs[index];

	*lent = (struct lent_card){ .cards = cards, .index = index, .algo = algo };
	snprintf(lent->title, sizeof lent->title, "card %s%s", spec->sim ? "sim" : spec->serial ? "serial:" : "uio:", spec->miner);
	lent->name = lent->title + strlen("card ");
	lent->device = (struct lent_device){ lent->title, open_card, run_card, close_card };
	lent->lent = (struct lent_stage){ .name = CORE, .kernel = kernel, .device = &lent->device, .ctx = lent, .batch = LENT_BATCH,
					  .depth = LENT_DEPTH };
	return lent_stage_fits(&lent->lent) ? (struct crew_device){ &backend_lent_card, &lent->lent } :
					      (struct crew_device){ NULL, NULL };
}
