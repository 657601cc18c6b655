/*
 * The benchmark's matrix: which kernels are measured, how long, and the one JSON value of all results.
 *
 * A backend with a kernel over block versions is measured twice: on work without version bits, and on work with as
 * many versions as that kernel takes.
 */
#include "cli/benchmark.h"

#include <jansson.h>
#include <stdio.h>
#include <strings.h>

#include "algo/registry.h"
#include "base/clock.h"
#include "base/version.h"
#include "cli/card_measure.h"
#include "cli/measure.h"
#include "cli/opencl_run.h"
#include "simd/cpu.h"

#define DEFAULT_SECONDS	10

/* What one run of the benchmark goes by. */
struct matrix {
	const struct options *options;
	const struct cpu_list *cpus;
	const struct backend_fault *fault;
	measure_fn *measure;
	json_t *results;
	bool failed;
	bool interrupted;
};

void measure_add(struct measure *m, json_t *members)
{
	json_object_update(m->result, members);
	json_decref(members);
}

static void measure_kernel(struct matrix *x, const struct algo *algo, const struct backend *backend,
			   const struct kernel *kernel, double limit)
{
	struct measure m = {
		.options = x->options, .cpus = x->cpus, .fault = x->fault, .algo = algo, .backend = backend,
		.kernel = kernel, .limit = limit,
	};

	if (x->options->json)
		m.result = json_pack("{s:s, s:s, s:i, s:i}", "algo", algo->name, "backend", backend->name,
				     "versions", (int)kernel->versions, "lanes", (int)kernel->lanes);
	if (x->measure(&m) == 0)
		json_array_append(x->results, m.result);	/* NULL changes nothing */
	else
		x->failed = true;
	x->interrupted |= m.interrupted;
	json_decref(m.result);
}

static void measure_backend(struct matrix *x, const struct algo *algo, const struct backend *backend, double limit)
{
	const struct kernel *const kernels[] = { backend_kernel(backend, algo), backend_versions_kernel(backend, algo) };

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (kernels[i] && !x->interrupted)
			measure_kernel(x, algo, backend, kernels[i], limit);
}

/* Every cell of one algorithm's row. */
static void measure_algo(struct matrix *x, const struct algo *algo)
{
	const char *name = x->options->backend;
	const double limit = x->options->time_limit > 0 ? x->options->time_limit : DEFAULT_SECONDS;

	if (!name || strcasecmp(name, "all") != 0) {
		const struct backend *chosen = backend_choose(algo, name, x->fault);

		x->failed |= !chosen;
		if (chosen)	/* both forms within the limit */
			measure_backend(x, algo, chosen, backend_versions_kernel(chosen, algo) ? limit / 2 : limit);
		return;
	}
	for (const struct backend *const *b = backends; *b && !x->interrupted; b++) {
		if (!(*b)->supported() || !backend_kernel(*b, algo))
			continue;
		if (backend_choose(algo, (*b)->name, x->fault))
			measure_backend(x, algo, *b, limit);
		else	/* its self-test failed, and that is logged */
			x->failed = true;
	}
}

/* Those that were named, where the backend asked for is of cards, or all. */
static void measure_cards(struct matrix *x)
{
	const struct options *o = x->options;
	const double limit = o->time_limit > 0 ? o->time_limit : DEFAULT_SECONDS;

	if (!card_list_only(o->backend) && (!o->backend || strcasecmp(o->backend, "all") != 0))
		return;
	if (card_measure(o, x->fault, limit, o->json ? x->results : NULL, &x->interrupted) < 0)
		x->failed = true;
}

/* The same of OpenCL devices, each algorithm in turn. */
static void measure_opencl(struct matrix *x)
{
	const struct options *o = x->options;
	const double limit = o->time_limit > 0 ? o->time_limit : DEFAULT_SECONDS;

	if (!opencl_list_only(o->backend) && (!o->backend || strcasecmp(o->backend, "all") != 0))
		return;
	for (const struct algo *const *a = algos; *a && !x->interrupted; a++)
		if (!o->algo || o->algo == *a)
			x->failed |= opencl_measure(o, *a, x->fault, limit, o->json ? x->results : NULL, &x->interrupted) < 0;
}

static json_t *cpu_json(void)
{
	char model[128], features[256];

	cpu_model(model, sizeof model);
	cpu_feature_names(features, sizeof features);
	return json_pack("{s:s, s:s, s:f}", "model", model, "features", features, "ghz", clock_core_ghz());
}

int benchmark_run(const struct options *o, const struct cpu_list *cpus, const struct backend_fault *fault)
{
	struct matrix x = {
		.options = o, .cpus = cpus, .fault = fault, .results = json_array(),
		.measure = o->profile ? profile_measure : o->compare ? compare_measure : rate_measure,
	};
	json_t *cpu = o->json ? cpu_json() : NULL;

	for (const struct algo *const *a = algos; *a && !x.interrupted && !options_devices_only(o->backend); a++)
		if (!o->algo || o->algo == *a)
			measure_algo(&x, *a);
	if (o->cards.count > 0 && !x.interrupted)
		measure_cards(&x);
	if (o->opencl.count > 0 && !x.interrupted)
		measure_opencl(&x);
	if (o->json) {
		json_t *root = json_pack("{s:{s:s, s:s, s:s}, s:O, s:O}", "adit", "version", version_number, "commit", version_commit,
					 "compiler", version_compiler, "cpu", cpu, "results", x.results);

		json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
		printf("\n");
		json_decref(root);
	}
	json_decref(x.results);
	json_decref(cpu);
	return x.failed ? -1 : 0;
}
