/* The order of CPUs by what sysfs tells of their cores: see topology.h. */
#include "work/topology.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX	4096	/* bytes; sysfs gives a page at most */
#define NUMBER_MAX	1000000	/* of a CPU, far above any; guards the arithmetic */
#define CAPACITY_MAX	1024	/* of the fastest core (SCHED_CAPACITY_SCALE) */

/* A CPU and what its place in the order depends on. */
struct place {
	int cpu;
	unsigned core;		/* the lowest CPU of its core */
	unsigned sibling;	/* CPUs of its core before it in the list */
	unsigned speed;		/* more is faster */
	unsigned position;	/* in the list as it was */
};

/* A file's text, cut short after FILE_MAX bytes. -1 when it is not there or not text. */
static int read_text(char text[FILE_MAX + 1], const char *sys, const char *name)
{
	char path[FILE_MAX];

	if (snprintf(path, sizeof path, "%s/devices/%s", sys, name) >= (int)sizeof path)
		return -1;
	FILE *file = fopen(path, "re");
	if (!file)
		return -1;
	size_t len = fread(text, 1, FILE_MAX, file);
	bool good = !ferror(file) && !memchr(text, '\0', len);
	fclose(file);
	if (!good)
		return -1;
	text[len] = '\0';
	return 0;
}

static int read_cpu_text(char text[FILE_MAX + 1], const char *sys, int cpu, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "system/cpu/cpu%d/%s", cpu, name);
	return read_text(text, sys, path);
}

/* Digits alone; *text moves behind them. -1 when there are none or too many. */
static long take_number(const char **text)
{
	long number = 0;

	if (**text < '0' || **text > '9')
		return -1;
	for (; **text >= '0' && **text <= '9'; ++*text) {
		number = 10 * number + (**text - '0');
		if (number > NUMBER_MAX)
			return -1;
	}
	return number;
}

/* "0-3,8": the kernel's form of a set. Returns 0, or -1 when it is none or empty. */
static int parse_set(cpu_set_t *set, const char *text)
{
	CPU_ZERO(set);
	do {
		long first = take_number(&text), last = first;

		if (*text == '-') {
			text++;
			last = take_number(&text);
		}
		if (first < 0 || last < first)
			return -1;
		for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
			CPU_SET((unsigned)cpu, set);
	} while (*text++ == ',');
	return strcmp(text - 1, "\n") == 0 ? 0 : -1;
}

static int read_set(cpu_set_t *set, const char *sys, const char *name)
{
	char text[FILE_MAX + 1];

	return read_text(text, sys, name) < 0 ? -1 : parse_set(set, text);
}

static unsigned core_of(int cpu, const char *sys)
{
	char text[FILE_MAX + 1];
	cpu_set_t set;
	unsigned lowest = 0;

	if (read_cpu_text(text, sys, cpu, "topology/core_cpus_list") < 0 &&
	    read_cpu_text(text, sys, cpu, "topology/thread_siblings_list") < 0)
		return (unsigned)cpu;
	if (parse_set(&set, text) < 0 || !CPU_ISSET((unsigned)cpu, &set))
		return (unsigned)cpu;
	while (!CPU_ISSET(lowest, &set))
		lowest++;
	return lowest;
}

static unsigned capacity_of(int cpu, const char *sys)
{
	char text[FILE_MAX + 1];
	const char *rest = text;

	if (read_cpu_text(text, sys, cpu, "cpu_capacity") < 0)
		return CAPACITY_MAX;
	long capacity = take_number(&rest);
	return capacity > 0 && capacity <= CAPACITY_MAX && strcmp(rest, "\n") == 0 ? (unsigned)capacity : CAPACITY_MAX;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->sibling != y->sibling)
		return x->sibling < y->sibling ? -1 : 1;
	if (x->speed != y->speed)
		return x->speed > y->speed ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

void topology_rank(struct cpu_list *list, const char *sys)
{
	struct place places[CPUS_MAX];
	cpu_set_t fast, slow;
	const bool hybrid = read_set(&fast, sys, "cpu_core/cpus") == 0 && read_set(&slow, sys, "cpu_atom/cpus") == 0;

	for (unsigned i = 0; i < list->count; i++) {
		const int cpu = list->cpu[i];
		struct place *place = &places[i];

		*place = (struct place){ .cpu = cpu, .position = i, .core = core_of(cpu, sys) };
		place->speed = hybrid ? !CPU_ISSET((unsigned)cpu, &slow) : capacity_of(cpu, sys);
		for (unsigned before = 0; before < i; before++)
			place->sibling += places[before].core == place->core;
	}
	qsort(places, list->count, sizeof *places, compare_places);
	for (unsigned i = 0; i < list->count; i++) {
		list->cpu[i] = places[i].cpu;
		list->tier[i] = i == 0 ? 0 : list->tier[i - 1] + (places[i].sibling != places[i - 1].sibling ||
								  places[i].speed != places[i - 1].speed);
	}
}
