/*
 * Every kernel's candidates over many nonces of one header, by the miner's own crew, board and loop: as many as the
 * reference finds there, and the same ones. The other tests look at batches and short ranges; this one sees nonces
 * that are left out or searched twice between them, if a candidate is among those.
 *
 * Usage: check_counts [BITS]: over 2^BITS nonces, 12 unless told. `make check-slow` has it count over 2^24.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "algo/scratch.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/hex.h"
#include "simd/backend.h"
#include "work/crew.h"

#define DEFAULT_BITS	12
#define EXPECTED_BITS	8	/* 2^8 candidates are expected under each version */
#define FOUND_MAX	(VERSIONS_MAX << (EXPECTED_BITS + 1))
#define VERSION_BIT	13	/* the lowest that BIP 320 sets free */
#define STALLED		60	/* s without a hash: it will not end */

static unsigned bits = DEFAULT_BITS;

/* A header that is a candidate; of headers that differ in version and nonce alone. */
struct found {
	uint32_t version, nonce;
};

/* Threads add to it. */
struct list {
	pthread_mutex_t lock;
	struct found found[FOUND_MAX];
	size_t count;		/* beyond FOUND_MAX, too */
};

static struct list *list_new(void)
{
	struct list *list = calloc(1, sizeof *list);

	assert_non_null(list);
	pthread_mutex_init(&list->lock, NULL);
	return list;
}

static void list_free(struct list *list)
{
	pthread_mutex_destroy(&list->lock);
	free(list);
}

static void list_add(struct list *list, uint32_t version, uint32_t nonce)
{
	pthread_mutex_lock(&list->lock);
	if (list->count < FOUND_MAX)
		list->found[list->count] = (struct found){ version, nonce };
	list->count++;
	pthread_mutex_unlock(&list->lock);
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->version != y->version)
		return x->version < y->version ? -1 : 1;
	return (x->nonce > y->nonce) - (x->nonce < y->nonce);
}

static void list_sort(struct list *list)
{
	assert_in_range(list->count, 1, FOUND_MAX);
	qsort(list->found, list->count, sizeof *list->found, compare_found);
}

/* An algorithm's first known header, under a target that one in 2^(bits - EXPECTED_BITS) headers meets by its top word alone. */
static struct work count_work(const struct algo *algo, unsigned versions)
{
	struct work work = { .version_count = (uint8_t)versions };

	assert_true(hex_decode(work.header, algo->header_len, algo->kats[0].header));
	memset(work.target, 0xff, sizeof work.target);
	work.target[7] = UINT32_MAX >> (bits - EXPECTED_BITS);
	for (uint32_t i = 0; i < versions; i++)
		work.versions[i] = load_le32(work.header) ^ i << VERSION_BIT;
	return work;
}

/* The reference's part of the nonces, one of `parts`. */
struct part {
	pthread_t thread;
	const struct algo *algo;
	const struct work *work;
	struct list *list;
	uint32_t index, parts;
};

static void *run_part(void *arg)
{
	const struct part *part = arg;
	const struct algo *algo = part->algo;
	void *scratch = algo_scratch(algo);
	uint8_t header[HEADER_MAX], digest[32];

	if (!scratch)
		abort();
	memcpy(header, part->work->header, sizeof header);
	for (uint32_t nonce = part->index; nonce < UINT32_C(1) << bits; nonce += part->parts) {
		store_le32(header + algo->nonce_off, nonce);
		for (unsigned i = 0; i < part->work->version_count; i++) {
			store_le32(header, part->work->versions[i]);
			algo->hash(digest, header, scratch);
			if (load_le32(digest + 28) <= part->work->target[7])
				list_add(part->list, part->work->versions[i], nonce);
		}
	}
	free(scratch);
	return NULL;
}

static struct list *reference_list(const struct algo *algo, const struct work *work, unsigned threads)
{
	struct list *list = list_new();
	struct part parts[threads];

	for (unsigned i = 0; i < threads; i++) {
		parts[i] = (struct part){ .algo = algo, .work = work, .list = list, .index = i, .parts = threads };
		assert_int_equal(pthread_create(&parts[i].thread, NULL, run_part, &parts[i]), 0);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(parts[i].thread, NULL);
	list_sort(list);
	return list;
}

static void found_one(void *ctx, const struct share *share)
{
	list_add(ctx, load_le32(share->work.header), share->nonce);
}

static void wait_for_hashes(const struct crew *crew, uint64_t wanted)
{
	uint64_t seen = 0;
	double last = clock_now();

	while (crew_hashes(crew) < wanted && clock_now() < last + STALLED) {
		usleep(2000);
		if (crew_hashes(crew) != seen) {
			seen = crew_hashes(crew);
			last = clock_now();
		}
	}
}

/* What the backend finds, with its kernel over versions where the work has some. */
static struct list *backend_list(const struct algo *algo, const struct backend *backend, struct work *work,
				 const struct cpu_list *cpus)
{
	const uint64_t nonces = UINT64_C(1) << bits, headers = nonces * (work->version_count ? work->version_count : 1);
	struct list *list = list_new();
	struct board board;
	struct crew crew;

	board_init(&board, NULL, NULL);
	board.nonce_end = nonces;
	struct crew_config config = {
		.algo = algo, .backend = backend, .threads = cpus->count, .cpus = cpus, .board = &board,
		.found = found_one, .found_ctx = list,
	};
	assert_int_equal(crew_start(&crew, &config), 0);
	board_publish(&board, work);
	wait_for_hashes(&crew, headers);
	board_close(&board);
	crew_join(&crew);
	assert_int_equal(crew_hashes(&crew), headers);
	assert_int_equal(crew_hw_errors(&crew), 0);
	crew_free(&crew);
	board_destroy(&board);
	list_sort(list);
	return list;
}

/* Of the reference's list, those under the header's own version, or under all, are what `kernel` must find. */
static void count_kernel(const struct algo *algo, const struct backend *backend, const struct kernel *kernel,
			 const struct list *reference, const struct cpu_list *cpus)
{
	struct work work = count_work(algo, kernel->versions ? VERSIONS_MAX : 0);
	const uint32_t own = load_le32(work.header);
	char name[BACKEND_KERNEL_NAME];
	double start = clock_now();
	struct list *list = backend_list(algo, backend, &work, cpus);
	size_t matched = 0;

	backend_kernel_name(name, backend, kernel);
	for (size_t i = 0; i < reference->count; i++) {
		const struct found *want = &reference->found[i];

		if (!kernel->versions && want->version != own)
			continue;
		if (matched == list->count || compare_found(&list->found[matched], want) != 0)
			fail_msg("%s %s: candidate %zu is not the reference's, nonce %08x under version %08x", algo->name, name,
				 matched, want->nonce, want->version);
		matched++;
	}
	assert_int_equal(list->count, matched);
	print_message("%s %s: %zu candidates of 2^%u nonces, the reference's, in %.1f s\n", algo->name, name, matched, bits,
		      clock_now() - start);
	list_free(list);
}

static void count_algo(const struct algo *algo, const struct cpu_list *cpus)
{
	unsigned versions = 1;
	double start = clock_now();

	for (const struct backend *const *b = backends; *b; b++)
		if ((*b)->supported() && backend_versions_kernel(*b, algo))
			versions = VERSIONS_MAX;

	struct work work = count_work(algo, versions);
	struct list *reference = reference_list(algo, &work, cpus->count);

	print_message("%s reference: %zu candidates of 2^%u nonces under %u version%s, in %.1f s\n", algo->name,
		      reference->count, bits, versions, versions > 1 ? "s" : "", clock_now() - start);
	for (const struct backend *const *b = backends; *b; b++) {
		const struct kernel *const kernels[] = { backend_kernel(*b, algo), backend_versions_kernel(*b, algo) };

		if (!(*b)->supported())
			print_message("%s %s: skipped, this CPU lacks what it needs\n", algo->name, (*b)->name);
		for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
			if ((*b)->supported() && kernels[i])
				count_kernel(algo, *b, kernels[i], reference, cpus);
	}
	list_free(reference);
}

static void every_kernel_finds_the_references_candidates_and_no_others(void **state)
{
	struct cpu_list cpus;

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	for (const struct algo *const *a = algos; *a; a++)
		count_algo(*a, &cpus);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_finds_the_references_candidates_and_no_others),
	};

	if (argc > 1)
		bits = (unsigned)atoi(argv[1]);
	if (bits < EXPECTED_BITS || bits > 31) {
		fprintf(stderr, "usage: check_counts [BITS]	(%d to 31)\n", EXPECTED_BITS);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
