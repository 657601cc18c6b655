/*
 * The benchmark of a card's stream keeps to its time limit and to signals: on a stream in software, and a clock that only
 * moves with what is done.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cli/card_measure.h"
#include "cli/cell.h"
#include "fpga/batch.h"
#include "sha3/sha256.h"

#define ROOM		120	/* messages, more than the lengths there are */
#define MESSAGE_S	0.001	/* at the card */
#define CPU_STEP_S	0.05	/* of the CPU's forms between two looks at their clock */
#define NEVER		1000000

static struct fake {
	double now;		/* s */
	unsigned transfers, looks;
	unsigned signal_transfer, signal_look;	/* SIGTERM comes within that one, counted from 1 */
	uint32_t cycles;
	uint8_t in[ROOM * BATCH_BLOCK], out[ROOM * BATCH_DIGEST];
} fake;

/* In place of base/clock.c's: see Makefile.am. */
double __wrap_clock_now(void);
double __wrap_clock_thread_cpu(void);

double __wrap_clock_now(void)
{
	return fake.now;
}

double __wrap_clock_thread_cpu(void)
{
	if (++fake.looks == fake.signal_look)
		raise(SIGTERM);
	return fake.now += CPU_STEP_S;
}

static uint32_t fake_read(struct transport *t, unsigned offset)
{
	(void)t;
	(void)offset;
	return fake.cycles;
}

/* Whoever sends no padded blocks gets no digests of theirs. */
static void hash_block(uint8_t digest[32], const uint8_t *block)
{
	uint8_t message[SHA256_PAD_MAX], again[BATCH_BLOCK];
	const size_t len = (size_t)(block[62] << 8 | block[63]) / 8;

	assert_true(len <= sizeof message);
	memcpy(message, block, len);
	sha256_pad(again, message, len);
	assert_memory_equal(again, block, sizeof again);
	sha256(digest, message, len);
	sha256(digest, digest, 32);
}

static int fake_stream(struct transport *t, size_t in_len, size_t out_len, double timeout_s)
{
	const size_t count = in_len / BATCH_BLOCK;

	(void)timeout_s;
	assert_int_equal(out_len, count * BATCH_DIGEST);
	if (++fake.transfers == fake.signal_transfer)
		raise(SIGTERM);
	if (transport_unwanted(t))
		return -1;
	for (size_t i = 0; i < count; i++)
		hash_block(fake.out + i * BATCH_DIGEST, fake.in + i * BATCH_BLOCK);
	fake.now += (double)count * MESSAGE_S;
	fake.cycles += (uint32_t)(40 * count);
	return 0;
}

static bool unwanted(void *ctx)
{
	(void)ctx;
	return cell_signalled();
}

static const struct transport_ops ops = { .read = fake_read, .stream = fake_stream };

static json_t *results;
static bool interrupted;

/* The batches of the self-test, which come first. */
#define PROOF		4

static int measure(double limit, unsigned signal_transfer, unsigned signal_look)
{
	struct fpga_unit unit = { .name = "fake", .card.transport = {
		.ops = &ops, .name = "fake", .in = fake.in, .out = fake.out, .in_size = sizeof fake.in, .out_size = sizeof fake.out,
		.unwanted = unwanted,
	} };

	fake = (struct fake){ .now = 1000, .signal_transfer = signal_transfer, .signal_look = signal_look };
	json_array_clear(results);
	interrupted = false;
	return stream_measure(&unit, limit, results, &interrupted);
}

static double figure(const char *name)
{
	return json_number_value(json_object_get(json_array_get(results, 0), name));
}

static double cpu_figure(const char *name)
{
	return json_number_value(json_object_get(json_object_get(json_array_get(results, 0), "cpu_hashrate"), name));
}

static void the_proof_the_card_and_the_cpu_are_within_the_time_limit(void **state)
{
	static const double limits[] = { 2, 4, 10, 30 };

	(void)state;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		assert_int_equal(measure(limits[i], NEVER, NEVER), 0);
		assert_false(interrupted);
		double took = fake.now - 1000;
		if (took < limits[i] - 0.3 || took > limits[i] + 0.3)
			fail_msg("%g s took %g s", limits[i], took);
		assert_true(figure("hashes") == (fake.transfers - PROOF) * ROOM);
		assert_true(figure("clocks_per_hash") == 40);
		assert_true(figure("seconds") > limits[i] / 2);
		assert_true(cpu_figure("reference") > 0 && cpu_figure("openssl") > 0);
	}
}

/* One batch is measured however short the limit, and more than one second on the CPU of no use. */
static void what_there_is_to_measure_is_measured_in_any_case(void **state)
{
	(void)state;
	assert_int_equal(measure(0.05, NEVER, NEVER), 0);
	assert_true(figure("hashes") == ROOM);
	assert_true(cpu_figure("reference") > 0 && cpu_figure("openssl") > 0);
	assert_int_equal(measure(100, NEVER, NEVER), 0);
	assert_true(figure("seconds") > 97);
}

static void take_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	assert_true(cell_signalled());
	assert_int_equal(sigwait(&set, &number), 0);
}

static void a_signal_ends_it_with_the_batches_there_were_and_no_figure_of_the_cpu(void **state)
{
	(void)state;
	assert_int_equal(measure(1e9, PROOF + 8, NEVER), 0);
	assert_true(interrupted);
	take_signal();
	assert_true(figure("hashes") == 7 * ROOM);	/* the eighth was given up */
	assert_true(figure("seconds") > 0);
	assert_int_equal(fake.transfers, PROOF + 8);
	assert_true(fake.looks <= 2);		/* nothing was hashed */
	assert_int_equal(json_object_size(json_object_get(json_array_get(results, 0), "cpu_hashrate")), 0);
}

static void a_signal_during_the_cpus_figures_leaves_those_that_are_complete(void **state)
{
	(void)state;
	/* a look before, and one each 0.05 s: 0.5 s of the limit's 4 are each one's */
	for (unsigned look = 2; look <= 16; look += 14) {
		assert_int_equal(measure(4, NEVER, look), 0);
		assert_true(interrupted);
		take_signal();
		assert_true(fake.looks <= look + 1);
		assert_true(figure("hashes") > 0);
		assert_int_equal(cpu_figure("reference") > 0, look == 16);
		assert_true(cpu_figure("openssl") == 0);
	}
}

static void a_signal_before_there_is_a_figure_is_told_and_no_result(void **state)
{
	static const unsigned proved[] = { 1, 2, PROOF, PROOF + 1 };

	(void)state;
	for (size_t i = 0; i < sizeof proved / sizeof *proved; i++) {
		assert_int_equal(measure(1e9, proved[i], NEVER), -1);
		assert_true(interrupted);
		take_signal();
		assert_int_equal(fake.transfers, proved[i]);
		assert_int_equal(json_array_size(results), 0);
	}
	raise(SIGTERM);
	assert_int_equal(measure(1e9, NEVER, NEVER), -1);
	assert_true(interrupted);
	take_signal();
	assert_int_equal(fake.transfers, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_proof_the_card_and_the_cpu_are_within_the_time_limit),
		cmocka_unit_test(what_there_is_to_measure_is_measured_in_any_case),
		cmocka_unit_test(a_signal_ends_it_with_the_batches_there_were_and_no_figure_of_the_cpu),
		cmocka_unit_test(a_signal_during_the_cpus_figures_leaves_those_that_are_complete),
		cmocka_unit_test(a_signal_before_there_is_a_figure_is_told_and_no_result),
	};
	sigset_t set;

	/* as the program has them */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	results = json_array();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	json_decref(results);
	return failed;
}
