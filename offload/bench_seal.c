/*
 * adit-offload bench --seal: what encrypt does between reading and writing, in memory, by
 * all workers together; and OpenSSL's own ChaCha20-Poly1305 on as many threads, in turn.
 *
 * What a newcomer would get wrong: memory that was never written is one page of zeros,
 * however much there is, and stays in the cache. So each task is written once, and the
 * clock starts after that, when all devices are open.
 */
#include <jansson.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/sort.h"
#include "offload/runs.h"
#include "offload/seal.h"

#define SECONDS		0.5	/* of a round of each */
#define ROUNDS_MAX	1000
#define BLOCK		16384	/* bytes; the largest of openssl speed */

/* A round of the workers. */
struct sealing {
	struct seal seal;
	size_t room;			/* bytes of a task */
	unsigned count;			/* tasks */
	double began, ended;		/* clock_now() */
	bool first_is_filled;
	uint64_t bytes;			/* taken off */
};

static void ready(void *ctx, const struct task *tasks)
{
	struct sealing *sealing = ctx;

	for (unsigned i = 0; i < sealing->count; i++) {
		memset(tasks[i].in, 0xa5, sealing->room);
		memset(tasks[i].out, 0x5a, sealing->room);
	}
	sealing->began = clock_now();
}

static int fill(void *ctx, struct task *task)
{
	struct sealing *sealing = ctx;

	if (sealing->first_is_filled && clock_now() - sealing->began >= SECONDS)
		return 0;
	sealing->first_is_filled = true;
	task->batch.items = sealing->room / task->batch.core->item_in;
	task->len = sealing->room;
	return 1;
}

static int take_off(void *ctx, struct task *task)
{
	struct sealing *sealing = ctx;

	if (seal_add(&sealing->seal, task->out, task->len) < 0)
		return -1;
	sealing->bytes += task->len;
	sealing->ended = clock_now();
	return 0;
}

/* Bytes a second; -1, logged. */
static double seal_by_workers(const struct offload_options *options)
{
	static const struct core_params params = { .key = { 1 }, .iv = { 2 } };
	struct stream stream = stream_of(options, core_find("chacha20"));
	struct sealing sealing = { .room = stream.task_items * stream.core->item_in, .count = stream.depth };
	struct stream_result result;
	uint8_t tag[SEAL_TAG];
	int status = -1;

	stream.params = &params;
	stream.first = SEAL_FIRST;
	stream.ready = ready;
	stream.fill = fill;
	stream.take_off = take_off;
	stream.ctx = &sealing;
	if (seal_begin(&sealing.seal, &params, NULL, 0) == 0)
		status = stream_run(&stream, &result);
	if (seal_end(&sealing.seal, status == 0 ? tag : NULL) < 0)
		status = -1;
	return status == 0 ? (double)sealing.bytes / (sealing.ended - sealing.began) : -1;
}

/* A thread of OpenSSL. */
struct yardstick {
	pthread_t thread;
	double rate;			/* bytes/s; 0: it could not */
};

static void *seal_by_openssl(void *ctx)
{
	static const uint8_t key[32] = { 1 }, nonce[12] = { 2 };
	struct yardstick *yardstick = ctx;
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t block[BLOCK] = { 3 };
	uint64_t bytes = 0;
	int len;

	if (context && EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), NULL, key, nonce) == 1) {
		const double began = clock_now();
		double passed;

		while ((passed = clock_now() - began) < SECONDS && EVP_EncryptUpdate(context, block, &len, block, BLOCK) == 1)
			bytes += BLOCK;
		yardstick->rate = passed < SECONDS ? 0 : (double)bytes / passed;
	}
	EVP_CIPHER_CTX_free(context);
	return NULL;
}

/* Bytes a second of so many threads together; -1, logged. */
static double seal_by_threads(unsigned threads)
{
	struct yardstick yardsticks[DEVICES_MAX] = { { .rate = 0 } };
	unsigned started = 0;
	double sum = 0;
	bool all = true;

	while (started < threads && pthread_create(&yardsticks[started].thread, NULL, seal_by_openssl, &yardsticks[started]) == 0)
		started++;
	for (unsigned i = 0; i < started; i++) {
		pthread_join(yardsticks[i].thread, NULL);
		all &= yardsticks[i].rate > 0;
		sum += yardsticks[i].rate;
	}
	if (started < threads)
		return log_error("no more threads can be started");
	return all ? sum : log_error("OpenSSL cannot compute ChaCha20-Poly1305");
}

/* Workers that are threads, as OpenSSL's are; at least one. */
static unsigned thread_count(const struct offload_options *options)
{
	unsigned threads = 0;

	for (unsigned i = 0; i < options->worker_count; i++)
		threads += options->workers[i].kind->is_thread;
	return threads > 0 ? threads : 1;
}

static void print(const struct offload_options *options, unsigned threads, double ours, double theirs)
{
	if (!options->json) {
		printf("sealing in memory: %.2f GB/s by %u worker%s; OpenSSL %.2f GB/s by %u thread%s; %.2f of it\n", ours / 1e9,
		       options->worker_count, options->worker_count == 1 ? "" : "s", theirs / 1e9, threads, threads == 1 ? "" : "s",
		       ours / theirs);
		return;
	}
	json_t *root = json_pack("{s:i,s:f,s:i,s:f,s:f}", "workers", (int)options->worker_count, "bytes_per_second", ours,
				 "openssl_threads", (int)threads, "openssl_bytes_per_second", theirs, "of_openssl", ours / theirs);
	json_dumpf(root, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(root);
}

int run_bench_seal(const struct offload_options *options)
{
	static double ours[ROUNDS_MAX], theirs[ROUNDS_MAX];
	const unsigned threads = thread_count(options);

	for (long round = 0; round < options->rounds; round++) {
		ours[round] = seal_by_workers(options);
		theirs[round] = seal_by_threads(threads);
		if (ours[round] < 0 || theirs[round] < 0)
			return -1;
	}
	print(options, threads, sort_median(ours, (size_t)options->rounds), sort_median(theirs, (size_t)options->rounds));
	return 0;
}
