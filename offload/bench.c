/* adit-offload bench: each core on each worker, from small to large. */
#include "offload/bench.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/sort.h"
#include "offload/runs.h"

#define GROWTH		4	/* from a size to the next */
#define ROUNDS_MAX	1000
#define BASELINE_TIME	0.3	/* s; a slow form is timed over fewer bytes than asked, and the time scaled */

struct form {
	void (*plain)(const struct batch *);
	int (*openssl)(const struct batch *);
};

static void run_form(const struct form *form, const struct batch *batch)
{
	if (form->plain)
		form->plain(batch);
	else
		form->openssl(batch);
}

/* Seconds that one thread takes for the batch in this form, which OpenSSL has looked up by then. */
static double time_form(const struct form *form, struct batch batch, long rounds)
{
	double times[ROUNDS_MAX], whole = (double)batch.items;
	struct batch first = batch;

	first.items = 1;
	run_form(form, &first);
	for (long round = 0; round < rounds; ) {
		double began = clock_now();

		run_form(form, &batch);
		times[round] = clock_now() - began;
		if (times[round] > BASELINE_TIME && batch.items > 1) {
			batch.items = (size_t)((double)batch.items * BASELINE_TIME / 2 / times[round]) + 1;
			round = 0;
		} else {
			times[round++] *= whole / (double)batch.items;
		}
	}
	return sort_median(times, (size_t)rounds);
}

static int time_size(struct device *device, const struct batch *batch, long rounds, struct bench_size *size)
{
	static double in[ROUNDS_MAX], kernel[ROUNDS_MAX], out[ROUNDS_MAX], total[ROUNDS_MAX], clocks[ROUNDS_MAX];

	for (long round = 0; round < rounds; round++) {
		struct spent before = device->spent;
		double began = clock_now();

		if (device_run(device, batch) < 0)
			return -1;
		total[round] = clock_now() - began;
		in[round] = device->spent.in - before.in;
		kernel[round] = device->spent.kernel - before.kernel;
		out[round] = device->spent.out - before.out;
		clocks[round] = (double)(device->spent.clocks - before.clocks) / (double)batch->items;
	}
	size->in = sort_median(in, (size_t)rounds);
	size->kernel = sort_median(kernel, (size_t)rounds);
	size->out = sort_median(out, (size_t)rounds);
	size->total = sort_median(total, (size_t)rounds);
	size->clocks = sort_median(clocks, (size_t)rounds);
	return 0;
}

/* One series. A device that is lost ends it where it is. */
static int measure(const struct offload_options *options, const struct device_want *want, struct bench_series *series, uint8_t *in,
		   uint8_t *out)
{
	const struct core *core = series->core;
	const struct core_params params = { .key = { 1 }, .iv = { 2 }, .operation = FIELD_MUL };
	struct device device;
	double began = clock_now();

	if (device_open(&device, want, core) < 0)
		return -1;
	series->setup = clock_now() - began;
	for (long kib = options->min_kib; kib <= options->max_kib && series->count < SIZES_MAX; kib *= GROWTH) {
		struct bench_size *size = &series->sizes[series->count];
		struct batch batch = { core, &params, 0, (size_t)kib * 1024 / core->item_in, in, out };

		size->bytes = batch.items * core->item_in;
		if (time_size(&device, &batch, options->rounds, size) < 0)
			break;
		size->plain = time_form(&(struct form){ .plain = core->plain }, batch, options->rounds);
		size->openssl = core->openssl ? time_form(&(struct form){ .openssl = core->openssl }, batch, options->rounds) : 0;
		series->count++;
	}
	device_close(&device);
	return 0;
}

size_t bench_wins_from(const struct bench_series *series, size_t than, bool with_setup)
{
	size_t from = 0;

	for (unsigned i = series->count; i-- > 0; ) {
		const struct bench_size *size = &series->sizes[i];
		double other = *(const double *)(const void *)((const char *)size + than);

		if (other == 0 || size->total + (with_setup ? series->setup : 0) >= other)
			break;
		from = size->bytes;
	}
	return from;
}

static const char *size_text(char text[24], size_t bytes)
{
	if (bytes == 0)
		snprintf(text, 24, "no size measured");
	else if (bytes < 1 << 20)
		snprintf(text, 24, "%.4g KiB", (double)bytes / 1024);
	else
		snprintf(text, 24, "%.4g MiB", (double)bytes / (1 << 20));
	return text;
}

static void print_series(const struct bench_series *series)
{
	char text[24];

	printf("\n%s on %s %u, set-up %.3f ms\n", series->core->name, series->kind->name, series->index, 1e3 * series->setup);
	printf("%12s %11s %11s %11s %11s %12s %9s %9s\n", "size", "in, ms", "kernel, ms", "out, ms", "total, ms", "MB/s", "x plain", "x OpenSSL");
	for (unsigned i = 0; i < series->count; i++) {
		const struct bench_size *size = &series->sizes[i];

		printf("%12s %11.3f %11.3f %11.3f %11.3f %12.1f %9.2f ", size_text(text, size->bytes), 1e3 * size->in,
		       1e3 * size->kernel, 1e3 * size->out, 1e3 * size->total, (double)size->bytes / size->total / 1e6,
		       size->plain / size->total);
		if (size->openssl > 0)
			printf("%9.2f\n", size->openssl / size->total);
		else
			printf("%9s\n", "-");
	}
}

/* At the largest size, where what a transfer takes to begin counts least. */
static void print_clocks(const struct bench_series *series)
{
	double clocks = series->count > 0 ? series->sizes[series->count - 1].clocks : 0;

	if (clocks > 0)
		printf("  %.2f clocks of its own an item of %zu bytes\n", clocks, series->core->item_in);
}

static void print_wins(const struct bench_series *series)
{
	static const struct { const char *name; size_t than; } others[] = {
		{ "plain C", offsetof(struct bench_size, plain) }, { "OpenSSL", offsetof(struct bench_size, openssl) },
	};
	char text[24], with_setup[24];

	for (unsigned i = 0; i < 2; i++)
		printf("  faster than %s from: %s; with set-up: %s\n", others[i].name,
		       size_text(text, bench_wins_from(series, others[i].than, false)),
		       size_text(with_setup, bench_wins_from(series, others[i].than, true)));
}

static json_t *size_json(const struct bench_size *size)
{
	json_t *o = json_pack("{s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "bytes", (json_int_t)size->bytes, "in_s", size->in, "kernel_s",
			      size->kernel, "out_s", size->out, "total_s", size->total, "bytes_per_second",
			      (double)size->bytes / size->total, "plain_s", size->plain, "speedup_plain", size->plain / size->total);

	if (size->clocks > 0)
		json_object_set_new(o, "clocks_per_item", json_real(size->clocks));
	if (size->openssl > 0) {
		json_object_set_new(o, "openssl_s", json_real(size->openssl));
		json_object_set_new(o, "speedup_openssl", json_real(size->openssl / size->total));
	}
	return o;
}

static json_t *wins_json(const struct bench_series *series, size_t than, bool with_setup)
{
	size_t from = bench_wins_from(series, than, with_setup);

	return from > 0 ? json_integer((json_int_t)from) : json_null();
}

static void print_json(const struct bench *bench)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < bench->count; i++) {
		const struct bench_series *series = &bench->series[i];
		json_t *sizes = json_array();

		for (unsigned j = 0; j < series->count; j++)
			json_array_append_new(sizes, size_json(&series->sizes[j]));
		json_array_append_new(all, json_pack("{s:s,s:s,s:i,s:f,s:o,s:o,s:o,s:o,s:o}", "core", series->core->name, "worker",
			series->kind->name, "index", (int)series->index, "setup_s", series->setup, "sizes", sizes,
			"wins_over_plain_from", wins_json(series, offsetof(struct bench_size, plain), false),
			"wins_over_plain_with_setup_from", wins_json(series, offsetof(struct bench_size, plain), true),
			"wins_over_openssl_from", wins_json(series, offsetof(struct bench_size, openssl), false),
			"wins_over_openssl_with_setup_from", wins_json(series, offsetof(struct bench_size, openssl), true)));
	}
	json_t *root = json_pack("{s:o}", "results", all);
	json_dumpf(root, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(root);
}

static int draw(const struct bench *bench, const char *path)
{
	FILE *svg = fopen(path, "w");

	if (!svg)
		return log_errno("%s cannot be written", path);
	bench_draw(bench, svg);
	bool lost = ferror(svg);
	if (fclose(svg) != 0)
		return log_errno("%s cannot be written", path);
	return lost ? log_error("%s: some of it was not written", path) : 0;
}

static bool wanted(const struct offload_options *options, const struct core *core)
{
	for (const struct core *const *named = options->cores; *named; named++)
		if (*named == core)
			return true;
	return !options->cores[0];
}

/* Each worker that has the core. 0, or -1 logged. */
static int measure_core(const struct offload_options *options, const struct core *core, struct bench *bench, uint8_t *in, uint8_t *out)
{
	for (unsigned i = 0; i < options->worker_count; i++) {
		struct bench_series *series = &bench->series[bench->count];
		const struct device_want *want = &options->workers[i];

		if (!want->kind->offers(core))
			continue;
		*series = (struct bench_series){ .core = core, .kind = want->kind, .index = want->index };
		if (measure(options, want, series, in, out) < 0)
			return -1;
		bench->count++;
		if (!options->json) {
			print_series(series);
			print_clocks(series);
			print_wins(series);
		}
	}
	return 0;
}

static unsigned core_count(void)
{
	unsigned count = 0;

	while (cores[count].name)
		count++;
	return count;
}

int run_bench(const struct offload_options *options)
{
	size_t most = (size_t)options->max_kib * 1024;
	uint8_t *in = aligned_alloc(4096, (most + 4095) / 4096 * 4096), *out = aligned_alloc(4096, (most + 4095) / 4096 * 4096);
	struct bench bench = { .series = calloc(core_count() * options->worker_count, sizeof *bench.series) };
	int status = 0;

	if (!in || !out || !bench.series)
		status = log_error("no memory for %zu bytes", 2 * most);
	for (const struct core *core = cores; status == 0 && core->name; core++) {
		if (!wanted(options, core))
			continue;
		core_example(core, in, most / core->item_in);
		memset(out, 0, most);
		status = measure_core(options, core, &bench, in, out);
	}
	if (status == 0 && bench.count == 0)
		status = log_error("none of these workers has any of these cores");
	if (status == 0 && options->json)
		print_json(&bench);
	if (status == 0 && options->svg)
		status = draw(&bench, options->svg);
	free(bench.series);
	free(in);
	free(out);
	return status;
}
