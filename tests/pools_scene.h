/*
 * Several pools under test, and a fake for each, which gives extranonces and jobs of
 * its own and checks what it gets: work of one that reached another is found at fault.
 */
#ifndef TESTS_POOLS_SCENE_H
#define TESTS_POOLS_SCENE_H

#include "pool/pools.h"
#include "tests/pool_rig.h"

#define FAKES 3

struct scene {
	struct rig rig;			/* for its board, its log and its miner; its pool is not used */
	struct fake_script scripts[FAKES];
	struct fake_pool *fakes[FAKES];
	struct fake_job jobs[FAKES];
	struct pools_config config;
	struct pools *pools;
};

/* Every test has a new scene as its state, of two pools with failover unless it says otherwise. */
int scene_setup(void **state);
int scene_teardown(void **state);
#define POOLS_TEST(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)

/* As configured by now. */
void open_pools(struct scene *);

/* Is the pool's work on the board? */
bool hangs(struct scene *, int pool);
bool hangs_nothing(struct scene *);

/* The pool lets us in for the n-th time, and announces its job. */
void welcome(struct scene *, int pool, unsigned login);

/* Until the pool is mined on. */
void start_on(struct scene *, int pool, unsigned login);

/* Take no more connections. */
void go_down(struct scene *, int pool);
void come_back(struct scene *, int pool);

struct pool_stats counts(struct scene *, unsigned pool);

/* The next share, which is that pool's. */
struct share find_at(struct scene *, int pool);

/* Submit it, and wait until it is accepted. */
void settle(struct scene *, const struct share *);

/* No share with a fault, and none by another's user. */
void assert_each_got_its_own(struct scene *);

/* Until the log has that; @1 and @2 stand for the names of two pools. */
void wait_says(struct scene *, const char *format, unsigned first, unsigned second);

#endif
