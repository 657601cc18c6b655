/*
 * The simulated machine's DMA: AXI DMA's registers as its guide has them, a buffer that the
 * CPU and the device see by themselves until it is synced, and the faults of a transfer. Seen by a
 * driver as plain as can be, which also makes the mistakes that drivers make.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "sha3/sha256.h"
#include "tests/plain_driver.h"

/* PG021; each direction's registers from its base. */
enum { MM2S = 0x00, S2MM = 0x30, CR = 0x00, SR = 0x04, ADDRESS = 0x18, ADDRESS_HIGH = 0x1c, LENGTH = 0x28 };
enum { RUN = 1, RESET = 4, IRQ_DONE = 0x1000, IRQ_ERROR = 0x4000 };
enum { HALTED = 1, IDLE = 2, INTERNAL = 0x10, DECODE = 0x40, DONE = 0x1000, ERROR = 0x4000 };
enum { BOTH, TO_DEVICE, FROM_DEVICE };

#define BUS		0x1f000000u	/* of the buffer; fpga/sim/mkroot */
#define SIZE		0x400000u	/* bytes of it */
#define OUT		0x200000u	/* where answers go, from its start */
#define PATIENCE_MS	60000
#define MOMENT_MS	50

struct dma {
	struct plain_uio uio;
	uint8_t *bytes;		/* the CPU's view */
};

static void sync_with(const char *attribute, unsigned offset, unsigned size, unsigned direction)
{
	char text[32];
	int fd = open(plain_path("sys/class/u-dma-buf/udmabuf0/%s", attribute), O_WRONLY);

	assert_true(fd >= 0);
	int len = snprintf(text, sizeof text, "0x%08X%08X", offset, (size + 15) / 16 * 16 | direction << 2 | 1);
	assert_int_equal(write(fd, text, (size_t)len), len);
	close(fd);
}

static void write_attribute(const char *attribute, const char *text)
{
	int fd = open(plain_path("sys/class/u-dma-buf/udmabuf0/%s", attribute), O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	close(fd);
}

static uint8_t *map_buffer(int flags)
{
	int fd = open(plain_path("dev/udmabuf0"), O_RDWR | flags);

	assert_true(fd >= 0);
	void *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	close(fd);
	return map;
}

static void reset(const struct dma *d)
{
	plain_write(&d->uio, MM2S + CR, RESET);
	plain_wait_until(&d->uio, MM2S + CR, RESET, 0);
}

static void start(struct dma *d)
{
	plain_faults(NULL);
	plain_open(&d->uio, "uio1", 0);
	d->bytes = map_buffer(0);
	reset(d);
	plain_unmask(&d->uio);
}

static void stop(struct dma *d)
{
	munmap(d->bytes, SIZE);
	plain_close(&d->uio);
}

static void arm(const struct dma *d, unsigned direction, uint32_t address, uint32_t len)
{
	plain_write(&d->uio, direction + CR, RUN | IRQ_DONE | IRQ_ERROR);
	plain_write(&d->uio, direction + SR, DONE | ERROR);
	plain_write(&d->uio, direction + ADDRESS, address);
	plain_write(&d->uio, direction + ADDRESS_HIGH, 0);
	plain_write(&d->uio, direction + LENGTH, len);
}

static void transfer(const struct dma *d, unsigned blocks)
{
	arm(d, S2MM, BUS + OUT, 32 * blocks);
	arm(d, MM2S, BUS, 64 * blocks);
}

/* Padded messages of 50 bytes into the CPU's view, and what the digests should be. */
static void fill(const struct dma *d, uint8_t *digests, unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++) {
		uint8_t *block = d->bytes + 64 * i, first[32];
		memset(block, 0, 64);
		for (unsigned j = 0; j < 50; j++)
			block[j] = (uint8_t)rand();
		block[50] = 0x80;
		store_be32(block + 60, 50 * 8);
		sha256(first, block, 50);
		sha256(digests + 32 * i, first, sizeof first);
	}
	memset(d->bytes + OUT, 0xee, 32 * blocks);
	sync_with("sync_for_device", OUT, 32 * blocks, BOTH);
}

static void a_batch_is_hashed_and_ends_with_an_interrupt(void **state)
{
	static uint8_t digests[255 * 32];
	struct dma d;

	(void)state;
	start(&d);
	for (unsigned blocks = 1; blocks <= 255; blocks += 127) {
		fill(&d, digests, blocks);
		sync_with("sync_for_device", 0, 64 * blocks, TO_DEVICE);
		transfer(&d, blocks);
		assert_true(plain_poll(&d.uio, PATIENCE_MS));
		plain_count(&d.uio);
		plain_wait_until(&d.uio, S2MM + SR, IDLE | DONE, IDLE | DONE);
		assert_int_equal(plain_read(&d.uio, MM2S + SR) & (IDLE | DONE | HALTED), IDLE | DONE);
		assert_int_equal(plain_read(&d.uio, S2MM + LENGTH), 32 * blocks);
		sync_with("sync_for_cpu", OUT, 32 * blocks, FROM_DEVICE);
		assert_memory_equal(d.bytes + OUT, digests, 32 * blocks);
		plain_write(&d.uio, S2MM + SR, DONE);
		plain_write(&d.uio, MM2S + SR, DONE);
		assert_int_equal(plain_read(&d.uio, S2MM + SR) & DONE, 0);
		plain_unmask(&d.uio);
		assert_false(plain_poll(&d.uio, MOMENT_MS));
	}
	stop(&d);
}

/* The three ways to get a hand-over to the device wrong, and to the CPU: each is seen as old bytes. */
static void a_missing_or_wrong_sync_is_seen(void **state)
{
	static const struct { unsigned offset, size, direction; bool right; } to_device[] = {
		{ 0, 0, TO_DEVICE, false }, { 0, 64, FROM_DEVICE, false }, { 64, 64, TO_DEVICE, false },
		{ 0, 48, TO_DEVICE, false }, { 0, 64, TO_DEVICE, true }, { 0, 64, BOTH, true },
	}, to_cpu[] = {
		{ OUT, 0, FROM_DEVICE, false }, { OUT, 32, TO_DEVICE, false }, { OUT + 32, 32, FROM_DEVICE, false },
		{ OUT, 16, FROM_DEVICE, false }, { OUT, 32, FROM_DEVICE, true }, { OUT, 32, BOTH, true },
	};
	uint8_t digest[32];
	struct dma d;

	(void)state;
	start(&d);
	for (unsigned i = 0; i < 6; i++)
		for (unsigned j = 0; j < 6; j++) {
			fill(&d, digest, 1);
			if (to_device[i].size > 0)
				sync_with("sync_for_device", to_device[i].offset, to_device[i].size, to_device[i].direction);
			transfer(&d, 1);
			plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
			if (to_cpu[j].size > 0)
				sync_with("sync_for_cpu", to_cpu[j].offset, to_cpu[j].size, to_cpu[j].direction);
			bool right = memcmp(d.bytes + OUT, digest, 32) == 0;
			assert_int_equal(right, to_device[i].right && to_cpu[j].right);
		}
	stop(&d);
}

/* Where the device was not let, the CPU's cache may write over what it wrote: once for each time that the CPU takes it back. */
static void what_the_device_writes_where_it_was_not_let_is_lost(void **state)
{
	static const struct { unsigned offset, size, direction; bool right; } lent[] = {
		{ OUT, 32, FROM_DEVICE, true }, { OUT, 32, BOTH, true }, { OUT, 32, TO_DEVICE, false }, { OUT, 16, FROM_DEVICE, false },
		{ OUT, 0, FROM_DEVICE, false },
	};
	uint8_t digest[32];
	struct dma d;

	(void)state;
	start(&d);
	fill(&d, digest, 1);
	sync_with("sync_for_device", 0, 64, TO_DEVICE);
	for (unsigned i = 0; i < sizeof lent / sizeof *lent; i++) {
		sync_with("sync_for_cpu", OUT, 32, FROM_DEVICE);
		memset(d.bytes + OUT, 0xee, 32);
		if (lent[i].size > 0)
			sync_with("sync_for_device", lent[i].offset, lent[i].size, lent[i].direction);
		transfer(&d, 1);
		plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
		sync_with("sync_for_cpu", OUT, 32, FROM_DEVICE);
		assert_int_equal(memcmp(d.bytes + OUT, digest, 32) == 0, lent[i].right);
	}
	stop(&d);
}

static void a_sync_may_be_told_in_files_of_its_own(void **state)
{
	uint8_t digest[32];
	struct dma d;

	(void)state;
	start(&d);
	fill(&d, digest, 1);
	write_attribute("sync_offset", "0");
	write_attribute("sync_size", "64");
	write_attribute("sync_direction", "1\n");
	write_attribute("sync_for_device", "1");
	transfer(&d, 1);
	plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
	write_attribute("sync_offset", "0x200000");
	write_attribute("sync_direction", "2");
	write_attribute("sync_for_cpu", "1");
	assert_memory_equal(d.bytes + OUT, digest, 32);

	int fd = open(plain_path("sys/class/u-dma-buf/udmabuf0/sync_for_cpu"), O_WRONLY);
	assert_int_equal(write(fd, "0x0040000000000011", 18), -1);	/* 16 bytes after its end */
	assert_int_equal(errno, EINVAL);
	close(fd);
	stop(&d);
}

static void an_uncached_map_is_what_the_device_sees(void **state)
{
	uint8_t *uncached = map_buffer(O_SYNC), *cached = map_buffer(0);

	(void)state;
	cached[0] = 1;
	sync_with("sync_for_device", 0, 16, FROM_DEVICE);
	uncached[0] = 2;
	assert_int_equal(cached[0], 1);
	sync_with("sync_for_cpu", 0, 16, FROM_DEVICE);
	assert_int_equal(cached[0], 2);
	munmap(uncached, SIZE);
	munmap(cached, SIZE);
}

/* The register has 14 bits: 16,384 is 0 in them, and nothing begins. 16,320 is the longest batch. */
static void a_length_is_cut_to_the_width_of_its_register(void **state)
{
	static uint8_t digests[256 * 32];
	struct dma d;

	(void)state;
	start(&d);
	fill(&d, digests, 256);
	sync_with("sync_for_device", 0, 64 * 256, TO_DEVICE);
	transfer(&d, 256);
	assert_int_equal(plain_read(&d.uio, MM2S + LENGTH), 0);
	assert_false(plain_poll(&d.uio, MOMENT_MS));
	assert_int_equal(plain_read(&d.uio, MM2S + SR) & (IDLE | DONE), 0);
	reset(&d);
	transfer(&d, 255);
	assert_true(plain_poll(&d.uio, PATIENCE_MS));
	plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
	sync_with("sync_for_cpu", OUT, 32 * 255, FROM_DEVICE);
	assert_memory_equal(d.bytes + OUT, digests, 32 * 255);
	stop(&d);
}

static void an_engine_that_does_not_run_starts_nothing(void **state)
{
	struct dma d;

	(void)state;
	start(&d);
	assert_int_equal(plain_read(&d.uio, MM2S + SR) & (HALTED | IDLE), HALTED);
	plain_write(&d.uio, MM2S + ADDRESS, BUS);
	plain_write(&d.uio, MM2S + LENGTH, 64);
	assert_int_equal(plain_read(&d.uio, MM2S + SR) & (HALTED | IDLE), HALTED);
	plain_write(&d.uio, MM2S + CR, RUN);
	assert_int_equal(plain_read(&d.uio, MM2S + SR) & (HALTED | IDLE), 0);	/* not idle before the first transfer */
	stop(&d);
}

/* An answer that does not come ends neither by itself nor with what was sent. A reset ends it, and the cores with it. */
static void a_transfer_without_an_end_hangs_until_the_reset(void **state)
{
	uint8_t digest[32];
	struct dma d;

	(void)state;
	start(&d);
	arm(&d, S2MM, BUS + OUT, 32);
	assert_false(plain_poll(&d.uio, MOMENT_MS));
	assert_int_equal(plain_read(&d.uio, S2MM + SR) & (IDLE | DONE), 0);
	reset(&d);

	fill(&d, digest, 1);
	sync_with("sync_for_device", 0, 64, TO_DEVICE);
	arm(&d, MM2S, BUS, 64);		/* its answer has no place to go */
	plain_wait_until(&d.uio, MM2S + SR, IDLE, IDLE);
	reset(&d);
	fill(&d, digest, 1);
	sync_with("sync_for_device", 0, 64, TO_DEVICE);
	transfer(&d, 1);
	plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
	sync_with("sync_for_cpu", OUT, 32, FROM_DEVICE);
	assert_memory_equal(d.bytes + OUT, digest, 32);
	stop(&d);
}

static void what_is_written_during_a_reset_is_lost(void **state)
{
	struct dma d;

	(void)state;
	start(&d);
	plain_write(&d.uio, S2MM + CR, RESET);
	plain_write(&d.uio, MM2S + CR, RUN);
	plain_wait_until(&d.uio, S2MM + CR, RESET, 0);
	assert_int_equal(plain_read(&d.uio, MM2S + CR) & RUN, 0);
	stop(&d);
}

static void an_error_halts_the_channel_and_raises_the_interrupt(void **state)
{
	static const struct { uint32_t address, len, error; } wrong[] = {
		{ BUS - 64, 64, DECODE }, { BUS + SIZE - 32, 64, DECODE }, { BUS + SIZE, 64, DECODE }, { 0, 64, DECODE },
		{ BUS + 2, 64, INTERNAL }, { BUS, 62, INTERNAL },
	};
	struct dma d;

	(void)state;
	start(&d);
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		arm(&d, MM2S, wrong[i].address, wrong[i].len);
		assert_true(plain_poll(&d.uio, PATIENCE_MS));
		plain_count(&d.uio);
		assert_int_equal(plain_read(&d.uio, MM2S + SR), HALTED | wrong[i].error | ERROR);
		plain_write(&d.uio, MM2S + CR, RUN);	/* is no way out */
		assert_int_equal(plain_read(&d.uio, MM2S + SR) & HALTED, HALTED);
		reset(&d);
		plain_unmask(&d.uio);
	}
	stop(&d);
}

static void a_packet_that_does_not_fit_is_an_error(void **state)
{
	uint8_t digests[64];
	struct dma d;

	(void)state;
	start(&d);
	fill(&d, digests, 2);
	arm(&d, S2MM, BUS + OUT, 32);
	arm(&d, MM2S, BUS, 128);
	plain_wait_until(&d.uio, S2MM + SR, ERROR, ERROR);
	assert_int_equal(plain_read(&d.uio, S2MM + SR) & (HALTED | INTERNAL), HALTED | INTERNAL);
	stop(&d);
}

static void what_is_sent_before_its_answer_has_a_place_may_fail(void **state)
{
	struct dma d;

	(void)state;
	start(&d);
	plain_faults("0 no-place\n");
	transfer(&d, 1);
	plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
	assert_int_equal(plain_fault_count("0 no-place"), 0);
	arm(&d, MM2S, BUS, 64);
	assert_int_equal(plain_read(&d.uio, MM2S + SR) & (HALTED | INTERNAL), HALTED | INTERNAL);
	assert_int_equal(plain_fault_count("0 no-place"), 1);
	reset(&d);
	stop(&d);
}

static void faults_of_a_transfer_are_an_error_and_a_short_one(void **state)
{
	uint8_t digest[32];
	struct dma d;

	(void)state;
	start(&d);
	plain_faults("0 dma-error 1\n");
	fill(&d, digest, 1);
	sync_with("sync_for_device", 0, 64, TO_DEVICE);
	transfer(&d, 1);
	plain_wait_until(&d.uio, S2MM + SR, ERROR, ERROR);
	assert_int_equal(plain_fault_count("0 dma-error"), 1);
	reset(&d);

	plain_faults("0 short-transfer 1\n");
	transfer(&d, 1);
	plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
	assert_int_equal(plain_read(&d.uio, S2MM + LENGTH), 28);
	assert_int_equal(plain_fault_count("0 short-transfer"), 1);
	reset(&d);

	transfer(&d, 1);
	plain_wait_until(&d.uio, S2MM + SR, IDLE, IDLE);
	sync_with("sync_for_cpu", OUT, 32, FROM_DEVICE);
	assert_memory_equal(d.bytes + OUT, digest, 32);
	stop(&d);
}

int main(int argc, char **argv)
{
	static const char *const cards[] = { "16,14", NULL };
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_is_hashed_and_ends_with_an_interrupt),
		cmocka_unit_test(a_missing_or_wrong_sync_is_seen),
		cmocka_unit_test(what_the_device_writes_where_it_was_not_let_is_lost),
		cmocka_unit_test(a_sync_may_be_told_in_files_of_its_own),
		cmocka_unit_test(an_uncached_map_is_what_the_device_sees),
		cmocka_unit_test(a_length_is_cut_to_the_width_of_its_register),
		cmocka_unit_test(an_engine_that_does_not_run_starts_nothing),
		cmocka_unit_test(a_transfer_without_an_end_hangs_until_the_reset),
		cmocka_unit_test(what_is_written_during_a_reset_is_lost),
		cmocka_unit_test(an_error_halts_the_channel_and_raises_the_interrupt),
		cmocka_unit_test(a_packet_that_does_not_fit_is_an_error),
		cmocka_unit_test(what_is_sent_before_its_answer_has_a_place_may_fail),
		cmocka_unit_test(faults_of_a_transfer_are_an_error_and_a_short_one),
	};

	(void)argc;
	plain_driver_enter(argv, cards);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
