/* What cards say when asked before mining: see card_inspect.h. */
#include "cli/card_inspect.h"

#include <stdio.h>
#include <strings.h>

#include "algo/registry.h"
#include "cli/card_stage.h"
#include "fpga/batch.h"
#include "fpga/cards.h"

const struct algo *card_algo(const struct options *o)
{
	if (o->algo)
		return o->algo;
	for (const struct algo *const *a = algos; *a; a++)
		if (card_knows(*a))
			return *a;
	return NULL;
}

/* "--backend fpga" is the search alone and "fpga-dma" the stream; without a name, or with all, it is both. */
static bool wants(const struct options *o, const char *backend)
{
	return !o->backend || strcasecmp(o->backend, "all") == 0 || strcasecmp(o->backend, backend) == 0;
}

static int self_test_one(const struct options *o, const struct algo *algo, struct fpga_unit *unit)
{
	const struct transport *transport = &unit->card.transport;
	int result = 0;

	if (!unit->on) {
		printf("%s fpga %s: FAILED: the log says why\n", algo->name, unit->name);
		return -1;
	}
	if (wants(o, "fpga"))
		printf("%s fpga %s: ok (%u core%s, %u clocks a hash)\n", algo->name, unit->name, unit->cores,
		       unit->cores == 1 ? "" : "s", unit->clocks);
	if (wants(o, "fpga-dma") && (card_list_only(o->backend) || transport->in_size > 0)) {
		result = batch_self_test(&unit->card.transport);
		if (result < 0)
			printf("%s fpga-dma %s: FAILED: the log says why\n", algo->name, unit->name);
		else
			printf("%s fpga-dma %s: ok (batches of up to %zu)\n", algo->name, unit->name, batch_room(transport));
	}
	fflush(stdout);
	return result;
}

int card_self_test(const struct options *o)
{
	const struct algo *algo = card_algo(o);
	int result = 0;

	if (o->cards.count == 0 || !(wants(o, "fpga") || wants(o, "fpga-dma")))
		return 0;
	if (card_stages_wanted(o, algo))
		return 0;

	struct cards *cards = card_list_create(&o->cards);
	if (!cards || cards_use(cards, algo) < 0)
		result = -1;
	for (unsigned i = 0; result == 0 && i < cards->count; i++)
		if (self_test_one(o, algo, &cards->units[i]) < 0)
			result = -1;
	cards_destroy(cards);
	return result;
}

void card_list_print(const struct options *o, json_t *rows)
{
	const struct algo *algo = card_algo(o);
	struct cards *cards = o->cards.count > 0 && card_knows(algo) ? card_list_create(&o->cards) : NULL;

	if (!cards)
		return;
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
	cards_destroy(cards);
}
