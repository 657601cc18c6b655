/*
 * The driver's stream (fpga/uio_card.c, axi_dma.c, udmabuf.c) on the simulated machine: what
 * goes wrong with one transfer is told, and costs the next one nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fpga/batch.h"
#include "fpga/uio_card.h"
#include "tests/open_files.h"
#include "tests/plain_driver.h"

enum { MM2S_STATUS = 0x04, S2MM_STATUS = 0x34, HALTED = 1 };	/* PG021, 2 */

static const struct uio_card_names names = { .miner = "adit-miner", .dma = "adit-dma", .buffer = "udmabuf0", .length_bits = 14 };

static void stream_open(struct transport *t)
{
	plain_faults(NULL);
	assert_int_equal(transport_open_uio(t, getenv("ADIT_FPGA_ROOT"), &names), 0);
	assert_int_equal(batch_room(t), 255);	/* of the 16,383 bytes that 14 bits can say */
}

static void a_stream_hashes_whatever_its_interrupts_do(void **state)
{
	static const char *const faults[] = { NULL, "0 lost-interrupt\n", "0 stuck-interrupt\n", "0 no-irqcontrol\n" };
	struct transport t;

	(void)state;
	stream_open(&t);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		plain_faults(faults[i]);
		assert_int_equal(batch_self_test(&t), 0);
	}
	t.ops->close(&t);
}

/* The same stream, not opened anew. */
static void a_transfer_that_failed_may_be_tried_again(void **state)
{
	static const char *const faults[] = { "0 dma-error 1\n", "0 short-transfer 1\n", "0 no-answer\n" };
	struct transport t;

	(void)state;
	stream_open(&t);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		print_message("%s", faults[i]);
		plain_faults(faults[i]);
		assert_int_equal(batch_self_test(&t), -1);
		plain_faults(NULL);
		assert_int_equal(batch_self_test(&t), 0);
	}
	t.ops->close(&t);
}

/* "no-place" strikes where MM2S is armed first. */
static void the_answer_has_its_place_before_anything_is_sent(void **state)
{
	struct transport t;

	(void)state;
	stream_open(&t);
	plain_faults("0 no-place\n");
	assert_int_equal(batch_self_test(&t), 0);
	assert_int_equal(plain_fault_count("0 no-place"), 0);
	t.ops->close(&t);
}

/* Its engine would go on in memory that is another's then. */
static void what_is_closed_stands_still_and_leaves_nothing_open(void **state)
{
	const unsigned before = open_files();
	struct plain_uio dma;
	struct transport t;

	(void)state;
	stream_open(&t);
	assert_int_equal(batch_self_test(&t), 0);
	t.ops->close(&t);
	assert_int_equal(open_files(), before);
	plain_open(&dma, "uio1", 0);
	assert_int_equal(plain_read(&dma, MM2S_STATUS) & HALTED, HALTED);
	assert_int_equal(plain_read(&dma, S2MM_STATUS) & HALTED, HALTED);
	plain_close(&dma);
}

static bool unwanted_soon(void *ctx)
{
	unsigned *asked = ctx;

	return ++*asked > 2;
}

/* One that would never end. */
static void a_transfer_that_nobody_wants_any_more_ends_early(void **state)
{
	unsigned asked = 0;
	struct transport t;

	(void)state;
	stream_open(&t);
	plain_faults("0 stall 1\n");
	t.unwanted = unwanted_soon;
	t.unwanted_ctx = &asked;
	assert_int_equal(t.ops->stream(&t, BATCH_BLOCK, BATCH_DIGEST, 1e6), -1);
	assert_int_equal(asked, 3);
	assert_int_equal(batch_self_test(&t), -1);	/* does not even begin */
	t.unwanted = NULL;
	plain_faults(NULL);
	assert_int_equal(batch_self_test(&t), 0);
	t.ops->close(&t);
}

int main(int argc, char **argv)
{
	static const char *const cards[] = { "16,14", NULL };
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_hashes_whatever_its_interrupts_do),
		cmocka_unit_test(a_transfer_that_failed_may_be_tried_again),
		cmocka_unit_test(the_answer_has_its_place_before_anything_is_sent),
		cmocka_unit_test(what_is_closed_stands_still_and_leaves_nothing_open),
		cmocka_unit_test(a_transfer_that_nobody_wants_any_more_ends_early),
	};

	(void)argc;
	plain_driver_enter(argv, cards);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
