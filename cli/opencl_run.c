/* See opencl_run.h. */
#include "cli/opencl_run.h"

#include <strings.h>

#include "algo/registry.h"

/* The CPU's part of a chain is that of the backend it would mine with. */
static struct opencl_set *make_set(const struct options *o, const struct algo *algo, const struct backend_fault *fault)
{
	const struct backend *cpu = backend_choose(algo, NULL, fault);

	return opencl_set_create(&o->opencl, algo, cpu ? backend_kernel(cpu, algo) : NULL);
}

int opencl_measure(const struct options *o, const struct algo *algo, const struct backend_fault *fault, double limit, json_t *results,
		   bool *interrupted)
{
	struct opencl_set *opencl = make_set(o, algo, fault);
	int result = opencl ? device_set_measure(&opencl->set, algo, limit, results, interrupted) : -1;

	opencl_set_free(opencl);
	return result;
}

int opencl_self_test(const struct options *o, const struct backend_fault *fault)
{
	int result = 0;

	for (const struct algo *const *a = algos; *a && o->opencl.count > 0; a++) {
		if ((o->algo && o->algo != *a) || (o->backend && !opencl_list_only(o->backend) && strcasecmp(o->backend, "all") != 0))
			continue;
		struct opencl_set *opencl = make_set(o, *a, fault);
		if (!opencl || device_set_self_test(&opencl->set, *a) < 0)
			result = -1;
		opencl_set_free(opencl);
	}
	return result;
}
