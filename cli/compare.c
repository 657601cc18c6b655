/*
 * --compare openssl: a kernel's cycles per hash beside those of a yardstick that anyone has, the same double hash
 * through OpenSSL's EVP. Both go through the same board, workers and nonce loop, in turn, so what differs is the hash.
 *
 * It is EVP at its best: digest and contexts are made once, and what 64 bytes of header come to is copied, not hashed
 * again with each nonce. That is all its interface allows; a miner can know more, and that is what is measured.
 */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/sort.h"
#include "cli/cell.h"
#include "cli/measure.h"
#include "simd/scan.h"

#define ROUNDS		7	/* of both in turn */
#define BLOCK		64	/* bytes, of SHA-256 */
#define HEADER_LEN	80

struct evp_job {
	EVP_MD_CTX *midstate;	/* of the header's first block */
	EVP_MD_CTX *pass;	/* scratch */
	const EVP_MD *sha256;
	uint8_t tail[HEADER_LEN - BLOCK];
	uint32_t top;		/* of the target */
};

/* From version 3 on an algorithm that is not fetched once is looked up at each use. */
static const EVP_MD *sha256_get(void)
{
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
	return EVP_MD_fetch(NULL, "SHA256", NULL);
#else
	return EVP_sha256();
#endif
}

static void sha256_release(const EVP_MD *sha256)
{
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
	EVP_MD_free((EVP_MD *)sha256);
#else
	(void)sha256;
#endif
}

static void evp_prepare(void *memory, const struct algo *algo, const struct work *work)
{
	struct evp_job *job = memory;

	(void)algo;
	EVP_DigestInit_ex(job->midstate, job->sha256, NULL);
	EVP_DigestUpdate(job->midstate, work->header, BLOCK);
	memcpy(job->tail, work->header + BLOCK, sizeof job->tail);
	job->top = work->target[7];
}

static void evp_digests(void *memory, uint32_t nonce, uint8_t (*out)[32])
{
	struct evp_job *job = memory;

	store_le32(job->tail + sizeof job->tail - 4, nonce);
	EVP_MD_CTX_copy_ex(job->pass, job->midstate);
	EVP_DigestUpdate(job->pass, job->tail, sizeof job->tail);
	EVP_DigestFinal_ex(job->pass, out[0], NULL);
	EVP_DigestInit_ex(job->pass, job->sha256, NULL);
	EVP_DigestUpdate(job->pass, out[0], 32);
	EVP_DigestFinal_ex(job->pass, out[0], NULL);
}

static uint32_t evp_candidates(void *memory, uint32_t nonce)
{
	const struct evp_job *job = memory;
	uint8_t digest[1][32];

	evp_digests(memory, nonce, digest);
	return load_le32(digest[0] + 28) <= job->top;
}

static const struct kernel evp_kernels[] = {
	{
		.algo = "sha256d", .lanes = 1, .job_len = sizeof(struct evp_job),
		.prepare = evp_prepare, .candidates = evp_candidates, .digests = evp_digests,
	},
	{ 0 }
};

static void evp_close(struct worker *w)
{
	struct evp_job *job = w->state;

	EVP_MD_CTX_free(job->pass);
	EVP_MD_CTX_free(job->midstate);
	sha256_release(job->sha256);
	free(job);
	w->state = NULL;
}

/* No yardstick that is wrong: the known answers first. */
static int evp_check(const struct worker *w)
{
	for (const struct kat *kat = w->algo->kats; kat->header; kat++) {
		struct work work = { 0 };
		uint8_t expected[32], digest[1][32];

		hex_decode(work.header, HEADER_LEN, kat->header);
		hex_decode(expected, sizeof expected, kat->digest);
		evp_prepare(w->state, w->algo, &work);
		evp_digests(w->state, load_le32(work.header + w->algo->nonce_off), digest);
		if (memcmp(digest[0], expected, sizeof expected) != 0)
			return log_error("openssl: it does not compute %s", w->algo->name);
	}
	return 0;
}

static int evp_open(struct worker *w)
{
	struct evp_job *job = lanes_job_alloc(evp_kernels, w->algo);

	if (!job)
		return -1;
	w->state = job;
	job->midstate = EVP_MD_CTX_new();
	job->pass = EVP_MD_CTX_new();
	job->sha256 = sha256_get();
	if (!job->midstate || !job->pass || !job->sha256)
		log_error("openssl: it has no SHA-256 for us");
	else if (evp_check(w) == 0)
		return 0;
	evp_close(w);
	return -1;
}

static int64_t evp_scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	return (int64_t)lanes_walk(w, evp_kernels, w->state, work, first, end);
}

static const struct backend openssl = {
	.name = "openssl", .open = evp_open, .scan = evp_scan, .close = evp_close, .kernels = evp_kernels,
};

/* Cycles per hash, or -1 logged. */
static double run(struct measure *m, const struct backend *backend, const struct kernel *kernel)
{
	struct cell cell;

	cell_init(&cell, m->algo, backend, kernel, m->options, m->cpus, m->fault, m->limit / (2 * ROUNDS));
	double cycles = cell_run(&cell) < 0 ? -1 : cell.cycles_per_hash;

	m->interrupted |= cell.interrupted;
	cell_free(&cell);
	return cycles;
}

/* What `count` rounds gave, each sorted, and ratio[i] the yardstick's cycles over ours in one round. */
static void report(struct measure *m, const double *ours, const double *theirs, const double *ratio, unsigned count)
{
	const double own = sorted_quantile(ours, count, 0.5), other = sorted_quantile(theirs, count, 0.5);
	const double middle = sorted_quantile(ratio, count, 0.5), least = ratio[0], most = ratio[count - 1];
	char name[BACKEND_KERNEL_NAME];

	if (m->result) {
		measure_add(m, json_pack("{s:i, s:f, s:{s:s, s:s, s:f, s:{s:f, s:f, s:f}}}", "rounds", (int)count,
					 "cycles_per_hash", own, "compare", "name", openssl.name,
					 "version", OpenSSL_version(OPENSSL_VERSION), "cycles_per_hash", other,
					 "ratio", "min", least, "median", middle, "max", most));
		return;
	}
	backend_kernel_name(name, m->backend, m->kernel);
	printf("%s %s: %.1f cycles per hash, openssl %.1f: %.2f times as fast (%.2f to %.2f in %u rounds; %s)\n", m->algo->name,
	       name, own, other, middle, least, most, count, OpenSSL_version(OPENSSL_VERSION));
	fflush(stdout);
}

int compare_measure(struct measure *m)
{
	double ours[ROUNDS], theirs[ROUNDS], ratio[ROUNDS];
	unsigned count = 0;

	for (; count < ROUNDS && !m->interrupted; count++) {
		ours[count] = run(m, m->backend, m->kernel);
		theirs[count] = run(m, &openssl, evp_kernels);
		if (ours[count] < 0 || theirs[count] < 0)
			return -1;
		if (m->interrupted)
			break;		/* half a round compares nothing */
		ratio[count] = theirs[count] / ours[count];
	}
	if (count == 0)
		return log_error("--compare: not one round was completed");
	sort_values(ours, count);
	sort_values(theirs, count);
	sort_values(ratio, count);
	report(m, ours, theirs, ratio, count);
	return 0;
}
