/*
 * Where a crew's threads run, and how: what the kernel says of each, asked by the thread
 * itself once its backend opens.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "work/crew.h"

#define THREADS_MAX 8

/* What others write must not share a line with what a thread reads in its loop, nor with its own counters. */
#define LINE_OF(field) (offsetof(struct worker, field) / CACHE_LINE)
_Static_assert(offsetof(struct worker, hashes) % CACHE_LINE == 0, "a worker's counters begin a cache line");
_Static_assert(LINE_OF(state) < LINE_OF(hashes), "and share it with nothing that is only read");
_Static_assert(LINE_OF(ghz) < LINE_OF(pad), "and the next worker begins a line after them");
_Static_assert(sizeof(struct worker) % CACHE_LINE == 0, "and so in every worker of an array");
_Static_assert(offsetof(struct board, generation) / CACHE_LINE != offsetof(struct board, lock) / CACHE_LINE,
	       "the loop's look at the generation does not wait for the lock's line");

/* What each thread found; a backend's functions have no context of their own. */
static struct {
	cpu_set_t cpus;
	int nice;
} seen[THREADS_MAX];

static bool yes(void)
{
	return true;
}

static int look(struct worker *w)
{
	sched_getaffinity(0, sizeof seen[w->index].cpus, &seen[w->index].cpus);
	seen[w->index].nice = getpriority(PRIO_PROCESS, 0);	/* on Linux, of the calling thread */
	return 0;
}

static int64_t no_scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	(void)w, (void)work, (void)first, (void)end;
	return -1;
}

static void no_close(struct worker *w)
{
	(void)w;
}

static const struct backend looking = { .name = "looking", .supported = yes, .open = look, .scan = no_scan, .close = no_close };

static void found_nothing(void *ctx, const struct share *share)
{
	(void)ctx, (void)share;
}

/* Run a crew until each thread has looked; `places` gets crew_places()'s text. */
static void run_crew(const struct cpu_list *cpus, unsigned threads, bool pin, int priority, char places[64])
{
	struct board board;
	struct crew crew;
	const struct crew_config config = {
		.algo = algos[0], .backend = &looking, .threads = threads, .cpus = cpus, .pin = pin, .priority = priority,
		.board = &board, .found = found_nothing,
	};

	memset(seen, 0, sizeof seen);
	board_init(&board, NULL, NULL);
	assert_int_equal(crew_start(&crew, &config), 0);
	board_close(&board);
	crew_join(&crew);
	crew_places(places, 64, &crew);
	crew_free(&crew);
	board_destroy(&board);
}

static void assert_on(unsigned thread, const int *cpus, unsigned count)
{
	assert_int_equal(CPU_COUNT(&seen[thread].cpus), count);
	for (unsigned i = 0; i < count; i++)
		assert_true(CPU_ISSET((unsigned)cpus[i], &seen[thread].cpus));
}

static void each_pinned_thread_is_on_its_own_cpu(void **state)
{
	struct cpu_list cpus;
	char places[64];

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	if (cpus.count > THREADS_MAX)
		cpus.count = THREADS_MAX;
	run_crew(&cpus, cpus.count, true, 0, places);
	for (unsigned i = 0; i < cpus.count; i++)
		assert_on(i, &cpus.cpu[i], 1);
	if (cpus.count == 2 && cpus.cpu[1] == 1)
		assert_string_equal(places, " on CPUs 0-1");
}

static void more_pinned_threads_than_cpus_go_round(void **state)
{
	struct cpu_list cpus;
	char places[64];

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	if (cpus.count > 2)
		cpus.count = 2;
	run_crew(&cpus, 5, true, 0, places);
	for (unsigned i = 0; i < 5; i++)
		assert_on(i, &cpus.cpu[i % cpus.count], 1);
}

static void pinned_threads_take_the_cpus_in_the_lists_order(void **state)
{
	struct cpu_list cpus;
	char places[64];

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	if (cpus.count < 2)
		skip();		/* on a single CPU every placement is the same */
	cpus.cpu[0] = cpus.cpu[cpus.count - 1];
	run_crew(&cpus, 1, true, 0, places);
	assert_on(0, &cpus.cpu[cpus.count - 1], 1);
}

static void threads_are_left_to_the_kernel_where_cpus_are_alike(void **state)
{
	struct cpu_list cpus;
	char places[64];

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
		run_crew(&cpus, threads, false, 0, places);
		for (unsigned i = 0; i < threads; i++)
			assert_on(i, cpus.cpu, cpus.count);
		assert_string_equal(places, "");
	}
}

/* The list's second half as a tier of its own. */
static void fewer_threads_than_cpus_keep_to_their_tier(void **state)
{
	struct cpu_list cpus;
	char places[64];

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	if (cpus.count < 2)
		skip();		/* on a single CPU every placement is the same */
	const unsigned half = cpus.count / 2;
	for (unsigned i = half; i < cpus.count; i++)
		cpus.tier[i] = 1;
	for (unsigned threads = 1; threads < cpus.count && threads <= THREADS_MAX; threads++) {
		run_crew(&cpus, threads, false, 0, places);
		for (unsigned i = 0; i < threads; i++)
			assert_on(i, i < half ? cpus.cpu : cpus.cpu + half, i < half ? half : cpus.count - half);
	}
	run_crew(&cpus, cpus.count < THREADS_MAX ? cpus.count : THREADS_MAX, false, 0, places);
	if (cpus.count <= THREADS_MAX)
		assert_on(0, cpus.cpu, cpus.count);
}

/* Three tiers of one CPU, the first and the last the same one, so that two CPUs are enough for this. */
static void each_thread_keeps_to_a_tier_of_its_own(void **state)
{
	struct cpu_list cpus;
	char places[64], expected[64];

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	if (cpus.count < 2)
		skip();		/* on a single CPU every placement is the same */
	cpus = (struct cpu_list){ 3, { cpus.cpu[1], cpus.cpu[0], cpus.cpu[1] }, { 0, 1, 2 } };
	run_crew(&cpus, 2, false, 0, places);
	assert_on(0, &cpus.cpu[0], 1);
	assert_on(1, &cpus.cpu[1], 1);
	snprintf(expected, sizeof expected, " on CPUs %d,%d", cpus.cpu[0], cpus.cpu[1]);
	assert_string_equal(places, expected);
}

static void every_thread_has_the_priority_asked_for(void **state)
{
	const int before = getpriority(PRIO_PROCESS, 0);
	struct cpu_list cpus;
	char places[64];

	(void)state;
	if (before > 15)
		skip();		/* it could not be told from what is asked for, and lower is not to be had */
	assert_int_equal(cpus_allowed(&cpus), 0);
	run_crew(&cpus, 3, false, before + 3, places);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(seen[i].nice, before + 3);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
	run_crew(&cpus, 1, false, 0, places);
	assert_int_equal(seen[0].nice, before);
}

/* Four cores of two threads and a crew that is only described. */
static void places_are_told_by_tier(void **state)
{
	static const int cpus[] = { 0, 2, 4, 6, 1, 3, 5, 7 };
	struct worker workers[5];
	struct crew crew = { .workers = workers, .count = 5 };
	char text[64];

	(void)state;
	memset(workers, 0, sizeof workers);
	for (unsigned i = 0; i < 5; i++) {
		workers[i].cpu = -1;
		workers[i].cpus = i < 4 ? cpus : cpus + 4;
		workers[i].cpu_count = 4;
	}
	crew_places(text, sizeof text, &crew);
	assert_string_equal(text, ": 4 on CPUs 0,2,4,6, 1 on CPUs 1,3,5,7");
	for (unsigned len = 1; len < 40; len++) {
		char narrow[64];

		memset(narrow, 'x', sizeof narrow);
		crew_places(narrow, len, &crew);
		assert_true(strlen(narrow) < len);
		assert_int_equal(narrow[len], 'x');
		assert_int_equal(strncmp(narrow, text, strlen(narrow)), 0);
	}
	workers[0].cpu_count = 0;
	crew_places(text, sizeof text, &crew);
	assert_string_equal(text, "");
}

static void a_list_of_cpus_is_told_in_its_order(void **state)
{
	static const int cpus[] = { 0, 1, 2, 3, 8, 7, 6, 10, 11 };
	char text[CPUS_TEXT];

	(void)state;
	cpus_text(text, sizeof text, cpus, 9);
	assert_string_equal(text, "0-3,8,7,6,10-11");
	cpus_text(text, sizeof text, cpus, 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pinned_thread_is_on_its_own_cpu),
		cmocka_unit_test(more_pinned_threads_than_cpus_go_round),
		cmocka_unit_test(pinned_threads_take_the_cpus_in_the_lists_order),
		cmocka_unit_test(threads_are_left_to_the_kernel_where_cpus_are_alike),
		cmocka_unit_test(fewer_threads_than_cpus_keep_to_their_tier),
		cmocka_unit_test(each_thread_keeps_to_a_tier_of_its_own),
		cmocka_unit_test(every_thread_has_the_priority_asked_for),
		cmocka_unit_test(places_are_told_by_tier),
		cmocka_unit_test(a_list_of_cpus_is_told_in_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
