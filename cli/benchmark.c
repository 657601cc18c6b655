/*
 * The benchmark runs the miner's own board, workers and nonce loop on a random
 * header with a target that nothing meets, so what it measures is what mining costs.
 *
 * Its first figure is cycles per hash: CPU seconds x core clock / hashes. The clock is
 * measured by each worker on its own core right before and after, so the figure holds
 * when the machine's clock or its neighbours change; a rate alone does not.
 *
 * A backend with a kernel over block versions is measured twice: on work without version
 * bits, and on work with as many versions as that kernel takes.
 */
#include "cli/benchmark.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/report.h"
#include "cli/version.h"
#include "work/crew.h"
#include "simd/cpu.h"

#define DEFAULT_SECONDS	10
#define SAMPLE_SECONDS	1.0
#define VERSION_BIT	13	/* the lowest that BIP 320 sets free */

struct samples {
	double *rate;		/* H/s; sorted once all are there */
	size_t count, room;
};

/* One cell of the matrix while it runs, and what came of it. */
struct run {
	const struct algo *algo;
	const struct backend *backend;
	const struct kernel *kernel;	/* of the backend */
	char name[BACKEND_KERNEL_NAME];	/* of the kernel */
	struct crew crew;
	struct samples samples;
	double limit;		/* s it is to run */
	double seconds;		/* s it ran */
	double cycles_per_hash;
	bool interrupted;
};

static void samples_add(struct samples *s, double rate)
{
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		double *grown = realloc(s->rate, room * sizeof *grown);

		if (!grown)
			return;		/* one sample the fewer */
		s->rate = grown;
		s->room = room;
	}
	s->rate[s->count++] = rate;
}

static int compare_rates(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The next extranonce2 there is not: a random header's time field counts up instead. */
static bool next_header(void *ctx, struct work *work)
{
	(void)ctx;
	store_le32(work->header + 68, load_le32(work->header + 68) + 1);
	return true;
}

static void found_nothing(void *ctx, const struct share *share)
{
	(void)ctx, (void)share;
}

/* `versions`: how many to search under; 0: none but the header's own. */
static int random_work(struct work *work, unsigned versions)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, work->header, sizeof work->header);

	if (fd >= 0)
		close(fd);
	if (got != (ssize_t)sizeof work->header)
		return log_errno("/dev/urandom");
	memset(work->target, 0, sizeof work->target);	/* a target nothing meets */
	work->version_count = (uint8_t)versions;
	for (uint32_t i = 0; i < versions; i++)
		work->versions[i] = load_le32(work->header) ^ i << VERSION_BIT;
	return 0;
}

/* Wait until `until`; true when a signal came first. */
static bool wait_or_signal(double until)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	for (double left; (left = until - clock_now()) > 0; ) {
		struct timespec t = { .tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left)) };

		if (sigtimedwait(&set, NULL, &t) > 0)
			return true;
	}
	return false;
}

static void sample(struct run *run, double seconds, bool show)
{
	double start = clock_now(), last = start;
	uint64_t hashes = crew_hashes(&run->crew);
	uint64_t first_hashes[run->crew.count];

	for (unsigned i = 0; i < run->crew.count; i++)
		first_hashes[i] = run->crew.workers[i].hashes;

	while (!run->interrupted && clock_now() < start + seconds) {
		double next = last + SAMPLE_SECONDS;

		run->interrupted = wait_or_signal(next < start + seconds ? next : start + seconds);

		double now = clock_now();
		uint64_t total = crew_hashes(&run->crew);
		if (now - last < SAMPLE_SECONDS / 2 && run->samples.count > 0)
			break;		/* a broken last second says nothing */

		double rate = (double)(total - hashes) / (now - last);
		samples_add(&run->samples, rate);
		last = now;
		hashes = total;
		if (show) {
			char text[RATE_TEXT];

			report_rate(text, rate);
			printf("%s %s: %s", run->algo->name, run->name, text);
			for (unsigned i = 0; i < run->crew.count && run->crew.count > 1; i++) {
				report_rate(text, (double)(run->crew.workers[i].hashes - first_hashes[i]) / (now - start));
				printf("%s%s%s", i ? ", " : " (", text, i + 1 == run->crew.count ? ")" : "");
			}
			printf("\n");
			fflush(stdout);
		}
	}
}

/* Cycles of all threads over hashes of all threads. */
static double cycles_per_hash(const struct crew *crew)
{
	double cycles = 0;
	uint64_t hashes = crew_hashes(crew);

	for (unsigned i = 0; i < crew->count; i++)
		cycles += (double)crew->workers[i].cpu_ns * crew->workers[i].ghz;
	return hashes > 0 ? cycles / (double)hashes : 0;
}

static int run_one(struct run *run, const struct options *o, const struct cpu_list *cpus, uint32_t fault)
{
	struct board board;
	struct work work = { 0 };
	unsigned threads = o->threads ? (unsigned)o->threads : cpus->count;

	if (random_work(&work, run->kernel->versions) < 0)
		return -1;
	board_init(&board, next_header, NULL);
	struct crew_config config = {
		.algo = run->algo, .backend = run->backend, .threads = threads, .cpus = cpus,
		.pin = o->affinity || threads == cpus->count, .priority = o->nice, .board = &board,
		.found = found_nothing, .fault = fault, .measure_clock = true,
	};
	if (crew_start(&run->crew, &config) < 0) {
		board_destroy(&board);
		return -1;
	}
	double start = clock_now();
	board_publish(&board, &work);
	sample(run, run->limit, !o->json);
	board_close(&board);
	run->seconds = clock_now() - start;
	crew_join(&run->crew);
	run->cycles_per_hash = cycles_per_hash(&run->crew);
	qsort(run->samples.rate, run->samples.count, sizeof *run->samples.rate, compare_rates);
	board_destroy(&board);
	return 0;
}

static double sorted_rate(const struct run *run, double quantile)
{
	size_t n = run->samples.count;

	return n ? run->samples.rate[(size_t)(quantile * (double)(n - 1) + 0.5)] : 0;
}

/* A worker's rate over the whole run. */
static double worker_rate(const struct worker *w, double seconds)
{
	return seconds > 0 ? (double)w->hashes / seconds : 0;
}

static void print_run(const struct run *run)
{
	char min[RATE_TEXT], median[RATE_TEXT], max[RATE_TEXT];

	for (unsigned i = 0; i < run->crew.count; i++) {
		const struct worker *w = &run->crew.workers[i];

		report_rate(median, worker_rate(w, run->seconds));
		if (w->cpu >= 0)
			printf("  thread %u (CPU %d): %s\n", i, w->cpu, median);
		else
			printf("  thread %u: %s\n", i, median);
	}
	report_rate(min, sorted_rate(run, 0));
	report_rate(median, sorted_rate(run, 0.5));
	report_rate(max, sorted_rate(run, 1));
	printf("%s %s: min %s, median %s, max %s; %.1f cycles per hash, %u thread%s, %.1f s\n", run->algo->name,
	       run->name, min, median, max, run->cycles_per_hash, run->crew.count,
	       run->crew.count > 1 ? "s" : "", run->seconds);
	fflush(stdout);
}

static json_t *run_json(const struct run *run)
{
	json_t *threads = json_array();

	for (unsigned i = 0; i < run->crew.count; i++) {
		const struct worker *w = &run->crew.workers[i];
		json_t *cpu = w->cpu >= 0 ? json_integer(w->cpu) : json_null();

		json_array_append_new(threads, json_pack("{s:o, s:I, s:f}", "cpu", cpu, "hashes", (json_int_t)w->hashes,
							 "hashrate", worker_rate(w, run->seconds)));
	}
	return json_pack("{s:s, s:s, s:i, s:i, s:i, s:f, s:I, s:{s:f, s:f, s:f}, s:f, s:o}", "algo", run->algo->name,
			 "backend", run->backend->name, "versions", (int)run->kernel->versions,
			 "lanes", (int)run->kernel->lanes, "threads", (int)run->crew.count, "seconds", run->seconds,
			 "hashes", (json_int_t)crew_hashes(&run->crew), "hashrate", "min", sorted_rate(run, 0),
			 "median", sorted_rate(run, 0.5), "max", sorted_rate(run, 1),
			 "cycles_per_hash", run->cycles_per_hash, "per_thread", threads);
}

static json_t *cpu_json(void)
{
	char model[128], features[256];

	cpu_model(model, sizeof model);
	cpu_feature_names(features, sizeof features);
	return json_pack("{s:s, s:s, s:f}", "model", model, "features", features, "ghz", clock_core_ghz());
}

/* One cell: run it and report. False when interrupted or failed; *failed says which. */
static bool run_kernel(struct run *run, const struct options *o, const struct cpu_list *cpus,
		       const struct backend_fault *fault, json_t *results, bool *failed)
{
	backend_kernel_name(run->name, run->backend, run->kernel);
	if (run_one(run, o, cpus, backend_fault_mask(fault, run->backend, false)) < 0) {
		*failed = true;
		return false;
	}
	if (o->json)
		json_array_append_new(results, run_json(run));
	else
		print_run(run);
	free(run->samples.rate);
	crew_free(&run->crew);
	return !run->interrupted;
}

/* Every cell of one algorithm's row. False as from run_kernel(). */
static bool run_algo(const struct algo *algo, const struct options *o, const struct cpu_list *cpus,
		     const struct backend_fault *fault, json_t *results, bool *failed)
{
	bool all = o->backend && strcasecmp(o->backend, "all") == 0;
	const struct backend *chosen = all ? NULL : backend_choose(algo, o->backend, fault);
	double limit = o->time_limit ? (double)o->time_limit : DEFAULT_SECONDS;

	*failed |= !all && !chosen;
	for (const struct backend *const *b = backends; *b; b++) {
		const struct kernel *const kernels[] = { backend_kernel(*b, algo), backend_versions_kernel(*b, algo) };

		if (all ? !(*b)->supported() || !kernels[0] : *b != chosen)
			continue;
		if (all && !backend_choose(algo, (*b)->name, fault)) {	/* its self-test failed, and that is logged */
			*failed = true;
			continue;
		}
		for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
			struct run run = { .algo = algo, .backend = *b, .kernel = kernels[i], .limit = limit };

			if (!all && kernels[0] && kernels[1])
				run.limit /= 2;		/* both forms within the limit */
			if (run.kernel && !run_kernel(&run, o, cpus, fault, results, failed))
				return false;
		}
	}
	return true;
}

int benchmark_run(const struct options *o, const struct cpu_list *cpus, const struct backend_fault *fault)
{
	json_t *cpu = o->json ? cpu_json() : NULL;
	json_t *results = json_array();
	bool failed = false;

	if (o->algo)
		run_algo(o->algo, o, cpus, fault, results, &failed);
	else
		for (const struct algo *const *a = algos; *a && run_algo(*a, o, cpus, fault, results, &failed); a++)
			;
	if (o->json) {
		json_t *root = json_pack("{s:{s:s, s:s, s:s}, s:O, s:O}", "adit", "version", version_number, "commit", version_commit,
					 "compiler", version_compiler, "cpu", cpu, "results", results);

		json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
		printf("\n");
		json_decref(root);
	}
	json_decref(results);
	json_decref(cpu);
	return failed ? -1 : 0;
}
