/*
 * Batches of 55-byte messages through a card's stream, as large as a transfer can be, and the
 * same messages hashed on one CPU thread: by the reference, and by OpenSSL at its best.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/card_measure.h"
#include "cli/cell.h"
#include "cli/report.h"
#include "fpga/batch.h"
#include "fpga/regs.h"
#include "sha3/sha256.h"

#define CPU_SECONDS	1.0	/* of each of the two */
#define CPU_BATCH	1000	/* hashes between two looks at the clock */

struct figures {
	size_t batch;		/* messages */
	uint64_t hashes;
	double seconds;
	uint64_t clocks;	/* of the card */
	double reference, openssl;	/* of the CPU, hashes/s */
};

static void make_messages(struct transport *t, size_t count)
{
	uint8_t message[SHA256_PAD_MAX];

	for (size_t i = 0; i < count; i++) {
		for (size_t n = 0; n < sizeof message; n++)
			message[n] = (uint8_t)(i >> (8 * (n % 4)) ^ n);
		sha256_pad(t->in + i * BATCH_BLOCK, message, sizeof message);
	}
}

static int measure_card(struct fpga_unit *unit, struct figures *f, double limit, bool *interrupted)
{
	struct transport *t = &unit->card.transport;
	const double start = clock_now();
	uint32_t clocks = t->ops->read(t, FPGA_CYCLES);

	f->batch = batch_room(t);
	do {
		make_messages(t, f->batch);
		if (batch_hash(t, f->batch) < 0)
			return -1;

		uint32_t now = t->ops->read(t, FPGA_CYCLES);	/* a transfer is far below 2^32 clocks */
		f->clocks += now - clocks;
		clocks = now;
		f->hashes += f->batch;
		f->seconds = clock_now() - start;
		*interrupted = cell_signalled();
	} while (f->seconds < limit && !*interrupted);
	return 0;
}

static void hash_by_reference(uint8_t digest[32], const uint8_t *message, void *ctx)
{
	(void)ctx;
	sha256(digest, message, SHA256_PAD_MAX);
	sha256(digest, digest, 32);
}

static void hash_by_openssl(uint8_t digest[32], const uint8_t *message, void *ctx)
{
	EVP_DigestInit_ex(ctx, NULL, NULL);
	EVP_DigestUpdate(ctx, message, SHA256_PAD_MAX);
	EVP_DigestFinal_ex(ctx, digest, NULL);
	EVP_DigestInit_ex(ctx, NULL, NULL);
	EVP_DigestUpdate(ctx, digest, 32);
	EVP_DigestFinal_ex(ctx, digest, NULL);
}

/* Hashes/s of one thread. */
static double measure_cpu(void (*hash)(uint8_t digest[32], const uint8_t *message, void *ctx), void *ctx)
{
	const double start = clock_thread_cpu();
	uint8_t message[SHA256_PAD_MAX] = { 1 }, digest[32];
	uint64_t hashes = 0;
	double seconds;

	do {
		for (int i = 0; i < CPU_BATCH; i++) {
			hash(digest, message, ctx);
			memcpy(message, digest, sizeof digest);
		}
		hashes += CPU_BATCH;
		seconds = clock_thread_cpu() - start;
	} while (seconds < CPU_SECONDS);
	return (double)hashes / seconds;
}

static double measure_openssl(void)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	double rate = 0;

	if (ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1)
		rate = measure_cpu(hash_by_openssl, ctx);
	EVP_MD_CTX_free(ctx);
	return rate;
}

static void print(const struct fpga_unit *unit, const struct figures *f)
{
	char rate[RATE_TEXT], reference[RATE_TEXT], openssl[RATE_TEXT];

	report_rate(rate, (double)f->hashes / f->seconds);
	report_rate(reference, f->reference);
	report_rate(openssl, f->openssl);
	printf("sha256d fpga-dma %s: %s, %d bytes and %.1f clocks a hash, in batches of %zu, %.1f s; one CPU thread: %s by the "
	       "reference, %s by OpenSSL\n", unit->name, rate, BATCH_BLOCK + BATCH_DIGEST,
	       (double)f->clocks / (double)f->hashes, f->batch, f->seconds, reference, openssl);
	fflush(stdout);
}

static json_t *figures_json(const struct fpga_unit *unit, const struct figures *f)
{
	return json_pack("{s:s, s:s, s:s, s:f, s:I, s:f, s:i, s:f, s:i, s:{s:f, s:f}}", "algo", "sha256d", "backend", "fpga-dma",
			 "card", unit->name, "seconds", f->seconds, "hashes", (json_int_t)f->hashes,
			 "hashrate", (double)f->hashes / f->seconds, "bytes_per_hash", BATCH_BLOCK + BATCH_DIGEST,
			 "clocks_per_hash", (double)f->clocks / (double)f->hashes, "batch", (int)f->batch,
			 "cpu_hashrate", "reference", f->reference, "openssl", f->openssl);
}

int stream_measure(struct fpga_unit *unit, double limit, json_t *results, bool *interrupted)
{
	struct figures f = { .batch = 0 };

	if (batch_self_test(&unit->card.transport) < 0 || measure_card(unit, &f, limit, interrupted) < 0)
		return -1;
	f.reference = measure_cpu(hash_by_reference, NULL);
	f.openssl = measure_openssl();
	if (results)
		json_array_append_new(results, figures_json(unit, &f));
	else
		print(unit, &f);
	return 0;
}
