/* The simulated card within the process: a transport like any other, of every depth that was built, with the same faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "fpga/regs.h"
#include "fpga/transport.h"
#include "sha3/sha256.h"

#define PATIENCE_S	60
#define BLOCKS		20

static char faults_path[] = "/tmp/adit-faults-XXXXXX";

static uint32_t get(struct transport *t, unsigned offset) { return t->ops->read(t, offset); }
static void set(struct transport *t, unsigned offset, uint32_t value) { t->ops->write(t, offset, value); }

static void ask_for_faults(const char *text)
{
	char made[64];

	snprintf(made, sizeof made, "%s.new", faults_path);
	FILE *file = fopen(made, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rename(made, faults_path), 0);
}

static void every_depth_is_built_and_says_what_it_is(void **state)
{
	static const struct { const char *depth; unsigned clocks; } rows[] = {
		{ "0", 124 }, { "2", 64 }, { "4", 32 }, { "8", 16 }, { "16", 8 }, { "32", 4 }, { "64", 2 },
	};

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		struct transport t;
		assert_int_equal(transport_open_sim(&t, rows[i].depth), 0);
		assert_int_equal(get(&t, FPGA_ID), 0x41444954);
		assert_int_equal((get(&t, FPGA_CAPS) & FPGA_CAPS_CLOCKS) >> FPGA_CAPS_CLOCKS_SHIFT, rows[i].clocks);
		t.ops->close(&t);
	}
}

static void a_depth_that_was_not_built_is_refused(void **state)
{
	struct transport t = { .name = "unchanged" };

	(void)state;
	assert_int_equal(transport_open_sim(&t, "3"), -1);
	assert_int_equal(transport_open_sim(&t, "128"), -1);
	assert_string_equal(t.name, "unchanged");
}

static void a_library_that_is_none_is_refused(void **state)
{
	struct transport t;

	(void)state;
	setenv("ADIT_FPGA_SIM", "/nowhere/simulation.so", 1);
	assert_int_equal(transport_open_sim(&t, "4"), -1);
	setenv("ADIT_FPGA_SIM", "libm.so.6", 1);		/* one without the interface */
	assert_int_equal(transport_open_sim(&t, "4"), -1);
	unsetenv("ADIT_FPGA_SIM");
}

/* Any header will do: with this target each nonce is a hit. */
static void search(struct transport *t, uint32_t first, uint32_t last)
{
	set(t, FPGA_CONTROL, FPGA_CONTROL_RESET);
	set(t, FPGA_JOB_TARGET, UINT32_MAX);
	set(t, FPGA_JOB_FIRST, first);
	set(t, FPGA_JOB_LAST, last);
	set(t, FPGA_IRQ_ENABLE, FPGA_IRQ_STATUS_EXHAUSTED);
	set(t, FPGA_CONTROL, FPGA_CONTROL_START);
}

static void an_interrupt_is_waited_for_and_masked_until_it_is_let_through(void **state)
{
	struct transport t;

	(void)state;
	assert_int_equal(transport_open_sim(&t, "16"), 0);
	assert_int_equal(t.ops->wait(&t, 0), 0);
	for (int i = 0; i < 3; i++) {
		search(&t, 100, 109);
		assert_int_equal(t.ops->wait(&t, PATIENCE_S), 1);
		assert_int_equal(t.ops->wait(&t, 0.02), 0);
		set(&t, FPGA_IRQ_STATUS, FPGA_IRQ_STATUS_EXHAUSTED);
		assert_int_equal(t.ops->unmask(&t), 0);
		assert_int_equal(t.ops->wait(&t, 0.02), 0);
		assert_int_equal(get(&t, FPGA_HASHES), 10);
	}
	t.ops->close(&t);
}

/* Without a call from anyone the search goes on. */
static void the_card_runs_by_itself(void **state)
{
	struct transport t;

	(void)state;
	assert_int_equal(transport_open_sim(&t, "64"), 0);
	search(&t, 0, UINT32_MAX);
	set(&t, FPGA_CONTROL, FPGA_CONTROL_STOP);
	set(&t, FPGA_JOB_TARGET, 0);
	set(&t, FPGA_CONTROL, FPGA_CONTROL_START);
	uint32_t before = get(&t, FPGA_HASHES);
	for (int i = 0; i < PATIENCE_S && get(&t, FPGA_HASHES) - before < 10000; i++)
		sleep(1);
	assert_true(get(&t, FPGA_HASHES) - before >= 10000);
	t.ops->close(&t);
}

static void fill(struct transport *t, uint8_t *digests)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		uint8_t *block = t->in + 64 * i, first[32];
		memset(block, 0, 64);
		for (unsigned j = 0; j < 40; j++)
			block[j] = (uint8_t)rand();
		block[40] = 0x80;
		store_be32(block + 60, 40 * 8);
		sha256(first, block, 40);
		sha256(digests + 32 * i, first, sizeof first);
	}
}

static int stream(struct transport *t)
{
	return t->ops->stream(t, 64 * BLOCKS, 32 * BLOCKS, PATIENCE_S);
}

static void the_stream_hashes(void **state)
{
	uint8_t digests[32 * BLOCKS];
	struct transport t;

	(void)state;
	assert_int_equal(transport_open_sim(&t, "2"), 0);
	for (int i = 0; i < 3; i++) {
		fill(&t, digests);
		assert_int_equal(stream(&t), 0);
		assert_memory_equal(t.out, digests, sizeof digests);
	}
	t.ops->close(&t);
}

static void a_stream_that_fails_says_so_and_may_be_tried_again(void **state)
{
	static const char *const faults[] = { "0 dma-error 1\n", "0 short-transfer 1\n", "0 no-answer\n" };
	uint8_t digests[32 * BLOCKS];
	struct transport t;

	(void)state;
	assert_int_equal(transport_open_sim(&t, "2"), 0);
	fill(&t, digests);
	for (int i = 0; i < 3; i++) {
		ask_for_faults(faults[i]);
		assert_int_equal(t.ops->stream(&t, 64 * BLOCKS, 32 * BLOCKS, i == 2 ? 0.1 : PATIENCE_S), -1);
		ask_for_faults("");
		assert_int_equal(stream(&t), 0);
		assert_memory_equal(t.out, digests, sizeof digests);
	}
	/* More is awaited than will come. */
	assert_int_equal(t.ops->stream(&t, 64, 64, 0.1), -1);
	assert_int_equal(stream(&t), 0);
	t.ops->close(&t);
}

/* "no-place" strikes where MM2S is armed first. */
static void the_answer_has_its_place_before_anything_is_sent(void **state)
{
	uint8_t digests[32 * BLOCKS];
	struct transport t;

	(void)state;
	assert_int_equal(transport_open_sim(&t, "2"), 0);
	ask_for_faults("0 no-place\n");
	fill(&t, digests);
	assert_int_equal(stream(&t), 0);
	assert_memory_equal(t.out, digests, sizeof digests);
	ask_for_faults("");
	t.ops->close(&t);
}

static bool unwanted_soon(void *ctx)
{
	unsigned *asked = ctx;

	return ++*asked > 2;
}

/* One that would not end within the patience of any test. */
static void a_stream_that_nobody_wants_any_more_ends_early(void **state)
{
	uint8_t digests[32 * BLOCKS];
	unsigned asked = 0;
	struct transport t;

	(void)state;
	assert_int_equal(transport_open_sim(&t, "2"), 0);
	ask_for_faults("0 stall 1\n");
	fill(&t, digests);
	t.unwanted = unwanted_soon;
	t.unwanted_ctx = &asked;
	assert_int_equal(t.ops->stream(&t, 64 * BLOCKS, 32 * BLOCKS, 60 * PATIENCE_S), -1);
	assert_int_equal(asked, 3);
	ask_for_faults("");
	t.unwanted = NULL;
	assert_int_equal(stream(&t), 0);
	assert_memory_equal(t.out, digests, sizeof digests);
	t.ops->close(&t);
}

static void an_unplugged_card_is_gone_until_it_is_opened_anew(void **state)
{
	struct transport t, again;

	(void)state;
	assert_int_equal(transport_open_sim(&t, "2"), 0);
	ask_for_faults("0 unplug\n");
	assert_int_equal(t.ops->wait(&t, PATIENCE_S), -1);
	assert_int_equal(t.ops->unmask(&t), -1);
	assert_int_equal(get(&t, FPGA_ID), TRANSPORT_GONE);
	assert_int_equal(t.ops->stream(&t, 64, 32, PATIENCE_S), -1);
	assert_int_equal(transport_open_sim(&again, "2"), -1);
	ask_for_faults("");
	assert_int_equal(get(&t, FPGA_ID), TRANSPORT_GONE);
	t.ops->close(&t);
	assert_int_equal(transport_open_sim(&again, "2"), 0);
	assert_int_equal(get(&again, FPGA_ID), 0x41444954);
	again.ops->close(&again);
}

static int forget_faults(void **state)
{
	char log[64];

	(void)state;
	snprintf(log, sizeof log, "%s.log", faults_path);
	unlink(log);
	return unlink(faults_path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_depth_is_built_and_says_what_it_is),
		cmocka_unit_test(a_depth_that_was_not_built_is_refused),
		cmocka_unit_test(a_library_that_is_none_is_refused),
		cmocka_unit_test(an_interrupt_is_waited_for_and_masked_until_it_is_let_through),
		cmocka_unit_test(the_card_runs_by_itself),
		cmocka_unit_test(the_stream_hashes),
		cmocka_unit_test(a_stream_that_fails_says_so_and_may_be_tried_again),
		cmocka_unit_test(the_answer_has_its_place_before_anything_is_sent),
		cmocka_unit_test(a_stream_that_nobody_wants_any_more_ends_early),
		cmocka_unit_test(an_unplugged_card_is_gone_until_it_is_opened_anew),
	};
	int fd = mkstemp(faults_path);

	if (fd < 0)
		return 1;
	close(fd);
	setenv("ADIT_FPGA_FAULTS", faults_path, 1);
	return cmocka_run_group_tests(tests, NULL, forget_faults);
}
