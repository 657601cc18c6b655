/*
 * Batches of 55-byte messages through a card's stream, as large as a transfer can be, and the
 * same messages hashed on one CPU thread: by the reference, and by OpenSSL at its best.
 *
 * What a newcomer would get wrong: the time limit is of all that, the proof of the stream
 * included. The CPU's two forms have their share set aside, and the card has the rest.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/card_measure.h"
#include "cli/cell.h"
#include "cli/report.h"
#include "fpga/batch.h"
#include "fpga/regs.h"
#include "sha3/sha256.h"

#define CPU_SECONDS	1.0	/* of each of the two, at most */
#define CPU_PART	0.125	/* of the time limit, at most */
#define CPU_BATCH	1000	/* hashes between two looks at the clock */

struct figures {
	size_t batch;		/* messages */
	uint64_t hashes;
	double seconds;
	uint64_t clocks;	/* of the card */
	double reference, openssl;	/* of the CPU, hashes/s; 0: not measured */
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

/* Until a signal, or as near to `end` as whole batches come: one at least. */
static int measure_card(struct fpga_unit *unit, struct figures *f, double end)
{
	struct transport *t = &unit->card.transport;
	const double start = clock_now();
	uint32_t clocks = t->ops->read(t, FPGA_CYCLES);
	double batches = 0;

	f->batch = batch_room(t);
	do {
		make_messages(t, f->batch);
		if (batch_hash(t, f->batch) < 0)
			return cell_signalled() ? 0 : -1;

		uint32_t now = t->ops->read(t, FPGA_CYCLES);	/* a transfer is far below 2^32 clocks */
		f->clocks += now - clocks;
		clocks = now;
		f->hashes += f->batch;
		f->seconds = clock_now() - start;
		batches++;
	} while (start + f->seconds + f->seconds / batches / 2 < end && !cell_signalled());
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

/* Hashes/s of one thread, measured for so long, or until `end` where others have the CPU, too. 0: a signal came first. */
static double measure_cpu(void (*hash)(uint8_t digest[32], const uint8_t *message, void *ctx), void *ctx, double limit,
			  double end)
{
	const double start = clock_thread_cpu();
	uint8_t message[SHA256_PAD_MAX] = { 1 }, digest[32];
	uint64_t hashes = 0;
	double seconds;

	do {
		if (cell_signalled())
			return 0;
		for (int i = 0; i < CPU_BATCH; i++) {
			hash(digest, message, ctx);
			memcpy(message, digest, sizeof digest);
		}
		hashes += CPU_BATCH;
		seconds = clock_thread_cpu() - start;
	} while (seconds < limit && clock_now() < end);
	return (double)hashes / seconds;
}

static double measure_openssl(double limit, double end)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	double rate = 0;

	if (ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1)
		rate = measure_cpu(hash_by_openssl, ctx, limit, end);
	EVP_MD_CTX_free(ctx);
	return rate;
}

static void print(const struct fpga_unit *unit, const struct figures *f)
{
	char rate[RATE_TEXT];

	report_rate(rate, (double)f->hashes / f->seconds);
	printf("sha256d fpga-dma %s: %s, %d bytes and %.1f clocks a hash, in batches of %zu, %.1f s", unit->name, rate,
	       BATCH_BLOCK + BATCH_DIGEST, (double)f->clocks / (double)f->hashes, f->batch, f->seconds);
	if (f->reference > 0) {
		report_rate(rate, f->reference);
		printf("; one CPU thread: %s by the reference", rate);
	}
	if (f->openssl > 0) {
		report_rate(rate, f->openssl);
		printf(", %s by OpenSSL", rate);
	}
	printf("\n");
	fflush(stdout);
}

static json_t *figures_json(const struct fpga_unit *unit, const struct figures *f)
{
	json_t *cpu = json_object();

	if (f->reference > 0)
		json_object_set_new(cpu, "reference", json_real(f->reference));
	if (f->openssl > 0)
		json_object_set_new(cpu, "openssl", json_real(f->openssl));
	return json_pack("{s:s, s:s, s:s, s:f, s:I, s:f, s:i, s:f, s:i, s:o}", "algo", "sha256d", "backend", "fpga-dma",
			 "card", unit->name, "seconds", f->seconds, "hashes", (json_int_t)f->hashes,
			 "hashrate", (double)f->hashes / f->seconds, "bytes_per_hash", BATCH_BLOCK + BATCH_DIGEST,
			 "clocks_per_hash", (double)f->clocks / (double)f->hashes, "batch", (int)f->batch,
			 "cpu_hashrate", cpu);
}

int stream_measure(struct fpga_unit *unit, double limit, json_t *results, bool *interrupted)
{
	const double end = clock_now() + limit, cpu = CPU_SECONDS < CPU_PART * limit ? CPU_SECONDS : CPU_PART * limit;
	struct figures f = { .batch = 0 };
	int result = batch_self_test(&unit->card.transport);

	if (result == 0) {
		log_info("card %s: its stream is proved, in batches of up to %zu", unit->name, batch_room(&unit->card.transport));
		result = measure_card(unit, &f, end - 2 * cpu);
	}
	if (result == 0 && f.hashes > 0) {
		f.reference = measure_cpu(hash_by_reference, NULL, cpu, end - cpu);
		f.openssl = measure_openssl(cpu, end);
	}
	*interrupted |= cell_signalled();
	if (f.hashes == 0 && *interrupted)
		return log_error("--benchmark: interrupted before sha256d fpga-dma %s", unit->name);
	if (result < 0)
		return -1;
	if (results)
		json_array_append_new(results, figures_json(unit, &f));
	else
		print(unit, &f);
	return 0;
}
