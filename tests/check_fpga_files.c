/*
 * How cards are named, and how the driver finds and opens their devices, on a tree of plain
 * files of the kernel's shape: names and not numbers, both of u-dma-buf's classes, hand-overs
 * to the byte, temperatures. What plain files cannot show (interrupts, registers that act) is
 * tested on the simulated card.
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

#include "fpga/regs.h"
#include "fpga/sensors.h"
#include "fpga/spec.h"
#include "fpga/sysfs.h"
#include "fpga/udmabuf.h"
#include "fpga/uio.h"
#include "tests/open_files.h"

static char root[64];

/* Write a text to the file of that name below the root, making its folders. */
__attribute__((format(printf, 2, 3)))
static void put(const char *text, const char *format, ...)
{
	char path[300];
	size_t len = (size_t)snprintf(path, sizeof path, "%s/", root);
	va_list args;

	va_start(args, format);
	vsnprintf(path + len, sizeof path - len, format, args);
	va_end(args);
	for (char *slash = path; (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = '\0';
		mkdir(path, 0755);
	}

	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static const char *get(const char *name)
{
	static char text[256];
	char path[300];

	snprintf(path, sizeof path, "%s/%s", root, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* A device's memory: so many bytes. */
static void put_memory(const char *name, off_t len)
{
	char path[300];

	put("", "%s", name);
	snprintf(path, sizeof path, "%s/%s", root, name);
	assert_int_equal(truncate(path, len), 0);
}

/* In place of the file of that name. */
static void put_pipe(const char *name)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", root, name);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void put_uio(unsigned number, const char *name, const char *size, const char *offset)
{
	char node[32];

	put(name, "sys/class/uio/uio%u/name", number);
	put("0x43c00000\n", "sys/class/uio/uio%u/maps/map0/addr", number);
	put(size, "sys/class/uio/uio%u/maps/map0/size", number);
	put(offset, "sys/class/uio/uio%u/maps/map0/offset", number);
	snprintf(node, sizeof node, "dev/uio%u", number);
	put_memory(node, 0x20000);
}

static void put_buffer(const char *class, const char *name)
{
	put("0x000000011f000000\n", "sys/class/%s/%s/phys_addr", class, name);
	put("4194304\n", "sys/class/%s/%s/size", class, name);
	put("", "sys/class/%s/%s/sync_for_cpu", class, name);
	put("", "sys/class/%s/%s/sync_for_device", class, name);
	put_memory("dev/buffer", 4194304);
}

static int set_up(void **state)
{
	char folder[] = "check_fpga_files.XXXXXX";

	*state = NULL;
	assert_non_null(mkdtemp(folder));
	snprintf(root, sizeof root, "%s", folder);
	return 0;
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}

static void a_device_is_found_by_its_name(void **state)
{
	struct uio uio;

	(void)state;
	put_uio(0, "other\n", "0x10000\n", "0x0\n");
	put_uio(12, "miner\n", "0x00010000\n", "0x0\n");
	put_uio(3, "miner-too\n", "0x10000\n", "0x0\n");
	assert_true(uio_there(root, "miner"));
	assert_false(uio_there(root, "mine"));
	assert_int_equal(uio_open(&uio, root, "miner", FPGA_REGS_LEN), 0);
	assert_int_equal(uio.len, 0x10000);
	uio_write(&uio, FPGA_JOB_TAG, 0x12345678);
	assert_int_equal(uio_read(&uio, FPGA_JOB_TAG), 0x12345678);
	uio_close(&uio);
	assert_int_equal(uio_open(&uio, root, "mine", FPGA_REGS_LEN), -1);
}

static void registers_may_begin_within_a_page(void **state)
{
	struct uio uio;
	FILE *file;
	char path[100];
	uint32_t word = 0;

	(void)state;
	put_uio(0, "miner\n", "0x1000\n", "0x800\n");
	assert_int_equal(uio_open(&uio, root, "miner", FPGA_REGS_LEN), 0);
	uio_write(&uio, 0x10, 77);
	uio_close(&uio);
	snprintf(path, sizeof path, "%s/dev/uio0", root);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0x810, SEEK_SET), 0);
	assert_int_equal(fread(&word, sizeof word, 1, file), 1);
	fclose(file);
	assert_int_equal(word, 77);
}

static void what_a_device_says_of_itself_is_checked(void **state)
{
	static const char *const sizes[] = { "0x800\n", "-1\n", "many\n", "", "0xffffffffffffffff\n" };
	struct uio uio;

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		put_uio(0, "miner\n", sizes[i], "0x0\n");
		assert_int_equal(uio_open(&uio, root, "miner", FPGA_REGS_LEN), -1);
	}
	put_uio(0, "miner\n", "0x10000\n", "0x123456\n");
	assert_int_equal(uio_open(&uio, root, "miner", FPGA_REGS_LEN), -1);
}

/* Its registers would be missed only when they are touched, which ends the program. */
static void a_plain_file_is_no_device(void **state)
{
	const unsigned before = open_files();
	struct udmabuf buffer;
	struct uio uio;

	(void)state;
	put_uio(0, "miner\n", "0x10000\n", "0x0\n");
	put_memory("dev/uio0", FPGA_REGS_LEN - 1);
	assert_int_equal(uio_open(&uio, root, "miner", FPGA_REGS_LEN), -1);
	put_memory("dev/uio0", FPGA_REGS_LEN);
	assert_int_equal(uio_open(&uio, root, "miner", FPGA_REGS_LEN), 0);
	uio_close(&uio);
	put_buffer("u-dma-buf", "buffer");
	put_memory("dev/buffer", 4194303);
	assert_int_equal(udmabuf_open(&buffer, root, "buffer"), -1);
	assert_int_equal(open_files(), before);
}

/* A pipe in a file's place: to open it, or to read it, would be to wait for ever. */
static void a_pipe_is_not_waited_for(void **state)
{
	struct udmabuf buffer;

	(void)state;
	put_uio(0, "miner\n", "0x10000\n", "0x0\n");
	put_pipe("sys/class/uio/uio0/name");
	assert_false(uio_there(root, "miner"));
	put_buffer("u-dma-buf", "buffer");
	put_pipe("sys/class/u-dma-buf/buffer/sync_for_device");
	assert_int_equal(udmabuf_open(&buffer, root, "buffer"), -1);
}

static void numbers_beyond_all_devices_are_no_devices(void **state)
{
	(void)state;
	put_memory("dev/uio0", 0x20000);
	put("miner\n", "sys/class/uio/uio4294967296/name");	/* 2^32: not uio0 */
	assert_false(uio_there(root, "miner"));
	put("miner\n", "sys/class/uio/uio18446744073709551616/name");
	assert_false(uio_there(root, "miner"));
}

static void the_lowest_number_of_a_name_is_taken(void **state)
{
	unsigned number = 99;

	(void)state;
	for (unsigned i = 0; i < 12; i++)
		put("miner\n", "sys/class/uio/uio%u/name", (7 * i + 5) % 12 + 3);
	assert_true(sysfs_find(&number, root, "/sys/class/uio", "uio", "name", "miner"));
	assert_int_equal(number, 3);
}

static void a_buffer_has_either_of_two_classes(void **state)
{
	static const char *const classes[] = { "u-dma-buf", "udmabuf" };
	struct udmabuf buffer;

	(void)state;
	assert_int_equal(udmabuf_open(&buffer, root, "buffer"), -1);
	for (size_t i = 0; i < 2; i++) {
		char command[100];

		put_buffer(classes[i], "buffer");
		assert_int_equal(udmabuf_open(&buffer, root, "buffer"), 0);
		assert_int_equal(buffer.size, 4194304);
		assert_true(buffer.bus_addr == UINT64_C(0x11f000000));
		udmabuf_close(&buffer);
		snprintf(command, sizeof command, "rm -r '%s/sys/class/%s'", root, classes[i]);
		assert_int_equal(system(command), 0);
	}
}

/* Offset, size in units of 16, direction (1 to the device, 2 from it) and bit 0, in one text. */
static void a_hand_over_says_offset_length_and_direction(void **state)
{
	struct udmabuf buffer;

	(void)state;
	put_buffer("u-dma-buf", "buffer");
	assert_int_equal(udmabuf_open(&buffer, root, "buffer"), 0);
	assert_int_equal(udmabuf_to_device(&buffer, 0x40, 0x100), 0);
	assert_string_equal(get("sys/class/u-dma-buf/buffer/sync_for_device"), "0x0000004000000105");
	assert_int_equal(udmabuf_lend_to_device(&buffer, 0x200000, 24), 0);
	assert_string_equal(get("sys/class/u-dma-buf/buffer/sync_for_device"), "0x0020000000000029");
	assert_string_equal(get("sys/class/u-dma-buf/buffer/sync_for_cpu"), "");
	assert_int_equal(udmabuf_to_cpu(&buffer, 0x200000, 32), 0);
	assert_string_equal(get("sys/class/u-dma-buf/buffer/sync_for_cpu"), "0x0020000000000029");
	udmabuf_close(&buffer);
}

static void temperatures_are_the_fpgas_own_or_the_boards(void **state)
{
	double celsius;
	char offset[200];

	(void)state;
	assert_false(sensors_temperature(&celsius, root));
	put("48500\n", "sys/class/hwmon/hwmon1/temp1_input");
	put("power\n", "sys/class/hwmon/hwmon0/name");
	assert_true(sensors_temperature(&celsius, root));
	assert_true(celsius > 48.49 && celsius < 48.51);

	/* Zynq: (raw + offset) * scale, in thousandths of a degree */
	put("other\n", "sys/bus/iio/devices/iio:device0/name");
	put("xadc\n", "sys/bus/iio/devices/iio:device1/name");
	put("2609\n", "sys/bus/iio/devices/iio:device1/in_temp0_raw");
	put("-2219\n", "sys/bus/iio/devices/iio:device1/in_temp0_offset");
	put("123.040771484\n", "sys/bus/iio/devices/iio:device1/in_temp0_scale");
	assert_true(sensors_temperature(&celsius, root));
	assert_true(celsius > 47.98 && celsius < 47.99);

	snprintf(offset, sizeof offset, "%s/sys/bus/iio/devices/iio:device1/in_temp0_offset", root);
	assert_int_equal(unlink(offset), 0);	/* where there is none it is 0 */
	assert_true(sensors_temperature(&celsius, root));
	assert_true(celsius > 321.01 && celsius < 321.02);

	put("nonsense\n", "sys/bus/iio/devices/iio:device1/in_temp0_raw");
	assert_true(sensors_temperature(&celsius, root));
	assert_true(celsius > 48.49 && celsius < 48.51);
}

/* Numbers alone, each the whole of its file; of others nothing is made, and nothing is written. */
static void a_temperature_is_a_number_or_none(void **state)
{
	static const struct { const char *raw, *offset, *scale; } bad[] = {
		{ "nan\n", "-2219\n", "123\n" }, { "2609\n", "nan\n", "123\n" }, { "2609\n", "-2219\n", "inf\n" },
		{ "2609x\n", "-2219\n", "123\n" }, { "2609\n", "12x\n", "123\n" }, { "2609\n", "\n", "123\n" },
		{ "2609\n", "-2219\n", "\n" }, { "1e300\n", "0\n", "1e300\n" },
	};
	static const char *const none[] = { "48500 C\n", "nan\n", "-inf\n", "\n" };
	double celsius = 20;

	(void)state;
	put("xadc\n", "sys/bus/iio/devices/iio:device0/name");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		print_message("row %zu\n", i);
		put(bad[i].raw, "sys/bus/iio/devices/iio:device0/in_temp0_raw");
		put(bad[i].offset, "sys/bus/iio/devices/iio:device0/in_temp0_offset");
		put(bad[i].scale, "sys/bus/iio/devices/iio:device0/in_temp0_scale");
		assert_false(sensors_temperature(&celsius, root));
		assert_true(celsius == 20);
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		put(none[i], "sys/class/hwmon/hwmon0/temp1_input");
		assert_false(sensors_temperature(&celsius, root));
		assert_true(celsius == 20);
	}
}

static void specs_are_read_or_refused_with_a_reason(void **state)
{
	static const char *const bad[] = {
		"", "sim:", "sim:1", "sim:3", "sim:128", "sim:4x", "sim4", "uio", "uio:", "uio:a/b", "uio:..", "uio:a,", "uio:a,dma=d",
		"uio:a,buf=b", "uio:a,dma=,buf=b", "uio:a,dma=d,buf=b,length-bits=7", "uio:a,dma=d,buf=b,length-bits=27",
		"uio:a,dma=d,buf=b,length-bits=", "uio:a,dma=d,buf=b,length-bits=1e1", "uio:a,length-bits=14", "uio:a,dma=d,buf=b,length-bits=14,length-bits=14",
		"uio:a,dma=d,dma=e,buf=b",
		"uio:a,speed=9", "uio:a-name-of-more-than-thirty-one-bytes", "usb:a", "uio:a,dma=d,buf=b,length-bits=99999999999999999999",
	};
	struct fpga_spec spec;
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		why[0] = '\0';
		if (fpga_spec_parse(&spec, bad[i], why, sizeof why) == 0 || !why[0])
			fail_msg("\"%s\" is taken", bad[i]);
	}
	assert_int_equal(fpga_spec_parse(&spec, "sim", why, sizeof why), 0);
	assert_true(spec.sim && spec.depth == 16);
	assert_int_equal(fpga_spec_parse(&spec, "sim:0", why, sizeof why), 0);
	assert_true(spec.sim && spec.depth == 0);
	assert_int_equal(fpga_spec_parse(&spec, "sim:64", why, sizeof why), 0);
	assert_true(spec.sim && spec.depth == 64);
	assert_int_equal(fpga_spec_parse(&spec, "serial:/dev/ttyUSB1", why, sizeof why), -1);
	assert_int_equal(fpga_spec_parse(&spec, "serial:ttyUSB1", why, sizeof why), 0);
	assert_true(spec.serial && !spec.sim && strcmp(spec.miner, "ttyUSB1") == 0);
	assert_int_equal(fpga_spec_parse(&spec, "uio:adit-miner", why, sizeof why), 0);
	assert_true(!spec.sim && strcmp(spec.miner, "adit-miner") == 0 && !spec.dma[0]);
	assert_int_equal(fpga_spec_parse(&spec, "uio:m,length-bits=23,buf=udmabuf0,dma=d", why, sizeof why), 0);
	assert_true(strcmp(spec.dma, "d") == 0 && strcmp(spec.buffer, "udmabuf0") == 0 && spec.length_bits == 23);
	assert_int_equal(fpga_spec_parse(&spec, "uio:m,dma=d,buf=b", why, sizeof why), 0);
	assert_int_equal(spec.length_bits, 14);
}

#define with_files(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specs_are_read_or_refused_with_a_reason),
		with_files(a_device_is_found_by_its_name),
		with_files(registers_may_begin_within_a_page),
		with_files(what_a_device_says_of_itself_is_checked),
		with_files(a_plain_file_is_no_device),
		with_files(a_pipe_is_not_waited_for),
		with_files(numbers_beyond_all_devices_are_no_devices),
		with_files(the_lowest_number_of_a_name_is_taken),
		with_files(a_buffer_has_either_of_two_classes),
		with_files(a_hand_over_says_offset_length_and_direction),
		with_files(temperatures_are_the_fpgas_own_or_the_boards),
		with_files(a_temperature_is_a_number_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
