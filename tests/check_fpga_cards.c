/*
 * Several cards of one FPGA, and when their design is loaded: facts of fpga/cards.c, on cards in
 * software and a tree of files of the kernel's shape.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/clock.h"
#include "fpga/cards.h"
#include "fpga/lent_card.h"
#include "simd/backend.h"
#include "tests/fake_card.h"
#include "tests/fpga_tree.h"

static const struct algo *sha256d, *lyra2rev2;

/* A right file with another design in it: the card behind it says so. */
static void a_foreign_design_is_seen_by_the_cards_identity(void **state)
{
	struct fpga_spec spec = { .miner = "adit-miner" };
	struct card_design design = { .algo = sha256d, .file = (char *)make_design("elsewhere/foreign.bin", "ffff", 4) };
	struct cards_config config = { .root = root, .specs = &spec, .count = 1, .designs = &design, .design_count = 1 };
	struct cards *cards;

	(void)state;
	make_uio(3, "adit-miner\n");
	cards = cards_create(&config);
	assert_non_null(cards);
	assert_int_equal(cards_use(cards, sha256d), -1);
	assert_null(cards->manager.loaded);
	assert_string_equal(content(at(FPGA0 "/firmware")), "foreign.bin");
	assert_int_equal(cards_use(cards, lyra2rev2), -1);	/* no card searches it, so nothing is loaded */
	cards_destroy(cards);
}

/* And its unit does not keep the board of its worker, which has ended. */
static void a_foreign_card_is_given_up_as_an_offload_core_too(void **state)
{
	const struct fpga_spec spec = { .miner = "adit-offload" };
	struct cards_config config = { .root = root, .specs = &spec, .count = 1 };
	struct cards *cards = cards_create(&config);
	const struct backend *cpu = backend_choose(lyra2rev2, NULL, &(struct backend_fault){ .backend = NULL });
	struct lent_card lent;
	struct crew_device device = lent_card_init(&lent, cards, 0, lyra2rev2, backend_kernel(cpu, lyra2rev2));
	struct board board;
	struct worker worker = { .algo = lyra2rev2, .backend = device.backend, .device = device.device, .board = &board };

	(void)state;
	make_uio(0, "adit-offload\n");
	board_init(&board, NULL, NULL);
	assert_int_equal(worker.backend->open(&worker), -1);
	assert_true(lent.card.foreign);
	assert_null(cards->units[0].board);
	board_destroy(&board);
	cards_destroy(cards);
}

/* Two cards of one FPGA, whose registers are in software, and designs for two algorithms. */
static struct fake_card fakes[2];
static struct algo twin;	/* the same under another pointer, which is what tells algorithms apart */

static int open_fake(struct fpga_unit *unit, struct transport *transport)
{
	struct fake_card *card = &fakes[strcmp(unit->name, "uio:second") == 0];

	if (card->fault == FAKE_UNPLUGGED)
		return -1;
	fake_card_open(card, transport);
	return 0;
}

/* Only once its file is there. */
static int open_when_there(struct fpga_unit *unit, struct transport *transport)
{
	return access(at("dev/uio1"), F_OK) == 0 ? open_fake(unit, transport) : -1;
}

/* Once the design was named to the FPGA manager, and a moment more. */
static void *make_second_late(void *unused)
{
	char device[200], firmware_path[200];

	(void)unused;
	snprintf(device, sizeof device, "%s/dev/uio1", root);
	snprintf(firmware_path, sizeof firmware_path, "%s/" FPGA0 "/firmware", root);
	for (struct stat taken = { 0 }; taken.st_size == 0; stat(firmware_path, &taken))
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	write_text(device, "registers");
	return NULL;
}

static struct cards *make_two_cards(struct card_design designs[2])
{
	static const struct fpga_spec specs[] = { { .miner = "first" }, { .miner = "second" } };
	const struct cards_config config = { .root = root, .specs = specs, .count = 2, .designs = designs, .design_count = 2 };
	struct cards *cards;

	make_uio(0, "first\n");
	make_uio(1, "second\n");
	memset(fakes, 0, sizeof fakes);
	twin = *sha256d;
	designs[0] = (struct card_design){ sha256d, (char *)make_design("elsewhere/a.bin", "aaaa", 4) };
	designs[1] = (struct card_design){ &twin, (char *)make_design("elsewhere/b.bin", "bbbb", 4) };
	cards = cards_create(&config);
	assert_non_null(cards);
	cards->units[0].open = cards->units[1].open = open_fake;
	return cards;
}

static void switching_the_algorithm_loads_its_design_and_starts_the_cards_again(void **state)
{
	struct card_design designs[2];
	struct cards *cards = make_two_cards(designs);

	(void)state;
	assert_int_equal(cards_use(cards, sha256d), 2);
	assert_string_equal(content(at(FPGA0 "/firmware")), "a.bin");
	write_text(at(FPGA0 "/firmware"), "");
	assert_int_equal(cards_use(cards, sha256d), 2);		/* none has failed on it */
	assert_string_equal(content(at(FPGA0 "/firmware")), "");
	assert_int_equal(cards_use(cards, &twin), 2);
	assert_string_equal(content(at(FPGA0 "/firmware")), "b.bin");
	assert_true(cards->units[0].on && cards->units[1].on);
	assert_ptr_equal(cards->units[0].algo, &twin);
	assert_int_equal(fakes[0].opened, 3);
	assert_int_equal(fakes[0].closed, 2);
	cards_destroy(cards);
	assert_int_equal(fakes[0].closed + fakes[1].closed, 6);
}

/* Its FPGA may have lost it; but what works in there must not be torn down. */
static void a_card_that_is_tried_again_has_its_design_loaded_unless_another_works(void **state)
{
	struct card_design designs[2];
	struct cards *cards = make_two_cards(designs);
	struct fpga_unit *first = &cards->units[0], *second = &cards->units[1];

	(void)state;
	assert_int_equal(cards_use(cards, sha256d), 2);
	write_text(at(FPGA0 "/firmware"), "");
	fpga_unit_stop(first);
	assert_int_equal(first->start(first), 0);	/* the second works */
	assert_string_equal(content(at(FPGA0 "/firmware")), "");

	fpga_unit_stop(second);
	fpga_unit_stop(first);
	fakes[1].fault = FAKE_UNPLUGGED;
	assert_int_equal(second->start(second), -1);
	assert_string_equal(content(at(FPGA0 "/firmware")), "a.bin");
	write_text(at(FPGA0 "/firmware"), "");
	assert_int_equal(first->start(first), 0);	/* on what was loaded for the second */
	assert_string_equal(content(at(FPGA0 "/firmware")), "");
	fpga_unit_stop(first);
	assert_int_equal(first->start(first), 0);	/* it has failed on that */
	assert_string_equal(content(at(FPGA0 "/firmware")), "a.bin");

	/* and a file that was damaged meanwhile is refused then, too */
	fpga_unit_stop(first);
	write_text(designs[0].file, "aaab");
	write_text(at(FPGA0 "/firmware"), "");
	assert_int_equal(first->start(first), -1);
	assert_string_equal(content(at(FPGA0 "/firmware")), "");
	assert_false(first->in_use);
	cards_destroy(cards);
}

static int start_the_second_meanwhile(struct fpga_unit *first, struct transport *transport)
{
	assert_int_equal(first[1].start(&first[1]), 0);
	return open_fake(first, transport);
}

/* Both have failed, and the second on this very design. */
static void a_design_is_not_loaded_anew_under_a_card_that_is_being_started(void **state)
{
	struct card_design designs[2];
	struct cards *cards = make_two_cards(designs);
	struct fpga_unit *first = &cards->units[0], *second = &cards->units[1];

	(void)state;
	assert_int_equal(cards_prepare(cards, sha256d), 0);
	assert_int_equal(second->start(second), 0);
	fpga_unit_stop(second);
	write_text(at(FPGA0 "/firmware"), "");
	first->open = start_the_second_meanwhile;
	assert_int_equal(first->start(first), 0);
	assert_true(second->on);
	assert_string_equal(content(at(FPGA0 "/firmware")), "");
	cards_destroy(cards);
}

/* What trying again may mend is tried again by its worker; for what it cannot there must be none. */
static void cards_are_of_no_use_only_where_all_are_foreign(void **state)
{
	static const struct {
		enum fake_fault first, second;
		int working;
	} rows[] = {
		{ FAKE_SILENT, FAKE_SILENT, 0 }, { FAKE_UNPLUGGED, FAKE_UNPLUGGED, 0 }, { FAKE_WRONG_NONCE, FAKE_DIRTY, 0 },
		{ FAKE_FOREIGN, FAKE_SILENT, 0 }, { FAKE_FOREIGN, FAKE_SOUND, 1 },
		{ FAKE_FOREIGN, FAKE_FOREIGN, -1 }, { FAKE_OTHER_VERSION, FAKE_OTHER_ALGO, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct card_design designs[2];
		struct cards *cards = make_two_cards(designs);

		print_message("faults %d and %d\n", (int)rows[i].first, (int)rows[i].second);
		fakes[0].fault = rows[i].first;
		fakes[1].fault = rows[i].second;
		assert_int_equal(cards_use(cards, sha256d), rows[i].working);
		cards_destroy(cards);
	}
}

static unsigned asked, asked_at_open;	/* how often whether to stop */

static bool stop_at_once(void)
{
	asked++;
	return true;
}

static bool never_stop(void)
{
	asked++;
	return false;
}

static int open_and_note(struct fpga_unit *unit, struct transport *transport)
{
	asked_at_open = asked;
	return open_fake(unit, transport);
}

static bool stop_after_a_look(void)
{
	return asked++ > 0;
}

/* Nor waits for its own any longer once it is told to stop. */
static void a_card_waits_for_no_device_but_its_own(void **state)
{
	struct card_design designs[2];
	struct cards *cards = make_two_cards(designs);

	(void)state;
	asked = 0;
	unlink(at("dev/uio1"));
	cards->units[0].stop = cards->units[1].stop = stop_at_once;
	assert_int_equal(cards_prepare(cards, sha256d), 0);
	assert_int_equal(asked, 0);
	assert_int_equal(fakes[0].opened, 0);
	cards->units[0].stop = never_stop;
	cards->units[0].open = open_and_note;
	assert_int_equal(cards->units[0].start(&cards->units[0]), 0);
	assert_true(asked_at_open <= 1);	/* a look at each device that is missing asks */
	asked = 0;
	cards->loaded_at += 70;	/* so long, and more, it may wait */
	const double start = clock_now();
	assert_int_equal(cards->units[1].start(&cards->units[1]), -1);
	assert_true(asked > 0 && clock_now() - start < 60);
	assert_int_equal(fakes[1].opened, 0);
	cards_destroy(cards);
}

/* The card's clock stands, which takes seconds to tell. */
static void who_is_told_to_stop_does_not_wait_for_the_test_of_a_card(void **state)
{
	struct card_design designs[2];
	struct cards *cards = make_two_cards(designs);

	(void)state;
	assert_int_equal(cards_prepare(cards, sha256d), 0);
	fakes[0].fault = FAKE_STOPPED;
	asked = 0;
	cards->units[0].stop = stop_after_a_look;
	assert_int_equal(cards->units[0].start(&cards->units[0]), -1);
	assert_int_equal(fakes[0].opened, 1);
	assert_true(fakes[0].waits < 10);
	cards_destroy(cards);
}

/* The kernel makes a design's devices some time after it has taken the design. */
static void a_designs_devices_may_come_late(void **state)
{
	struct card_design designs[2];
	struct cards *cards = make_two_cards(designs);
	pthread_t kernel;

	(void)state;
	unlink(at("dev/uio1"));
	assert_int_equal(pthread_create(&kernel, NULL, make_second_late, NULL), 0);
	cards->units[1].open = open_when_there;
	assert_int_equal(cards_use(cards, sha256d), 2);
	pthread_join(kernel, NULL);
	cards_destroy(cards);
}

#define with_files(test) cmocka_unit_test_setup_teardown(test, fpga_tree_make, fpga_tree_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_files(a_foreign_design_is_seen_by_the_cards_identity),
		with_files(a_foreign_card_is_given_up_as_an_offload_core_too),
		with_files(switching_the_algorithm_loads_its_design_and_starts_the_cards_again),
		with_files(a_card_that_is_tried_again_has_its_design_loaded_unless_another_works),
		with_files(a_design_is_not_loaded_anew_under_a_card_that_is_being_started),
		with_files(cards_are_of_no_use_only_where_all_are_foreign),
		with_files(a_card_waits_for_no_device_but_its_own),
		with_files(who_is_told_to_stop_does_not_wait_for_the_test_of_a_card),
		with_files(a_designs_devices_may_come_late),
	};

	sha256d = algo_find("sha256d");
	lyra2rev2 = algo_find("lyra2rev2");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
