/*
 * Every offload core through the true driver: on its RTL, simulated within the process and, where the shim was built, behind
 * the system calls of a board, with published vectors, random items and each fault that a card can have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/log.h"
#include "fpga/offload_card.h"
#include "fpga/offload_regs.h"
#include "tests/overheard.h"
#include "tests/plain_driver.h"

#define ITEMS_MAX	1100
#define PATIENCE_S	120
#define MOMENT_S	0.2		/* the patience with a card of which is known that it will not be done */

/* The machine behind the shim: fpga/sim/mkroot's arguments. A DMA of 14 bits, so that long batches become packets. */
static const char *const machine[] = { "chacha20,14", "aes128,14", "sha256d,14", "cubehash256,14", "secp256k1,14", "0,14", NULL };
#define MINER	5

enum way { IN_PROCESS, BEHIND_THE_SHIM };
static bool shim;		/* it was built */
#define FOR_EACH_WAY(way)	for (enum way way = IN_PROCESS; way <= (shim ? BEHIND_THE_SHIM : IN_PROCESS); way++)

/* The name of the design that has it, and the machine's card. */
static const char *design_of(const char *core)
{
	return strncmp(core, "aes128", 6) == 0 ? "aes128" : core;
}

static unsigned card_of(const char *core)
{
	for (unsigned i = 0; machine[i]; i++)
		if (strncmp(machine[i], design_of(core), strlen(design_of(core))) == 0)
			return i;
	fail_msg("no card has %s", core);
	return 0;
}

static struct fpga_spec spec_of(enum way way, const char *kind, unsigned index)
{
	char value[100], why[200], suffix[12] = "";
	struct fpga_spec spec;

	if (index > 0)
		snprintf(suffix, sizeof suffix, "%u", index);
	snprintf(value, sizeof value, "uio:adit-%s%s,dma=adit-dma%s,buf=udmabuf%u", kind, suffix, suffix, index);
	if (fpga_spec_parse_offload(&spec, way == IN_PROCESS ? "sim" : value, why, sizeof why) < 0)
		fail_msg("%s %s", value, why);
	return spec;
}

static int try_open(struct offload_card *card, enum way way, const char *core)
{
	const struct fpga_spec spec = spec_of(way, "offload", card_of(core));

	return offload_card_open(card, getenv("ADIT_FPGA_ROOT"), &spec, core);
}

static void open_card(struct offload_card *card, enum way way, const char *core)
{
	assert_int_equal(try_open(card, way, core), 0);
	card->timeout_s = PATIENCE_S;
}

/* A fault of the card that has this core; NULL: of none. */
static void ask_for(enum way way, const char *core, const char *fault)
{
	char line[64];

	snprintf(line, sizeof line, "%u %s\n", way == IN_PROCESS ? 0 : card_of(core), fault ? fault : "");
	plain_faults(fault ? line : NULL);
}

static void has_happened(enum way way, const char *core, const char *fault)
{
	char line[64];

	snprintf(line, sizeof line, "%u %.*s", way == IN_PROCESS ? 0 : card_of(core), (int)strcspn(fault, " "), fault);
	if (plain_fault_count(line) == 0)
		fail_msg("%s: %s did not happen", core, fault);
}

/* From listen_to_log() to must_hear() what is logged is kept: one line, with these words. */
static void listen_to_log(void)
{
	static unsigned times;

	log_info("listening, %u", times++);	/* no line is then a repeated one, which would not be shown */
	overhear();
}

static void must_hear(const char *words)
{
	char text[2000];

	overheard(text, sizeof text);
	fputs(text, stderr);
	const char *end = strchr(text, '\n');
	if (!end || end[1] || !strstr(text, words))
		fail_msg("not one line with \"%s\"", words);
}

/* A stream of fpga/tb/offload/NAME.txt (the form is that of fpga/tb/offload_tb.v), since the last LOAD. */
struct vectors {
	enum way way;
	const char *name;
	struct offload_card card;
	const char *core;	/* that the card is open for; NULL: none yet */
	struct core_params params;
	uint32_t operation;
	uint64_t items;		/* that went before */
	uint8_t in[64 * 8], want[64 * 8];
	size_t in_len, want_len;
	unsigned packets;	/* that were held against their answers, of the whole file */
};

static void set_register(struct vectors *v, unsigned offset, uint32_t value)
{
	if (offset >= OFFLOAD_KEY0 && offset <= OFFLOAD_KEY7)
		store_le32(v->params.key + (offset - OFFLOAD_KEY0), value);
	else if (offset >= OFFLOAD_IV0 && offset <= OFFLOAD_IV3)
		store_le32(v->params.iv + (offset - OFFLOAD_IV0), value);
	else if (offset == OFFLOAD_OPERATION)
		v->operation = value;
	else if (offset == OFFLOAD_CONTROL)
		v->items = 0;
	else
		fail_msg("%s: register %03x", v->name, offset);
}

/* The packet is there, and what should come of it. */
static void hold_against(struct vectors *v)
{
	const char *core = strcmp(v->name, "aes128") != 0 ? v->name : v->operation ? "aes128-ctr" : "aes128-ecb";
	const struct core *items = core_find(core);
	uint64_t first = strcmp(core, "chacha20") == 0 ? load_le32(v->params.iv + 12) : 0;
	uint8_t out[sizeof v->want];

	if (v->core != core) {
		if (v->core)
			offload_card_close(&v->card);
		open_card(&v->card, v->way, core);
		v->core = core;
	}
	v->params.operation = (enum field_operation)v->operation;
	memset(v->in + v->in_len, 0, sizeof v->in - v->in_len);		/* a packet may end within its last item */
	struct batch batch = { items, &v->params, first + v->items, (v->in_len + items->item_in - 1) / items->item_in, v->in, out };
	assert_int_equal(offload_card_run(&v->card, &batch), 0);
	if (v->want_len == 0 || memcmp(out, v->want, v->want_len) != 0)
		fail_msg("%s: packet %u is wrong", core, v->packets);
	v->items += batch.items;
	v->in_len = v->want_len = 0;
	v->packets++;
}

static void run_file(struct vectors *v)
{
	char path[1024], line[200], word[40];
	unsigned a, b;
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof path, "%s/fpga/tb/offload/%s.txt", srcdir ? srcdir : ".", v->name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		if (sscanf(line, "w %x %x", &a, &b) == 2) {
			set_register(v, a, b);
		} else if (sscanf(line, "i %32s %u", word, &b) == 2) {
			assert_true(v->in_len + 16 <= sizeof v->in && hex_decode(v->in + v->in_len, 16, word));
			v->in_len += 16;
		} else if (sscanf(line, "o %32s %u", word, &b) == 2) {
			assert_true(v->want_len + 16 <= sizeof v->want && hex_decode(v->want + v->want_len, 16, word));
			v->want_len += 16;
			if (b)
				hold_against(v);
		}
	}
	fclose(file);
	assert_true(v->packets > 0 && v->in_len == 0);
	offload_card_close(&v->card);
}

static void every_core_has_its_published_answers(void **state)
{
	static const char *const names[] = { "chacha20", "aes128", "sha256d", "cubehash256", "secp256k1" };

	(void)state;
	FOR_EACH_WAY(way)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			run_file(&(struct vectors){ .way = way, .name = names[i] });
}

static void random_bytes(void *to, size_t len)
{
	for (uint8_t *byte = to; len-- > 0; )
		*byte++ = (uint8_t)(rand() >> 7);
}

static struct core_params random_params(void)
{
	struct core_params params;

	random_bytes(&params, sizeof params);
	params.operation = (enum field_operation)(rand() % 3);
	return params;
}

static uint8_t in[64 * ITEMS_MAX], out[64 * ITEMS_MAX], right[64 * ITEMS_MAX];

/* A batch on the card, held against the core's plain form. */
static void run_and_compare(struct offload_card *card, const struct core *core, uint64_t first, size_t items)
{
	const struct core_params params = random_params();
	struct batch batch = { core, &params, first, items, in, right };

	core_example(core, in, items);
	core->plain(&batch);
	batch.out = out;
	memset(out, 0, sizeof out);
	assert_int_equal(offload_card_run(card, &batch), 0);
	if (memcmp(out, right, items * core->item_out) != 0)
		fail_msg("%s: %zu items from %llu on", core->name, items, (unsigned long long)first);
}

static void random_items_agree_with_the_reference(void **state)
{
	(void)state;
	FOR_EACH_WAY(way)
		for (const struct core *core = cores; core->name; core++) {
			struct offload_card card;
			size_t some = 5 + (size_t)rand() % 20;

			open_card(&card, way, core->name);
			size_t many = card.room < ITEMS_MAX - some ? card.room + some : some;	/* two packets, where they are short */
			run_and_compare(&card, core, 0, some);
			run_and_compare(&card, core, core->items_max ? core->items_max - many : UINT64_MAX - 3, many);
			assert_int_equal(card.sums.items, some + many);
			offload_card_close(&card);
		}
}

/*
 * Nothing is in the way of the stream here, so the clocks with items inside are those of the core. Chacha20's pads are begun
 * before there are items.
 */
static void a_card_counts_its_own_clocks(void **state)
{
	static const struct { const char *core; double least, most; } rows[] = {
		{ "aes128-ecb", 1, 1.1 }, { "sha256d", 129 / 4.0, 34 }, { "cubehash256", 192 / 4.0, 50 }, { "secp256k1", 21, 22 },
	};

	(void)state;
	FOR_EACH_WAY(way)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const struct core *core = core_find(rows[i].core);
			const size_t items = 200;
			struct offload_card card;

			open_card(&card, way, core->name);
			random_bytes(in, sizeof in);
			assert_int_equal(offload_card_run(&card, &(struct batch){ core, &(struct core_params){ .operation = FIELD_MUL },
					 0, items, in, out }), 0);
			double each = (double)card.sums.busy_cycles / (double)items;
			print_message("%s: %.2f clocks an item\n", core->name, each);
			if (each < rows[i].least || each > rows[i].most || card.sums.cycles < card.sums.busy_cycles)
				fail_msg("%s: %.2f clocks an item", core->name, each);
			assert_int_equal(card.sums.bytes_in, items * core->item_in);
			assert_int_equal(card.sums.bytes_out, items * core->item_out);
			offload_card_close(&card);
		}
}

static void pads_are_written_to_memory_by_the_core(void **state)
{
	enum { BLOCKS = 300 };

	(void)state;
	FOR_EACH_WAY(way) {
		const struct core_params params = random_params();
		const uint64_t first = (UINT64_C(1) << 32) - BLOCKS;
		struct offload_card card;

		open_card(&card, way, "chacha20");
		memset(in, 0, sizeof in);
		core_find("chacha20")->plain(&(struct batch){ NULL, &params, first, BLOCKS, in, right });
		assert_int_equal(offload_card_pads(&card, out, &params, first, BLOCKS), 0);
		assert_memory_equal(out, right, 64 * BLOCKS);
		card.transport.out_memory = 64 * 77;	/* as if there were no more: four parts */
		memset(out, 0, sizeof out);
		assert_int_equal(offload_card_pads(&card, out, &params, first, BLOCKS), 0);
		assert_memory_equal(out, right, 64 * BLOCKS);
		run_and_compare(&card, core_find("chacha20"), 1, 5);
		offload_card_close(&card);
	}
}

static void field_operations_need_registers_alone(void **state)
{
	static const char *const edges[] = {
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000001",
		"fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2e",
		"fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	};
	const struct core *core = core_find("secp256k1");

	(void)state;
	FOR_EACH_WAY(way) {
		struct offload_card card;

		open_card(&card, way, "secp256k1");
		for (unsigned i = 0; i < 5 * 5 + 10; i++) {
			struct core_params params = { .operation = FIELD_ADD };

			random_bytes(in, 64);
			if (i < 25)
				assert_true(hex_decode(in, 32, edges[i / 5]) && hex_decode(in + 32, 32, edges[i % 5]));
			for (; params.operation <= FIELD_MUL; params.operation++) {
				core->plain(&(struct batch){ core, &params, 0, 1, in, right });
				assert_int_equal(offload_card_field(&card, out, params.operation, in, in + 32), 0);
				assert_memory_equal(out, right, 32);
			}
		}
		offload_card_close(&card);
	}
}

static void another_card_is_refused_in_a_sentence(void **state)
{
	struct offload_card card;

	(void)state;
	if (!shim)
		skip();		/* within the process there is no card but the one that is asked for */
	const struct { struct fpga_spec spec; const char *core, *words; } rows[] = {
		{ spec_of(BEHIND_THE_SHIM, "miner", MINER), "chacha20", "adit-miner5: this is a miner" },
		{ spec_of(BEHIND_THE_SHIM, "offload", card_of("aes128")), "chacha20", "its core is number 2, aes128, where chacha20 is wanted" },
		{ spec_of(BEHIND_THE_SHIM, "offload", 7), "chacha20", "adit-offload7: no device" },
		{ spec_of(BEHIND_THE_SHIM, "offload", card_of("aes128")), "rot13", "no offload core for rot13" },
		{ { .serial = true, .miner = "ttyUSB0" }, "aes128-ecb", "ttyUSB0" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		listen_to_log();
		int result = offload_card_open(&card, getenv("ADIT_FPGA_ROOT"), &rows[i].spec, rows[i].core);
		must_hear(rows[i].words);
		assert_int_equal(result, -1);
	}
}

/* The card fails once, of which it tells in one sentence, and works when the fault is gone. */
static void a_fault_is_told_of_and_never_a_wrong_answer(void **state)
{
	static const struct { const char *fault, *words[2]; } rows[] = {	/* what each way says */
		{ "dma-error 1", { "the stream failed, status 00004041", "DMA error: status 00000000 to the stream, 00004041 from it" } },
		{ "short-transfer 1", { "brought 1264 bytes where 1280 were due", "DMA brought 1264 bytes where 1280 were due" } },
		{ "stall 1", { "is not done after", "DMA is not done in time" } },
		{ "no-answer", { "does not answer any more", "does not answer any more" } },
		{ "hang", { "does not answer any more", "does not answer any more" } },
	};
	const struct core *core = core_find("cubehash256");

	(void)state;
	FOR_EACH_WAY(way) {
		struct offload_card card;

		open_card(&card, way, core->name);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			ask_for(way, core->name, rows[i].fault);
			card.timeout_s = i < 2 ? PATIENCE_S : MOMENT_S;
			listen_to_log();
			int result = offload_card_run(&card, &(struct batch){ core, NULL, 0, 40, in, out });
			must_hear(rows[i].words[way]);
			has_happened(way, core->name, rows[i].fault);
			ask_for(way, core->name, NULL);
			assert_int_equal(result, -1);
			card.timeout_s = PATIENCE_S;
			run_and_compare(&card, core, 0, 40);
		}
		offload_card_close(&card);
	}
}

static void a_fault_of_writing_to_memory_is_told_of(void **state)
{
	static const struct { const char *fault, *words; } rows[] = {
		{ "dma-error 1", "memory answered with an error" }, { "no-answer", "does not answer any more" },
	};
	const struct core_params params = random_params();

	(void)state;
	FOR_EACH_WAY(way) {
		struct offload_card card;

		open_card(&card, way, "chacha20");
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			ask_for(way, "chacha20", rows[i].fault);
			listen_to_log();
			int result = offload_card_pads(&card, out, &params, 0, 20);
			must_hear(rows[i].words);
			has_happened(way, "chacha20", rows[i].fault);
			ask_for(way, "chacha20", NULL);
			assert_int_equal(result, -1);
			run_and_compare(&card, core_find("chacha20"), 0, 20);
			memset(in, 0, 64 * 20);
			core_find("chacha20")->plain(&(struct batch){ NULL, &params, 0, 20, in, right });
			assert_int_equal(offload_card_pads(&card, out, &params, 0, 20), 0);
			assert_memory_equal(out, right, 64 * 20);
		}
		offload_card_close(&card);
	}
}

static void an_interrupt_that_is_lost_or_stuck_costs_nothing(void **state)
{
	static const char *const faults[] = { "lost-interrupt", "stuck-interrupt", "no-irqcontrol" };
	const struct core_params params = random_params();
	struct offload_card card;

	(void)state;
	if (!shim)
		skip();		/* the driver of a board is meant: uio.c, axi_dma.c */
	memset(in, 0, 64 * 20);
	core_find("chacha20")->plain(&(struct batch){ NULL, &params, 0, 20, in, right });
	open_card(&card, BEHIND_THE_SHIM, "chacha20");
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		ask_for(BEHIND_THE_SHIM, "chacha20", faults[i]);
		assert_int_equal(offload_card_pads(&card, out, &params, 0, 20), 0);
		assert_memory_equal(out, right, 64 * 20);
		memset(in, 0, 64 * 20);
		assert_int_equal(offload_card_run(&card, &(struct batch){ NULL, &params, 0, 20, in, out }), 0);
		assert_memory_equal(out, right, 64 * 20);
		has_happened(BEHIND_THE_SHIM, "chacha20", faults[i]);
		ask_for(BEHIND_THE_SHIM, "chacha20", NULL);
	}
	offload_card_close(&card);
}

static void an_unplugged_card_is_gone_until_it_is_opened_anew(void **state)
{
	const struct core *core = core_find("aes128-ecb");

	(void)state;
	FOR_EACH_WAY(way) {
		struct offload_card card;

		open_card(&card, way, core->name);
		run_and_compare(&card, core, 0, 5);
		ask_for(way, core->name, "unplug");
		for (int i = 0; i < 2; i++) {
			listen_to_log();
			int result = offload_card_run(&card, &(struct batch){ core, &(struct core_params){ .key = { 1 } }, 0, 5, in, out });
			must_hear(way == IN_PROCESS ? "sim:aes128: the card is unplugged" : "adit-dma1: unmask the interrupt: Input/output error");
			assert_int_equal(result, -1);
			ask_for(way, core->name, NULL);		/* plugged in again, it is another one */
		}
		offload_card_close(&card);
		open_card(&card, way, core->name);
		run_and_compare(&card, core, 0, 5);
		offload_card_close(&card);
	}
}

static void two_cards_have_nothing_in_common(void **state)
{
	(void)state;
	FOR_EACH_WAY(way) {
		struct offload_card one, other;

		open_card(&one, way, "aes128-ctr");
		open_card(&other, way, "secp256k1");
		for (unsigned i = 0; i < 3; i++) {
			run_and_compare(&one, core_find("aes128-ctr"), i, 20);
			run_and_compare(&other, core_find("secp256k1"), i, 20);
		}
		offload_card_close(&one);
		run_and_compare(&other, core_find("secp256k1"), 3, 20);
		offload_card_close(&other);
	}
}

/* That a test which failed has left. */
static int forget_faults(void **state)
{
	(void)state;
	plain_faults(NULL);
	return 0;
}

static void remove_folder(void)
{
	plain_faults(NULL);
	rmdir(getenv("ADIT_FPGA_ROOT"));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_core_has_its_published_answers),
		cmocka_unit_test(random_items_agree_with_the_reference),
		cmocka_unit_test(a_card_counts_its_own_clocks),
		cmocka_unit_test(pads_are_written_to_memory_by_the_core),
		cmocka_unit_test(field_operations_need_registers_alone),
		cmocka_unit_test(another_card_is_refused_in_a_sentence),
		cmocka_unit_test_teardown(a_fault_is_told_of_and_never_a_wrong_answer, forget_faults),
		cmocka_unit_test_teardown(a_fault_of_writing_to_memory_is_told_of, forget_faults),
		cmocka_unit_test_teardown(an_interrupt_that_is_lost_or_stuck_costs_nothing, forget_faults),
		cmocka_unit_test_teardown(an_unplugged_card_is_gone_until_it_is_opened_anew, forget_faults),
		cmocka_unit_test(two_cards_have_nothing_in_common),
	};
	static char folder[] = "/tmp/adit-offload-XXXXXX";

	(void)argc;
	shim = access("libadit-fpga-shim.so", R_OK) == 0;
	if (shim) {
		plain_driver_enter(argv, machine);
	} else {
		if (!mkdtemp(folder) || setenv("ADIT_FPGA_ROOT", folder, 1) != 0)
			return 1;
		atexit(remove_folder);
	}
	setenv("ADIT_FPGA_FAULTS", plain_path("faults"), 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
