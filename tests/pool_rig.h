/*
 * What the tests of the pool layer share: a pool under test with its board, the fake
 * it talks to, the log it writes, and a miner's place in the work. Nothing here
 * depends on a machine's speed: tests wait for what must happen, and find their
 * shares themselves at a difficulty of some 430 hashes each.
 */
#ifndef TESTS_POOL_RIG_H
#define TESTS_POOL_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "pool/pool.h"
#include "work/board.h"
#include "tests/fake_pool.h"

/* Memory is not measured under a sanitizer, which keeps much of what was freed. */
#if defined __SANITIZE_ADDRESS__
#define RIG_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define RIG_SANITIZED 1
#endif
#endif
#ifndef RIG_SANITIZED
#define RIG_SANITIZED 0
#endif

#define PATIENCE	60	/* s for what must happen; on a quiet machine it takes milliseconds */
#define STOP_LIMIT	10	/* s for what must not wait; on a quiet machine it takes a tenth of one */
#define SECRET		"hush-hush"

struct rig {
	struct fake_script script;
	struct fake_pool *fake;
	struct pool_config config;
	struct pool *pool;
	struct board board;
	uint64_t nonce_end;		/* of every work; 0: all nonces */
	_Atomic bool refused, gave_up;	/* as of the last failure */

	unsigned pings;

	struct work work;		/* where the miner is */
	uint64_t next, end;		/* nonces */
	unsigned version;		/* of the work's, for `next` */
};

/* Every test has a new rig as its state, and stderr goes to a file of its own. */
int rig_setup(void **state);
int rig_teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

/* End what runs and begin anew, for tests that walk a table. */
struct rig *rig_again(void **state);

/* fail_msg() writes to stderr, which is the log just now. */
__attribute__((format(printf, 1, 2))) void fail_with(const char *format, ...);

/* With the script and configuration as they are by now. */
void start_pool(struct rig *, const char *url);
void start_at(struct rig *, const char *url_format);	/* with a fake, whose port is what %u stands for */
void start(struct rig *);
void start_mining(struct rig *);			/* and a first job is announced after the login */

struct pool_stats stats_of(struct rig *);

/* Until all that the fake has sent so far is dealt with. */
void wait_heard(struct rig *);

/* The next share of whatever hangs on the board. */
struct share find(struct rig *);

/* Find and submit some, one reply at a time. */
void mine(struct rig *, unsigned count);

/* The fake found no fault with any share. */
void assert_all_good(struct rig *);

/* Until a new publication has replaced the one that find() used last. */
void wait_new_work(struct rig *);

/* pool_stop() waits for nothing that may not come. */
void stop_is_quick(struct rig *);

/* All that was logged, until the next call. */
char *log_text(void);
void assert_logged(const char *text);
void assert_not_logged(const char *text);
void wait_logged(const char *text);

long resident_kib(void);

/* A text of `len` times the same byte between two others; to be freed. */
char *padded(const char *before, char fill, size_t len, const char *after);

#define WAIT_UNTIL(condition) do { \
	double wait_end = clock_now() + PATIENCE; \
	while (!(condition) && clock_now() < wait_end) \
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); \
	assert_true(condition); \
} while (0)

#endif
