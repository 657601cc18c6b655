/*
 * A run of sha256d with one card in software, and CPU threads beside it, for tests of the
 * driver. Shares of a header are told apart by its version and its time field.
 */
#ifndef TESTS_FPGA_RIG_H
#define TESTS_FPGA_RIG_H

#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "fpga/unit.h"
#include "tests/fake_card.h"
#include "work/crew.h"

#define RIG_PATIENCE_S	60
#define RIG_NONCES	20000		/* of a work here, unless the test sets the board's nonce_end */
#define RIG_HIT_TOP	0x007fffff	/* of rig_work(): one nonce in 512 is a share */
#define RIG_SHARES_MAX	4096

/* What the workers found, each a version and a nonce. */
struct shares {
	pthread_mutex_t lock;
	struct { uint32_t version, time, nonce; } share[RIG_SHARES_MAX];
	unsigned count;
};

/* A run with one card, and CPU threads beside it. */
struct rig {
	struct fake_card card;
	struct fpga_unit unit;
	struct board board;
	struct crew crew;
	struct crew helpers;		/* threads that come later */
	struct shares shares;
	bool stopped;			/* by rig_stop() */
};

#define wait_until(condition) do { \
	double end_ = clock_now() + RIG_PATIENCE_S; \
	while (!(condition) && clock_now() < end_) \
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); \
	assert_true(condition); \
} while (0)

/* The transport of a unit whose open_ctx is a struct fake_card; one that is unplugged cannot be opened. */
int rig_open_fake(struct fpga_unit *, struct transport *);

/* So many versions of a header, which is always the same. */
struct work rig_work(unsigned versions);

/* A card that nobody has started, with this fault; then its worker, and so many threads. */
struct rig *rig_make(enum fake_fault);
void rig_run(struct rig *, unsigned threads);

/* Both, but the card is started before its worker and sound until then. */
struct rig *rig_start(unsigned threads, enum fake_fault);

/* A CPU thread takes part from now on. */
void rig_help(struct rig *);

uint64_t rig_hashes(const struct rig *);

/* Close the board and wait for the threads: what is theirs may be looked at then. */
void rig_stop(struct rig *);

/* End the run, in which no worker has failed. */
void rig_end(struct rig *);

/* How many shares were found of this header. */
unsigned rig_found(struct shares *, const struct work *);

/* The first nonce from `first` on that is a share of this header. */
uint32_t rig_share_of(const struct work *, uint64_t first);

/* The shares of all nonces and versions, each once; `lost` true: some may be missing. Returns how many are. */
unsigned rig_check_shares(struct rig *, const struct work *, bool lost);

#endif
