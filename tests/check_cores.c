/* Each core's plain form against OpenSSL's, cut at any place, over random batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "cores/core.h"
#include "sha3/cubehash256.h"
#include "sha3/sha256.h"

#define ITEMS_MAX	64
#define ROUNDS		300

static void random_bytes(void *out, size_t len)
{
	for (uint8_t *byte = out; len-- > 0; )
		*byte++ = (uint8_t)(rand() >> 7);
}

/* Input that the core takes: of sha256d padded messages, of others anything. */
static void fill(const struct core *core, uint8_t *in, size_t items)
{
	random_bytes(in, items * core->item_in);
	if (strcmp(core->name, "sha256d") != 0)
		return;
	for (size_t i = 0; i < items; i++) {
		uint8_t message[SHA256_PAD_MAX];
		size_t len = (size_t)rand() % (SHA256_PAD_MAX + 1);

		random_bytes(message, len);
		assert_true(sha256_pad(in + 64 * i, message, len));
	}
}

static struct core_params random_params(void)
{
	struct core_params params;

	random_bytes(&params, sizeof params);
	params.operation = (enum field_operation)(rand() % 3);
	return params;
}

static void plain_and_openssl_agree(void **state)
{
	(void)state;
	for (const struct core *core = cores; core->name; core++) {
		for (unsigned round = 0; core->openssl && round < ROUNDS; round++) {
			static uint8_t in[64 * ITEMS_MAX], plain[64 * ITEMS_MAX], right[64 * ITEMS_MAX];
			struct core_params params = random_params();
			struct batch batch = { core, &params, (uint64_t)rand() << (round % 8 ? 0 : 31), (size_t)rand() % (ITEMS_MAX + 1), in, plain };

			if (core->items_max > 0)
				batch.first %= core->items_max - ITEMS_MAX;
			fill(core, in, batch.items);
			core->plain(&batch);
			batch.out = right;
			assert_int_equal(core->openssl(&batch), 0);
			if (memcmp(plain, right, batch.items * core->item_out) != 0)
				fail_msg("%s: %zu items from %llu on", core->name, batch.items, (unsigned long long)batch.first);
		}
	}
}

static void a_batch_may_be_cut_anywhere(void **state)
{
	(void)state;
	for (const struct core *core = cores; core->name; core++) {
		for (unsigned round = 0; round < ROUNDS; round++) {
			static uint8_t in[64 * ITEMS_MAX], whole[64 * ITEMS_MAX], parts[64 * ITEMS_MAX];
			struct core_params params = random_params();
			struct batch batch = { core, &params, (uint64_t)rand(), ITEMS_MAX, in, whole };

			fill(core, in, ITEMS_MAX);
			core->plain(&batch);
			size_t cut = (size_t)rand() % (ITEMS_MAX + 1);
			struct batch second = { core, &params, batch.first + cut, ITEMS_MAX - cut, in + cut * core->item_in,
						parts + cut * core->item_out };
			core->plain(&second);
			struct batch first = { core, &params, batch.first, cut, in, parts };
			core->plain(&first);
			assert_memory_equal(whole, parts, ITEMS_MAX * core->item_out);
		}
	}
}

static void hashes_are_those_of_the_whole_messages(void **state)
{
	(void)state;
	for (size_t len = 0; len <= SHA256_PAD_MAX; len++) {
		uint8_t message[SHA256_PAD_MAX], block[64], out[32], right[32];
		struct batch batch = { core_find("sha256d"), NULL, 0, 1, block, out };

		random_bytes(message, sizeof message);
		assert_true(sha256_pad(block, message, len));
		batch.core->plain(&batch);
		sha256(right, message, len);
		sha256(right, right, 32);
		assert_memory_equal(out, right, 32);
		batch.core = core_find("cubehash256");
		batch.core->plain(&batch);
		cubehash256(right, block, 32);
		assert_memory_equal(out, right, 32);
	}
	assert_false(sha256_pad((uint8_t[64]){ 0 }, (uint8_t[SHA256_PAD_MAX + 1]){ 0 }, SHA256_PAD_MAX + 1));
}

static void openssl_refuses_a_block_that_is_no_message(void **state)
{
	uint8_t block[64], out[32];
	struct batch batch = { core_find("sha256d"), NULL, 0, 1, block, out };

	(void)state;
	log_setup(LOG_ERROR, false);
	for (unsigned place = 54; place < 64; place++) {
		assert_true(sha256_pad(block, (const uint8_t *)"", 0));
		block[place] = 0xff;
		assert_int_equal(batch.core->openssl(&batch), place == 54 || place == 55 ? 0 : -1);
	}
}

static void openssl_takes_the_examples(void **state)
{
	static uint8_t in[64 * ITEMS_MAX], plain[64 * ITEMS_MAX], right[64 * ITEMS_MAX];
	struct core_params params = random_params();

	(void)state;
	for (const struct core *core = cores; core->name; core++) {
		struct batch batch = { core, &params, 0, ITEMS_MAX, in, plain };

		core_example(core, in, ITEMS_MAX);
		core->plain(&batch);
		batch.out = right;
		assert_true(!core->openssl || core->openssl(&batch) == 0);
		assert_true(!core->openssl || memcmp(plain, right, ITEMS_MAX * core->item_out) == 0);
	}
}

static void cores_are_found_by_name(void **state)
{
	(void)state;
	for (const struct core *core = cores; core->name; core++)
		assert_ptr_equal(core_find(core->name), core);
	assert_null(core_find("rot13"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_and_openssl_agree),
		cmocka_unit_test(a_batch_may_be_cut_anywhere),
		cmocka_unit_test(hashes_are_those_of_the_whole_messages),
		cmocka_unit_test(openssl_refuses_a_block_that_is_no_message),
		cmocka_unit_test(openssl_takes_the_examples),
		cmocka_unit_test(cores_are_found_by_name),
	};

	return cmocka_run_group_tests_name("cores", tests, NULL, NULL);
}
