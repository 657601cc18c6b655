/*
 * Loading designs into an FPGA, on a tree of files of the kernel's shape: plain ones for the
 * FPGA manager; for overlays the test plays configfs, whose folders come with files in them
 * (the linker gives it the driver's mkdir and rmdir).
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/hex.h"
#include "fpga/cards.h"
#include "fpga/manager.h"
#include "sha3/sha256.h"
#include "tests/fake_card.h"

#define FPGA0	"sys/class/fpga_manager/fpga0"
#define OVERLAYS "sys/kernel/config/device-tree/overlays"

static char root[64];
static const struct algo *sha256d, *lyra2rev2;

/* configfs, as far as it is played */
static const char *overlay_status;	/* what a new overlay's status will be */
static const char *meanwhile;		/* a file that somebody changes while an overlay is loaded; NULL: none */
static unsigned overlays_made, overlays_removed;

int __real_mkdir(const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rmdir(const char *path);

static void write_file(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

__attribute__((format(printf, 1, 2)))
static const char *at(const char *format, ...)
{
	static char paths[8][256];
	static unsigned next;
	char *path = paths[next++ % 8];
	size_t len = (size_t)snprintf(path, sizeof paths[0], "%s/", root);
	va_list args;

	va_start(args, format);
	vsnprintf(path + len, sizeof paths[0] - len, format, args);
	va_end(args);
	return path;
}

static const char *content(const char *path)
{
	static char text[256];
	FILE *file = fopen(path, "r");

	if (!file)
		return "(none)";
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return text;
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	int result = __real_mkdir(path, mode);
	char file[300];

	if (result == 0 && strstr(path, OVERLAYS "/")) {
		overlays_made++;
		snprintf(file, sizeof file, "%s/path", path);
		write_text(file, "");
		snprintf(file, sizeof file, "%s/status", path);
		write_text(file, overlay_status);
		if (meanwhile)
			write_text(meanwhile, "other bytes");
	}
	return result;
}

int __wrap_rmdir(const char *path)
{
	char file[300];

	if (strstr(path, OVERLAYS "/")) {
		snprintf(file, sizeof file, "%s/path", path);
		overlays_removed += unlink(file) == 0;
		snprintf(file, sizeof file, "%s/status", path);
		unlink(file);
	}
	return __real_rmdir(path);
}

static void make_folders(const char *path)
{
	for (char *slash = (char *)path; (slash = strchr(slash + 1, '/')); ) {
		*slash = '\0';
		__real_mkdir(path, 0755);
		*slash = '/';
	}
	__real_mkdir(path, 0755);
}

/* A file with its sum beside it. */
static const char *make_design(const char *name, const void *bytes, size_t len)
{
	const char *path = at("%s", name);
	uint8_t digest[32];
	char sum[200], sum_path[300];

	write_file(path, bytes, len);
	sha256(digest, bytes, len);
	hex_encode(sum, digest, sizeof digest);
	snprintf(sum + 64, sizeof sum - 64, "  %s\n", name);
	snprintf(sum_path, sizeof sum_path, "%s.sha256", path);
	write_text(sum_path, sum);
	return path;
}

static int set_up(void **state)
{
	char folder[] = "check_fpga_manager.XXXXXX";

	assert_non_null(mkdtemp(folder));
	snprintf(root, sizeof root, "%s", folder);
	make_folders(at("lib/firmware"));
	make_folders(at(FPGA0));
	make_folders(at(OVERLAYS));
	make_folders(at("elsewhere"));
	write_text(at(FPGA0 "/flags"), "");
	write_text(at(FPGA0 "/firmware"), "");
	write_text(at(FPGA0 "/state"), "operating\n");
	overlay_status = "applied\n";
	meanwhile = NULL;
	overlays_made = overlays_removed = 0;
	*state = NULL;
	return 0;
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}

static void a_design_is_put_where_the_kernel_looks_and_named_to_it(void **state)
{
	struct manager m = { .root = root };

	(void)state;
	assert_int_equal(manager_load(&m, sha256d, make_design("elsewhere/ring.bin", "bits of a design", 16)), 0);
	assert_string_equal(content(at("lib/firmware/ring.bin")), "bits of a design");
	assert_string_equal(content(at(FPGA0 "/firmware")), "ring.bin");
	assert_string_equal(content(at(FPGA0 "/flags")), "0");
	assert_ptr_equal(m.loaded, sha256d);
}

static void a_design_that_is_there_already_is_named_alone(void **state)
{
	struct manager m = { .root = root };

	(void)state;
	make_design("lib/firmware/here.bin", "bits", 4);
	assert_int_equal(manager_load(&m, sha256d, "here.bin"), 0);
	assert_string_equal(content(at(FPGA0 "/firmware")), "here.bin");
}

static void another_algorithm_loads_its_own_and_the_same_does_not_load_again(void **state)
{
	struct manager m = { .root = root };
	const char *first = make_design("elsewhere/a.bin", "aaaa", 4), *second = make_design("elsewhere/b.bin", "bbbb", 4);

	(void)state;
	assert_int_equal(manager_load(&m, sha256d, first), 0);
	write_text(at(FPGA0 "/firmware"), "");
	assert_int_equal(manager_load(&m, sha256d, first), 0);
	assert_string_equal(content(at(FPGA0 "/firmware")), "");
	assert_int_equal(manager_load(&m, lyra2rev2, second), 0);
	assert_string_equal(content(at(FPGA0 "/firmware")), "b.bin");
	assert_ptr_equal(m.loaded, lyra2rev2);
	assert_int_equal(manager_load(&m, sha256d, first), 0);
	assert_string_equal(content(at(FPGA0 "/firmware")), "a.bin");
}

static void refused(const char *file)
{
	struct manager m = { .root = root };

	print_message("%s\n", file);
	write_text(at(FPGA0 "/firmware"), "");
	assert_int_equal(manager_load(&m, sha256d, file), -1);
	assert_null(m.loaded);
	assert_string_equal(content(at(FPGA0 "/firmware")), "");	/* the kernel was not asked */
}

static void what_is_missing_damaged_or_of_another_kind_is_refused(void **state)
{
	(void)state;
	refused(at("elsewhere/missing.bin"));
	refused("missing.bin");
	refused(at("elsewhere"));
	refused(at("elsewhere/"));
	refused(make_design("elsewhere/empty.bin", "", 0));
	refused(make_design("elsewhere/xilinx.bit", "\x00\x09\x0f\xf0\x0f\xf0", 6));
	refused(make_design("elsewhere/program.bin", "\x7f" "ELF", 4));
	refused(make_design("elsewhere/with space.bin", "x", 1));

	write_text(at("elsewhere/no-sum.bin"), "bits");
	refused(at("elsewhere/no-sum.bin"));
	write_text(at("elsewhere/no-sum.bin.sha256"), "not a sum");
	refused(at("elsewhere/no-sum.bin"));

	assert_int_equal(mkfifo(at("elsewhere/pipe.bin"), 0600), 0);	/* as a shell's <(...) is, too */
	refused(at("elsewhere/pipe.bin"));
	write_text(at("elsewhere/pipe-sum.bin"), "bits");
	assert_int_equal(mkfifo(at("elsewhere/pipe-sum.bin.sha256"), 0600), 0);
	refused(at("elsewhere/pipe-sum.bin"));

	const char *damaged = make_design("elsewhere/damaged.bin", "bits of a design", 16);
	write_text(damaged, "bits of b design");
	refused(damaged);
	write_text(damaged, "bits of a desig");
	refused(damaged);
	assert_string_equal(content(at("lib/firmware/damaged.bin")), "(none)");
}

static void a_design_that_the_kernel_cannot_load_is_refused(void **state)
{
	const char *file = make_design("elsewhere/x.bin", "x", 1);
	struct manager m = { .root = root };

	(void)state;
	write_text(at(FPGA0 "/state"), "write error\n");
	assert_int_equal(manager_load(&m, sha256d, file), -1);
	assert_null(m.loaded);
	unlink(at(FPGA0 "/firmware"));
	write_text(at(FPGA0 "/state"), "operating\n");
	assert_int_equal(manager_load(&m, sha256d, file), -1);
	assert_null(m.loaded);
}

static void an_overlay_is_applied_and_removed_for_the_next_design(void **state)
{
	struct manager m = { .root = root };
	const char *first = make_design("elsewhere/a.dtbo", "aaaa", 4), *second = make_design("elsewhere/b.dtbo", "bbbb", 4);

	(void)state;
	assert_int_equal(manager_load(&m, sha256d, first), 0);
	assert_string_equal(content(at(OVERLAYS "/adit/path")), "a.dtbo");
	assert_string_equal(content(at("lib/firmware/a.dtbo")), "aaaa");
	assert_int_equal(manager_load(&m, lyra2rev2, second), 0);
	assert_string_equal(content(at(OVERLAYS "/adit/path")), "b.dtbo");
	assert_int_equal(overlays_made, 2);
	assert_int_equal(overlays_removed, 1);
	assert_int_equal(manager_load(&m, sha256d, make_design("elsewhere/c.bin", "c", 1)), 0);
	assert_int_equal(overlays_removed, 2);
	assert_string_equal(content(at(OVERLAYS "/adit/path")), "(none)");
	assert_string_equal(content(at(FPGA0 "/firmware")), "c.bin");
}

static void an_overlay_of_an_earlier_run_goes_first(void **state)
{
	struct manager m = { .root = root };

	(void)state;
	assert_int_equal(__wrap_mkdir(at(OVERLAYS "/adit"), 0755), 0);
	assert_int_equal(manager_load(&m, sha256d, make_design("elsewhere/a.dtbo", "aaaa", 4)), 0);
	assert_int_equal(overlays_removed, 1);
	assert_string_equal(content(at(OVERLAYS "/adit/path")), "a.dtbo");
}

static void an_overlay_that_is_not_applied_is_refused_and_removed(void **state)
{
	struct manager m = { .root = root };

	(void)state;
	overlay_status = "unapplied\n";
	assert_int_equal(manager_load(&m, sha256d, make_design("elsewhere/a.dtbo", "aaaa", 4)), -1);
	assert_null(m.loaded);
	assert_int_equal(overlays_made, 1);
	assert_int_equal(overlays_removed, 1);
}

static void a_file_that_changes_while_it_is_loaded_is_refused(void **state)
{
	struct manager m = { .root = root };

	(void)state;
	meanwhile = at("lib/firmware/a.dtbo");
	assert_int_equal(manager_load(&m, sha256d, make_design("elsewhere/a.dtbo", "aaaa", 4)), -1);
	assert_null(m.loaded);
}

/* The files of a UIO device of that number and name. */
static void make_uio(unsigned number, const char *name)
{
	static const uint8_t registers[0x10000] = { 0x21, 0x43, 0x65, 0x87 };

	make_folders(at("dev"));
	make_folders(at("sys/class/uio/uio%u/maps/map0", number));
	write_text(at("sys/class/uio/uio%u/name", number), name);
	write_text(at("sys/class/uio/uio%u/maps/map0/addr", number), "0x43c00000\n");
	write_text(at("sys/class/uio/uio%u/maps/map0/size", number), "0x00010000\n");
	write_text(at("sys/class/uio/uio%u/maps/map0/offset", number), "0x0\n");
	write_file(at("dev/uio%u", number), registers, sizeof registers);
}

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
	assert_int_equal(cards_use(cards, &twin), 2);
	assert_string_equal(content(at(FPGA0 "/firmware")), "b.bin");
	assert_true(cards->units[0].on && cards->units[1].on);
	assert_ptr_equal(cards->units[0].algo, &twin);
	assert_int_equal(fakes[0].opened, 2);
	assert_int_equal(fakes[0].closed, 1);
	cards_destroy(cards);
	assert_int_equal(fakes[0].closed + fakes[1].closed, 4);
}

/* Its FPGA may have lost it; but what works in there must not be torn down. */
static void a_card_that_is_tried_again_has_its_design_loaded_unless_another_works(void **state)
{
	struct card_design designs[2];
	struct cards *cards = make_two_cards(designs);
	struct fpga_unit *first = &cards->units[0], *second = &cards->units[1];
	struct board board;

	(void)state;
	board_init(&board, NULL, NULL);
	assert_int_equal(cards_use(cards, sha256d), 2);
	write_text(at(FPGA0 "/firmware"), "");
	fpga_unit_stop(first);
	assert_int_equal(first->restart(first, &board), 0);	/* the second works */
	assert_string_equal(content(at(FPGA0 "/firmware")), "");

	fpga_unit_stop(second);
	fpga_unit_stop(first);
	fakes[1].fault = FAKE_UNPLUGGED;
	assert_int_equal(second->restart(second, &board), -1);
	assert_string_equal(content(at(FPGA0 "/firmware")), "a.bin");
	write_text(at(FPGA0 "/firmware"), "");
	assert_int_equal(first->restart(first, &board), 0);
	assert_string_equal(content(at(FPGA0 "/firmware")), "a.bin");

	/* and a file that was damaged meanwhile is refused then, too */
	fpga_unit_stop(first);
	write_text(designs[0].file, "aaab");
	write_text(at(FPGA0 "/firmware"), "");
	assert_int_equal(first->restart(first, &board), -1);
	assert_string_equal(content(at(FPGA0 "/firmware")), "");
	assert_false(first->in_use);
	board_destroy(&board);
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

#define with_files(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_files(a_design_is_put_where_the_kernel_looks_and_named_to_it),
		with_files(a_design_that_is_there_already_is_named_alone),
		with_files(another_algorithm_loads_its_own_and_the_same_does_not_load_again),
		with_files(what_is_missing_damaged_or_of_another_kind_is_refused),
		with_files(a_design_that_the_kernel_cannot_load_is_refused),
		with_files(an_overlay_is_applied_and_removed_for_the_next_design),
		with_files(an_overlay_of_an_earlier_run_goes_first),
		with_files(an_overlay_that_is_not_applied_is_refused_and_removed),
		with_files(a_file_that_changes_while_it_is_loaded_is_refused),
		with_files(a_foreign_design_is_seen_by_the_cards_identity),
		with_files(switching_the_algorithm_loads_its_design_and_starts_the_cards_again),
		with_files(a_card_that_is_tried_again_has_its_design_loaded_unless_another_works),
		with_files(a_designs_devices_may_come_late),
	};

	sha256d = algo_find("sha256d");
	lyra2rev2 = algo_find("lyra2rev2");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
