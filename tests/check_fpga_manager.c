/*
 * Loading designs into an FPGA, on a tree of files of the kernel's shape: plain ones for the
 * FPGA manager; for overlays the test plays configfs, whose folders come with files in them
 * (the linker gives it the driver's mkdir and rmdir).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "fpga/manager.h"
#include "tests/fpga_tree.h"
#include "tests/overheard.h"

static const struct algo *sha256d, *lyra2rev2;

/* configfs, as far as it is played */
static const char *overlay_status;	/* what a new overlay's status will be */
static const char *meanwhile;		/* a file that somebody changes while an overlay is loaded; NULL: none */
static unsigned overlays_made, overlays_removed;

int __real_mkdir(const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rmdir(const char *path);

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

/* Fails to load it, and what is logged then. */
static void load_and_listen(struct manager *m, const char *file, char message[1000])
{
	overhear();
	const int result = manager_load(m, sha256d, file);
	overheard(message, 1000);
	assert_int_equal(result, -1);
}

static int set_up(void **state)
{
	overlay_status = "applied\n";
	meanwhile = NULL;
	overlays_made = overlays_removed = 0;
	return fpga_tree_make(state);
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

/* Whatever has the name under which it is written first is neither waited for nor written through. */
static void what_lies_in_the_way_of_a_design_is_removed(void **state)
{
	const char *file = make_design("elsewhere/ring.bin", "bits of a design", 16);
	struct manager m = { .root = root };

	(void)state;
	assert_int_equal(mkfifo(at("lib/firmware/ring.bin.new"), 0600), 0);
	assert_int_equal(manager_load(&m, sha256d, file), 0);
	assert_string_equal(content(at("lib/firmware/ring.bin")), "bits of a design");

	m.loaded = NULL;
	write_text(at("elsewhere/other"), "of somebody else");
	assert_int_equal(symlink("../../elsewhere/other", at("lib/firmware/ring.bin.new")), 0);
	assert_int_equal(manager_load(&m, sha256d, file), 0);
	assert_string_equal(content(at("lib/firmware/ring.bin")), "bits of a design");
	assert_string_equal(content(at("elsewhere/other")), "of somebody else");
}

static void a_folder_in_the_way_of_a_design_is_an_error_by_name(void **state)
{
	const char *file = make_design("elsewhere/ring.bin", "bits of a design", 16);
	struct manager m = { .root = root };
	char message[1000];

	(void)state;
	make_folders(at("lib/firmware/ring.bin.new"));
	load_and_listen(&m, file, message);
	assert_non_null(strstr(message, file));
	assert_non_null(strstr(message, "lib/firmware/ring.bin.new"));
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

static void an_overlay_that_cannot_be_removed_is_an_error_of_the_next_file(void **state)
{
	const char *file = make_design("elsewhere/a.dtbo", "aaaa", 4);
	struct manager m = { .root = root };
	char message[1000];

	(void)state;
	make_folders(at(OVERLAYS "/adit/full"));
	overlays_made = 0;
	load_and_listen(&m, file, message);
	assert_non_null(strstr(message, file));
	assert_int_equal(overlays_made, 0);
}

static void a_file_that_changes_while_it_is_loaded_is_refused(void **state)
{
	struct manager m = { .root = root };

	(void)state;
	meanwhile = at("lib/firmware/a.dtbo");
	assert_int_equal(manager_load(&m, sha256d, make_design("elsewhere/a.dtbo", "aaaa", 4)), -1);
	assert_null(m.loaded);
}

#define with_files(test) cmocka_unit_test_setup_teardown(test, set_up, fpga_tree_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_files(a_design_is_put_where_the_kernel_looks_and_named_to_it),
		with_files(what_lies_in_the_way_of_a_design_is_removed),
		with_files(a_folder_in_the_way_of_a_design_is_an_error_by_name),
		with_files(a_design_that_is_there_already_is_named_alone),
		with_files(another_algorithm_loads_its_own_and_the_same_does_not_load_again),
		with_files(what_is_missing_damaged_or_of_another_kind_is_refused),
		with_files(a_design_that_the_kernel_cannot_load_is_refused),
		with_files(an_overlay_is_applied_and_removed_for_the_next_design),
		with_files(an_overlay_of_an_earlier_run_goes_first),
		with_files(an_overlay_that_is_not_applied_is_refused_and_removed),
		with_files(an_overlay_that_cannot_be_removed_is_an_error_of_the_next_file),
		with_files(a_file_that_changes_while_it_is_loaded_is_refused),
	};

	sha256d = algo_find("sha256d");
	lyra2rev2 = algo_find("lyra2rev2");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
