/*
 * Which CPUs are worth more. Two hardware threads of one core share what hashing needs most,
 * so a second thread brings less on a core that is taken than on a slow core of its own.
 */
#ifndef WORK_TOPOLOGY_H
#define WORK_TOPOLOGY_H

#include "work/cpus.h"

#define TOPOLOGY_SYS "/sys"	/* where sysfs is, unless in a test */

/*
 * Put the CPUs of a list into the order in which threads should take them, and number their tiers: one of each core
 * before the second of any, and among these the fast cores before the slow. Only the list's own CPUs count: of a core
 * of which it has one thread, that is the first. What the kernel does not tell, or not in its own form, is taken for
 * the plain case: a core of its own, as fast as any.
 *
 * Read under `sys` (Linux: Documentation/ABI/testing/sysfs-devices-system-cpu and .../stable/sysfs-devices-system-cpu):
 * devices/system/cpu/cpuN/topology/core_cpus_list, thread_siblings_list in older kernels; devices/cpu_core/cpus and
 * devices/cpu_atom/cpus, on hybrid x86 only; devices/system/cpu/cpuN/cpu_capacity, on ARM.
 */
void topology_rank(struct cpu_list *, const char *sys);

#endif
