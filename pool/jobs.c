/* The table of jobs: see jobs.h. */
#include "pool/jobs.h"

#include <string.h>

#include "base/clock.h"

void jobs_init(struct jobs *jobs, struct searched *searched)
{
	*jobs = (struct jobs){ .searched = searched };
	pthread_mutex_init(&jobs->lock, NULL);
}

void jobs_destroy(struct jobs *jobs)
{
	for (size_t i = 0; i < JOBS_KEPT; i++)
		job_free(jobs->table[i]);
	pthread_mutex_destroy(&jobs->lock);
}

/* Is a share of `old` still good once `job` is there? One id can mean only one block. */
static bool outlives(const struct job *old, const struct job *job)
{
	bool same_id = strcmp(old->id, job->id) == 0;

	if (same_id && job_is_same(old, job))
		return true;
	return !same_id && !job->clean;
}

static struct job **place_of(struct jobs *jobs, uint32_t number)
{
	return &jobs->table[number % JOBS_KEPT];
}

/* Is the work that was given last still wanted? */
static bool is_wanted(struct jobs *jobs)
{
	const struct job *job = *place_of(jobs, jobs->out);

	return jobs->out > 0 && job && job->number == jobs->out && job->live;
}

void jobs_add(struct jobs *jobs, struct job *job)
{
	pthread_mutex_lock(&jobs->lock);
	for (size_t i = 0; i < JOBS_KEPT; i++) {
		struct job *old = jobs->table[i];

		if (old)
			old->live = old->live && outlives(old, job);
	}
	job->number = ++jobs->latest;
	if (is_wanted(jobs) && place_of(jobs, job->number) == place_of(jobs, jobs->out))
		job->number = ++jobs->latest;
	struct job **place = place_of(jobs, job->number);
	job_free(*place);
	*place = job;
	jobs->starved = false;
	pthread_mutex_unlock(&jobs->lock);
}

void jobs_kill(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	for (size_t i = 0; i < JOBS_KEPT; i++)
		if (jobs->table[i])
			jobs->table[i]->live = false;
	pthread_mutex_unlock(&jobs->lock);
}

static bool take_next(struct jobs *jobs, struct work *work)
{
	struct job *job = *place_of(jobs, jobs->latest);
	bool any = job && job->live && job_next(job, jobs->searched, work, clock_now());

	if (any)
		jobs->out = job->number;
	return any;
}

bool jobs_next(struct jobs *jobs, struct work *work)
{
	pthread_mutex_lock(&jobs->lock);
	bool any = take_next(jobs, work);
	if (!any)
		jobs->out = 0;
	jobs->starved = !any;
	pthread_mutex_unlock(&jobs->lock);
	return any;
}

enum jobs_offer jobs_offer(struct jobs *jobs, struct work *work)
{
	enum jobs_offer offer = JOBS_WORK;

	pthread_mutex_lock(&jobs->lock);
	if (!take_next(jobs, work)) {
		offer = jobs->out > 0 && !is_wanted(jobs) ? JOBS_DEAD : JOBS_WAIT;
		if (offer == JOBS_DEAD)
			jobs->out = 0;
	}
	jobs->starved = offer != JOBS_WORK && jobs->out == 0;
	pthread_mutex_unlock(&jobs->lock);
	return offer;
}

bool jobs_starved(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	bool starved = jobs->starved;
	pthread_mutex_unlock(&jobs->lock);
	return starved;
}

const struct job *jobs_find(const struct jobs *jobs, uint32_t number)
{
	const struct job *job = jobs->table[(number ? number : jobs->latest) % JOBS_KEPT];

	return job && job->live && (number == 0 || job->number == number) ? job : NULL;
}
