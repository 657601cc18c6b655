/* The jobs one client knows of: see given.h. */
#include "tests/devpool/given.h"

#include <math.h>

void given_add(struct given *given, uint32_t number, const struct terms *terms, bool clean, uint64_t end_at)
{
	for (size_t i = 0; clean && i < JOBS_KEPT; i++)
		if (given->jobs[i].end_at == 0)
			given->jobs[i].end_at = end_at;
	given->jobs[number % JOBS_KEPT] = (struct given_job){ .number = number, .terms = *terms, .ended = INFINITY };
}

const struct given_job *given_find(const struct given *given, uint32_t number)
{
	const struct given_job *job = &given->jobs[number % JOBS_KEPT];

	return job->number == number ? job : NULL;
}

void given_sent(struct given *given, uint64_t sent, double now)
{
	for (size_t i = 0; i < JOBS_KEPT; i++) {
		struct given_job *job = &given->jobs[i];

		if (job->end_at > 0 && job->end_at <= sent && isinf(job->ended))
			job->ended = now;
	}
}

void given_cut(struct given *given)
{
	for (size_t i = 0; i < JOBS_KEPT; i++)
		if (isinf(given->jobs[i].ended))
			given->jobs[i].end_at = 0;
}
