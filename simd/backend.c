/* The table of CPU backends and the rule by which one is chosen. */
#include "simd/backend.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "simd/selftest.h"

const struct backend *const backends[] = {
#define BACKEND(name) &backend_##name,
#include "simd/list.h"
#undef BACKEND
	NULL
};

const struct backend *backend_find(const char *name)
{
	for (const struct backend *const *b = backends; *b; b++)
		if (strcasecmp((*b)->name, name) == 0)
			return *b;
	return NULL;
}

const struct kernel *backend_kernel(const struct backend *backend, const struct algo *algo)
{
	const struct kernel *any = NULL;

	for (const struct kernel *k = backend->kernels; k && k->algo; k++) {
		if (strcmp(k->algo, algo->name) == 0 && k->versions == 0)
			return k;
		if (strcmp(k->algo, "*") == 0)
			any = k;
	}
	return any;
}

const struct kernel *backend_versions_kernel(const struct backend *backend, const struct algo *algo)
{
	for (const struct kernel *k = backend->kernels; k && k->algo; k++)
		if (strcmp(k->algo, algo->name) == 0 && k->versions > 0)
			return k;
	return NULL;
}

void backend_kernel_name(char name[BACKEND_KERNEL_NAME], const struct backend *backend, const struct kernel *kernel)
{
	if (kernel->versions > 0)
		snprintf(name, BACKEND_KERNEL_NAME, "%s, %u versions", backend->name, kernel->versions);
	else
		snprintf(name, BACKEND_KERNEL_NAME, "%s", backend->name);
}

uint32_t backend_fault_mask(const struct backend_fault *fault, const struct backend *backend, bool in_selftest)
{
	if (!fault->backend || strcasecmp(fault->backend, backend->name) != 0)
		return 0;
	return in_selftest && fault->spare_selftest ? 0 : 1;
}

int backend_self_test(const struct algo *algo, const struct backend *backend, const struct backend_fault *fault,
		      char why[BACKEND_WHY])
{
	const struct kernel *kernels[] = { backend_kernel(backend, algo), backend_versions_kernel(backend, algo) };

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		char name[BACKEND_KERNEL_NAME], reason[SELFTEST_WHY];

		if (!kernels[i] || selftest_kernel(algo, kernels[i], SELFTEST_QUICK,
						   backend_fault_mask(fault, backend, true), reason) == 0)
			continue;
		backend_kernel_name(name, backend, kernels[i]);
		snprintf(why, BACKEND_WHY, "backend %s: self-test failed on %s: %s", name, algo->name, reason);
		return -1;
	}
	return 0;
}

static bool passes(const struct algo *algo, const struct backend *backend, const struct backend_fault *fault)
{
	char why[BACKEND_WHY];

	if (backend_self_test(algo, backend, fault, why) == 0)
		return true;
	log_error("%s", why);
	return false;
}

int backend_may_be_named(const char *name, const struct algo *algo)
{
	const struct backend *backend = backend_find(name);

	if (!backend)
		return log_error("backend %s: there is none of that name in this build", name);
	if (!backend->supported())
		return log_error("backend %s: this CPU does not support it", backend->name);
	if (algo && !backend_kernel(backend, algo))
		return log_error("backend %s: has no kernel for %s", backend->name, algo->name);
	return 0;
}

const struct backend *backend_choose(const struct algo *algo, const char *forced, const struct backend_fault *fault)
{
	if (forced) {
		const struct backend *backend = backend_may_be_named(forced, algo) == 0 ? backend_find(forced) : NULL;

		return backend && passes(algo, backend, fault) ? backend : NULL;
	}
	for (const struct backend *const *b = backends; *b; b++)
		if ((*b)->supported() && backend_kernel(*b, algo) && passes(algo, *b, fault))
			return *b;
	log_error("%s: no backend passes its self-test", algo->name);
	return NULL;
}

void backend_describe_choice(char *text, size_t len, const struct algo *algo, const struct backend *chosen,
			     const struct backend_fault *fault)
{
	const struct kernel *kernel = backend_kernel(chosen, algo), *versions = backend_versions_kernel(chosen, algo);
	const char *separator = "; also ";
	size_t used = (size_t)snprintf(text, len, "%s: %s (%u lane%s)", algo->name, chosen->name, kernel->lanes,
				       kernel->lanes > 1 ? "s" : "");

	if (versions && used < len) {
		char name[BACKEND_KERNEL_NAME];

		backend_kernel_name(name, chosen, versions);
		used += (size_t)snprintf(text + used, len - used, ", with version bits %s", name);
	}
	for (const struct backend *const *b = backends; *b; b++) {
		char why[BACKEND_WHY];

		if (*b == chosen || !(*b)->supported() || !backend_kernel(*b, algo) || used >= len ||
		    backend_self_test(algo, *b, fault, why) < 0)
			continue;
		used += (size_t)snprintf(text + used, len - used, "%s%s", separator, (*b)->name);
		separator = ", ";
	}
}
