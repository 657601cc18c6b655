/* SHA-256d of short messages, one a line. */
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "offload/lines.h"
#include "offload/runs.h"
#include "sha3/sha256.h"

struct digest {
	struct lines lines;
	const struct offload_options *options;
	uint64_t bytes;
};

static int read_message(struct lines *lines, uint8_t *item)
{
	uint8_t message[SHA256_PAD_MAX];
	const uint8_t *bytes = (const uint8_t *)lines->line;
	size_t len = lines->len;

	if (lines->hex) {
		len /= 2;
		if (len <= sizeof message && (lines->len % 2 || strlen(lines->line) != lines->len || !hex_decode(message, len, lines->line)))
			return log_error("%s, line %llu is not hexadecimal", lines->input.path, (unsigned long long)lines->number);
		bytes = message;
	}
	if (!sha256_pad(item, bytes, len))
		return log_error("%s, line %llu: %zu bytes, %d are the most", lines->input.path, (unsigned long long)lines->number, len,
				 SHA256_PAD_MAX);
	return 0;
}

static int fill(void *ctx, struct task *task)
{
	return lines_fill(&((struct digest *)ctx)->lines, task);
}

static void stop(void *ctx)
{
	lines_stop(&((struct digest *)ctx)->lines);
}

static int take_off(void *ctx, struct task *task)
{
	struct digest *digest = ctx;

	for (size_t i = 0; i < task->batch.items; i++) {
		char text[65];

		hex_encode(text, task->out + 32 * i, 32);
		if (!digest->options->discard && !digest->options->json && puts(text) < 0)
			return log_errno("the digests cannot be written");
	}
	digest->bytes += task->batch.items * task->batch.core->item_in;
	return 0;
}

int run_digest(const struct offload_options *options)
{
	struct digest digest = { .options = options, .lines.read = read_message, .lines.hex = options->hex };
	struct stream stream = stream_of(options, core_find("sha256d"));
	struct stream_result result;

	if (lines_open(&digest.lines, options->operands[0]) < 0)
		return -1;
	stream.fill = fill;
	stream.take_off = take_off;
	stream.stop = stop;
	stream.ctx = &digest;
	int status = stream_run(&stream, &result);
	lines_close(&digest.lines);
	if (status == 0 && fflush(stdout) != 0)
		status = log_errno("the digests cannot be written");
	if (status == 0)
		summary_print(options, "hashed", digest.bytes, &result);
	return status;
}
