/* The scene: see pools_scene.h. */
#include "tests/pools_scene.h"

static const char *const users[FAKES] = { "ann", "bob", "cid" };

int scene_setup(void **state)
{
	static const char *const subscriptions[FAKES] = {
		"{\"id\":$,\"result\":[[],\"aaaaaaaa\",4],\"error\":null}\n",
		"{\"id\":$,\"result\":[[],\"bbbbbbbb\",4],\"error\":null}\n",
		"{\"id\":$,\"result\":[[],\"cccccccc\",4],\"error\":null}\n",
	};
	static const struct fake_job jobs[FAKES] = {
		{ .id = "a1", .xnonce1 = "aaaaaaaa" }, { .id = "b1", .xnonce1 = "bbbbbbbb" }, { .id = "c1", .xnonce1 = "cccccccc" },
	};
	static char urls[FAKES][64];
	struct scene *s = calloc(1, sizeof *s);
	void *rig;

	if (!s || rig_setup(&rig) < 0)
		return -1;
	memcpy(&s->rig, rig, sizeof s->rig);
	free(rig);
	s->config = (struct pools_config){
		.count = 2, .failover_after = 2, .job_timeout_s = 300, .forget_s = 60,
	};
	for (int i = 0; i < FAKES; i++) {
		s->scripts[i].subscribe_reply = subscriptions[i];
		s->fakes[i] = fake_start(&s->scripts[i]);
		s->jobs[i] = jobs[i];
		snprintf(urls[i], sizeof urls[i], "stratum+tcp://127.0.0.1:%u", fake_port(s->fakes[i]));
		s->config.pools[i] = s->rig.config;
		s->config.pools[i].url = urls[i];
		s->config.pools[i].user = users[i];
		s->config.pools[i].retry_pause_s = 0.05;
		s->config.pools[i].linger_s = 60;
		s->config.quotas[i] = 1;
	}
	*state = s;
	return 0;
}

int scene_teardown(void **state)
{
	struct scene *s = *state;
	void *rig = malloc(sizeof s->rig);

	if (s->pools) {
		board_close(&s->rig.board);
		pools_stop(s->pools);
		board_destroy(&s->rig.board);
		pools_destroy(s->pools);
	}
	for (int i = 0; i < FAKES; i++)
		fake_stop(s->fakes[i]);
	memcpy(rig, &s->rig, sizeof s->rig);
	free(s);
	return rig_teardown(&rig);
}

void open_pools(struct scene *s)
{
	s->pools = pools_create(&s->config);
	assert_non_null(s->pools);
	board_init(&s->rig.board, pools_next, s->pools);
	if (s->rig.nonce_end)
		s->rig.board.nonce_end = s->rig.nonce_end;
	assert_int_equal(pools_start(s->pools, &s->rig.board), 0);
}

bool hangs(struct scene *s, int pool)
{
	pthread_mutex_lock(&s->rig.board.lock);
	bool hung = s->rig.board.has_work && s->rig.board.work.pool == pool;
	pthread_mutex_unlock(&s->rig.board.lock);
	return hung;
}

bool hangs_nothing(struct scene *s)
{
	pthread_mutex_lock(&s->rig.board.lock);
	bool empty = !s->rig.board.has_work;
	pthread_mutex_unlock(&s->rig.board.lock);
	return empty;
}

/* The pool lets us in for the n-th time, and announces its job. */
void welcome(struct scene *s, int pool, unsigned login)
{
	assert_true(fake_wait_logins(s->fakes[pool], login));
	fake_announce(s->fakes[pool], &s->jobs[pool]);
}

/* Until the pool is mined on. */
void start_on(struct scene *s, int pool, unsigned login)
{
	welcome(s, pool, login);
	WAIT_UNTIL(hangs(s, pool));
}

void go_down(struct scene *s, int pool)
{
	s->scripts[pool].close = CLOSE_ON_ACCEPT;
	fake_drop(s->fakes[pool]);
}

void come_back(struct scene *s, int pool)
{
	s->scripts[pool].close = CLOSE_NEVER;
}

struct pool_stats counts(struct scene *s, unsigned pool)
{
	struct pool_stats stats;

	pools_stats_of(s->pools, pool, &stats);
	return stats;
}

struct share find_at(struct scene *s, int pool)
{
	WAIT_UNTIL(hangs(s, pool));
	struct share share = find(&s->rig);

	assert_int_equal(share.work.pool, pool);
	return share;
}

void settle(struct scene *s, const struct share *share)
{
	uint64_t before = counts(s, share->work.pool).accepted;

	pools_submit(s->pools, share);
	WAIT_UNTIL(counts(s, share->work.pool).accepted == before + 1);
}

/* No share with a fault, and none by another's user. */
void assert_each_got_its_own(struct scene *s)
{
	for (int i = 0; i < FAKES; i++) {
		const char *fault = fake_fault(s->fakes[i]);

		if (fault)
			fail_with("a share of pool %d is bad: %s", i, fault);
		for (int other = 0; other < FAKES; other++)
			if (other != i)
				assert_int_equal(fake_lines_with(s->fakes[i], users[other]), 0);
	}
}

/* Expand @1 and @2 to the names of two pools. */
void wait_says(struct scene *s, const char *format, unsigned first, unsigned second)
{
	char text[200] = "";

	for (size_t used = 0; *format; used = strlen(text)) {
		if (*format != '@') {
			text[used] = *format++;
			text[used + 1] = '\0';
			continue;
		}
		strcat(text, pools_name(s->pools, format[1] == '1' ? first : second));
		format += 2;
	}
	wait_logged(text);
}
