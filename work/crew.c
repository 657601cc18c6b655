/* Starting, counting and ending the worker threads together. */
#include "work/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Which CPUs a CPU thread is bound to: see struct crew_config. */
static void place(struct worker *w, const struct crew_config *config)
{
	const struct cpu_list *cpus = config->cpus;

	if (config->pin) {
		w->cpus = &cpus->cpu[w->index % cpus->count];
		w->cpu_count = 1;
	} else if (config->threads < cpus->count) {
		w->cpus = cpus_of_tier(cpus, w->index, &w->cpu_count);
		if (w->cpu_count == cpus->count)
			w->cpu_count = 0;
	}
	if (w->cpu_count == 1)
		w->cpu = *w->cpus;
}

static void set_up(struct worker *w, const struct crew_config *config, unsigned index)
{
	w->index = index;
	w->cpu = -1;
	w->algo = config->algo;
	w->board = config->board;
	w->found = config->found;
	w->found_ctx = config->found_ctx;
	if (index < config->threads) {
		place(w, config);
		w->priority = config->priority;
		w->backend = config->backend;
		w->fault = config->fault;
		w->measure_clock = config->measure_clock;
	} else {
		w->backend = config->devices[index - config->threads].backend;
		w->device = config->devices[index - config->threads].device;
	}
}

int crew_start(struct crew *crew, const struct crew_config *config)
{
	unsigned count = config->threads + config->device_count;

	crew->count = 0;
	crew->workers = aligned_alloc(CACHE_LINE, count * sizeof *crew->workers);
	if (!crew->workers)
		return log_errno("%u threads", count);
	memset(crew->workers, 0, count * sizeof *crew->workers);

	for (unsigned i = 0; i < count; i++) {
		set_up(&crew->workers[i], config, i);
		if (worker_start(&crew->workers[i]) < 0) {
			board_close(config->board);
			crew_join(crew);
			crew_free(crew);
			return -1;
		}
		crew->count++;
	}
	return 0;
}

void crew_join(struct crew *crew)
{
	for (unsigned i = 0; i < crew->count; i++)
		worker_join(&crew->workers[i]);
}

void crew_free(struct crew *crew)
{
	free(crew->workers);
	crew->workers = NULL;
	crew->count = 0;
}

uint64_t crew_hashes(const struct crew *crew)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < crew->count; i++)
		sum += crew->workers[i].hashes;
	return sum;
}

uint64_t crew_hw_errors(const struct crew *crew)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < crew->count; i++)
		sum += crew->workers[i].hw_errors;
	return sum;
}

void crew_places(char *text, size_t len, const struct crew *crew)
{
	unsigned bound = 0, single = 0;		/* CPU threads bound at all, and of these to one CPU */
	int cpus[CPUS_MAX];
	size_t used = 0;

	text[0] = '\0';
	for (; bound < crew->count && bound < CPUS_MAX && crew->workers[bound].cpu_count > 0; bound++) {
		cpus[bound] = crew->workers[bound].cpu;
		single += cpus[bound] >= 0;
	}
	if (bound > 0 && single == bound) {
		used = (size_t)snprintf(text, len, " on CPUs ");
		if (used < len)
			cpus_text(text + used, len - used, cpus, bound);
		return;
	}
	for (unsigned first = 0, next; first < bound && used < len; first = next) {
		const struct worker *w = &crew->workers[first];
		char alike[CPUS_TEXT];

		for (next = first + 1; next < bound && crew->workers[next].cpus == w->cpus; next++)
			;
		cpus_text(alike, sizeof alike, w->cpus, w->cpu_count);
		used += (size_t)snprintf(text + used, len - used, "%s %u on CPUs %s", used ? "," : ":", next - first, alike);
	}
}

unsigned crew_alive(const struct crew *crew)
{
	unsigned alive = 0;

	for (unsigned i = 0; i < crew->count; i++)
		alive += !crew->workers[i].failed;
	return alive;
}
