/* Sums, differences and products in secp256k1's field, each compared with the reference's. */
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "field/secp256k1.h"
#include "offload/lines.h"
#include "offload/runs.h"

#define DIGITS	(2 * SECP256K1_BYTES)

static const char *const operations[] = { [FIELD_ADD] = "add", [FIELD_SUB] = "sub", [FIELD_MUL] = "mul" };

struct field {
	struct lines lines;
	const struct offload_options *options;
	bool some_is_nothing;	/* a worker computes nothing, so there is nothing to compare */
	uint64_t wrong;
	char *const *pair;	/* of the command line, until it is read; else NULL */
};

/* Up to 64 digits, below p. False: it is none. */
static bool read_element(uint8_t bytes[SECP256K1_BYTES], const char *text, size_t len)
{
	char digits[DIGITS + 1];
	struct secp256k1_element element;

	if (len >= 2 && text[0] == '0' && text[1] == 'x') {
		text += 2;
		len -= 2;
	}
	if (len < 1 || len > DIGITS)
		return false;
	memset(digits, '0', DIGITS);
	memcpy(digits + DIGITS - len, text, len);
	digits[DIGITS] = '\0';
	return hex_decode(bytes, SECP256K1_BYTES, digits) && secp256k1_load(&element, bytes);
}

static int read_pair(struct lines *lines, uint8_t *item)
{
	const char *first = lines->line + strspn(lines->line, " \t");
	size_t first_len = strcspn(first, " \t\r");
	const char *second = first + first_len + strspn(first + first_len, " \t");
	size_t second_len = strcspn(second, " \t\r");

	if (strlen(lines->line) != lines->len || second[second_len + strspn(second + second_len, " \t\r")] != '\0' ||
	    !read_element(item, first, first_len) || !read_element(item + SECP256K1_BYTES, second, second_len))
		return log_error("%s, line %llu is no pair of elements: two hexadecimal numbers below p", lines->input.path,
				 (unsigned long long)lines->number);
	return 0;
}

static int fill(void *ctx, struct task *task)
{
	struct field *field = ctx;

	if (field->options->operand_count == 2)
		return lines_fill(&field->lines, task);
	if (!field->pair)
		return 0;
	for (unsigned i = 0; i < 2; i++)
		if (!read_element(task->in + SECP256K1_BYTES * i, field->pair[i], strlen(field->pair[i])))
			return log_error("'%.80s' is no hexadecimal number below p", field->pair[i]);
	field->pair = NULL;
	task->batch.items = 1;
	return 1;
}

static void stop(void *ctx)
{
	lines_stop(&((struct field *)ctx)->lines);
}

/* One pair's result is all there is to tell of it; a file's are told of in the summary. */
static int print(const struct offload_options *options, const char *result)
{
	if (options->discard)
		return 0;
	if (!options->json)
		return puts(result);
	return options->operand_count == 3 ? printf("{\"result\":\"%s\"}\n", result) : 0;
}

static int take_off(void *ctx, struct task *task)
{
	struct field *field = ctx;

	for (size_t i = 0; i < task->batch.items; i++) {
		uint8_t right[SECP256K1_BYTES];
		char text[DIGITS + 1];
		struct batch one = { task->batch.core, task->batch.params, 0, 1, task->in + 64 * i, right };

		if (!field->some_is_nothing) {
			one.core->plain(&one);
			field->wrong += memcmp(right, task->out + SECP256K1_BYTES * i, sizeof right) != 0;
		}
		hex_encode(text, task->out + SECP256K1_BYTES * i, SECP256K1_BYTES);
		if (print(field->options, text) < 0)
			return log_errno("the results cannot be written");
	}
	return field->wrong > 0 ? log_error("%llu results differ from the reference's", (unsigned long long)field->wrong) : 0;
}

int run_field(const struct offload_options *options)
{
	struct field field = { .options = options, .lines.read = read_pair };
	struct stream stream = stream_of(options, core_find("secp256k1"));
	struct stream_result result;
	struct core_params params = { .operation = FIELD_ADD };
	const char *name = options->operands[0];

	for (; strcmp(operations[params.operation], name) != 0; params.operation++)
		if (params.operation == FIELD_MUL)
			return log_error("'%.20s' is none of add, sub and mul", name);
	if (options->operand_count == 2 && lines_open(&field.lines, options->operands[1]) < 0)
		return -1;
	for (unsigned i = 0; i < options->worker_count; i++)
		field.some_is_nothing |= options->workers[i].kind->keeps_nothing;
	if (options->operand_count == 3)
		field.pair = options->operands + 1;
	stream.params = &params;
	stream.fill = fill;
	stream.take_off = take_off;
	stream.stop = options->operand_count == 2 ? stop : NULL;
	stream.ctx = &field;
	int status = stream_run(&stream, &result);
	if (options->operand_count == 2)
		lines_close(&field.lines);
	if (status == 0 && fflush(stdout) != 0)
		status = log_errno("the results cannot be written");
	if (status == 0 && options->operand_count == 2)
		summary_print(options, "computed", field.lines.number * 64, &result);
	return status;
}
