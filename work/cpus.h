/* Which CPUs threads may run on, and where each thread goes. */
#ifndef WORK_CPUS_H
#define WORK_CPUS_H

#include <stddef.h>

#define CPUS_MAX 1024

/* CPUs in the order in which threads take them; by number until topology_rank() (work/topology.h) sees to it. */
struct cpu_list {
	unsigned count;
	int cpu[CPUS_MAX];
	unsigned tier[CPUS_MAX];	/* of each: never falls along the list; CPUs of a tier serve equally well */
};

/* The CPUs of the same tier as the i-th, itself among them: *count of the list's. */
const int *cpus_of_tier(const struct cpu_list *, unsigned i, unsigned *count);

/* "0-3,8": in their order. Cut short where there are more than it takes. */
#define CPUS_TEXT	128	/* bytes */
void cpus_text(char *text, size_t len, const int *cpus, unsigned count);

/* The CPUs this process may use, in one tier, as from cpus_from_mask() too. Returns 0, or -1 logged. */
int cpus_allowed(struct cpu_list *);

/* Leave only those that this process may use. */
void cpus_keep_allowed(struct cpu_list *);

/* Those of a hexadecimal mask, bit i for CPU i ("5": 0 and 2; "0x" may lead). -1, nothing logged, when it is none or empty. */
int cpus_from_mask(struct cpu_list *, const char *mask);

#endif
