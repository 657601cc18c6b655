/*
 * Running one cell of the benchmark: see cell.h. Its work has to be renewed like a pool's: a fast machine is through
 * with the nonces of a header in a minute, and its workers would then wait.
 */
#include "cli/cell.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/sort.h"
#include "cli/report.h"

#define SAMPLE_SECONDS	1.0
#define FIRST_HASH_POLL	0.01	/* s */
#define VERSION_BIT	13	/* the lowest that BIP 320 sets free */
#define TIME_OFF	68	/* of a header's time field */

void cell_init(struct cell *cell, const struct algo *algo, const struct backend *backend, const struct kernel *kernel,
	       const struct options *o, const struct cpu_list *cpus, const struct backend_fault *fault, double limit)
{
	const unsigned threads = o->threads ? (unsigned)o->threads : cpus->count;

	*cell = (struct cell){
		.algo = algo, .backend = backend, .versions = kernel->versions, .threads = threads, .cpus = cpus,
		.pin = o->affinity || threads == cpus->count, .priority = o->nice,
		.fault = backend_fault_mask(fault, backend, false), .limit = limit,
	};
	backend_kernel_name(cell->name, backend, kernel);
}

void cell_free(struct cell *cell)
{
	crew_free(&cell->crew);
	free(cell->rates);
	cell->rates = NULL;
}

static void add_rate(struct cell *cell, double rate)
{
	if (cell->rate_count == cell->rate_room) {
		size_t room = cell->rate_room ? 2 * cell->rate_room : 64;
		double *grown = realloc(cell->rates, room * sizeof *grown);

		if (!grown)
			return;		/* one sample the fewer */
		cell->rates = grown;
		cell->rate_room = room;
	}
	cell->rates[cell->rate_count++] = rate;
}

/* The next extranonce2 there is not: a random header's time field counts up instead. */
static bool next_header(void *ctx, struct work *work)
{
	(void)ctx;
	store_le32(work->header + TIME_OFF, load_le32(work->header + TIME_OFF) + 1);
	return true;
}

static void found_nothing(void *ctx, const struct share *share)
{
	(void)ctx, (void)share;
}

int cell_work(struct work *work, unsigned versions)
{
	if (getentropy(work->header, sizeof work->header) < 0)
		return log_errno("a random header");
	memset(work->target, 0, sizeof work->target);
	work->version_count = (uint8_t)versions;
	for (uint32_t i = 0; i < versions; i++)
		work->versions[i] = load_le32(work->header) ^ i << VERSION_BIT;
	return 0;
}

bool cell_signalled(void)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, SIGINT) || sigismember(&set, SIGTERM);
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

/* The line of the latest second, with each thread's rate since the start, `seconds` ago. */
static void show_rates(const struct cell *cell, double rate, double seconds)
{
	char text[RATE_TEXT];

	report_rate(text, rate);
	printf("%s %s: %s", cell->algo->name, cell->name, text);
	for (unsigned i = 0; i < cell->crew.count && cell->crew.count > 1; i++) {
		report_rate(text, (double)cell->crew.workers[i].hashes / seconds);
		printf("%s%s%s", i ? ", " : " (", text, i + 1 == cell->crew.count ? ")" : "");
	}
	printf("\n");
	fflush(stdout);
}

/* Until the limit; on a machine so busy that nothing was hashed by then, until something is. */
static void sample(struct cell *cell, double start)
{
	const double end = start + cell->limit;
	double last = start;
	uint64_t hashes = 0;

	while (!cell->interrupted && clock_now() < end) {
		double next = last + SAMPLE_SECONDS;

		cell->interrupted = wait_or_signal(next < end ? next : end);

		double now = clock_now();
		uint64_t total = crew_hashes(&cell->crew);
		if (now - last < SAMPLE_SECONDS / 2 && cell->rate_count > 0)
			break;		/* a broken last second says nothing */

		double rate = (double)(total - hashes) / (now - last);
		add_rate(cell, rate);
		last = now;
		hashes = total;
		if (cell->show)
			show_rates(cell, rate, now - start);
	}
	while (!cell->interrupted && crew_hashes(&cell->crew) == 0 && crew_alive(&cell->crew) > 0)
		cell->interrupted = wait_or_signal(clock_now() + FIRST_HASH_POLL);
}

double cell_thread_rate(const struct cell *cell, const struct worker *w)
{
	return cell->seconds > 0 ? (double)w->hashes / cell->seconds : 0;
}

double cell_thread_cycles(const struct worker *w)
{
	return w->hashes > 0 ? (double)w->cpu_ns * w->ghz / (double)w->hashes : 0;
}

static double cycles_per_hash(const struct crew *crew)
{
	double cycles = 0;
	uint64_t hashes = crew_hashes(crew);

	for (unsigned i = 0; i < crew->count; i++)
		cycles += (double)crew->workers[i].cpu_ns * crew->workers[i].ghz;
	return hashes > 0 ? cycles / (double)hashes : 0;
}

int cell_run(struct cell *cell)
{
	struct board board;
	struct work work = { 0 };

	if (cell_work(&work, cell->versions) < 0)
		return -1;
	board_init(&board, next_header, NULL);
	if (cell->nonces)
		board.nonce_end = cell->nonces;
	struct crew_config config = {
		.algo = cell->algo, .backend = cell->backend, .threads = cell->threads, .cpus = cell->cpus,
		.devices = cell->devices, .device_count = cell->device_count,
		.pin = cell->pin, .priority = cell->priority, .board = &board,
		.found = found_nothing, .fault = cell->fault, .measure_clock = true,
	};
	if (crew_start(&cell->crew, &config) < 0) {
		board_destroy(&board);
		return -1;
	}
	double start = clock_now();
	board_publish(&board, &work);
	sample(cell, start);
	board_close(&board);
	cell->seconds = clock_now() - start;
	crew_join(&cell->crew);
	board_destroy(&board);
	cell->cycles_per_hash = cycles_per_hash(&cell->crew);
	sort_values(cell->rates, cell->rate_count);
	return crew_alive(&cell->crew) == cell->crew.count ? 0 : -1;
}
