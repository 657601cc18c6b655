/*
 * Nonce search over vector lanes. This is the only loop that walks nonces:
 * kernels see one batch at a time and never touch targets wider than 32 bits.
 *
 * A work may be searched under several block versions. They are taken in groups: as many as
 * the backend's kernel with versions for lanes has, and one by one, with nonces for lanes,
 * where there is no such kernel or fewer are left. Each group walks all the nonces.
 */
#include "simd/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/log.h"
#include "simd/backend.h"

void *lanes_job_alloc(const struct kernel *kernel, const struct algo *algo)
{
	size_t len = (kernel->job_len + algo->scratch_len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	void *job = aligned_alloc(CACHE_LINE, len);

	if (!job) {
		log_errno("%s: %zu bytes for a kernel", algo->name, len);
		return NULL;
	}
	return memset(job, 0, len);
}

/* A kernel and its memory; kernel NULL: there is none. */
struct form {
	const struct kernel *kernel;
	void *job;
};

/* The state of a worker whose backend is lanes. */
struct lanes {
	struct form nonces, versions;	/* by what their lanes are; the second is optional */
};

static int form_open(struct form *form, const struct kernel *kernel, const struct algo *algo)
{
	form->kernel = kernel;
	form->job = kernel ? lanes_job_alloc(kernel, algo) : NULL;
	return kernel && !form->job ? -1 : 0;
}

int lanes_open(struct worker *w)
{
	const struct kernel *kernel = backend_kernel(w->backend, w->algo);
	struct lanes *lanes;

	if (!kernel)
		return log_error("backend %s: has no kernel for %s", w->backend->name, w->algo->name);
	lanes = calloc(1, sizeof *lanes);
	if (!lanes)
		return log_errno("backend %s: a worker's state", w->backend->name);
	w->state = lanes;
	if (form_open(&lanes->nonces, kernel, w->algo) < 0 ||
	    form_open(&lanes->versions, backend_versions_kernel(w->backend, w->algo), w->algo) < 0) {
		lanes_close(w);
		return -1;
	}
	return 0;
}

void lanes_close(struct worker *w)
{
	struct lanes *lanes = w->state;

	free(lanes->nonces.job);
	free(lanes->versions.job);
	free(lanes);
	w->state = NULL;
}

/* The lanes of a batch at `nonce` that lie before `end`, where it takes `nonces` of them. */
static uint32_t lanes_before(uint64_t nonce, uint64_t end, unsigned nonces)
{
	uint64_t left = end - nonce;

	return left >= nonces ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

/* A kernel says that this lane of its batch at `nonce` is one. */
static void candidate(struct worker *w, const struct work *work, const struct kernel *kernel, uint32_t nonce,
		      unsigned lane)
{
	struct work found = *work;

	if (kernel->versions > 0)
		store_le32(found.header, work->versions[lane]);
	else
		nonce += lane;
	worker_candidate(w, &found, nonce);
}

uint64_t lanes_walk(struct worker *w, const struct kernel *kernel, void *job, const struct work *work, uint64_t first,
		    uint64_t end)
{
	const unsigned versions = kernel->versions > 0 ? kernel->versions : 1;	/* of a nonce in a batch */
	const unsigned nonces = kernel->lanes / versions;			/* of a batch */
	uint64_t nonce = first;

	kernel->prepare(job, w->algo, work);
	while (nonce < end && !board_is_stale(w->board, work)) {
		uint32_t mask = kernel->candidates(job, (uint32_t)nonce) ^ w->fault;

		if (mask)
			mask &= lanes_before(nonce, end, nonces);
		for (unsigned i = 0; mask; i++, mask >>= 1)
			if (mask & 1)
				candidate(w, work, kernel, (uint32_t)nonce, i);

		uint64_t step = end - nonce < nonces ? end - nonce : nonces;

		nonce += step;
		atomic_store_explicit(&w->hashes, atomic_load_explicit(&w->hashes, memory_order_relaxed) + step * versions,
				      memory_order_relaxed);
	}
	return (nonce - first) * versions;
}

static uint64_t walk(struct worker *w, const struct form *form, const struct work *work, uint64_t first, uint64_t end)
{
	return lanes_walk(w, form->kernel, form->job, work, first, end);
}

int64_t lanes_scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	const struct lanes *lanes = w->state;
	const unsigned at_once = lanes->versions.kernel ? lanes->versions.kernel->versions : VERSIONS_MAX + 1;
	struct work group = *work;
	uint64_t hashes = 0;

	if (work->version_count == 0)
		return (int64_t)walk(w, &lanes->nonces, work, first, end);
	for (unsigned done = 0; done < work->version_count; done += group.version_count) {
		const unsigned left = work->version_count - done;

		group.version_count = (uint8_t)(left >= at_once ? at_once : 1);
		memcpy(group.versions, work->versions + done, group.version_count * sizeof *group.versions);
		store_le32(group.header, group.versions[0]);
		hashes += walk(w, left >= at_once ? &lanes->versions : &lanes->nonces, &group, first, end);
	}
	return (int64_t)(hashes / work->version_count);
}
