/* What a run did, for people and for programs. */
#include <jansson.h>
#include <stdio.h>

#include "offload/runs.h"
#include "work/cpus.h"

/* The workers are threads, and no CPU is left for another. */
static bool workers_have_all_cpus(const struct offload_options *options)
{
	struct cpu_list cpus;

	for (unsigned i = 0; i < options->worker_count; i++)
		if (!options->workers[i].kind->is_thread)
			return false;
	return cpus_allowed(&cpus) == 0 && options->worker_count >= cpus.count;
}

struct stream stream_of(const struct offload_options *options, const struct core *core)
{
	const bool all = workers_have_all_cpus(options);
	/* a task for each worker, and else one that is filled and one that is taken off: what more there is leaves the cache */
	const unsigned depth = options->worker_count + (all ? 0 : 2);
	const long chunk_kib = options->chunk_kib > 0 ? options->chunk_kib : all ? 512 : 2048;

	return (struct stream){
		.core = core, .wants = options->workers, .want_count = options->worker_count,
		.task_items = (size_t)chunk_kib * 1024 / core->item_in,
		.depth = options->depth > 0 ? (unsigned)options->depth : depth, .workers_do_all = all,
	};
}

/* Seconds in which the worker computed or moved data. */
static double busy(const struct stream_worker *worker)
{
	return worker->device.spent.in + worker->device.spent.kernel + worker->device.spent.out;
}

static void print_json(const char *what, uint64_t bytes, const struct stream_result *result)
{
	json_t *workers = json_array();

	for (unsigned i = 0; i < result->worker_count; i++) {
		const struct stream_worker *worker = &result->workers[i];

		json_array_append_new(workers, json_pack("{s:s,s:i,s:I,s:I,s:f,s:f,s:I,s:b}",
			"worker", worker->device.kind->name, "index", (int)worker->device.index, "tasks", (json_int_t)worker->tasks,
			"items", (json_int_t)worker->items, "setup_s", worker->device.spent.setup, "busy_s", busy(worker),
			"clocks", (json_int_t)worker->device.spent.clocks, "lost", worker->lost));
	}
	json_t *root = json_pack("{s:s,s:I,s:f,s:f,s:o}", "run", what, "bytes", (json_int_t)bytes, "seconds", result->seconds,
				 "bytes_per_second", (double)bytes / result->seconds, "workers", workers);
	json_dumpf(root, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(root);
}

void summary_print(const struct offload_options *options, const char *what, uint64_t bytes, const struct stream_result *result)
{
	if (options->json) {
		print_json(what, bytes, result);
		return;
	}
	if (options->quiet)
		return;
	fprintf(stderr, "%s %.1f MB in %.2f s, %.1f MB/s\n", what, (double)bytes / 1e6, result->seconds,
		(double)bytes / 1e6 / result->seconds);
	for (unsigned i = 0; i < result->worker_count; i++) {
		const struct stream_worker *worker = &result->workers[i];

		fprintf(stderr, "  %s %u: %llu tasks, busy %.0f %%%s\n", worker->device.kind->name, worker->device.index,
			(unsigned long long)worker->tasks, 100 * busy(worker) / result->seconds, worker->lost ? ", lost" : "");
	}
}
