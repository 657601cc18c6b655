/* See card_stage.h. */
#include "cli/card_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/log.h"

bool card_stages_wanted(const struct options *o, const struct algo *algo)
{
	const bool to_search = o->backend && strcasecmp(o->backend, "fpga") == 0;

	return !to_search && !card_knows(algo) && card_list_serves(&o->cards, o->algo, algo);
}

struct card_stages *card_stages_create(struct cards *cards, const struct algo *algo, const struct kernel *kernel)
{
	struct card_stages *stages = calloc(1, sizeof *stages);

	if (!stages) {
		log_error("fpga: no memory");
		return NULL;
	}
	stages->set = (struct device_set){ .backend = "fpga-dma", .noun = "card", .prefix = "card ", .count = cards->count };
	if (cards_load(cards, algo) < 0)
		goto free_stages;
	for (unsigned i = 0; i < cards->count; i++) {
		struct device_entry *entry = &stages->set.entries[i];
		struct lent_card *lent = &stages->lent[i];

		entry->device = lent_card_init(lent, cards, i, algo, kernel);
		entry->name = lent->name;
		entry->lent = &lent->lent;
		snprintf(entry->label, sizeof entry->label, "fpga-dma %s", lent->name);
		if (!entry->device.backend) {
			log_error("fpga: there is nothing that a card can do for %s", algo->name);
			goto free_stages;
		}
	}
	return stages;

free_stages:
	card_stages_free(stages);
	return NULL;
}

int card_stages_open(struct card_stages *stages)
{
	int open = 0;

	for (unsigned i = 0; i < stages->set.count; i++)
		open += lent_card_open(&stages->lent[i]) == 0;
	return open;
}

void card_stages_free(struct card_stages *stages)
{
	for (unsigned i = 0; stages && i < stages->set.count; i++)
		lent_card_close(&stages->lent[i]);
	free(stages);
}

/* The CPU's part of a chain is that of the backend it would mine with. */
static struct card_stages *make(struct cards *cards, const struct algo *algo, const struct backend_fault *fault)
{
	const struct backend *cpu = backend_choose(algo, NULL, fault);

	return card_stages_create(cards, algo, cpu ? backend_kernel(cpu, algo) : NULL);
}

int card_stages_measure(struct cards *cards, const struct algo *algo, const struct backend_fault *fault, double limit,
			json_t *results, bool *interrupted)
{
	struct card_stages *stages = make(cards, algo, fault);
	int result = stages ? device_set_measure(&stages->set, algo, limit, results, interrupted) : -1;

	card_stages_free(stages);
	return result;
}

int card_stages_self_test(struct cards *cards, const struct algo *algo, const struct backend_fault *fault)
{
	struct card_stages *stages = make(cards, algo, fault);
	int result = stages ? device_set_self_test(&stages->set, algo) : -1;

	card_stages_free(stages);
	return result;
}

static void list_one(const struct algo *algo, struct lent_card *lent, json_t *rows)
{
	const bool works = lent_card_open(lent) == 0;
	const unsigned count = works ? lent->card.cores : 0;

	lent_card_close(lent);
	if (rows)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:b}", "algo", algo->name, "backend", "fpga-dma",
						      "card", lent->name, "versions", 0, "lanes", (int)count, "supported", (int)works,
						      "chosen", 0));
	else
		printf("%-12s %-22s %5u  %s\n", algo->name, lent->name, count, works ? "works" : "does not work");
}

void card_stages_list(struct cards *cards, const struct algo *algo, json_t *rows)
{
	struct card_stages *stages = make(cards, algo, &(struct backend_fault){ .backend = NULL });

	for (unsigned i = 0; stages && i < stages->set.count; i++)
		list_one(algo, &stages->lent[i], rows);
	card_stages_free(stages);
}
