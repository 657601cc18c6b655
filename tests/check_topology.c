/* Which CPUs threads get, on machines of every shape: each a tree of files like sysfs's in a folder of its own. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "work/topology.h"

static char sys[64];	/* the tree of the test that runs */

static int setup(void **state)
{
	(void)state;
	snprintf(sys, sizeof sys, "/tmp/check_topology.XXXXXX");
	return mkdtemp(sys) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat, (void)type, (void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(sys, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A file below sys/devices, with its folders. */
static void write_bytes(const char *name, const void *bytes, size_t len)
{
	char path[256];

	snprintf(path, sizeof path, "%s/devices/%s", sys, name);
	for (char *slash = path + strlen(sys) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
	write_bytes(name, text, strlen(text));
}

static void write_cpu(int cpu, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof path, "system/cpu/cpu%d/%s", cpu, name);
	write_text(path, text);
}

static void siblings(int cpu, const char *text)
{
	write_cpu(cpu, "topology/core_cpus_list", text);
}

/* The list of some CPUs ranked, as "0,2 1,3": its CPUs, and a gap where a tier ends. */
static const char *ranked(const int *cpus, unsigned count)
{
	static char text[8 * CPUS_MAX];
	struct cpu_list list = { .count = count };
	size_t used = 0;

	memcpy(list.cpu, cpus, count * sizeof *cpus);
	topology_rank(&list, sys);
	assert_int_equal(list.count, count);
	text[0] = '\0';
	for (unsigned i = 0; i < count; i++) {
		assert_true(i == 0 ? list.tier[i] == 0 : list.tier[i] - list.tier[i - 1] <= 1);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%d",
					 i == 0 ? "" : list.tier[i] == list.tier[i - 1] ? "," : " ", list.cpu[i]);
	}
	return text;
}

#define RANKED(...) ranked((const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

static void plain_cores_are_one_tier(void **state)
{
	(void)state;
	siblings(0, "0\n");
	siblings(1, "1\n");
	assert_string_equal(RANKED(0, 1), "0,1");
}

/* Four cores, CPU i + 4 the second thread of CPU i's, as on most desktops. */
static void four_cores_of_two_threads(void)
{
	static const char *const lists[] = { "0,4\n", "1,5\n", "2,6\n", "3,7\n" };

	for (int cpu = 0; cpu < 8; cpu++)
		siblings(cpu, lists[cpu % 4]);
}

static void one_thread_of_each_core_comes_before_the_second_of_any(void **state)
{
	(void)state;
	four_cores_of_two_threads();
	assert_string_equal(RANKED(0, 1, 2, 3, 4, 5, 6, 7), "0,1,2,3 4,5,6,7");
}

static void neighbours_may_be_siblings(void **state)
{
	(void)state;
	siblings(0, "0-1\n");
	siblings(1, "0-1\n");
	siblings(2, "2-3\n");
	siblings(3, "2-3\n");
	assert_string_equal(RANKED(0, 1, 2, 3), "0,2 1,3");
}

static void the_older_name_of_the_siblings_file_serves(void **state)
{
	(void)state;
	for (int cpu = 0; cpu < 4; cpu++)
		write_cpu(cpu, "topology/thread_siblings_list", cpu < 2 ? "0-1\n" : "2-3\n");
	assert_string_equal(RANKED(0, 1, 2, 3), "0,2 1,3");
}

/* Two fast cores of two threads, four slow ones of one. */
static void hybrid(void)
{
	for (int cpu = 0; cpu < 8; cpu++) {
		static const char *const lists[] = { "0-1\n", "0-1\n", "2-3\n", "2-3\n", "4\n", "5\n", "6\n", "7\n" };

		siblings(cpu, lists[cpu]);
	}
	write_text("cpu_core/cpus", "0-3\n");
	write_text("cpu_atom/cpus", "4-7\n");
}

static void fast_cores_come_first_and_second_threads_last(void **state)
{
	(void)state;
	hybrid();
	assert_string_equal(RANKED(0, 1, 2, 3, 4, 5, 6, 7), "0,2 4,5,6,7 1,3");
}

/* Where both are told, the kind of core decides: capacities of equal cores may differ a little. */
static void the_kind_of_core_weighs_more_than_its_capacity(void **state)
{
	(void)state;
	hybrid();
	write_cpu(2, "cpu_capacity", "1009\n");
	write_cpu(4, "cpu_capacity", "1024\n");
	assert_string_equal(RANKED(0, 1, 2, 3, 4, 5, 6, 7), "0,2 4,5,6,7 1,3");
}

static void capacities_tell_fast_from_slow_on_arm(void **state)
{
	static const char *const capacities[] = { "446\n", "446\n", "871\n", "1024\n" };

	(void)state;
	for (int cpu = 0; cpu < 4; cpu++)
		write_cpu(cpu, "cpu_capacity", capacities[cpu]);
	assert_string_equal(RANKED(0, 1, 2, 3), "3 2 0,1");
}

/* As under taskset: a core's one thread that is ours is its first. */
static void only_the_lists_own_cpus_count(void **state)
{
	(void)state;
	four_cores_of_two_threads();
	assert_string_equal(RANKED(4, 5, 6, 7), "4,5,6,7");
	assert_string_equal(RANKED(3, 4, 7), "3,4 7");
	assert_string_equal(RANKED(0, 4), "0 4");
	assert_string_equal(RANKED(6), "6");
	hybrid();
	assert_string_equal(RANKED(1, 3, 6, 7), "1,3 6,7");
}

/* The files of a CPU that is off are not there, and the other lists leave it out. */
static void cpus_that_are_off_leave_gaps(void **state)
{
	(void)state;
	siblings(1, "1,5\n");
	siblings(4, "4\n");
	siblings(5, "1,5\n");
	siblings(7, "7\n");
	assert_string_equal(RANKED(1, 4, 5, 7), "1,4,7 5");
}

static void nothing_told_is_one_tier(void **state)
{
	(void)state;
	assert_string_equal(RANKED(0, 1, 2, 3), "0,1,2,3");
	assert_string_equal(RANKED(5, 3, 1023), "5,3,1023");
}

static void no_cpus_are_no_trouble(void **state)
{
	struct cpu_list list = { .count = 0 };

	(void)state;
	topology_rank(&list, sys);
	assert_int_equal(list.count, 0);
}

/* What is no set in the kernel's form. */
static const char *const odd_sets[] = {
	"", "\n", "1", "x\n", "0-\n", "-1\n", "0,\n", ",0\n", "0-1,\n", "0--1\n", "1-0\n", "0-1x\n", " 0-1\n", "0-1 \n", "0-1\n\n",
	"0-99999999999999999999\n", "18446744073709551616\n", "0x1\n", "+0-1\n", "0-3:2/4\n", "\xff\xfe\n",
};
#define ODD_SETS (sizeof odd_sets / sizeof *odd_sets)

static void odd_siblings_are_taken_for_none(void **state)
{
	(void)state;
	siblings(2, "2-3\n");
	siblings(3, "2-3\n");
	for (size_t i = 0; i < ODD_SETS; i++) {
		siblings(0, odd_sets[i]);
		siblings(1, "0-1\n");		/* it is enough that one tells */
		assert_string_equal(RANKED(0, 1, 2, 3), "0,2 1,3");
		siblings(1, odd_sets[i]);
		assert_string_equal(RANKED(0, 1, 2, 3), "0,1,2 3");
	}
	siblings(0, "2-3\n");			/* a set, but it cannot be this CPU's */
	assert_string_equal(RANKED(0, 1, 2, 3), "0,1,2 3");
}

/* And then capacities count. */
static void a_machine_is_hybrid_when_both_kinds_of_core_are_told(void **state)
{
	(void)state;
	write_cpu(0, "cpu_capacity", "512\n");
	write_text("cpu_core/cpus", "0-1\n");
	assert_string_equal(RANKED(0, 1), "1 0");
	for (size_t i = 0; i < ODD_SETS; i++) {
		write_text("cpu_atom/cpus", odd_sets[i]);
		assert_string_equal(RANKED(0, 1), "1 0");
	}
	write_text("cpu_atom/cpus", "1\n");
	assert_string_equal(RANKED(0, 1), "0 1");
	write_text("cpu_core/cpus", "\n");
	assert_string_equal(RANKED(0, 1), "1 0");
}

static void odd_capacities_are_taken_for_full_ones(void **state)
{
	static const char *const odd[] = {
		"", "\n", "0\n", "-5\n", "1025\n", "512", "512 \n", "51x\n", "99999999999999999999\n", "0x200\n", " 512\n", "5.12\n",
	};

	(void)state;
	write_cpu(0, "cpu_capacity", "512\n");
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		write_cpu(1, "cpu_capacity", odd[i]);
		assert_string_equal(RANKED(0, 1, 2), "1,2 0");
	}
}

static void files_that_are_too_long_or_no_text_are_taken_for_none(void **state)
{
	char text[5000];

	(void)state;
	siblings(1, "1\n");
	memset(text, '0', sizeof text);
	memcpy(text + sizeof text - 5, ",0-1\n", 5);
	write_bytes("system/cpu/cpu0/topology/core_cpus_list", text, sizeof text);
	assert_string_equal(RANKED(0, 1), "0,1");
	write_bytes("system/cpu/cpu1/topology/core_cpus_list", "0-1\n\0", 5);
	assert_string_equal(RANKED(0, 1), "0,1");
	write_cpu(0, "cpu_capacity/is_a_folder", "512\n");
	assert_string_equal(RANKED(0, 1), "0,1");
}

/* A line of what such files are made of, and of what they are not. */
static const char *garbage(uint32_t *seed)
{
	static const char letters[] = "0123456789--,,,\n\n x\xff";
	static char text[24];
	size_t len = (*seed = *seed * 1664525 + 1013904223) >> 16 & 15;

	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 1664525 + 1013904223;
		text[i] = letters[(*seed >> 16) % (sizeof letters - 1)];
	}
	strcpy(text + len, *seed & 0x10000 ? "\n" : "");
	return text;
}

/* Whatever the files say, what comes out is what went in, in some order. */
static void garbage_loses_no_cpu(void **state)
{
	static const int cpus[] = { 0, 1, 2, 3, 62, 1023 };
	const size_t count = sizeof cpus / sizeof *cpus;
	uint32_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct cpu_list list = { .count = (unsigned)count };
		unsigned seen = 0;

		memcpy(list.cpu, cpus, sizeof cpus);
		for (size_t i = 0; i < count; i++) {
			siblings(cpus[i], garbage(&seed));
			write_cpu(cpus[i], "cpu_capacity", garbage(&seed));
		}
		write_text("cpu_core/cpus", garbage(&seed));
		write_text("cpu_atom/cpus", garbage(&seed));
		topology_rank(&list, sys);
		assert_int_equal(list.count, count);
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < count; j++)
				seen |= (unsigned)(list.cpu[i] == cpus[j]) << j;
		assert_int_equal(seen, (1u << count) - 1);
	}
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_TREE(plain_cores_are_one_tier),
		IN_A_TREE(one_thread_of_each_core_comes_before_the_second_of_any),
		IN_A_TREE(neighbours_may_be_siblings),
		IN_A_TREE(the_older_name_of_the_siblings_file_serves),
		IN_A_TREE(fast_cores_come_first_and_second_threads_last),
		IN_A_TREE(the_kind_of_core_weighs_more_than_its_capacity),
		IN_A_TREE(capacities_tell_fast_from_slow_on_arm),
		IN_A_TREE(only_the_lists_own_cpus_count),
		IN_A_TREE(cpus_that_are_off_leave_gaps),
		IN_A_TREE(nothing_told_is_one_tier),
		IN_A_TREE(no_cpus_are_no_trouble),
		IN_A_TREE(odd_siblings_are_taken_for_none),
		IN_A_TREE(a_machine_is_hybrid_when_both_kinds_of_core_are_told),
		IN_A_TREE(odd_capacities_are_taken_for_full_ones),
		IN_A_TREE(files_that_are_too_long_or_no_text_are_taken_for_none),
		IN_A_TREE(garbage_loses_no_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
