/* The life of a worker thread, and the check that stands between a kernel and the pool. */
#include "work/worker.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "algo/scratch.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/target.h"

#define CHUNK_SECONDS	0.1	/* of hashing a claim should be worth */
#define MEASURED_SECONDS 0.02	/* the same with measure_clock: of this, a sample takes one hundredth */
#define FIRST_CHUNK	1024	/* nonces, before the rate is known */

bool worker_candidate(struct worker *w, const struct work *work, uint32_t nonce)
{
	struct share share = { .work = *work, .nonce = nonce };
	uint32_t value[8];

	store_le32(share.work.header + w->algo->nonce_off, nonce);
	w->algo->hash(share.digest, share.work.header, w->scratch);
	target_load(value, share.digest);
	if (value[7] > work->target[7]) {
		w->hw_errors++;
		log_debug("thread %u: %s is wrong about nonce %08x", w->index, w->backend->name, nonce);
		return false;
	}
	if (target_met(value, work->target)) {
		share.difficulty = target_difficulty(value) * w->algo->diff1;
		w->found(w->found_ctx, &share);
	}
	return true;
}

static void settle(const struct worker *w)
{
	if (w->cpu_count > 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		for (unsigned i = 0; i < w->cpu_count; i++)
			CPU_SET((unsigned)w->cpus[i], &set);
		int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
		if (error)
			log_warn("thread %u: cannot be bound to CPU %d%s: %s", w->index, w->cpus[0],
				 w->cpu_count > 1 ? " and its like" : "", strerror(error));
	}
	/* on Linux a nice value belongs to the thread that sets it */
	if (w->priority && setpriority(PRIO_PROCESS, 0, w->priority) < 0)
		log_warn("thread %u: cannot set priority %d: %s", w->index, w->priority, strerror(errno));
}

/* Search until the board closes. Returns 0 then, -1 when the backend fails. */
static int search(struct worker *w)
{
	const double chunk_seconds = w->measure_clock ? MEASURED_SECONDS : CHUNK_SECONDS;
	uint64_t want = FIRST_CHUNK, first, end;
	struct work work;

	while (board_claim(w->board, want, &work, &first, &end)) {
		double cpu = clock_thread_cpu(), start = clock_now();
		int64_t done = w->backend->scan(w, &work, first, end);

		if (done < 0)
			return -1;
		w->cpu_ns += (uint64_t)(1e9 * (clock_thread_cpu() - cpu));

		/* aim at chunk_seconds, growing at most fourfold a step: the first chunks say little */
		double seconds = clock_now() - start;
		double aim = seconds > 0 ? (double)done * chunk_seconds / seconds : 4.0 * (double)want;
		want = aim > 4.0 * (double)want ? 4 * want : (uint64_t)aim;
		if (want < FIRST_CHUNK)
			want = FIRST_CHUNK;
		if (w->measure_clock)
			clock_sample(&w->clock);
	}
	return 0;
}

static void *run(void *arg)
{
	struct worker *w = arg;

	settle(w);
	if (w->backend->open(w) < 0) {
		w->failed = true;
		return NULL;
	}
	if (search(w) < 0)
		w->failed = true;
	w->backend->close(w);
	w->ghz = clock_samples_ghz(&w->clock);
	return NULL;
}

int worker_start(struct worker *w)
{
	w->scratch = algo_scratch(w->algo);
	if (!w->scratch)
		return -1;
	int error = pthread_create(&w->thread, NULL, run, w);
	if (error) {
		free(w->scratch);
		w->scratch = NULL;
		return log_error("thread %u: cannot start: %s", w->index, strerror(error));
	}
	return 0;
}

void worker_join(struct worker *w)
{
	pthread_join(w->thread, NULL);
	free(w->scratch);
	w->scratch = NULL;
}
