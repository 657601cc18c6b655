/* Entering the simulated machine, and driving its devices: see plain_driver.h. */
#include "tests/plain_driver.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "fpga/regs.h"
#include "fpga/sim/machine.h"
#include "sha3/sha256.h"

#define PATIENCE_S	60
#define SHIM		"libadit-fpga-shim.so"

/* Run a program with these arguments and wait for it; what goes wrong ends this one. */
static void run(const char *const *arguments)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		execvp(arguments[0], (char **)arguments);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		fprintf(stderr, "%s failed\n", arguments[0]);
		exit(1);
	}
}

static void remove_machine(void)
{
	const char *const arguments[] = { "rm", "-rf", getenv("ADIT_FPGA_ROOT"), NULL };

	unsetenv("LD_PRELOAD");
	run(arguments);
}

void plain_driver_enter(char **argv, const char *const *cards)
{
	char root[] = "/tmp/adit-machine-XXXXXX", script[1024], preload[1024], folder[1000], options[1024];
	const char *arguments[MACHINE_CARDS + 4] = { "sh", script, root };
	const char *srcdir = getenv("srcdir"), *asan = getenv("ASAN_OPTIONS");

	if (getenv("ADIT_FPGA_ROOT")) {
		atexit(remove_machine);
		return;
	}
	snprintf(script, sizeof script, "%s/fpga/sim/mkroot", srcdir ? srcdir : ".");
	for (int i = 0; cards[i]; i++)
		arguments[3 + i] = cards[i];
	if (!mkdtemp(root) || !getcwd(folder, sizeof folder)) {
		perror(root);
		exit(1);
	}
	run(arguments);
	setenv("ADIT_FPGA_ROOT", root, 1);
	snprintf(preload, sizeof preload, "%s/" SHIM, folder);
	setenv("LD_PRELOAD", preload, 1);
	/* The sanitizer would rather be first, and is second without harm. */
	snprintf(options, sizeof options, "%s%sverify_asan_link_order=0", asan ? asan : "", asan ? ":" : "");
	setenv("ASAN_OPTIONS", options, 1);
	execv("/proc/self/exe", argv);
	perror("/proc/self/exe");
	exit(1);
}

const char *plain_path(const char *format, ...)
{
	static char path[1024];
	const char *root = getenv("ADIT_FPGA_ROOT");
	va_list args;

	va_start(args, format);
	int len = snprintf(path, sizeof path, "%s/", root);
	vsnprintf(path + len, sizeof path - (size_t)len, format, args);
	va_end(args);
	return path;
}

void plain_faults(const char *text)
{
	char made[1024];

	remove(plain_path("faults.log"));
	if (!text) {
		remove(plain_path("faults"));
		return;
	}
	strcpy(made, plain_path("faults.new"));
	FILE *file = fopen(made, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rename(made, plain_path("faults")), 0);
}

unsigned plain_fault_count(const char *line)
{
	char text[64];
	unsigned count = 0;
	FILE *file = fopen(plain_path("faults.log"), "r");

	while (file && fgets(text, sizeof text, file)) {
		text[strcspn(text, "\n")] = '\0';
		count += strcmp(text, line) == 0;
	}
	if (file)
		fclose(file);
	return count;
}

void plain_open(struct plain_uio *uio, const char *device, int flags)
{
	uio->fd = open(plain_path("dev/%s", device), O_RDWR | O_CLOEXEC | flags);
	assert_true(uio->fd >= 0);
	void *map = mmap(NULL, MACHINE_REGS_LEN, PROT_READ | PROT_WRITE, MAP_SHARED, uio->fd, 0);
	assert_true(map != MAP_FAILED);
	uio->regs = map;
}

void plain_close(struct plain_uio *uio)
{
	assert_int_equal(munmap((void *)uio->regs, MACHINE_REGS_LEN), 0);
	assert_int_equal(close(uio->fd), 0);
}

uint32_t plain_count(const struct plain_uio *uio)
{
	uint32_t count;

	assert_int_equal(read(uio->fd, &count, sizeof count), sizeof count);
	return count;
}

void plain_unmask(const struct plain_uio *uio)
{
	const uint32_t on = 1;

	assert_int_equal(write(uio->fd, &on, sizeof on), sizeof on);
}

bool plain_poll(const struct plain_uio *uio, int timeout_ms)
{
	struct pollfd wait = { .fd = uio->fd, .events = POLLIN };

	return poll(&wait, 1, timeout_ms) == 1 && wait.revents & POLLIN;
}

uint32_t plain_read(const struct plain_uio *uio, unsigned offset)
{
	return uio->regs[offset / 4];
}

void plain_write(const struct plain_uio *uio, unsigned offset, uint32_t value)
{
	uio->regs[offset / 4] = value;
}

void plain_wait_until(const struct plain_uio *uio, unsigned offset, uint32_t mask, uint32_t value)
{
	const time_t end = time(NULL) + PATIENCE_S;

	while ((plain_read(uio, offset) & mask) != value) {
		if (time(NULL) > end)
			fail_msg("register %03x is %08x", offset, (unsigned)plain_read(uio, offset));
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
}

void plain_search(const struct plain_uio *uio, uint32_t tag, uint32_t target, uint32_t first, uint32_t last)
{
	uint8_t header[HEADER_MAX];
	uint32_t midstate[8];

	hex_decode(header, sizeof header, algo_find("sha256d")->kats[0].header);
	memcpy(midstate, sha256_iv, sizeof midstate);
	sha256_compress(midstate, header);
	plain_write(uio, FPGA_CONTROL, FPGA_CONTROL_RESET);
	for (unsigned i = 0; i < 8; i++)
		plain_write(uio, FPGA_JOB_MIDSTATE0 + 4 * i, midstate[i]);
	for (unsigned i = 0; i < 3; i++)
		plain_write(uio, FPGA_JOB_TAIL0 + 4 * i, load_be32(header + 64 + 4 * i));
	plain_write(uio, FPGA_JOB_TAG, tag);
	plain_write(uio, FPGA_JOB_TARGET, target);
	plain_write(uio, FPGA_JOB_FIRST, first);
	plain_write(uio, FPGA_JOB_LAST, last);
	plain_write(uio, FPGA_IRQ_ENABLE, FPGA_IRQ_STATUS_HIT | FPGA_IRQ_STATUS_EXHAUSTED);
	plain_write(uio, FPGA_CONTROL, FPGA_CONTROL_START);
}
