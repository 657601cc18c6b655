/*
 * What the driver of an offload core asks of its registers, and believes of them: on a card that is an array of registers
 * and adds 1 to each byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "fpga/offload_card.h"
#include "fpga/offload_regs.h"

#define ADDR		UINT64_C(0x12345678040)	/* of `out` on the bus */
#define ROOM_BYTES	640			/* one transfer can carry, each way */
#define LOADS		8

enum fault {
	SOUND,
	SILENT,			/* START and the stream never end */
	GONE_AT_START,		/* from then on all registers read as ones */
	MEMORY_ERROR,
	LOSES_COUNT,		/* ITEMS counts one less than went through */
	DIRTY,			/* a reset does not empty it */
	NO_INTERRUPTS,
};

/* What was in the registers at a LOAD. */
struct load {
	uint8_t key[32], iv[16];
	uint32_t operation;
};

static struct fake {
	enum fault fault;
	bool gone;
	unsigned unanswered;		/* reads from now on that are, and read as ones */
	uint32_t regs[OFFLOAD_REGS_LEN / 4];
	uint8_t in[ROOM_BYTES], out[ROOM_BYTES];
	uint8_t memory[ROOM_BYTES];	/* what the core writes by itself; `out` has it once it is taken back */
	struct load loads[LOADS];
	unsigned loaded, starts, transfers, unmasked, closed;
	size_t lent, longest;		/* bytes, of the latest lend() and of the longest transfer */
	uint32_t counts[LOADS];		/* COUNT at each START */
} fake;

static uint32_t *reg(unsigned offset)
{
	assert_true(offset % 4 == 0 && offset < OFFLOAD_REGS_LEN);
	return &fake.regs[offset / 4];
}

static uint32_t fake_read(struct transport *t, unsigned offset)
{
	(void)t;
	++*reg(OFFLOAD_CYCLES);
	if (fake.unanswered > 0) {
		fake.unanswered--;
		return TRANSPORT_GONE;
	}
	return fake.gone ? TRANSPORT_GONE : *reg(offset);
}

static void control(uint32_t value)
{
	switch (value) {
	case OFFLOAD_CONTROL_LOAD: {
		struct load *load = &fake.loads[fake.loaded++ % LOADS];

		for (unsigned i = 0; i < 8; i++)
			store_le32(load->key + 4 * i, *reg(OFFLOAD_KEY0 + 4 * i));
		for (unsigned i = 0; i < 4; i++)
			store_le32(load->iv + 4 * i, *reg(OFFLOAD_IV0 + 4 * i));
		load->operation = *reg(OFFLOAD_OPERATION);
		return;
	}
	case OFFLOAD_CONTROL_START:
		fake.counts[fake.starts++ % LOADS] = *reg(OFFLOAD_COUNT);
		memset(fake.memory, (int)fake.starts, fake.lent);
		for (unsigned i = 0; i < 8; i++)
			*reg(OFFLOAD_RESULT0 + 4 * i) = *reg(OFFLOAD_KEY0 + 4 * i) + *reg(OFFLOAD_B0 + 4 * i);
		fake.gone = fake.fault == GONE_AT_START;
		*reg(OFFLOAD_STATUS) = fake.fault == SILENT;
		if (fake.fault != SILENT)
			*reg(OFFLOAD_IRQ_STATUS) |= fake.fault == MEMORY_ERROR ? OFFLOAD_IRQ_STATUS_ERROR : OFFLOAD_IRQ_STATUS_DONE;
		return;
	case OFFLOAD_CONTROL_RESET:
		*reg(OFFLOAD_IRQ_STATUS) = *reg(OFFLOAD_IRQ_ENABLE) = *reg(OFFLOAD_ITEMS) = 0;
		*reg(OFFLOAD_STATUS) = fake.fault == DIRTY;
		return;
	default:
		fail_msg("CONTROL gets %u", (unsigned)value);
	}
}

static void fake_write(struct transport *t, unsigned offset, uint32_t value)
{
	(void)t;
	if (fake.gone)
		return;
	if (offset == OFFLOAD_CONTROL)
		control(value);
	else if (offset == OFFLOAD_IRQ_STATUS)
		*reg(offset) &= ~value;
	else
		*reg(offset) = value;
}

static int fake_wait(struct transport *t, double timeout_s)
{
	(void)t;
	(void)timeout_s;
	return fake.fault != NO_INTERRUPTS && *reg(OFFLOAD_IRQ_STATUS) & *reg(OFFLOAD_IRQ_ENABLE) ? 1 : 0;
}

static int fake_unmask(struct transport *t)
{
	(void)t;
	fake.unmasked++;
	return 0;
}

static int fake_stream(struct transport *t, size_t in_len, size_t out_len, double timeout_s)
{
	const size_t item_out = *reg(OFFLOAD_CAPS) >> OFFLOAD_CAPS_ITEM_OUT_SHIFT;

	assert_true(in_len > 0 && in_len <= t->in_size && out_len <= t->out_size && timeout_s > 0);
	if (fake.fault == SILENT)
		return -1;
	for (size_t i = 0; i < out_len; i++)
		fake.out[i] = (uint8_t)(fake.in[i] + 1);
	fake.transfers++;
	if (in_len > fake.longest)
		fake.longest = in_len;
	*reg(OFFLOAD_ITEMS) += (uint32_t)(out_len / item_out) - (fake.fault == LOSES_COUNT);
	*reg(OFFLOAD_BUSY_CYCLES) += 7;
	return 0;
}

static int fake_lend(struct transport *t, size_t len)
{
	assert_true(len > 0 && len <= t->out_memory);
	fake.lent = len;
	return 0;
}

static int fake_take_back(struct transport *t, size_t len)
{
	(void)t;
	assert_int_equal(len, fake.lent);
	memcpy(fake.out, fake.memory, len);
	fake.lent = 0;
	return 0;
}

static void fake_close(struct transport *t)
{
	(void)t;
	fake.closed++;
}

static const struct transport_ops fake_ops = {
	.read = fake_read, .write = fake_write, .wait = fake_wait, .unmask = fake_unmask, .stream = fake_stream,
	.lend = fake_lend, .take_back = fake_take_back, .close = fake_close,
};

/* CORE and CAPS as offload_top has them: 2 cores of 20 clocks. */
static struct transport build(uint32_t core, size_t item_in, size_t item_out)
{
	fake = (struct fake){ .fault = SOUND };
	*reg(OFFLOAD_ID) = 0x41444f46;
	*reg(OFFLOAD_VERSION) = 0x00010003;
	*reg(OFFLOAD_CORE) = core;
	*reg(OFFLOAD_CAPS) = 2 | 20 << 8 | (uint32_t)item_in << 16 | (uint32_t)item_out << 24;
	return (struct transport){
		.ops = &fake_ops, .name = "fake", .in = fake.in, .out = fake.out, .in_size = ROOM_BYTES, .out_size = ROOM_BYTES,
		.out_memory = ROOM_BYTES, .out_addr = ADDR,
	};
}

static void use(struct offload_card *card, const struct transport *t, const char *core)
{
	assert_int_equal(offload_card_use(card, t, core), 0);
	card->timeout_s = 0;
}

static void a_card_of_each_core_is_taken(void **state)
{
	static const struct { const char *name; uint32_t core; size_t in, out; } rows[] = {
		{ "chacha20", 1, 64, 64 }, { "aes128-ecb", 2, 16, 16 }, { "aes128-ctr", 2, 16, 16 }, { "sha256d", 3, 64, 32 },
		{ "cubehash256", 4, 32, 32 }, { "secp256k1", 5, 64, 32 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct transport t = build(rows[i].core, rows[i].in, rows[i].out);
		struct offload_card card;

		assert_true(offload_card_offers(rows[i].name));
		use(&card, &t, rows[i].name);
		assert_int_equal(card.cores, 2);
		assert_int_equal(card.clocks, 20);
		assert_int_equal(card.room, ROOM_BYTES / rows[i].in);
		offload_card_close(&card);
		assert_int_equal(fake.closed, 1);
	}
	assert_false(offload_card_offers("sha256"));
}

static void what_is_not_that_core_is_refused(void **state)
{
	static const struct { unsigned offset; uint32_t value; } wrong[] = {
		{ OFFLOAD_ID, 0x41444954 }, { OFFLOAD_ID, 0 }, { OFFLOAD_ID, TRANSPORT_GONE }, { OFFLOAD_VERSION, 0x00020000 },
		{ OFFLOAD_VERSION, 0 }, { OFFLOAD_CORE, 2 }, { OFFLOAD_CORE, 6 }, { OFFLOAD_CAPS, 20 << 8 | 0x40400000 },
		{ OFFLOAD_CAPS, 0x40400002 }, { OFFLOAD_CAPS, 0x20401402 }, { OFFLOAD_CAPS, 0x40201402 },
		{ OFFLOAD_VERSION, TRANSPORT_GONE }, { OFFLOAD_CORE, TRANSPORT_GONE }, { OFFLOAD_CAPS, TRANSPORT_GONE },
	};
	struct offload_card card;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct transport t = build(1, 64, 64);

		*reg(wrong[i].offset) = wrong[i].value;
		if (offload_card_use(&card, &t, "chacha20") == 0)
			fail_msg("%08x at %03x is taken", (unsigned)wrong[i].value, wrong[i].offset);
		assert_int_equal(card.foreign, wrong[i].value != TRANSPORT_GONE);
		assert_int_equal(fake.closed, 0);
	}
	struct transport t = build(1, 64, 64);
	assert_int_equal(offload_card_use(&card, &t, "chacha"), -1);
	fake.fault = DIRTY;
	assert_int_equal(offload_card_use(&card, &t, "chacha20"), -1);
}

/* So it is worth another try. */
static void a_card_that_does_not_answer_for_a_moment_is_not_foreign(void **state)
{
	struct offload_card card;

	(void)state;
	for (unsigned reads = 1; reads <= 4; reads++) {
		struct transport t = build(1, 64, 64);

		fake.unanswered = reads;
		assert_int_equal(offload_card_use(&card, &t, "chacha20"), -1);
		assert_false(card.foreign);
		assert_int_equal(offload_card_use(&card, &t, "chacha20"), 0);
	}
}

/* RFC 8439, 2.3, and SP 800-38A, B.1. */
static void a_batch_is_loaded_with_the_number_of_its_first_item(void **state)
{
	static const struct { uint32_t core; const char *name; uint64_t first; uint8_t iv[16], want[16]; } rows[] = {
		{ 1, "chacha20", 0x89abcdef, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 99, 99, 99, 99 },
		  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xef, 0xcd, 0xab, 0x89 } },
		{ 2, "aes128-ctr", 0x0102, { [14] = 0xff, 0xff }, { [13] = 1, 1, 1 } },
		{ 2, "aes128-ctr", UINT64_MAX, { [15] = 1 }, { [7] = 1 } },
		{ 2, "aes128-ctr", UINT64_MAX,
		  { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		  { 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const size_t item = rows[i].core == 1 ? 64 : 16;
		struct transport t = build(rows[i].core, item, item);
		struct core_params params = { .operation = FIELD_MUL };
		struct offload_card card;
		uint8_t bytes[64] = { 0 };

		for (unsigned k = 0; k < 32; k++)
			params.key[k] = (uint8_t)(k + 1);
		memcpy(params.iv, rows[i].iv, 16);
		use(&card, &t, rows[i].name);
		assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, rows[i].first, 1, bytes, bytes }), 0);
		assert_int_equal(fake.loaded, 1);
		assert_memory_equal(fake.loads[0].key, params.key, rows[i].core == 1 ? 32 : 16);
		assert_memory_equal(fake.loads[0].iv, rows[i].want, 16);
		assert_int_equal(fake.loads[0].operation, rows[i].core == 1 ? 0 : 1);
	}
}

static void no_stream_has_more_items_than_its_counter(void **state)
{
	struct transport t = build(1, 64, 64);
	const struct core_params params = { .operation = FIELD_ADD };
	struct offload_card card;
	uint8_t bytes[128] = { 0 };

	(void)state;
	use(&card, &t, "chacha20");
	assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, UINT32_MAX, 1, bytes, bytes }), 0);
	assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, UINT32_MAX, 2, bytes, bytes }), -1);
	assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, UINT64_C(1) << 32, 1, bytes, bytes }), -1);
	assert_int_equal(offload_card_pads(&card, bytes, &params, UINT32_MAX, 2), -1);
	assert_int_equal(offload_card_pads(&card, bytes, &params, UINT32_MAX, 1), 0);
	assert_int_equal(fake.transfers + fake.starts, 2);
}

static void a_batch_goes_in_packets_and_is_counted(void **state)
{
	enum { ITEMS = 2 * (ROOM_BYTES / 32) + 1 };
	struct transport t = build(4, 32, 32);
	uint8_t in[32 * ITEMS], out[32 * ITEMS];
	struct offload_card card;

	(void)state;
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 7);
	use(&card, &t, "cubehash256");
	assert_int_equal(offload_card_run(&card, &(struct batch){ .items = ITEMS, .in = in, .out = out }), 0);
	for (size_t i = 0; i < sizeof in; i++)
		assert_int_equal(out[i], (uint8_t)(in[i] + 1));
	assert_int_equal(fake.transfers, 3);
	assert_int_equal(fake.longest, ROOM_BYTES);
	assert_int_equal(fake.loaded, 1);
	assert_int_equal(card.sums.items, ITEMS);
	assert_int_equal(card.sums.bytes_in, 32 * ITEMS);
	assert_int_equal(card.sums.bytes_out, 32 * ITEMS);
	assert_int_equal(card.sums.busy_cycles, 21);
	assert_true(card.sums.cycles > 0 && card.sums.cycles < 20);
	assert_int_equal(offload_card_run(&card, &(struct batch){ .items = 0, .in = in, .out = out }), 0);
	assert_int_equal(fake.transfers, 3);
}

static void a_card_without_a_stream_runs_no_batches(void **state)
{
	static const struct transport_ops no_stream = { .read = fake_read, .write = fake_write, .wait = fake_wait, .unmask = fake_unmask, .close = fake_close };
	struct transport t = build(1, 64, 64);
	const struct core_params params = { .operation = FIELD_ADD };
	struct offload_card card;
	uint8_t bytes[64] = { 0 };

	(void)state;
	t.ops = &no_stream;
	t.in_size = t.out_size = t.out_memory = 0;
	use(&card, &t, "chacha20");
	assert_int_equal(card.room, 0);
	assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, 0, 1, bytes, bytes }), -1);
	assert_int_equal(offload_card_pads(&card, bytes, &params, 0, 1), -1);
}

static void pads_are_asked_for_in_parts_as_long_as_the_memory(void **state)
{
	enum { BLOCKS = 2 * (ROOM_BYTES / 64) + 3 };
	struct transport t = build(1, 64, 64);
	const struct core_params params = { .key = { 5 } };
	struct offload_card card;
	uint8_t out[64 * BLOCKS];

	(void)state;
	use(&card, &t, "chacha20");
	fake.fault = NO_INTERRUPTS;
	assert_int_equal(offload_card_pads(&card, out, &params, 1000, BLOCKS), 0);
	assert_int_equal(fake.starts, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(fake.counts[i], i < 2 ? ROOM_BYTES / 64 : 3);
		assert_int_equal(load_le32(fake.loads[i].iv + 12), 1000 + i * (ROOM_BYTES / 64));
		assert_int_equal(out[i * ROOM_BYTES], i + 1);
	}
	assert_int_equal(out[64 * BLOCKS - 1], 3);
	assert_int_equal(*reg(OFFLOAD_ADDRESS_LOW), ADDR & UINT32_MAX);
	assert_int_equal(*reg(OFFLOAD_ADDRESS_HIGH), ADDR >> 32);
	assert_int_equal(fake.unmasked, 3);
	assert_int_equal(card.sums.items, BLOCKS);
	assert_int_equal(card.sums.bytes_out, 64 * BLOCKS);
	assert_int_equal(*reg(OFFLOAD_IRQ_ENABLE), 0);
}

static void a_pair_of_numbers_needs_registers_alone(void **state)
{
	struct transport t = build(5, 64, 32);
	struct offload_card card;
	uint8_t a[32] = { 1, 2, 3 }, b[32] = { 10, 20, 30 }, out[32];

	(void)state;
	use(&card, &t, "secp256k1");
	assert_int_equal(offload_card_field(&card, out, FIELD_SUB, a, b), 0);
	assert_int_equal(fake.loads[0].operation, 1);
	assert_int_equal(out[0] | out[1] << 8 | out[2] << 16, 11 | 22 << 8 | 33 << 16);
	assert_int_equal(offload_card_pads(&card, out, &(struct core_params){ .key = { 1 } }, 0, 0), -1);
	t = build(1, 64, 64);
	use(&card, &t, "chacha20");
	assert_int_equal(offload_card_field(&card, out, FIELD_SUB, a, b), -1);
}

/* Each fault is told of, and where the card is there again it works. */
static void a_card_that_fails_is_not_believed(void **state)
{
	static const enum fault faults[] = { SILENT, GONE_AT_START, MEMORY_ERROR };
	const struct core_params params = { .operation = FIELD_ADD };
	uint8_t bytes[64] = { 0 };
	struct offload_card card;

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct transport t = build(1, 64, 64);

		use(&card, &t, "chacha20");
		fake.fault = faults[i];
		assert_int_equal(offload_card_pads(&card, bytes, &params, 0, 1), -1);
		assert_true(fake.gone || *reg(OFFLOAD_STATUS) == 0);	/* it was reset */
		fake.fault = SOUND;
		fake.gone = false;
		assert_int_equal(offload_card_pads(&card, bytes, &params, 0, 1), 0);

		t = build(5, 64, 32);
		use(&card, &t, "secp256k1");
		fake.fault = faults[i];
		assert_int_equal(offload_card_field(&card, bytes, FIELD_ADD, bytes, bytes + 32), -1);
	}
	for (enum fault fault = SILENT; fault <= LOSES_COUNT; fault += LOSES_COUNT - SILENT) {
		struct transport t = build(1, 64, 64);

		use(&card, &t, "chacha20");
		fake.fault = fault;
		assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, 0, 1, bytes, bytes }), -1);
		assert_int_equal(card.sums.items, 0);
		fake.fault = SOUND;
		assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, 0, 1, bytes, bytes }), 0);
	}
}

static void no_key_stays_in_a_card_that_is_closed(void **state)
{
	struct transport t = build(1, 64, 64);
	struct core_params params = { .operation = FIELD_ADD };
	struct offload_card card;
	uint8_t bytes[64] = { 0 };

	(void)state;
	memset(params.key, 0xaa, sizeof params.key);
	use(&card, &t, "chacha20");
	assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, 0, 1, bytes, bytes }), 0);
	offload_card_close(&card);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(*reg(OFFLOAD_KEY0 + 4 * i), 0);
	assert_int_equal(fake.loaded, 2);
	assert_int_equal(load_le32(fake.loads[1].key), 0);
}

static void a_card_is_named_with_its_stream(void **state)
{
	static const char *const bad[] = { "", "sim:16", "simulated", "uio:", "uio:a", "uio:a,dma=d", "serial:ttyUSB0", "uio:a,dma=d,buf=b,length-bits=7" };
	static const char *const twice[] = { "dma=", "buf=", "length-bits=" };
	struct fpga_spec spec;
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		why[0] = '\0';
		if (fpga_spec_parse_offload(&spec, bad[i], why, sizeof why) == 0 || !why[0])
			fail_msg("\"%s\" is taken", bad[i]);
	}
	for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
		char value[80];

		snprintf(value, sizeof value, "uio:a,dma=d,buf=b,length-bits=14,%s14", twice[i]);
		if (fpga_spec_parse_offload(&spec, value, why, sizeof why) == 0 || !strstr(why, twice[i]) || !strstr(why, "twice"))
			fail_msg("\"%s\" is taken, or \"%s\"", value, why);
	}
	assert_int_equal(fpga_spec_parse_offload(&spec, "sim", why, sizeof why), 0);
	assert_true(spec.sim);
	assert_int_equal(fpga_spec_parse_offload(&spec, "uio:o,dma=d,buf=b,length-bits=23", why, sizeof why), 0);
	assert_true(!spec.sim && strcmp(spec.miner, "o") == 0 && strcmp(spec.dma, "d") == 0 && spec.length_bits == 23);
	assert_int_equal(fpga_spec_parse_offload(&spec, "uio:o,buf=b,dma=d", why, sizeof why), 0);
	assert_int_equal(spec.length_bits, 14);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_of_each_core_is_taken),
		cmocka_unit_test(what_is_not_that_core_is_refused),
		cmocka_unit_test(a_card_that_does_not_answer_for_a_moment_is_not_foreign),
		cmocka_unit_test(a_batch_is_loaded_with_the_number_of_its_first_item),
		cmocka_unit_test(no_stream_has_more_items_than_its_counter),
		cmocka_unit_test(a_batch_goes_in_packets_and_is_counted),
		cmocka_unit_test(a_card_without_a_stream_runs_no_batches),
		cmocka_unit_test(pads_are_asked_for_in_parts_as_long_as_the_memory),
		cmocka_unit_test(a_pair_of_numbers_needs_registers_alone),
		cmocka_unit_test(a_card_that_fails_is_not_believed),
		cmocka_unit_test(no_key_stays_in_a_card_that_is_closed),
		cmocka_unit_test(a_card_is_named_with_its_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
