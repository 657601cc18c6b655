/*
 * Which pool is mined on: see pools.h. Whatever happens, and every so often,
 * decide() looks at all of them anew.
 *
 * Locks are taken in this order: ours, the board's, a protocol's jobs', what is searched's. A worker comes
 * to pools_next() with the board locked, so that may not take ours: it goes by the
 * work itself, and a pool that has work on the board is ready to be asked for more.
 */
#include "pool/pools.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "pool/searched.h"
#include "pool/throttle.h"
#include "pool/wake.h"

#define TICK_MS		100	/* between looks at the clock */
#define TOLD_WINDOW	60	/* s in which no more of a kind is logged than a throttle lets pass */
#define NONE		(-1)

struct member {
	struct pools *group;
	struct pool *pool;
	unsigned quota;

	/* under the group's lock */
	bool wanted;
	bool ready;			/* it has work, between its publish() and its clear() */
	bool has_spare;			/* the latest has not been on the board */
	struct work spare;
	uint32_t job;			/* its latest */
	double ready_time;		/* clock_now() when it became ready */
	double job_time;		/* when its latest job came, or it was called */
	bool silent;			/* that is too long ago */
	unsigned failures;		/* not forgotten yet */
	bool refused, gave_up;
	double mined;			/* s on the board by its quota; POOLS_QUOTA takes the least */
};

struct pools {
	/* fixed once started */
	struct member members[POOLS_MAX];
	unsigned count;
	enum pools_strategy strategy;
	unsigned failover_after;
	double job_timeout_s, forget_s, slice_s;
	struct board *board;
	struct searched *searched;	/* by all of them */

	pthread_t clock;		/* the thread that looks at it; only if there are several pools */
	bool clock_runs;		/* the owner's */
	struct wake wake;
	_Atomic bool stop;

	pthread_mutex_t lock;		/* of all below */
	int active;			/* whose work hangs on the board, or NONE */
	unsigned latest;		/* the one that was active last, for the log */
	unsigned first;			/* the most wanted one, before those after it in a circle */
	double slice_end;		/* clock_now() */
	double counted;			/* up to when `mined` is counted */
	struct throttle call, change, idle;	/* kinds of log lines */
};

static struct member *in_order(struct pools *g, unsigned i)
{
	return &g->members[(g->first + i) % g->count];
}

static int index_of(const struct member *m)
{
	return (int)(m - m->group->members);
}

static bool has_failed(const struct member *m)
{
	return m->gave_up || m->refused || m->silent || m->failures >= m->group->failover_after;
}

/* What is wrong with it. */
static const char *describe(char text[60], const struct member *m)
{
	if (m->gave_up)
		return "given up";
	if (m->refused)
		return "login refused";
	if (m->failures > 0) {
		snprintf(text, 60, "%u failure%s", m->failures, m->failures > 1 ? "s" : "");
		return text;
	}
	if (!m->silent)
		return "it has no work";
	snprintf(text, 60, "no job for %g s", m->group->job_timeout_s);
	return text;
}

/* The least time mined of the pools that have work, but for `except`; 0 if there is none. */
static double least_mined(const struct pools *g, const struct member *except)
{
	double least = -1;

	for (const struct member *m = g->members; m < g->members + g->count; m++)
		if (m != except && m->ready && (least < 0 || m->mined < least))
			least = m->mined;
	return least < 0 ? 0 : least;
}

/* By quota: stay for a slice of time, then it is the turn of who had the least. */
static int choose_by_quota(const struct pools *g, double now)
{
	const struct member *best = NULL;

	if (g->active != NONE && !g->members[g->active].silent && now < g->slice_end)
		return g->active;
	for (const struct member *m = g->members; m < g->members + g->count; m++)
		if (m->ready && !m->silent && (!best || m->mined < best->mined))
			best = m;
	return best ? index_of(best) : NONE;
}

static int choose_by_order(struct pools *g)
{
	for (unsigned i = 0; i < g->count; i++) {
		const struct member *m = in_order(g, i);

		if (m->ready && !m->silent)
			return index_of(m);
	}
	return NONE;
}

/* Whose work should be on the board. Old work is better than none. */
static int choose(struct pools *g, double now)
{
	int best = g->strategy == POOLS_QUOTA ? choose_by_quota(g, now) : choose_by_order(g);

	if (best != NONE || g->active != NONE)
		return best != NONE ? best : g->active;
	for (unsigned i = 0; i < g->count; i++)
		if (in_order(g, i)->ready)
			return index_of(in_order(g, i));
	return NONE;
}

static void hang_out(struct member *m)
{
	m->has_spare = false;
	m->spare.pool = (uint8_t)index_of(m);
	board_publish(m->group->board, &m->spare);
}

/* Work that no one has searched: of a job that was on the board before, the next. */
static bool take_spare(struct member *m)
{
	if (!m->has_spare)
		m->has_spare = pool_next(m->pool, &m->spare);
	if (!m->has_spare)
		m->ready = false;	/* its thread was told, and will publish */
	return m->has_spare;
}

static void say_switch(struct pools *g, const struct member *to, double now)
{
	const struct member *from = &g->members[g->latest];
	const char *from_name = pool_name(from->pool), *to_name = pool_name(to->pool);
	char text[60], note[THROTTLE_NOTE_MAX];

	if (from == to || !throttle_pass(&g->change, note))
		return;
	if (!from->ready || from->silent)
		log_warn("pool %s: %s, switching to %s%s", from_name, describe(text, from), to_name, note);
	else if (g->strategy != POOLS_FAILOVER && now >= g->slice_end)
		log_info("pool %s: its slice of time is over, switching to %s%s", from_name, to_name, note);
	else
		log_info("pool %s: works again, switching to it from %s%s", to_name, from_name, note);
}

static void switch_to(struct pools *g, struct member *m, double now)
{
	hang_out(m);
	say_switch(g, m, now);
	g->active = index_of(m);
	g->latest = (unsigned)g->active;
	g->slice_end = now + g->slice_s;
	if (g->strategy == POOLS_ROUND_ROBIN)
		g->first = g->latest;
}

/* Call and let go: up to the first in order that has not failed, and who is mined on; by quota all. */
static void call(struct pools *g, double now)
{
	const struct member *failed = NULL;
	bool wanted = true;
	char text[60], note[THROTTLE_NOTE_MAX];

	for (unsigned i = 0; i < g->count; i++) {
		struct member *m = in_order(g, i);
		bool was_wanted = m->wanted;

		m->wanted = !m->gave_up && (wanted || g->active == index_of(m));
		if (m->wanted && !was_wanted) {
			m->job_time = now;
			m->failures = 0;
			m->refused = m->silent = false;
			if (failed && throttle_pass(&g->call, note))
				log_info("pool %s: %s, trying %s too%s", pool_name(failed->pool), describe(text, failed),
					 pool_name(m->pool), note);
		}
		if (m->wanted != was_wanted)
			pool_want(m->pool, m->wanted);
		if (g->strategy != POOLS_QUOTA && !has_failed(m))
			wanted = false;
		if (has_failed(m))
			failed = m;
	}
}

/* What time has brought about. */
static void look_at_clock(struct pools *g, double now)
{
	if (g->active != NONE)
		g->members[g->active].mined += (now - g->counted) / g->members[g->active].quota;
	g->counted = now;
	for (struct member *m = g->members; m < g->members + g->count; m++) {
		m->silent = m->wanted && now - m->job_time > g->job_timeout_s;
		if (m->ready && now - m->ready_time > g->forget_s)
			m->failures = 0;
	}
	if (g->strategy == POOLS_ROUND_ROBIN && g->slice_s > 0 && g->active != NONE && now >= g->slice_end)
		g->first = (unsigned)(g->active + 1) % g->count;
	else if (g->strategy == POOLS_QUOTA && g->active != NONE && now >= g->slice_end && choose(g, now) == g->active)
		g->slice_end = now + g->slice_s;
}

/* With the group locked, after whatever may change which pool is mined on. */
static void decide(struct pools *g)
{
	double now = clock_now();
	int best;

	if (g->stop)
		return;
	look_at_clock(g, now);
	while ((best = choose(g, now)) != g->active && !take_spare(&g->members[best]))
		;
	if (best != g->active)
		switch_to(g, &g->members[best], now);
	call(g, now);
}

static void on_publish(void *ctx, const struct work *work)
{
	struct member *m = ctx;
	struct pools *g = m->group;
	double now = clock_now();

	pthread_mutex_lock(&g->lock);
	if (!m->ready || m->job != work->job)
		m->job_time = now;
	if (!m->ready) {
		double least = least_mined(g, m);

		m->ready_time = now;
		m->mined = m->mined > least ? m->mined : least;	/* what it missed is not given back */
	}
	m->ready = m->has_spare = true;
	m->refused = false;
	m->job = work->job;
	m->spare = *work;
	if (g->active == index_of(m))
		hang_out(m);
	decide(g);
	pthread_mutex_unlock(&g->lock);
}

static unsigned on_clear(void *ctx)
{
	struct member *m = ctx;
	struct pools *g = m->group;
	char note[THROTTLE_NOTE_MAX];

	pthread_mutex_lock(&g->lock);
	bool was_active = g->active == index_of(m);
	m->ready = m->has_spare = false;
	if (was_active) {
		board_clear(g->board);
		g->active = NONE;
	}
	unsigned generation = g->board->generation;
	decide(g);
	if (was_active && g->active == NONE && g->count > 1 && !g->stop && throttle_pass(&g->idle, note))
		log_warn("pool %s: no work any more, nor from another pool: idle until there is%s", pool_name(m->pool), note);
	pthread_mutex_unlock(&g->lock);
	return generation;
}

static void on_failed(void *ctx, bool refused, bool last)
{
	struct member *m = ctx;

	pthread_mutex_lock(&m->group->lock);
	m->failures++;
	m->refused = refused;
	m->gave_up = last;
	decide(m->group);
	pthread_mutex_unlock(&m->group->lock);
}

static void *watch_clock(void *arg)
{
	struct pools *g = arg;
	struct pollfd bell = { .fd = g->wake.fd[0], .events = POLLIN };

	while (!g->stop) {
		poll(&bell, 1, TICK_MS);
		pthread_mutex_lock(&g->lock);
		decide(g);
		pthread_mutex_unlock(&g->lock);
	}
	return NULL;
}

struct pools *pools_create(const struct pools_config *config)
{
	struct pools *g = calloc(1, sizeof *g);

	if (!g) {
		log_error("no memory for pools");
		return NULL;
	}
	if (wake_init(&g->wake) < 0)
		goto free_group;
	g->searched = searched_create();
	if (!g->searched)
		goto destroy_wake;
	pthread_mutex_init(&g->lock, NULL);
	g->strategy = config->strategy;
	g->failover_after = config->failover_after;
	g->job_timeout_s = config->job_timeout_s;
	g->forget_s = config->forget_s;
	g->slice_s = config->slice_s;
	g->active = NONE;
	g->call.window_s = g->change.window_s = g->idle.window_s = TOLD_WINDOW;
	for (; g->count < config->count; g->count++) {
		struct member *m = &g->members[g->count];
		struct pool_config pool = config->pools[g->count];

		pool.sink = (struct pool_sink){ on_publish, on_clear, on_failed, m };
		pool.patience = config->count > 1 ? config->failover_after - 1 : 0;
		pool.searched = g->searched;
		*m = (struct member){ .group = g, .quota = config->quotas[g->count], .pool = pool_create(&pool) };
		if (!m->pool) {
			pools_destroy(g);
			return NULL;
		}
	}
	return g;

destroy_wake:
	wake_destroy(&g->wake);
free_group:
	free(g);
	return NULL;
}

void pools_destroy(struct pools *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < g->count; i++)
		pool_destroy(g->members[i].pool);
	searched_destroy(g->searched);
	pthread_mutex_destroy(&g->lock);
	wake_destroy(&g->wake);
	free(g);
}

static int start_clock(struct pools *g)
{
	sigset_t all, before;

	sigfillset(&all);	/* signals are for main */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&g->clock, NULL, watch_clock, g);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return log_error("pools: cannot start their thread: %s", strerror(error));
	g->clock_runs = true;
	return 0;
}

int pools_start(struct pools *g, struct board *board)
{
	g->board = board;
	for (unsigned i = 0; i < g->count; i++)
		pool_want(g->members[i].pool, false);
	pthread_mutex_lock(&g->lock);
	g->counted = clock_now();
	call(g, g->counted);
	pthread_mutex_unlock(&g->lock);
	for (unsigned i = 0; i < g->count; i++)
		if (pool_start(g->members[i].pool) < 0)
			goto stop;
	if (g->count > 1 && start_clock(g) < 0)
		goto stop;
	return 0;

stop:
	pools_stop(g);
	return -1;
}

void pools_stop(struct pools *g)
{
	g->stop = true;
	if (g->clock_runs) {
		wake_ring(&g->wake);
		pthread_join(g->clock, NULL);
		g->clock_runs = false;
	}
	for (unsigned i = 0; i < g->count; i++)
		pool_halt(g->members[i].pool);
	for (unsigned i = 0; i < g->count; i++)
		pool_stop(g->members[i].pool);
}

void pools_submit(void *ctx, const struct share *share)
{
	struct pools *g = ctx;

	pool_submit(g->members[share->work.pool].pool, share);
}

bool pools_next(void *ctx, struct work *work)
{
	struct pools *g = ctx;

	return pool_next(g->members[work->pool].pool, work);
}

enum pools_state pools_state(struct pools *g)
{
	enum pools_state state = POOLS_REFUSED;

	pthread_mutex_lock(&g->lock);
	for (const struct member *m = g->members; m < g->members + g->count && state != POOLS_TRYING; m++)
		state = !m->gave_up ? POOLS_TRYING : m->refused ? state : POOLS_GAVE_UP;
	pthread_mutex_unlock(&g->lock);
	return state;
}

const char *pools_name(const struct pools *g, unsigned index)
{
	return pool_name(g->members[index].pool);
}

void pools_stats_of(struct pools *g, unsigned index, struct pool_stats *stats)
{
	pool_stats(g->members[index].pool, stats);
}

void pools_stats(struct pools *g, struct pool_stats *sum)
{
	*sum = (struct pool_stats){ 0 };
	for (unsigned i = 0; i < g->count; i++) {
		struct pool_stats one;

		pool_stats(g->members[i].pool, &one);
		sum->accepted += one.accepted;
		sum->sent += one.sent;
		sum->rejected += one.rejected;
		sum->unanswered += one.unanswered;
		sum->stale += one.stale;
		sum->dropped += one.dropped;
		sum->blocks += one.blocks;
	}
}
