/*
 * Registers over a serial line, as fpga/boards/hx8k/uart_axil.v answers it: a write is five
 * bytes and not answered, a read is one byte and answered by four.
 *
 * What a newcomer would get wrong: there is no interrupt on two wires, so waiting for one is
 * asking for IRQ_STATUS now and then. And a byte lost in a write shifts all that follows: a
 * read that stays without its answer is followed by five zero bytes, which bring the other
 * side in step whatever it waits for. What such a write did is not known, as little as of a
 * card that fails: the host hashes every hit again.
 */
#include "fpga/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "fpga/regs.h"
#include "fpga/sysfs.h"

#define WRITE		0x80	/* in a command byte, beside the register's offset / 4 */
#define SILENCE_MS	50	/* after which no more of an answer comes: several times what USB holds bytes back */
#define REST_READS	16	/* of 64 bytes: a line that is never silent is no card's */
#define ASK_MS		100	/* of waiting, until it is asked whether the answer is wanted still */
#define LOOK_NS		10000000	/* between two looks for an interrupt's cause */

struct serial {
	int fd;
	bool gone;
	bool masked;		/* an interrupt was told of and not unmasked yet */
	uint32_t enabled;	/* IRQ_ENABLE, as last written */
};

/* Wait until the line is ready for POLLIN or POLLOUT. False: it was not within wait_ms, or nobody wants it any more. */
static bool ready_for(const struct transport *t, short events, int wait_ms)
{
	struct pollfd line = { .fd = ((const struct serial *)t->ctx)->fd, .events = events };

	do {
		int step = wait_ms < ASK_MS ? wait_ms : ASK_MS;
		int ready = poll(&line, 1, step);

		if (ready > 0 || (ready < 0 && errno != EINTR))
			return ready > 0;
		if (ready == 0)
			wait_ms -= step;
	} while (wait_ms > 0 && !transport_unwanted(t));
	return false;
}

/* All of it, or false: the line is gone. */
static bool send_bytes(const struct transport *t, const uint8_t *bytes, size_t len)
{
	const struct serial *serial = t->ctx;

	while (len > 0) {
		ssize_t sent = write(serial->fd, bytes, len);

		if (sent > 0) {
			bytes += sent;
			len -= (size_t)sent;
		} else if (sent < 0 && errno != EINTR && errno != EAGAIN) {
			return false;
		} else if (!ready_for(t, POLLOUT, (int)(1000 * SERIAL_ANSWER_S))) {
			return false;
		}
	}
	return true;
}

/* Up to `len` bytes, as many as come before it is silent for wait_ms. */
static size_t receive(const struct transport *t, uint8_t *bytes, size_t len, int wait_ms)
{
	const struct serial *serial = t->ctx;
	size_t got = 0;

	while (got < len) {
		ssize_t came = ready_for(t, POLLIN, wait_ms) ? read(serial->fd, bytes + got, len - got) : 0;

		if (came < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (came <= 0)
			break;
		got += (size_t)came;
	}
	return got;
}

/* End whatever the last command was, and forget what it brought. */
static void bring_in_step(const struct transport *t)
{
	static const uint8_t zeros[5];
	uint8_t rest[64];

	if (!send_bytes(t, zeros, sizeof zeros))
		return;
	for (int i = 0; i < REST_READS; i++)
		if (receive(t, rest, sizeof rest, SILENCE_MS) < sizeof rest)
			break;
}

static uint32_t serial_read(struct transport *t, unsigned offset)
{
	struct serial *serial = t->ctx;
	const uint8_t command = (uint8_t)(offset / 4);
	uint8_t answer[4];

	for (int attempt = 0; attempt < 2 && !serial->gone; attempt++) {
		tcflush(serial->fd, TCIFLUSH);
		if (send_bytes(t, &command, 1) &&
		    receive(t, answer, sizeof answer, (int)(1000 * SERIAL_ANSWER_S)) == sizeof answer)
			return load_le32(answer);
		if (offset == FPGA_HIT_NONCE)	/* the hit may be taken already: the next would be read as this one */
			break;
		if (transport_unwanted(t))	/* which may be why there is no answer */
			break;
		bring_in_step(t);
	}
	serial->gone = true;
	return TRANSPORT_GONE;
}

static void serial_write(struct transport *t, unsigned offset, uint32_t value)
{
	struct serial *serial = t->ctx;
	uint8_t command[5] = { (uint8_t)(WRITE | offset / 4) };

	store_le32(command + 1, value);
	if (!serial->gone && !send_bytes(t, command, sizeof command))
		serial->gone = true;
	if (offset == FPGA_IRQ_ENABLE)
		serial->enabled = value;
	if (offset == FPGA_CONTROL && (value & FPGA_CONTROL_RESET))
		serial->enabled = 0;
}

static int serial_wait(struct transport *t, double timeout_s)
{
	struct serial *serial = t->ctx;
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	const double start = clock_now();

	for (;;) {
		bool cause = !serial->masked && (serial_read(t, FPGA_IRQ_STATUS) & serial->enabled);

		if (serial->gone)
			return log_error("fpga %s: the card does not answer", t->name);
		if (cause) {
			serial->masked = true;
			return 1;
		}
		if (clock_now() - start >= timeout_s)
			return 0;
		nanosleep(&pause, NULL);
	}
}

static int serial_unmask(struct transport *t)
{
	((struct serial *)t->ctx)->masked = false;
	return 0;
}

static void serial_close(struct transport *t)
{
	struct serial *serial = t->ctx;

	close(serial->fd);
	free(serial);
	t->ctx = NULL;
}

static const struct transport_ops ops = {
	.read = serial_read, .write = serial_write, .wait = serial_wait, .unmask = serial_unmask, .close = serial_close,
};

/* Bytes as they are, at the card's speed, without a modem's wires. */
static int set_line(int fd, const char *path)
{
	struct termios line;

	if (tcgetattr(fd, &line) < 0)
		return log_errno("fpga %s: it is no serial line", path);
	cfmakeraw(&line);
	line.c_cflag |= CLOCAL | CREAD;
	line.c_cc[VMIN] = 0;
	line.c_cc[VTIME] = 0;
	if (cfsetspeed(&line, B115200) < 0 || tcsetattr(fd, TCSANOW, &line) < 0)
		return log_errno("fpga %s: set the line to %d baud", path, SERIAL_BAUD);
	return 0;
}

int transport_open_serial(struct transport *t, const char *root, const char *name)
{
	char path[SYSFS_PATH];
	struct serial *serial = calloc(1, sizeof *serial);

	if (!serial)
		return log_errno("fpga serial:%s", name);
	if (!sysfs_path(path, root, "/dev/%s", name)) {
		log_error("fpga serial:%s: its path is too long", name);
		goto free_serial;
	}
	serial->fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (serial->fd < 0) {
		log_errno("fpga serial:%s: open %s", name, path);
		goto free_serial;
	}
	if (set_line(serial->fd, path) < 0)
		goto close_fd;
	*t = (struct transport){ .ops = &ops, .ctx = serial };
	snprintf(t->name, sizeof t->name, "serial:%.40s", name);
	bring_in_step(t);
	return 0;

close_fd:
	close(serial->fd);
free_serial:
	free(serial);
	return -1;
}
