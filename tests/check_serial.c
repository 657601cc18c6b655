/*
 * Facts of a card on a serial line: the driver on one end of a pseudo terminal, on the other
 * a thread that answers as fpga/boards/hx8k/uart_axil.v does, for a card in software.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "fpga/regs.h"
#include "fpga/serial.h"
#include "fpga/unit.h"
#include "tests/fake_card.h"

/* The far end, and the /dev of a root of its own whose "card" is the near end. */
struct line {
	int master;
	char root[64], dev[80], card[96];
	pthread_t thread;
	_Atomic bool stop, deaf;
	_Atomic unsigned lose;		/* the byte to be lost, counted from the next on as 1; 0: none */
	_Atomic unsigned done;		/* bytes that came, and were answered or lost */
	struct fake_card fake;
	struct transport transport;	/* of the fake card */
};

static void answer(struct line *line, uint8_t byte, uint8_t command[5], unsigned *have)
{
	uint8_t value[4];

	command[(*have)++] = byte;
	if (!(command[0] & 0x80)) {
		store_le32(value, line->transport.ops->read(&line->transport, 4u * command[0]));
		*have = 0;
		if (write(line->master, value, sizeof value) != sizeof value)
			line->deaf = true;
	} else if (*have == 5) {
		line->transport.ops->write(&line->transport, 4u * (command[0] & 0x7fu), load_le32(command + 1));
		*have = 0;
	}
}

static void *far_end(void *arg)
{
	struct line *line = arg;
	uint8_t command[5], byte;
	unsigned have = 0;

	while (!line->stop) {
		struct pollfd wait = { .fd = line->master, .events = POLLIN };

		if (poll(&wait, 1, 20) <= 0 || read(line->master, &byte, 1) != 1)
			continue;
		if (!line->deaf && !(line->lose > 0 && --line->lose == 0))
			answer(line, byte, command, &have);
		line->done++;
	}
	return NULL;
}

static void line_open(struct line *line)
{
	fake_card_open(&line->fake, &line->transport);
	line->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(line->master >= 0);
	assert_int_equal(grantpt(line->master), 0);
	assert_int_equal(unlockpt(line->master), 0);
	strcpy(line->root, "/tmp/check_serial.XXXXXX");
	assert_non_null(mkdtemp(line->root));
	snprintf(line->dev, sizeof line->dev, "%s/dev", line->root);
	snprintf(line->card, sizeof line->card, "%s/card", line->dev);
	assert_int_equal(mkdir(line->dev, 0700), 0);
	assert_int_equal(symlink(ptsname(line->master), line->card), 0);
	assert_int_equal(pthread_create(&line->thread, NULL, far_end, line), 0);
}

static void line_close(struct line *line)
{
	line->stop = true;
	pthread_join(line->thread, NULL);
	line->transport.ops->close(&line->transport);
	close(line->master);
	unlink(line->card);
	rmdir(line->dev);
	rmdir(line->root);
}

/* Opening sends bytes whose answers the driver forgets with its next command: they are not to come after that. */
static void card_open(struct transport *t, struct line *line)
{
	assert_int_equal(transport_open_serial(t, line->root, "card"), 0);
	while (line->done < 5)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void registers_are_read_and_written(void **state)
{
	struct line line = { .stop = false };
	struct transport t;

	(void)state;
	line_open(&line);
	card_open(&t, &line);
	for (uint32_t i = 0; i < 15; i++)
		t.ops->write(&t, FPGA_JOB_TAG + 4 * i, 0x01020384u * (i + 1));
	assert_int_equal(t.ops->read(&t, FPGA_ID), 0x41444954);	/* and all before it is done */
	for (uint32_t i = 0; i < 15; i++)
		assert_int_equal(line.fake.regs[i], 0x01020384u * (i + 1));
	t.ops->close(&t);
	line_close(&line);
}

static void a_lost_byte_costs_no_more_than_its_command(void **state)
{
	struct line line = { .stop = false };
	struct transport t;

	(void)state;
	line_open(&line);
	card_open(&t, &line);
	static const unsigned lost_bytes[] = { 2, 5, 6 };	/* the first and last of the data of a write, and the read after it */

	for (size_t i = 0; i < sizeof lost_bytes / sizeof *lost_bytes; i++) {
		unsigned lost = lost_bytes[i];

		line.lose = lost;
		t.ops->write(&t, FPGA_JOB_TAG, 0);
		assert_int_equal(t.ops->read(&t, FPGA_ID), 0x41444954);
		t.ops->write(&t, FPGA_JOB_FIRST, lost);
		assert_int_equal(t.ops->read(&t, FPGA_ID), 0x41444954);
		assert_int_equal(line.fake.regs[(FPGA_JOB_FIRST - FPGA_JOB_TAG) / 4], lost);
	}
	t.ops->close(&t);
	line_close(&line);
}

/* The card may have taken it out of its queue: asked again, it would tell of the next one. */
static void a_hit_whose_answer_is_lost_is_not_asked_for_again(void **state)
{
	struct line line = { .stop = false };
	struct transport t;

	(void)state;
	line_open(&line);
	card_open(&t, &line);
	line.lose = 1;
	assert_int_equal(t.ops->read(&t, FPGA_HIT_NONCE), TRANSPORT_GONE);
	assert_int_equal(t.ops->wait(&t, 0), -1);
	t.ops->close(&t);
	line_close(&line);
}

static void a_silent_line_is_a_card_that_is_gone(void **state)
{
	struct line line = { .stop = false };
	struct transport t;

	(void)state;
	line_open(&line);
	card_open(&t, &line);
	line.deaf = true;
	assert_int_equal(t.ops->read(&t, FPGA_ID), TRANSPORT_GONE);
	assert_int_equal(t.ops->wait(&t, 0), -1);
	t.ops->close(&t);
	line_close(&line);
}

#define ASKED		5	/* times, until nobody wants it */

static bool give_up_at_last(void *asked)
{
	return ++*(unsigned *)asked >= ASKED;
}

static void an_answer_that_nobody_wants_is_not_waited_for(void **state)
{
	struct line line = { .stop = false };
	struct transport t;
	unsigned asked = 0;

	(void)state;
	line_open(&line);
	card_open(&t, &line);
	line.deaf = true;
	t.unwanted = give_up_at_last;
	t.unwanted_ctx = &asked;
	assert_int_equal(t.ops->read(&t, FPGA_ID), TRANSPORT_GONE);
	assert_true(asked >= ASKED && asked <= ASKED + 2);	/* not once for each answer, nor on and on */
	t.ops->close(&t);
	line_close(&line);
}

static void what_is_no_serial_line_is_refused(void **state)
{
	struct line line = { .stop = false };
	struct transport t = { .ctx = &line };
	char file[128];

	(void)state;
	line_open(&line);
	snprintf(file, sizeof file, "%s/file", line.dev);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(transport_open_serial(&t, line.root, "file"), -1);
	assert_int_equal(transport_open_serial(&t, line.root, "none"), -1);
	assert_ptr_equal(t.ctx, &line);
	unlink(file);
	line_close(&line);
}

static int open_card(struct fpga_unit *unit, struct transport *transport)
{
	return transport_open_serial(transport, ((struct line *)unit->open_ctx)->root, "card");
}

/* Its known answers: jobs, hits and waiting for them, as mining has them. */
static void a_card_on_a_serial_line_passes_its_test(void **state)
{
	struct line line = { .stop = false };
	struct fpga_unit unit = { .name = "serial:card", .open = open_card, .open_ctx = &line, .algo = algo_find("sha256d") };

	(void)state;
	line_open(&line);
	assert_int_equal(fpga_unit_start(&unit), 0);
	assert_true(line.fake.starts > 0);
	fpga_unit_stop(&unit);
	line.fake.fault = FAKE_WRONG_NONCE;
	assert_int_equal(fpga_unit_start(&unit), -1);
	line_close(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_read_and_written),
		cmocka_unit_test(a_lost_byte_costs_no_more_than_its_command),
		cmocka_unit_test(a_hit_whose_answer_is_lost_is_not_asked_for_again),
		cmocka_unit_test(a_silent_line_is_a_card_that_is_gone),
		cmocka_unit_test(an_answer_that_nobody_wants_is_not_waited_for),
		cmocka_unit_test(what_is_no_serial_line_is_refused),
		cmocka_unit_test(a_card_on_a_serial_line_passes_its_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
