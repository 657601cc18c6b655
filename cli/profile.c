/*
 * --profile: where the cycles of a chained algorithm go. It runs a kernel's batches on this thread, in turn stage by stage
 * and through candidates(), which is what mining calls. So nothing in the nonce loop knows of it, and how the stages' sum
 * compares with the whole says what reading the clock between them has cost.
 *
 * A stage of one batch takes a microsecond and more, and to ask for the thread's CPU time would take as long. So time
 * here is the wall clock's, whose reading takes some 20 ns and is taken off again; what a busy machine puts in between
 * is left out: by medians over blocks of about a millisecond, of which those that another thread broke into do not count.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/sort.h"
#include "cli/cell.h"
#include "cli/measure.h"
#include "simd/scan.h"

#define STAGES_MAX	16
#define WHOLE		STAGES_MAX	/* the column of candidates() */
#define COLUMNS		(STAGES_MAX + 1)
#define BLOCK_SECONDS	0.5e-3
#define UNDISTURBED	1.02		/* of a block: at most its wall time over its CPU time */
#define BLOCKS_MAX	8192		/* more make no median better */

struct profile {
	const struct kernel *kernel;
	void *job;
	uint32_t nonce;
	unsigned batches;		/* in a block */
	double reading;			/* s: what it takes to read the clock */
	struct clock_samples clock;	/* one beside each block */

	const char *names[STAGES_MAX];
	unsigned stages, stage;		/* how many, and which one ends next */
	double before;			/* when it began */
	double (*block)[COLUMNS];	/* of each block: s of each stage, and of the whole */
	unsigned blocks;

	double cycles[COLUMNS];		/* per hash, in the end */
};

static double reading_seconds(void)
{
	double taken[1001];
	const unsigned count = sizeof taken / sizeof *taken;

	for (unsigned i = 0; i < count; i++) {
		double start = clock_now();

		taken[i] = clock_now() - start;
	}
	return sort_median(taken, count);
}

static void stage_ended(struct profile *p, const char *name)
{
	double now = clock_now();

	if (p->stage < STAGES_MAX) {
		p->names[p->stage] = name;
		p->block[p->blocks][p->stage++] += now - p->before - p->reading;
	}
	p->before = now;
}

/* A block of batches by stages. */
static void run_stages(struct profile *p)
{
	alignas(CACHE_LINE) uint64_t words[4 * LANES_MAX];
	const struct kernel *kernel = p->kernel;

	for (unsigned i = 0; i < p->batches; i++, p->nonce += kernel->lanes) {
		const struct lane_stage *stage = kernel->stages;

		p->stage = 0;
		p->before = clock_now();
		kernel->header(p->job, p->nonce, words);
		stage_ended(p, "header");
		for (; stage[1].name; stage++) {
			stage->run(p->job, words);
			stage_ended(p, stage->name);
		}
		kernel->last(p->job, words);
		stage_ended(p, stage->name);
	}
	p->stages = p->stage;
}

/* The same as mining has it. Returns the seconds. */
static double run_whole(struct profile *p)
{
	const unsigned nonces = p->kernel->versions ? 1 : p->kernel->lanes;
	double start = clock_now();

	for (unsigned i = 0; i < p->batches; i++, p->nonce += nonces)
		p->kernel->candidates(p->job, p->nonce);
	return clock_now() - start - p->reading;
}

/* Both, into the next place. False when another thread had the CPU in between: it says nothing. */
static bool run_block(struct profile *p)
{
	double start = clock_now(), cpu = clock_thread_cpu();

	memset(p->block[p->blocks], 0, sizeof *p->block);
	if (p->kernel->header)
		run_stages(p);
	p->block[p->blocks][WHOLE] = run_whole(p);
	return clock_now() - start < UNDISTURBED * (clock_thread_cpu() - cpu);
}

/* Until the limit; on a machine so busy that no block was left alone by then, with the last one. */
static void run_blocks(struct profile *p, double limit)
{
	const double end = clock_now() + limit;
	bool over;

	p->reading = reading_seconds();
	for (p->batches = 1; run_whole(p) < BLOCK_SECONDS; p->batches *= 2)
		;
	do {
		bool alone = run_block(p);

		over = clock_now() >= end || cell_signalled();
		if (alone || (over && p->blocks == 0)) {
			clock_sample(&p->clock);
			p->blocks++;
		}
	} while (p->blocks < BLOCKS_MAX && !over);
}

/* The medians of a column, from seconds of a block to cycles of a hash. */
static int find_cycles(struct profile *p, double ghz)
{
	double *column = malloc(p->blocks * sizeof *column);

	if (!column)
		return log_errno("a profile's medians");
	for (unsigned c = 0; c < COLUMNS; c++) {
		for (unsigned i = 0; i < p->blocks; i++)
			column[i] = p->block[i][c];
		p->cycles[c] = sort_median(column, p->blocks) * 1e9 * ghz / ((double)p->batches * p->kernel->lanes);
	}
	free(column);
	return 0;
}

static double sum_of_stages(const struct profile *p)
{
	double sum = 0;

	for (unsigned i = 0; i < p->stages; i++)
		sum += p->cycles[i];
	return sum;
}

static void print(const struct measure *m, const struct profile *p)
{
	const double sum = sum_of_stages(p);
	char name[BACKEND_KERNEL_NAME];

	backend_kernel_name(name, m->backend, m->kernel);
	printf("%s %s, cycles per hash:\n", m->algo->name, name);
	for (unsigned i = 0; i < p->stages; i++)
		printf("  %-12s %10.1f  %5.1f %%\n", p->names[i], p->cycles[i], 100 * p->cycles[i] / sum);
	if (p->stages > 0)
		printf("  %-12s %10.1f  %5.1f %% of the whole\n", "sum", sum, 100 * sum / p->cycles[WHOLE]);
	printf("  %-12s %10.1f\n", "whole", p->cycles[WHOLE]);
	fflush(stdout);
}

static void add(struct measure *m, const struct profile *p)
{
	const double sum = sum_of_stages(p);
	json_t *stages = json_array();

	for (unsigned i = 0; i < p->stages; i++)
		json_array_append_new(stages, json_pack("{s:s, s:f, s:f}", "name", p->names[i], "cycles_per_hash",
							p->cycles[i], "share", p->cycles[i] / sum));
	measure_add(m, json_pack("{s:f, s:f, s:o}", "cycles_per_hash", p->cycles[WHOLE], "stages_cycles_per_hash", sum,
				 "stages", stages));
}

/* Where a benchmark's first thread would be. */
static void settle(const struct measure *m)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)m->cpus->cpu[0], &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
		log_warn("profile: cannot pin to CPU %d", m->cpus->cpu[0]);
	if (m->options->nice && setpriority(PRIO_PROCESS, 0, m->options->nice) < 0)
		log_warn("profile: cannot set priority %d", m->options->nice);
}

int profile_measure(struct measure *m)
{
	struct profile p = { .kernel = m->kernel };
	struct work work = { 0 };
	int result = -1;

	if (cell_work(&work, m->kernel->versions) < 0)
		return -1;
	p.job = lanes_job_alloc(m->kernel, m->algo);
	p.block = calloc(BLOCKS_MAX, sizeof *p.block);
	if (!p.block)
		log_errno("profile: %d blocks", BLOCKS_MAX);
	if (!p.job || !p.block)
		goto done;
	settle(m);
	m->kernel->prepare(p.job, m->algo, &work);
	run_blocks(&p, m->limit);
	result = find_cycles(&p, clock_samples_ghz(&p.clock));
	if (result == 0 && m->result)
		add(m, &p);
	else if (result == 0)
		print(m, &p);
	m->interrupted = cell_signalled();
done:
	free(p.block);
	free(p.job);
	return result;
}
