/* CPU lists: from the process's own affinity and from a mask as users write it. */
#include "work/cpus.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

int cpus_allowed(struct cpu_list *list)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return log_errno("cannot tell which CPUs this process may use");
	*list = (struct cpu_list){ 0 };
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && list->count < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			list->cpu[list->count++] = (int)cpu;
	return 0;
}

void cpus_keep_allowed(struct cpu_list *list)
{
	unsigned kept = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return;
	for (unsigned i = 0; i < list->count; i++)
		if (CPU_ISSET((unsigned)list->cpu[i], &set))
			list->cpu[kept++] = list->cpu[i];
	list->count = kept;
}

const int *cpus_of_tier(const struct cpu_list *list, unsigned i, unsigned *count)
{
	unsigned first = i, end = i + 1;

	while (first > 0 && list->tier[first - 1] == list->tier[i])
		first--;
	while (end < list->count && list->tier[end] == list->tier[i])
		end++;
	*count = end - first;
	return list->cpu + first;
}

void cpus_text(char *text, size_t len, const int *cpus, unsigned count)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0, last; i < count && used < len; i = last + 1) {
		for (last = i; last + 1 < count && cpus[last + 1] == cpus[last] + 1; last++)
			;
		used += (size_t)snprintf(text + used, len - used, "%s%d", i ? "," : "", cpus[i]);
		if (last > i && used < len)
			used += (size_t)snprintf(text + used, len - used, "-%d", cpus[last]);
	}
}

int cpus_from_mask(struct cpu_list *list, const char *mask)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";

	if (mask[0] == '0' && (mask[1] == 'x' || mask[1] == 'X'))
		mask += 2;

	size_t len = strlen(mask);
	*list = (struct cpu_list){ 0 };
	if (len == 0 || len > CPUS_MAX / 4)
		return -1;
	for (size_t i = 0; i < len; i++) {
		const char *digit = strchr(digits, mask[len - 1 - i]);

		if (!digit)
			return -1;
		for (int bit = 0; bit < 4; bit++)
			if ((digit - digits) % 16 & 1 << bit)
				list->cpu[list->count++] = (int)i * 4 + bit;
	}
	return list->count > 0 ? 0 : -1;
}
