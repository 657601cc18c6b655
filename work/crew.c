/* Starting, counting and ending the worker threads together. */
#include "work/crew.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

int crew_start(struct crew *crew, const struct crew_config *config)
{
	crew->count = 0;
	crew->workers = aligned_alloc(CACHE_LINE, config->threads * sizeof *crew->workers);
	if (!crew->workers)
		return log_errno("%u threads", config->threads);
	memset(crew->workers, 0, config->threads * sizeof *crew->workers);

	for (unsigned i = 0; i < config->threads; i++) {
		struct worker *w = &crew->workers[i];

		w->index = i;
		w->cpu = config->pin ? config->cpus->cpu[i % config->cpus->count] : -1;
		w->priority = config->priority;
		w->algo = config->algo;
		w->backend = config->backend;
		w->board = config->board;
		w->found = config->found;
		w->found_ctx = config->found_ctx;
		w->fault = config->fault;
		w->measure_clock = config->measure_clock;
		if (worker_start(w) < 0) {
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

unsigned crew_alive(const struct crew *crew)
{
	unsigned alive = 0;

	for (unsigned i = 0; i < crew->count; i++)
		alive += !crew->workers[i].failed;
	return alive;
}
