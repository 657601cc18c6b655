/*
 * A driver with nothing between a test and the system calls: open, mmap, read, write. It runs
 * on the simulated machine of fpga/sim, which plain_driver_enter() makes and enters.
 */
#ifndef TESTS_PLAIN_DRIVER_H
#define TESTS_PLAIN_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "algo/registry.h"

struct plain_uio {
	int fd;
	volatile uint32_t *regs;
};

/*
 * To be called first in main(): runs the program anew with the shim preloaded, on a machine with `cards`
 * (fpga/sim/mkroot's arguments, ended by NULL), unless it runs so already. Returns only then.
 */
void plain_driver_enter(char **argv, const char *const *cards);

/* A path of the machine, in memory of its own until the next call. */
const char *plain_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The text becomes the file of faults; NULL: there are none. What happened before is forgotten. */
void plain_faults(const char *text);

/* How often a line stands in the log of faults. */
unsigned plain_fault_count(const char *line);

/* Open and map. Any failure fails the test. */
void plain_open(struct plain_uio *, const char *device, int flags);
void plain_close(struct plain_uio *);

/* One read() of the interrupt count, and one write() to let it through again. */
uint32_t plain_count(const struct plain_uio *);
void plain_unmask(const struct plain_uio *);

/* Whether poll() finds an interrupt within that time, ms. */
bool plain_poll(const struct plain_uio *, int timeout_ms);

uint32_t plain_read(const struct plain_uio *, unsigned offset);
void plain_write(const struct plain_uio *, unsigned offset, uint32_t value);

/* Wait until (the register & mask) == value; a test that waits a minute has failed. */
void plain_wait_until(const struct plain_uio *, unsigned offset, uint32_t mask, uint32_t value);

/* Reset, and search the first block's header for nonces with that top word or less in [first, last], with all interrupts. */
void plain_search(const struct plain_uio *, uint32_t tag, uint32_t target, uint32_t first, uint32_t last);
#define PLAIN_NONCE	2083236893u	/* the first block's own */

#endif
