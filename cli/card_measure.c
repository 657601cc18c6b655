/* Cards searching a random header, as a benchmark cell of devices alone: see card_measure.h. */
#include "cli/card_measure.h"

#include <stdio.h>
#include <strings.h>

#include "algo/registry.h"
#include "base/log.h"
#include "base/sort.h"
#include "cli/card_inspect.h"
#include "cli/card_stage.h"
#include "cli/cell.h"
#include "cli/report.h"

static void print(const struct cell *cell, const struct cards *cards, const double *clocks_per_hash)
{
	char rates[3][RATE_TEXT], text[RATE_TEXT];

	for (unsigned i = 0; i < cards->count; i++) {
		report_rate(text, cell_thread_rate(cell, &cell->crew.workers[i]));
		printf("  card %s: %s, %.3f clocks a hash at %.1f MHz\n", cards->units[i].name, text, clocks_per_hash[i],
		       cards->units[i].clock_khz / 1e3);
	}
	for (unsigned i = 0; i < 3; i++)
		report_rate(rates[i], sorted_quantile(cell->rates, cell->rate_count, 0.5 * i));
	printf("%s %s: min %s, median %s, max %s; %u card%s, %.1f s\n", cell->algo->name, cell->name, rates[0], rates[1], rates[2],
	       cards->count, cards->count == 1 ? "" : "s", cell->seconds);
	fflush(stdout);
}

static json_t *cell_json(const struct cell *cell, const struct cards *cards, const double *clocks_per_hash)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < cards->count; i++)
		json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f, s:f, s:i}", "card", cards->units[i].name,
						      "hashes", (json_int_t)cell->crew.workers[i].hashes,
						      "hashrate", cell_thread_rate(cell, &cell->crew.workers[i]),
						      "clocks_per_hash", clocks_per_hash[i],
						      "clock_mhz", cards->units[i].clock_khz / 1e3,
						      "cores", (int)cards->units[i].cores));
	return json_pack("{s:s, s:s, s:f, s:I, s:{s:f, s:f, s:f}, s:o}", "algo", cell->algo->name, "backend", cell->name,
			 "seconds", cell->seconds, "hashes", (json_int_t)crew_hashes(&cell->crew), "hashrate",
			 "min", sorted_quantile(cell->rates, cell->rate_count, 0), "median", sorted_quantile(cell->rates, cell->rate_count, 0.5),
			 "max", sorted_quantile(cell->rates, cell->rate_count, 1), "cards", list);
}

static int measure_search(struct cards *cards, const struct algo *algo, double limit, json_t *results, bool *interrupted)
{
	struct crew_device devices[CARDS_MAX];
	double clocks_per_hash[CARDS_MAX];
	uint64_t before[CARDS_MAX];
	struct cell cell = {
		.algo = algo, .devices = devices, .device_count = cards->count, .limit = limit, .show = !results,
	};

	snprintf(cell.name, sizeof cell.name, "%s", backend_fpga.name);
	for (unsigned i = 0; i < cards->count; i++) {
		devices[i] = (struct crew_device){ &backend_fpga, &cards->units[i] };
		before[i] = cards->units[i].card.cycles;
	}
	int result = cell_run(&cell);

	for (unsigned i = 0; i < cards->count && result == 0; i++) {
		const struct fpga_unit *unit = &cards->units[i];
		uint64_t hashes = cell.crew.workers[i].hashes;

		if (unit->failures > 0 || cell.crew.workers[i].hw_errors > 0)
			result = log_error("card %s: it failed meanwhile", unit->name);
		clocks_per_hash[i] = hashes > 0 ? (double)(unit->card.cycles - before[i]) / (double)hashes : 0;
	}
	if (result == 0 && results)
		json_array_append_new(results, cell_json(&cell, cards, clocks_per_hash));
	else if (result == 0)
		print(&cell, cards, clocks_per_hash);
	*interrupted |= cell.interrupted;
	cell_free(&cell);
	return result;
}

/* Those that have a stream; to have none is wrong only where streams were asked for. */
static int measure_streams(struct cards *cards, bool all, double limit, json_t *results, bool *interrupted)
{
	int result = 0;

	for (unsigned i = 0; i < cards->count && !*interrupted; i++)
		if (!all || cards->units[i].card.transport.in_size > 0)
			result |= stream_measure(&cards->units[i], limit, results, interrupted);
	return result;
}

/* One algorithm that cards search, by their search and by their streams. */
static int measure_algo(struct cards *cards, const struct options *o, const struct algo *algo, double limit, json_t *results,
			bool *interrupted)
{
	const bool all = strcasecmp(o->backend, "all") == 0;
	int result = 0;

	if (cards_use(cards, algo) != (int)cards->count)
		result = -1;		/* a result of some of them would be taken for that of all */
	if (result < 0 && cell_signalled()) {
		*interrupted = true;
		log_error("--benchmark: interrupted before the cards were measured");
	}
	if (result == 0 && (all || strcasecmp(o->backend, "fpga-dma") == 0))
		result = measure_streams(cards, all, limit, results, interrupted);
	if (result == 0 && !*interrupted && (all || strcasecmp(o->backend, "fpga") == 0))
		result = measure_search(cards, algo, limit, results, interrupted);
	return result;
}

int card_measure(const struct options *o, const struct backend_fault *fault, double limit, json_t *results, bool *interrupted)
{
	struct cards *cards = card_list_create(&o->cards);
	int result = cards ? 0 : -1;

	for (const struct algo *const *a = algos; *a && cards && !*interrupted; a++) {
		if (card_stages_wanted(o, *a))
			result |= card_stages_measure(cards, *a, fault, limit, results, interrupted);
		else if (card_search_wanted(o, *a))
			result |= measure_algo(cards, o, *a, limit, results, interrupted);
	}
	cards_destroy(cards);
	return result;
}
