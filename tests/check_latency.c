/*
 * How long a new job takes from the pool's line to the last thread that searches it,
 * at the default settings: as many threads as CPUs, the backend that would be chosen.
 * Printed are the distributions of that time, and of the CPU time that the slowest
 * thread used meanwhile, which other programs hardly stretch.
 *
 * The bound holds for a machine that does nothing else, so for the first it is asserted
 * only if the threads got the CPU time they could use, for the second only of the median.
 */
#include "tests/pool_rig.h"

#include <math.h>
#include <pthread.h>

#include "algo/registry.h"
#include "simd/backend.h"
#include "simd/scan.h"
#include "work/crew.h"

#define JOBS		400
#define GAP_MIN_NS	5000000L	/* between two jobs: that and up to so much more */
#define GAP_MORE_NS	5000000L
#define BOUND_MS	5.0
#define QUIET		0.97		/* of the CPU time that there was */

/* A backend's functions have no context of their own. */
static struct arrival {
	alignas(CACHE_LINE) _Atomic uint32_t job;
	double time, cpu;		/* clock_now() and the thread's own when it came; read once it has */
} arrivals[CPUS_MAX];

static int64_t note_and_scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	struct arrival *mine = &arrivals[w->index];

	if (mine->job != work->job) {
		mine->time = clock_now();
		mine->cpu = clock_thread_cpu();
		mine->job = work->job;
	}
	return lanes_scan(w, work, first, end);
}

static void ignore(void *ctx, const struct share *share)
{
	(void)ctx, (void)share;
}

/* CPU seconds a thread has used. */
static double cpu_of(const struct worker *w)
{
	struct timespec used;
	clockid_t id;

	assert_int_equal(pthread_getcpuclockid(w->thread, &id), 0);
	clock_gettime(id, &used);
	return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Send a job and wait for every thread to be at it: the milliseconds until the last is, and the most CPU one used. */
static void send_job(struct rig *rig, const struct crew *crew, const char *notify, uint32_t job, double *ms, double *cpu_ms)
{
	double cpu[CPUS_MAX], sent = clock_now();

	for (unsigned i = 0; i < crew->count; i++)
		cpu[i] = cpu_of(&crew->workers[i]);
	fake_send(rig->fake, notify);
	for (unsigned i = 0; i < crew->count; i++) {
		WAIT_UNTIL(arrivals[i].job == job);
		*ms = fmax(*ms, 1000 * (arrivals[i].time - sent));
		*cpu_ms = fmax(*cpu_ms, 1000 * (arrivals[i].cpu - cpu[i]));
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_distribution(const char *what, double ms[JOBS])
{
	qsort(ms, JOBS, sizeof *ms, by_size);
	printf("  %s: p50 %.3f, p90 %.3f, p99 %.3f, max %.3f ms\n", what, ms[JOBS / 2], ms[JOBS * 9 / 10], ms[JOBS * 99 / 100],
	       ms[JOBS - 1]);
}

static void measure(struct rig *rig, const char *algo)
{
	struct cpu_list cpus;
	struct crew crew;
	double ms[JOBS] = { 0 }, cpu_ms[JOBS] = { 0 };

	assert_int_equal(cpus_allowed(&cpus), 0);
	rig->config.algo = algo_find(algo);
	const struct backend *chosen = backend_choose(rig->config.algo, NULL, &(struct backend_fault){ .backend = NULL });
	assert_non_null(chosen);
	struct backend noting = *chosen;
	noting.scan = note_and_scan;
	memset(arrivals, 0, sizeof arrivals);

	start(rig);
	assert_int_equal(crew_start(&crew, &(struct crew_config){
		.algo = rig->config.algo, .backend = &noting, .threads = cpus.count, .cpus = &cpus, .pin = true,
		.board = &rig->board, .found = ignore }), 0);
	assert_true(fake_wait_logins(rig->fake, 1));

	/* a notify whose id is rewritten: the fake itself remembers only so many */
	char *notify = fake_notify_text(rig->fake, &(struct fake_job){ .id = "0000" });
	char *id = strstr(notify, "0000");
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[1000000000]}\n");

	double began = clock_now(), used = 0;
	for (uint32_t job = 1; job <= JOBS; job++) {
		for (uint32_t digit = 0, left = job; digit < 4; digit++, left /= 10)
			id[digit] = (char)('0' + left % 10);
		send_job(rig, &crew, notify, job, &ms[job - 1], &cpu_ms[job - 1]);
		nanosleep(&(struct timespec){ .tv_nsec = GAP_MIN_NS + rand() % GAP_MORE_NS }, NULL);
	}
	for (unsigned i = 0; i < crew.count; i++)
		used += cpu_of(&crew.workers[i]);
	used /= (clock_now() - began) * crew.count;
	board_close(&rig->board);
	crew_join(&crew);
	crew_free(&crew);
	free(notify);

	printf("%s by %s, %d jobs to %u threads that got %.0f %% of the CPU time\n", algo, chosen->name, JOBS, cpus.count, 100 * used);
	print_distribution("until the last thread is at a job", ms);
	print_distribution("CPU time of the slowest until then", cpu_ms);
	if (RIG_SANITIZED)
		return;
	if (cpu_ms[JOBS / 2] > BOUND_MS || (used > QUIET && ms[JOBS * 99 / 100] > BOUND_MS))
		fail_with("it takes more than %.0f ms", BOUND_MS);
}

static void a_new_job_is_soon_searched_by_all_threads(void **state)
{
	measure(*state, "sha256d");
}

static void so_is_one_of_a_slow_algorithm(void **state)
{
	measure(*state, "lyra2rev2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_job_is_soon_searched_by_all_threads),
		TEST(so_is_one_of_a_slow_algorithm),
	};

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
