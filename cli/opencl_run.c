/* See opencl_run.h. */
#include "cli/opencl_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "algo/registry.h"
#include "base/log.h"
#include "cli/cell.h"
#include "cli/report.h"
#include "cli/sort.h"

/* The CPU's part of a chain is that of the backend it would mine with. */
static struct opencl_set *make_set(const struct options *o, const struct algo *algo, const struct backend_fault *fault)
{
	const struct backend *cpu = backend_choose(algo, NULL, fault);

	return opencl_set_create(&o->opencl, algo, cpu ? backend_kernel(cpu, algo) : NULL);
}

/* How many of a hundred seconds each side of a chain did not wait for the other; "" for what is no chain. */
static const char *occupancy(char text[80], const struct opencl_miner *miner)
{
	const struct lent_stage *lent = &miner->lent;

	text[0] = '\0';
	if (lent->searched > 0)
		snprintf(text, 80, "; %s at the device, busy %.0f %%, its thread %.0f %%", lent->name, 100 * lent->device_busy / lent->searched,
			 100 * lent->cpu_busy / lent->searched);
	return text;
}

void opencl_report(const struct opencl_set *set, const struct worker *workers, double seconds)
{
	for (unsigned i = 0; i < set->count; i++) {
		char rate[RATE_TEXT], busy[80];

		report_rate(rate, seconds > 0 ? (double)workers[i].hashes / seconds : 0);
		log_info("%s: %s%s; hardware errors %ju%s", set->miners[i].name, workers[i].failed ? "off, " : "", rate,
			 (uintmax_t)workers[i].hw_errors, occupancy(busy, &set->miners[i]));
	}
}

json_t *opencl_report_json(const struct opencl_set *set, const struct worker *workers, double seconds)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < set->count; i++) {
		const struct lent_stage *lent = &set->miners[i].lent;
		const double searched = lent->searched;

		json_array_append_new(list, json_pack("{s:s, s:b, s:I, s:f, s:I, s:f, s:f}", "device", set->miners[i].name,
			"on", !workers[i].failed, "hashes", (json_int_t)workers[i].hashes,
			"hashrate", seconds > 0 ? (double)workers[i].hashes / seconds : 0.0, "hw_errors", (json_int_t)workers[i].hw_errors,
			"device_busy", searched > 0 ? lent->device_busy / searched : 0.0,
			"cpu_busy", searched > 0 ? lent->cpu_busy / searched : 0.0));
	}
	return list;
}

static void print(const struct cell *cell, const struct opencl_set *set)
{
	char rates[3][RATE_TEXT], text[RATE_TEXT], busy[80];

	for (unsigned i = 0; i < set->count; i++) {
		report_rate(text, cell_thread_rate(cell, &cell->crew.workers[i]));
		printf("  %s: %s%s\n", set->miners[i].name, text, occupancy(busy, &set->miners[i]));
	}
	for (unsigned i = 0; i < 3; i++)
		report_rate(rates[i], sorted_quantile(cell->rates, cell->rate_count, 0.5 * i));
	printf("%s %s: min %s, median %s, max %s; %u device%s, %.1f s\n", cell->algo->name, cell->name, rates[0], rates[1], rates[2],
	       set->count, set->count == 1 ? "" : "s", cell->seconds);
	fflush(stdout);
}

static json_t *cell_json(const struct cell *cell, const struct opencl_set *set)
{
	return json_pack("{s:s, s:s, s:f, s:I, s:{s:f, s:f, s:f}, s:o}", "algo", cell->algo->name, "backend", cell->name,
			 "seconds", cell->seconds, "hashes", (json_int_t)crew_hashes(&cell->crew), "hashrate",
			 "min", sorted_quantile(cell->rates, cell->rate_count, 0), "median", sorted_quantile(cell->rates, cell->rate_count, 0.5),
			 "max", sorted_quantile(cell->rates, cell->rate_count, 1),
			 "devices", opencl_report_json(set, cell->crew.workers, cell->seconds));
}

int opencl_measure(const struct options *o, const struct algo *algo, const struct backend_fault *fault, double limit, json_t *results,
		   bool *interrupted)
{
	struct opencl_set *set = make_set(o, algo, fault);

	if (!set)
		return -1;
	struct cell cell = { .algo = algo, .devices = set->devices, .device_count = set->count, .limit = limit, .show = !results };
	snprintf(cell.name, sizeof cell.name, "opencl");
	int result = cell_run(&cell);
	if (result == 0 && results)
		json_array_append_new(results, cell_json(&cell, set));
	else if (result == 0)
		print(&cell, set);
	*interrupted |= cell.interrupted;
	cell_free(&cell);
	opencl_set_free(set);
	return result;
}

static int self_test_one(const struct algo *algo, struct opencl_set *set, unsigned i)
{
	struct worker worker = { .algo = algo, .backend = set->devices[i].backend, .device = set->devices[i].device };
	int result = -1;

	if (algo->scratch_len > 0)
		worker.scratch = aligned_alloc(CACHE_LINE, (algo->scratch_len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
	if (algo->scratch_len == 0 || worker.scratch)
		result = worker.backend->open(&worker);
	if (result == 0)
		worker.backend->close(&worker);
	free(worker.scratch);
	if (result < 0)
		printf("%s opencl %u: FAILED: the log says why\n", algo->name, set->miners[i].spec.index);
	else
		printf("%s opencl %u: ok (%s)\n", algo->name, set->miners[i].spec.index,
		       set->miners[i].lent.name ? set->miners[i].lent.name : "search");
	fflush(stdout);
	return result;
}

int opencl_self_test(const struct options *o, const struct backend_fault *fault)
{
	int result = 0;

	for (const struct algo *const *a = algos; *a && o->opencl.count > 0; a++) {
		if ((o->algo && o->algo != *a) || (o->backend && !opencl_list_only(o->backend) && strcasecmp(o->backend, "all") != 0))
			continue;
		struct opencl_set *set = make_set(o, *a, fault);
		if (!set)
			result = -1;
		for (unsigned i = 0; set && i < set->count; i++)
			if (self_test_one(*a, set, i) < 0)
				result = -1;
		opencl_set_free(set);
	}
	return result;
}
