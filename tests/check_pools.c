/*
 * Several pools: which of them is mined on, which are connected, and whose shares go
 * where.
 */
#include "tests/pools_scene.h"

static void the_next_takes_over_and_the_first_gets_it_back(void **state)
{
	struct scene *s = *state;

	open_pools(s);
	start_on(s, 0, 1);
	struct share early = find_at(s, 0);
	settle(s, &early);
	assert_int_equal(fake_connections(s->fakes[1]), 0);

	go_down(s, 0);
	start_on(s, 1, 1);
	wait_says(s, "pool @1: 2 failures, trying @2 too\n", 0, 1);
	wait_says(s, "pool @1: 2 failures, switching to @2\n", 0, 1);
	struct share share = find_at(s, 1), late = find_at(s, 1);
	settle(s, &share);

	come_back(s, 0);
	start_on(s, 0, 2);
	wait_says(s, "pool @1: works again, switching to it from @2\n", 0, 1);
	settle(s, &late);			/* found for the second, so it goes there */
	share = find_at(s, 0);
	settle(s, &share);
	pools_submit(s->pools, &early);		/* of a lost connection */
	WAIT_UNTIL(counts(s, 0).stale == 1);
	assert_int_equal(fake_shares(s->fakes[0]), 2);
	assert_int_equal(fake_shares(s->fakes[1]), 2);
	assert_each_got_its_own(s);

	struct pool_stats sum;
	pools_stats(s->pools, &sum);
	assert_int_equal(sum.accepted, 4);
	assert_int_equal(sum.stale, 1);
}

static void who_is_not_needed_is_let_go_and_called_again(void **state)
{
	struct scene *s = *state;

	s->config.forget_s = 0.1;
	s->config.pools[1].linger_s = 0.1;
	open_pools(s);
	start_on(s, 0, 1);
	for (unsigned round = 1; round < 3; round++) {
		go_down(s, 0);
		start_on(s, 1, round);
		come_back(s, 0);
		start_on(s, 0, 1 + round);
		WAIT_UNTIL(!counts(s, 1).connected);
	}
	wait_says(s, "pool @2: not needed now, disconnecting\n", 0, 1);
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	assert_int_equal(fake_connections(s->fakes[1]), 2);
	assert_true(hangs(s, 0));
}

static void a_later_pool_is_left_alone_while_the_first_fails_less(void **state)
{
	struct scene *s = *state;

	s->config.failover_after = 5;
	open_pools(s);
	start_on(s, 0, 1);
	fake_drop(s->fakes[0]);
	start_on(s, 0, 2);
	assert_int_equal(fake_connections(s->fakes[1]), 0);
}

static void one_that_is_lost_over_and_over_has_the_next_at_hand(void **state)
{
	struct scene *s = *state;

	open_pools(s);
	for (unsigned login = 1; login < 3; login++) {
		start_on(s, 0, login);
		fake_drop(s->fakes[0]);
	}
	welcome(s, 1, 1);
	for (unsigned login = 3; login < 6; login++) {
		start_on(s, 0, login);
		WAIT_UNTIL(counts(s, 1).jobs > 0);
		go_down(s, 0);
		WAIT_UNTIL(hangs(s, 1));
		come_back(s, 0);
	}
	assert_int_equal(fake_connections(s->fakes[1]), 1);
}

static void one_that_sends_us_away_after_each_job_is_left(void **state)
{
	struct scene *s = *state;
	char *notify = fake_notify_text(s->fakes[0], &s->jobs[0]), *text = malloc(strlen(notify) + 100);

	sprintf(text, "%s{\"id\":null,\"method\":\"client.reconnect\",\"params\":[]}\n", notify);
	free(notify);
	s->scripts[0].after_login = fake_keep(s->fakes[0], text);
	open_pools(s);
	start_on(s, 1, 1);
	wait_says(s, "pool @1: 2 failures, switching to @2\n", 0, 1);
}

static void two_that_come_and_go_do_not_flood_the_log(void **state)
{
	static const char *const lines[] = { ", switching to ", ": works again, ", ": idle until there is" };
	struct scene *s = *state;
	double began = clock_now();

	for (int i = 0; i < 2; i++) {
		s->scripts[i].after_login = fake_keep(s->fakes[i], fake_notify_text(s->fakes[i], &s->jobs[i]));
		s->scripts[i].close = CLOSE_AFTER_LOGIN;
		s->config.pools[i].retry_pause_s = 0;
	}
	open_pools(s);
	assert_true(fake_wait_logins(s->fakes[0], 100));
	assert_true(fake_wait_logins(s->fakes[1], 100));
	assert_logged(lines[0]);
	assert_logged(lines[2]);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		unsigned times = 0;

		for (const char *at = log_text(); (at = strstr(at, lines[i])); at++)
			times++;
		assert_in_range(times, 0, 10 * (1 + (unsigned)(clock_now() - began) / 60));
	}
}

static void a_silent_pool_is_left_until_it_has_a_new_job(void **state)
{
	struct scene *s = *state;

	s->config.job_timeout_s = 0.5;
	open_pools(s);
	start_on(s, 0, 1);
	struct share late = find_at(s, 0);
	assert_true(fake_wait_logins(s->fakes[1], 1));
	assert_true(hangs(s, 0));		/* its old work is better than none */
	start_on(s, 1, 1);
	wait_says(s, "pool @1: no job for 0.5 s, switching to @2\n", 0, 1);
	settle(s, &late);			/* the connection is still there */

	s->jobs[0].id = "a2";
	start_on(s, 0, 1);
	assert_int_equal(fake_connections(s->fakes[0]), 1);
	assert_each_got_its_own(s);
}

static void more_work_of_the_same_job_is_no_new_job(void **state)
{
	struct scene *s = *state;

	/* no extranonce2 and few nonces: more work comes with every second, to who waits for it */
	s->scripts[0].subscribe_reply = "{\"id\":$,\"result\":[[],\"aaaaaaaa\",0],\"error\":null}\n";
	s->jobs[0].xnonce2_len = FAKE_NONE;
	s->rig.nonce_end = 16;
	s->config.job_timeout_s = 2.5;
	open_pools(s);
	start_on(s, 0, 1);
	for (unsigned works = 0; works < 6; works++) {
		uint64_t first, end;

		assert_true(board_claim(&s->rig.board, 16, &s->rig.work, &first, &end));
		assert_int_equal(end, 16);
	}
	assert_int_equal(fake_connections(s->fakes[1]), 1);
	start_on(s, 1, 1);
	wait_says(s, "pool @1: no job for 2.5 s, switching to @2\n", 0, 1);
}

static void a_pool_that_never_gives_a_job_is_left_too(void **state)
{
	struct scene *s = *state;

	s->config.job_timeout_s = 0.5;
	open_pools(s);
	assert_true(fake_wait_logins(s->fakes[0], 1));
	start_on(s, 1, 1);
	assert_int_equal(fake_connections(s->fakes[0]), 1);
}

static void nothing_is_mined_when_all_are_down(void **state)
{
	struct scene *s = *state;

	open_pools(s);
	start_on(s, 0, 1);
	go_down(s, 0);
	WAIT_UNTIL(hangs_nothing(s));
	wait_says(s, "pool @1: no work any more, nor from another pool: idle until there is\n", 0, 1);
	start_on(s, 1, 1);
	struct share share = find_at(s, 1);
	go_down(s, 1);
	WAIT_UNTIL(hangs_nothing(s));
	assert_true(board_is_stale(&s->rig.board, &share.work));
	unsigned attempts = fake_connections(s->fakes[1]);
	assert_true(fake_wait_connections(s->fakes[0], fake_connections(s->fakes[0]) + 1));	/* all are tried on */
	assert_true(fake_wait_connections(s->fakes[1], attempts + 1));
	come_back(s, 1);
	start_on(s, 1, 2);
}

static void a_refused_login_goes_to_the_next_at_once(void **state)
{
	struct scene *s = *state;

	s->config.failover_after = 1000;
	s->scripts[0].authorize_reply = "{\"id\":$,\"result\":null,\"error\":[24,\"Unauthorized worker\",null]}\n";
	s->config.pools[0].retry_pause_s = 1000;
	open_pools(s);
	start_on(s, 1, 1);
	wait_says(s, "pool @1: login refused, switching to @2\n", 0, 1);
	assert_int_equal(fake_shares(s->fakes[0]), 0);
}

static void given_up_and_refused_are_told_apart(void **state)
{
	static const char refusal[] = "{\"id\":$,\"result\":false,\"error\":null}\n";

	for (int refusals = 0; refusals <= 2; refusals++) {
		struct scene *s = *state;

		for (int i = 0; i < 2; i++) {
			s->config.pools[i].retries = 1;
			if (i < refusals)
				s->scripts[i].authorize_reply = refusal;
			else
				s->scripts[i].close = CLOSE_ON_ACCEPT;
		}
		open_pools(s);
		WAIT_UNTIL(pools_state(s->pools) != POOLS_TRYING);
		assert_int_equal(pools_state(s->pools), refusals == 2 ? POOLS_REFUSED : POOLS_GAVE_UP);
		assert_int_equal(fake_connections(s->fakes[0]), 2);
		assert_int_equal(fake_connections(s->fakes[1]), 2);
		assert_int_equal(scene_teardown(state), 0);
		assert_int_equal(scene_setup(state), 0);
	}
}

static void one_that_gave_up_leaves_the_others_to_go_on(void **state)
{
	struct scene *s = *state;

	s->config.count = 3;
	s->config.pools[0].retries = s->config.pools[1].retries = 0;
	s->scripts[0].close = s->scripts[1].close = CLOSE_ON_ACCEPT;
	open_pools(s);
	start_on(s, 2, 1);
	assert_int_equal(pools_state(s->pools), POOLS_TRYING);
	assert_int_equal(fake_connections(s->fakes[0]), 1);
}

static void round_robin_stays_until_failure(void **state)
{
	struct scene *s = *state;

	s->config.strategy = POOLS_ROUND_ROBIN;
	s->config.pools[0].linger_s = s->config.pools[1].linger_s = 0;
	open_pools(s);
	start_on(s, 0, 1);
	go_down(s, 0);
	start_on(s, 1, 1);
	come_back(s, 0);
	unsigned attempts = fake_connections(s->fakes[0]);
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	assert_true(fake_connections(s->fakes[0]) <= attempts + 1);	/* it is not tried any more */
	assert_true(hangs(s, 1));

	unsigned logins = fake_lines_with(s->fakes[0], "mining.authorize");
	go_down(s, 1);
	start_on(s, 0, logins + 1);		/* round the circle */
	assert_each_got_its_own(s);
}

static void round_robin_rotates(void **state)
{
	struct scene *s = *state;

	s->config.strategy = POOLS_ROUND_ROBIN;
	s->config.slice_s = 0.2;
	s->config.count = 3;
	s->scripts[1].close = CLOSE_ON_ACCEPT;	/* is left out */
	open_pools(s);
	start_on(s, 0, 1);
	start_on(s, 2, 1);
	wait_says(s, "pool @1: its slice of time is over, switching to @2\n", 0, 2);
	WAIT_UNTIL(hangs(s, 0));		/* still connected: its job is not announced again */
	WAIT_UNTIL(hangs(s, 2));
	assert_int_equal(fake_connections(s->fakes[0]), 1);
}

/* How many times as long as the second pool the first is mined on, over some seconds. */
static double measure_split(struct scene *s)
{
	double mined[2] = { 0 }, began, last;

	for (began = last = clock_now(); last - began < 5; ) {
		struct share share = find(&s->rig);	/* the fakes find any that comes twice */
		double now = clock_now();

		pools_submit(s->pools, &share);
		mined[share.work.pool] += now - last;
		last = now;
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
	return mined[0] / mined[1];
}

static void quotas_split_the_time(void **state)
{
	struct scene *s = *state;
	double split = 0;

	s->config.strategy = POOLS_QUOTA;
	s->config.slice_s = 0.1;
	s->config.quotas[0] = 3;
	open_pools(s);
	welcome(s, 0, 1);
	welcome(s, 1, 1);
	WAIT_UNTIL(counts(s, 0).jobs > 0 && counts(s, 1).jobs > 0);
	for (unsigned i = 0; i < 6 && (split < 2 || split > 4.5); i++)	/* others that take the CPU take it from one of the two */
		split = measure_split(s);
	if (split < 2 || split > 4.5)
		fail_with("one is mined on %.1f times as long as the other", split);
	assert_each_got_its_own(s);

	go_down(s, 0);				/* its time goes to the other */
	WAIT_UNTIL(hangs(s, 1));
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	assert_true(hangs(s, 1));
}

/* Two ports of one server: the same extranonce1, and so the same headers. */
static void two_ports_of_one_pool_get_no_share_twice(void **state)
{
	struct scene *s = *state;

	s->config.strategy = POOLS_QUOTA;
	s->config.slice_s = 0.05;
	s->scripts[1].subscribe_reply = s->scripts[0].subscribe_reply;
	s->jobs[1] = s->jobs[0];
	open_pools(s);
	welcome(s, 0, 1);
	welcome(s, 1, 1);
	WAIT_UNTIL(counts(s, 0).jobs > 0 && counts(s, 1).jobs > 0);
	while (fake_shares(s->fakes[0]) < 20 || fake_shares(s->fakes[1]) < 20) {
		struct share share = find(&s->rig);

		settle(s, &share);
	}
	go_down(s, 0);
	WAIT_UNTIL(hangs(s, 1));
	come_back(s, 0);
	start_on(s, 0, 2);
	for (unsigned i = 0; i < 4; i++) {
		struct share share = find(&s->rig);

		settle(s, &share);
	}
	assert_each_got_its_own(s);
	for (unsigned i = 0; i < fake_shares(s->fakes[0]); i++) {
		struct fake_share a = fake_share(s->fakes[0], i);

		for (unsigned j = 0; j < fake_shares(s->fakes[1]); j++) {
			struct fake_share b = fake_share(s->fakes[1], j);

			if (strcmp(a.xnonce2, b.xnonce2) == 0 && strcmp(a.ntime, b.ntime) == 0 && strcmp(a.nonce, b.nonce) == 0)
				fail_with("both got nonce %s of extranonce2 %s", a.nonce, a.xnonce2);
		}
	}
}

static void by_quota_lost_time_is_not_given_back(void **state)
{
	struct scene *s = *state;

	s->config.strategy = POOLS_QUOTA;
	s->config.slice_s = 0.1;
	open_pools(s);
	start_on(s, 0, 1);
	nanosleep(&(struct timespec){ .tv_sec = 8 }, NULL);
	start_on(s, 1, 1);
	double began = clock_now();
	WAIT_UNTIL(hangs(s, 0));
	if (clock_now() - began > 7)
		fail_with("the second kept it for %.1f s", clock_now() - began);
}

/* Whatever each of them is doing. Under a thread sanitizer, it looks for races. */
static void they_stop_at_once_at_any_time(void **state)
{
	for (unsigned round = 0; round < 24; round++) {
		struct scene *s = *state;

		s->config.count = 3;
		s->config.strategy = round % 3;
		s->config.slice_s = 0.1;
		s->config.pools[0].retry_pause_s = s->config.pools[1].retry_pause_s = 0;
		s->scripts[0].close = round % 2 ? CLOSE_AFTER_LOGIN : CLOSE_ON_ACCEPT;
		char *text = fake_notify_text(s->fakes[1], &s->jobs[1]);
		s->scripts[1].after_login = text;
		s->scripts[1].close = round % 4 > 1 ? CLOSE_AFTER_LOGIN : CLOSE_NEVER;
		open_pools(s);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 * (round % 12) }, NULL);

		double began = clock_now();
		board_close(&s->rig.board);
		pools_stop(s->pools);
		if (clock_now() - began > STOP_LIMIT)
			fail_with("took %.1f s", clock_now() - began);
		assert_int_equal(scene_teardown(state), 0);
		free(text);
		assert_int_equal(scene_setup(state), 0);
	}
}

static void a_bad_pool_is_named_and_none_is_made(void **state)
{
	struct scene *s = *state;

	s->config.count = 3;
	s->config.pools[1].url = "ftp://h:1";
	assert_null(pools_create(&s->config));
	assert_logged("pool URL 'ftp://h:1': ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOLS_TEST(the_next_takes_over_and_the_first_gets_it_back),
		POOLS_TEST(who_is_not_needed_is_let_go_and_called_again),
		POOLS_TEST(a_later_pool_is_left_alone_while_the_first_fails_less),
		POOLS_TEST(one_that_is_lost_over_and_over_has_the_next_at_hand),
		POOLS_TEST(one_that_sends_us_away_after_each_job_is_left),
		POOLS_TEST(two_that_come_and_go_do_not_flood_the_log),
		POOLS_TEST(a_silent_pool_is_left_until_it_has_a_new_job),
		POOLS_TEST(more_work_of_the_same_job_is_no_new_job),
		POOLS_TEST(a_pool_that_never_gives_a_job_is_left_too),
		POOLS_TEST(nothing_is_mined_when_all_are_down),
		POOLS_TEST(a_refused_login_goes_to_the_next_at_once),
		POOLS_TEST(given_up_and_refused_are_told_apart),
		POOLS_TEST(one_that_gave_up_leaves_the_others_to_go_on),
		POOLS_TEST(round_robin_stays_until_failure),
		POOLS_TEST(round_robin_rotates),
		POOLS_TEST(quotas_split_the_time),
		POOLS_TEST(two_ports_of_one_pool_get_no_share_twice),
		POOLS_TEST(by_quota_lost_time_is_not_given_back),
		POOLS_TEST(they_stop_at_once_at_any_time),
		POOLS_TEST(a_bad_pool_is_named_and_none_is_made),
	};

	return cmocka_run_group_tests_name("pools", tests, NULL, NULL);
}
