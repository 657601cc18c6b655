/* What cards say when asked before mining: see card_inspect.h. */
#include "cli/card_inspect.h"

#include <stdio.h>
#include <strings.h>

#include "algo/registry.h"
#include "base/log.h"
#include "cli/card_stage.h"
#include "cli/cell.h"
#include "fpga/batch.h"
#include "fpga/cards.h"

/* "--backend fpga" is the search alone and "fpga-dma" the stream; without a name, or with all, it is both. */
static bool wants(const struct options *o, const char *backend)
{
	return !o->backend || strcasecmp(o->backend, "all") == 0 || strcasecmp(o->backend, backend) == 0;
}

bool card_search_wanted(const struct options *o, const struct algo *algo)
{
	return card_list_serves(&o->cards, o->algo, algo) && !card_stages_wanted(o, algo) && (o->algo || card_knows(algo));
}

/* What a signal has kept from its end has not failed. Returns -1. */
static int not_passed(const struct algo *algo, const char *backend, const struct fpga_unit *unit)
{
	if (cell_signalled())
		return log_error("--self-test: interrupted before %s %s %s", algo->name, backend, unit->name);
	printf("%s %s %s: FAILED: the log says why\n", algo->name, backend, unit->name);
	return -1;
}

static int self_test_one(const struct options *o, const struct algo *algo, struct fpga_unit *unit)
{
	const struct transport *transport = &unit->card.transport;
	int result = 0;

	if (!unit->on)
		return not_passed(algo, "fpga", unit);
	if (wants(o, "fpga"))
		printf("%s fpga %s: ok (%u core%s, %u clocks a hash)\n", algo->name, unit->name, unit->cores,
		       unit->cores == 1 ? "" : "s", unit->clocks);
	if (wants(o, "fpga-dma") && (card_list_only(o->backend) || transport->in_size > 0)) {
		result = batch_self_test(&unit->card.transport);
		if (result < 0)
			not_passed(algo, "fpga-dma", unit);
		else
			printf("%s fpga-dma %s: ok (batches of up to %zu)\n", algo->name, unit->name, batch_room(transport));
	}
	fflush(stdout);
	return result;
}

static int self_test_search(const struct options *o, const struct algo *algo, struct cards *cards)
{
	int result = 0;

	if (cards_use(cards, algo) < 0)
		return -1;
	for (unsigned i = 0; i < cards->count && !(result < 0 && cell_signalled()); i++)
		if (self_test_one(o, algo, &cards->units[i]) < 0)
			result = -1;
	return result;
}

int card_self_test(const struct options *o, const struct backend_fault *fault)
{
	int result = 0;

	if (o->cards.count == 0 || !(wants(o, "fpga") || wants(o, "fpga-dma")))
		return 0;

	struct cards *cards = card_list_create(&o->cards);
	if (!cards)
		return -1;
	for (const struct algo *const *a = algos; *a && !cell_signalled(); a++) {
		if (card_stages_wanted(o, *a))
			result |= card_stages_self_test(cards, *a, fault);
		else if (card_search_wanted(o, *a))
			result |= self_test_search(o, *a, cards);
	}
	cards_destroy(cards);
	return result;
}

static void list_search(struct cards *cards, const struct algo *algo, json_t *rows)
{
	cards_use(cards, algo);
	for (unsigned i = 0; i < cards->count; i++) {
		const struct fpga_unit *unit = &cards->units[i];

		if (rows)
			json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:b}", "algo", algo->name, "backend", "fpga",
							      "card", unit->name, "versions", 0, "lanes", (int)unit->cores,
							      "supported", (int)unit->on, "chosen", 0));
		else
			printf("%-12s %-22s %5u  %s\n", algo->name, unit->name, unit->cores, unit->on ? "works" : "does not work");
	}
}

void card_list_print(const struct options *o, json_t *rows)
{
	struct cards *cards = o->cards.count > 0 ? card_list_create(&o->cards) : NULL;

	for (const struct algo *const *a = algos; *a && cards; a++) {
		if (card_stages_wanted(o, *a) && wants(o, "fpga-dma"))
			card_stages_list(cards, *a, rows);
		else if (card_knows(*a) && card_list_serves(&o->cards, o->algo, *a))
			list_search(cards, *a, rows);
	}
	cards_destroy(cards);
}
