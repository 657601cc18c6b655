/* See card_stage.h. */
#include "cli/card_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "algo/registry.h"
#include "base/log.h"

static bool all_simulated(const struct card_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!list->specs[i].sim)
			return false;
	return true;
}

bool card_stages_wanted(const struct options *o, const struct algo *algo)
{
	const bool to_search = o->backend && strcasecmp(o->backend, "fpga") == 0;

	return o->cards.count > 0 && !to_search && !card_knows(algo) && (o->algo ? o->algo == algo : all_simulated(&o->cards));
}

/* The same of a self-test or list, which --backend may narrow to others. */
static bool asked_for(const struct options *o, const struct algo *algo)
{
	const bool any = !o->backend || strcasecmp(o->backend, "all") == 0;

	return card_stages_wanted(o, algo) && (any || strcasecmp(o->backend, "fpga-dma") == 0);
}

struct card_stages *card_stages_create(const struct card_list *list, const struct algo *algo, const struct kernel *kernel)
{
	struct card_stages *stages = calloc(1, sizeof *stages);

	if (!stages) {
		log_error("fpga: no memory");
		return NULL;
	}
	stages->set = (struct device_set){ .backend = "fpga-dma", .noun = "card", .prefix = "card ", .count = list->count };
	stages->cards = card_list_create(list);
	if (!stages->cards || cards_load(stages->cards, algo) < 0)
		goto free_stages;
	for (unsigned i = 0; i < list->count; i++) {
		struct device_entry *entry = &stages->set.entries[i];
		struct lent_card *lent = &stages->lent[i];

		entry->device = lent_card_init(lent, stages->cards->config.root, &list->specs[i], kernel);
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

void card_stages_free(struct card_stages *stages)
{
	if (stages)
		cards_destroy(stages->cards);
	free(stages);
}

/* The CPU's part of a chain is that of the backend it would mine with. */
static struct card_stages *make(const struct options *o, const struct algo *algo, const struct backend_fault *fault)
{
	const struct backend *cpu = backend_choose(algo, NULL, fault);

	return card_stages_create(&o->cards, algo, cpu ? backend_kernel(cpu, algo) : NULL);
}

int card_stages_measure(const struct options *o, const struct backend_fault *fault, double limit, json_t *results,
			bool *interrupted)
{
	int result = 0;

	for (const struct algo *const *a = algos; *a && !*interrupted; a++) {
		if (!card_stages_wanted(o, *a))
			continue;
		struct card_stages *stages = make(o, *a, fault);
		if (!stages || device_set_measure(&stages->set, *a, limit, results, interrupted) < 0)
			result = -1;
		card_stages_free(stages);
	}
	return result;
}

int card_stages_self_test(const struct options *o, const struct backend_fault *fault)
{
	int result = 0;

	for (const struct algo *const *a = algos; *a; a++) {
		if (!asked_for(o, *a))
			continue;
		struct card_stages *stages = make(o, *a, fault);
		if (!stages || device_set_self_test(&stages->set, *a) < 0)
			result = -1;
		card_stages_free(stages);
	}
	return result;
}

static void list_one(const struct algo *algo, struct lent_card *lent, json_t *rows)
{
	const bool works = lent->device.open(lent) == 0;
	const unsigned count = works ? lent->card.cores : 0;

	if (works)
		lent->device.close(lent);
	if (rows)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:b}", "algo", algo->name, "backend", "fpga-dma",
						      "card", lent->name, "versions", 0, "lanes", (int)count, "supported", (int)works,
						      "chosen", 0));
	else
		printf("%-12s %-22s %5u  %s\n", algo->name, lent->name, count, works ? "works" : "does not work");
}

void card_stages_list(const struct options *o, json_t *rows)
{
	const struct backend_fault none = { .backend = NULL };

	for (const struct algo *const *a = algos; *a; a++) {
		struct card_stages *stages = asked_for(o, *a) ? make(o, *a, &none) : NULL;

		for (unsigned i = 0; stages && i < stages->set.count; i++)
			list_one(*a, &stages->lent[i], rows);
		card_stages_free(stages);
	}
}
