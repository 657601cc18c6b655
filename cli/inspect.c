/* Self-test, list and single hashes: what a user asks before trusting a backend. */
#include "cli/inspect.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "algo/registry.h"
#include "algo/scratch.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "base/log.h"
#include "cli/card_inspect.h"
#include "cli/cell.h"
#include "cli/opencl_run.h"
#include "simd/scan.h"
#include "simd/selftest.h"

static bool wants(const struct options *o, const struct algo *algo, const struct backend *backend)
{
	bool any_backend = !o->backend || strcasecmp(o->backend, "all") == 0;

	return (!o->algo || o->algo == algo) && (any_backend || strcasecmp(o->backend, backend->name) == 0);
}

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* One line of one kernel. Returns -1 on a failure. */
static int self_test_kernel(const struct algo *algo, const struct backend *backend, const struct kernel *kernel,
			    const struct backend_fault *fault)
{
	char name[BACKEND_KERNEL_NAME], why[SELFTEST_WHY];

	backend_kernel_name(name, backend, kernel);
	if (selftest_kernel(algo, kernel, SELFTEST_FULL, backend_fault_mask(fault, backend, true), why) < 0) {
		printf("%s %s: FAILED: %s\n", algo->name, name, why);
		return -1;
	}
	printf("%s %s: ok (%u lane%s, %d headers)\n", algo->name, name, kernel->lanes, plural(kernel->lanes), SELFTEST_FULL);
	return 0;
}

/* A line for each kernel. Returns -1 on a failure. */
static int self_test_one(const struct algo *algo, const struct backend *backend, const struct backend_fault *fault)
{
	const struct kernel *kernel = backend_kernel(backend, algo), *versions = backend_versions_kernel(backend, algo);
	int result;

	if (!kernel) {
		printf("%s %s: no kernel\n", algo->name, backend->name);
		return 0;
	}
	if (!backend->supported()) {
		printf("%s %s: not supported by this CPU\n", algo->name, backend->name);
		return 0;
	}
	result = self_test_kernel(algo, backend, kernel, fault);
	if (versions && self_test_kernel(algo, backend, versions, fault) < 0)
		result = -1;
	return result;
}

/* Those that the options name. */
static int self_test_devices(const struct options *o, const struct backend_fault *fault)
{
	static int (*const kinds[])(const struct options *, const struct backend_fault *) = {
		card_self_test, opencl_self_test,
	};
	int result = 0;

	if (o->cards.count == 0 && o->opencl.count == 0)
		return 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (cell_signalled())	/* which is said already where one of them noticed it */
			return result < 0 ? -1 : log_error("--self-test: interrupted before all devices were tested");
		if (kinds[i](o, fault) < 0)
			result = -1;
	}
	return result;
}

int inspect_self_test(const struct options *o, const struct backend_fault *fault)
{
	int result = 0;

	for (const struct algo *const *a = algos; *a; a++) {
		for (const struct backend *const *b = backends; *b; b++) {
			if (!wants(o, *a, *b))
				continue;
			if (cell_signalled())
				return log_error("--self-test: interrupted before %s %s", (*a)->name, (*b)->name);
			if (self_test_one(*a, *b, fault) < 0)
				result = -1;
			fflush(stdout);
		}
	}
	return self_test_devices(o, fault) < 0 ? -1 : result;
}

static const char *state_of(const struct algo *algo, const struct backend *backend, const struct kernel *kernel,
			    const struct backend *chosen, const struct backend_fault *fault)
{
	char why[BACKEND_WHY];

	if (backend == chosen)
		return "chosen";
	if (!backend->supported())
		return "not supported by this CPU";
	if (!kernel)
		return "no kernel";
	return backend_self_test(algo, backend, fault, why) < 0 ? "fails its self-test" : "supported";
}

/* A row of the table, or of `rows` where those are wanted. `kernel` may be NULL. */
static void list_one(json_t *rows, const struct algo *algo, const struct backend *backend, const struct kernel *kernel,
		     const struct backend *chosen, const struct backend_fault *fault)
{
	char name[BACKEND_KERNEL_NAME];

	if (rows) {
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:i, s:b, s:b}", "algo", algo->name,
						      "backend", backend->name, "versions", kernel ? (int)kernel->versions : 0,
						      "lanes", kernel ? (int)kernel->lanes : 0, "supported",
						      kernel && backend->supported(), "chosen", backend == chosen));
		return;
	}
	snprintf(name, sizeof name, "%s", backend->name);
	if (kernel)
		backend_kernel_name(name, backend, kernel);
	printf("%-12s %-22s %5u  %s\n", algo->name, name, kernel ? kernel->lanes : 0,
	       state_of(algo, backend, kernel, chosen, fault));
}

int inspect_list(const struct options *o, const struct backend_fault *fault)
{
	json_t *rows = o->json ? json_array() : NULL;

	if (!rows)
		printf("%-12s %-22s %5s  %s\n", "algorithm", "backend", "lanes", "state");
	for (const struct algo *const *a = algos; *a; a++) {
		const struct backend *chosen = !o->algo || o->algo == *a ? backend_choose(*a, NULL, fault) : NULL;

		for (const struct backend *const *b = backends; *b; b++) {
			const struct kernel *versions = backend_versions_kernel(*b, *a);

			if (!wants(o, *a, *b))
				continue;
			list_one(rows, *a, *b, backend_kernel(*b, *a), chosen, fault);
			if (versions)
				list_one(rows, *a, *b, versions, chosen, fault);
		}
	}
	card_list_print(o, rows);
	if (rows) {
		json_dumpf(rows, stdout, JSON_INDENT(2));
		printf("\n");
	}
	json_decref(rows);
	return 0;
}

/* By the kernel: the header's own nonce in lane 0. */
static int hash_by_kernel(uint8_t digest[32], const struct algo *algo, const struct kernel *kernel, const struct work *work)
{
	uint8_t digests[LANES_MAX][32];
	void *job = lanes_job_alloc(kernel, algo);

	if (!job)
		return -1;
	kernel->prepare(job, algo, work);
	kernel->digests(job, load_le32(work->header + algo->nonce_off), digests);
	memcpy(digest, digests[0], 32);
	free(job);
	return 0;
}

static int hash_by_reference(uint8_t digest[32], const struct algo *algo, const struct work *work)
{
	void *scratch = algo_scratch(algo);

	if (!scratch)
		return -1;
	algo->hash(digest, work->header, scratch);
	free(scratch);
	return 0;
}

int inspect_hash(const struct options *o, const struct backend_fault *fault)
{
	struct work work = { 0 };
	uint8_t digest[32];
	char text[65];

	hex_decode(work.header, o->algo->header_len, o->hash_input);	/* options have seen that it is that long */
	if (o->backend) {
		const struct backend *backend = backend_choose(o->algo, o->backend, fault);

		if (!backend || hash_by_kernel(digest, o->algo, backend_kernel(backend, o->algo), &work) < 0)
			return -1;
	} else if (hash_by_reference(digest, o->algo, &work) < 0) {
		return -1;
	}
	hex_encode(text, digest, sizeof digest);
	printf("%s\n", text);
	return 0;
}
