/*
 * The plain benchmark of one kernel: its rate each second and thread, then minimum, median and maximum, and the cycles
 * per hash. The rates are the machine's, of this moment; the cycles are the kernel's.
 */
#include <stdio.h>

#include "base/sort.h"
#include "cli/cell.h"
#include "cli/measure.h"
#include "cli/report.h"

static double quantile(const struct cell *cell, double q)
{
	return sorted_quantile(cell->rates, cell->rate_count, q);
}

static void print(const struct cell *cell)
{
	char min[RATE_TEXT], median[RATE_TEXT], max[RATE_TEXT];

	for (unsigned i = 0; i < cell->crew.count; i++) {
		const struct worker *w = &cell->crew.workers[i];

		report_rate(median, cell_thread_rate(cell, w));
		if (w->cpu >= 0)
			printf("  thread %u (CPU %d): %s\n", i, w->cpu, median);
		else
			printf("  thread %u: %s\n", i, median);
	}
	report_rate(min, quantile(cell, 0));
	report_rate(median, quantile(cell, 0.5));
	report_rate(max, quantile(cell, 1));
	printf("%s %s: min %s, median %s, max %s; %.1f cycles per hash, %u thread%s, %.1f s\n", cell->algo->name,
	       cell->name, min, median, max, cell->cycles_per_hash, cell->crew.count,
	       cell->crew.count > 1 ? "s" : "", cell->seconds);
	fflush(stdout);
}

static void add(struct measure *m, const struct cell *cell)
{
	json_t *threads = json_array();

	for (unsigned i = 0; i < cell->crew.count; i++) {
		const struct worker *w = &cell->crew.workers[i];
		json_t *cpu = w->cpu >= 0 ? json_integer(w->cpu) : json_null();

		json_array_append_new(threads, json_pack("{s:o, s:I, s:f, s:f}", "cpu", cpu, "hashes", (json_int_t)w->hashes,
							 "hashrate", cell_thread_rate(cell, w),
							 "cycles_per_hash", cell_thread_cycles(w)));
	}
	measure_add(m, json_pack("{s:i, s:f, s:I, s:{s:f, s:f, s:f}, s:f, s:o}", "threads", (int)cell->crew.count,
				 "seconds", cell->seconds, "hashes", (json_int_t)crew_hashes(&cell->crew),
				 "hashrate", "min", quantile(cell, 0), "median", quantile(cell, 0.5), "max", quantile(cell, 1),
				 "cycles_per_hash", cell->cycles_per_hash, "per_thread", threads));
}

int rate_measure(struct measure *m)
{
	struct cell cell;

	cell_init(&cell, m->algo, m->backend, m->kernel, m->options, m->cpus, m->fault, m->limit);
	cell.show = !m->options->json;
	int result = cell_run(&cell);
	if (result == 0 && m->result)
		add(m, &cell);
	else if (result == 0)
		print(&cell);
	m->interrupted = cell.interrupted;
	cell_free(&cell);
	return result;
}
