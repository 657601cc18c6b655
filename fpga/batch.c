/* Padding, sending and proving batches: see batch.h. */
#include "fpga/batch.h"

#include <string.h>

#include "base/log.h"
#include "sha3/sha256.h"

#define LEAST_S		1.0	/* a transfer may take in any case */
#define BLOCK_S		0.0015	/* and for each block: 129 clocks of a clock of less than 100 kHz */

size_t batch_room(const struct transport *t)
{
	size_t in = t->in_size / BATCH_BLOCK, out = t->out_size / BATCH_DIGEST;

	return in < out ? in : out;
}

int batch_hash(struct transport *t, size_t count)
{
	return t->ops->stream(t, count * BATCH_BLOCK, count * BATCH_DIGEST, LEAST_S + BLOCK_S * (double)count);
}

/* Message i of a batch of that number: no two alike. */
static size_t make_message(uint8_t message[SHA256_PAD_MAX], uint32_t batch, uint32_t i)
{
	size_t len = (i + batch) % (SHA256_PAD_MAX + 1);

	for (size_t n = 0; n < len; n++)
		message[n] = (uint8_t)(i * 31 + (i >> 8) * 7 + n * 17 + batch);
	return len;
}

static int test_batch(struct transport *t, uint32_t batch, size_t count)
{
	uint8_t message[SHA256_PAD_MAX], digest[32];

	for (size_t i = 0; i < count; i++) {
		size_t len = make_message(message, batch, (uint32_t)i);

		sha256_pad(t->in + i * BATCH_BLOCK, message, len);
	}
	if (batch_hash(t, count) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		size_t len = make_message(message, batch, (uint32_t)i);

		sha256(digest, message, len);
		sha256(digest, digest, sizeof digest);
		if (memcmp(digest, t->out + i * BATCH_DIGEST, sizeof digest) != 0)
			return log_error("card %s: the stream's digest %zu of %zu is wrong", t->name, i, count);
	}
	return 0;
}

int batch_self_test(struct transport *t)
{
	const size_t room = batch_room(t), lengths = SHA256_PAD_MAX + 1;
	const size_t counts[] = { 1, room < 3 ? room : 3, room < 2 * lengths ? room : 2 * lengths, room };

	if (room == 0)
		return log_error("card %s: it has no stream: --fpga wants dma= and buf= for it", t->name);
	for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (transport_unwanted(t) || test_batch(t, i, counts[i]) < 0)
			return -1;
	return 0;
}
