/* Which CPUs threads may run on, and where each thread goes. */
#ifndef CORE_CPUS_H
#define CORE_CPUS_H

#define CPUS_MAX 1024

struct cpu_list {
	unsigned count;
	int cpu[CPUS_MAX];
};

/* The CPUs this process may use. Returns 0, or -1 logged. */
int cpus_allowed(struct cpu_list *);

/* Leave only those that this process may use. */
void cpus_keep_allowed(struct cpu_list *);

/* Those of a hexadecimal mask, bit i for CPU i ("5": 0 and 2; "0x" may lead). -1, nothing logged, when it is none or empty. */
int cpus_from_mask(struct cpu_list *, const char *mask);

#endif
