/* See device_set.h. */
#include "cli/device_set.h"

#include <stdio.h>
#include <stdlib.h>

#include "algo/scratch.h"
#include "base/log.h"
#include "base/sort.h"
#include "cli/cell.h"
#include "cli/report.h"

/* How many of a hundred seconds each side of a chain did not wait for the other; "" for what is no chain. */
#define OCCUPANCY_TEXT	96
static const char *occupancy(char text[OCCUPANCY_TEXT], const struct device_set *set, const struct lent_stage *lent)
{
	text[0] = '\0';
	if (lent && lent->searched > 0)
		snprintf(text, OCCUPANCY_TEXT, "; %s at the %s, busy %.0f %%, its thread %.0f %%", lent->name, set->noun,
			 100 * lent->device_busy / lent->searched, 100 * lent->cpu_busy / lent->searched);
	return text;
}

static bool works(const struct device_entry *entry, const struct worker *worker)
{
	return !worker->failed && (!entry->lent || entry->lent->on);
}

void device_set_report(const struct device_set *set, const struct worker *workers, double seconds)
{
	for (unsigned i = 0; i < set->count; i++) {
		char rate[RATE_TEXT], busy[OCCUPANCY_TEXT];

		report_rate(rate, seconds > 0 ? (double)workers[i].hashes / seconds : 0);
		log_info("%s%s: %s%s; hardware errors %ju%s", set->prefix, set->entries[i].name,
			 works(&set->entries[i], &workers[i]) ? "" : "off, ", rate,
			 (uintmax_t)workers[i].hw_errors, occupancy(busy, set, set->entries[i].lent));
	}
}

json_t *device_set_report_json(const struct device_set *set, const struct worker *workers, double seconds)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < set->count; i++) {
		const struct lent_stage *lent = set->entries[i].lent;
		const double searched = lent ? lent->searched : 0;

		json_array_append_new(list, json_pack("{s:s, s:b, s:I, s:f, s:I, s:I, s:f, s:f}", set->noun, set->entries[i].name,
			"on", (int)works(&set->entries[i], &workers[i]), "hashes", (json_int_t)workers[i].hashes,
			"hashrate", seconds > 0 ? (double)workers[i].hashes / seconds : 0.0, "hw_errors", (json_int_t)workers[i].hw_errors,
			"failures", (json_int_t)(lent ? lent->failures : workers[i].failed),
			"device_busy", searched > 0 ? lent->device_busy / searched : 0.0,
			"cpu_busy", searched > 0 ? lent->cpu_busy / searched : 0.0));
	}
	return list;
}

static void print(const struct cell *cell, const struct device_set *set)
{
	char rates[3][RATE_TEXT], text[RATE_TEXT], busy[OCCUPANCY_TEXT];

	for (unsigned i = 0; i < set->count; i++) {
		report_rate(text, cell_thread_rate(cell, &cell->crew.workers[i]));
		printf("  %s%s: %s%s\n", set->prefix, set->entries[i].name, text, occupancy(busy, set, set->entries[i].lent));
	}
	for (unsigned i = 0; i < 3; i++)
		report_rate(rates[i], sorted_quantile(cell->rates, cell->rate_count, 0.5 * i));
	printf("%s %s: min %s, median %s, max %s; %u %s%s, %.1f s\n", cell->algo->name, cell->name, rates[0], rates[1], rates[2],
	       set->count, set->noun, set->count == 1 ? "" : "s", cell->seconds);
	fflush(stdout);
}

static json_t *cell_json(const struct cell *cell, const struct device_set *set)
{
	char plural[16];

	snprintf(plural, sizeof plural, "%.14ss", set->noun);
	return json_pack("{s:s, s:s, s:f, s:I, s:{s:f, s:f, s:f}, s:o}", "algo", cell->algo->name, "backend", cell->name,
			 "seconds", cell->seconds, "hashes", (json_int_t)crew_hashes(&cell->crew), "hashrate",
			 "min", sorted_quantile(cell->rates, cell->rate_count, 0), "median", sorted_quantile(cell->rates, cell->rate_count, 0.5),
			 "max", sorted_quantile(cell->rates, cell->rate_count, 1),
			 plural, device_set_report_json(set, cell->crew.workers, cell->seconds));
}

int device_set_measure(const struct device_set *set, const struct algo *algo, double limit, json_t *results, bool *interrupted)
{
	struct crew_device devices[DEVICE_SET_MAX];
	struct cell cell = { .algo = algo, .devices = devices, .device_count = set->count, .limit = limit, .show = !results };

	snprintf(cell.name, sizeof cell.name, "%s", set->backend);
	for (unsigned i = 0; i < set->count; i++)
		devices[i] = set->entries[i].device;
	int result = cell_run(&cell);
	for (unsigned i = 0; i < set->count && result == 0; i++) {
		const struct lent_stage *lent = set->entries[i].lent;

		if (lent && (!lent->on || lent->failures > 0))
			result = log_error("%s%s: it failed meanwhile", set->prefix, set->entries[i].name);
	}
	if (result == 0 && results)
		json_array_append_new(results, cell_json(&cell, set));
	else if (result == 0)
		print(&cell, set);
	*interrupted |= cell.interrupted;
	cell_free(&cell);
	return result;
}

static int self_test_one(const struct algo *algo, const struct device_entry *entry)
{
	struct worker worker = { .algo = algo, .backend = entry->device.backend, .device = entry->device.device };
	int result = -1;

	worker.scratch = algo_scratch(algo);
	if (worker.scratch)
		result = worker.backend->open(&worker);
	if (result == 0)
		worker.backend->close(&worker);
	free(worker.scratch);
	if (result < 0)
		printf("%s %s: FAILED: the log says why\n", algo->name, entry->label);
	else
		printf("%s %s: ok (%s)\n", algo->name, entry->label, entry->lent ? entry->lent->name : "search");
	fflush(stdout);
	return result;
}

int device_set_self_test(const struct device_set *set, const struct algo *algo)
{
	int result = 0;

	for (unsigned i = 0; i < set->count; i++)
		if (self_test_one(algo, &set->entries[i]) < 0)
			result = -1;
	return result;
}
