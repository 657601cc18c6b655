/*
 * devpool: a small but real stratum v1 server, for development and tests. It makes
 * jobs up, hands them out, and checks every share with the project's reference. It
 * shares no code with the client in pool/ or the kernels in simd/, so that a
 * mistake made there is not made here as well.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "algo/scratch.h"
#include "base/clock.h"
#include "base/log.h"
#include "tests/devpool/options.h"
#include "tests/devpool/server.h"

#define BLOCK_FACTOR 64		/* of so many shares of the first difficulty, one is a block */

#define FIRST_XNONCE1 0xd0000001

static volatile sig_atomic_t stopped;	/* by a signal */

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* SIGINT and SIGTERM set `stopped`, but come only while *waiting is the mask in force. */
static void catch_signals(sigset_t *waiting)
{
	struct sigaction action = { .sa_handler = stop };
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigprocmask(SIG_BLOCK, &held, waiting);
	sigdelset(waiting, SIGINT);
	sigdelset(waiting, SIGTERM);
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* Serve until the time limit or a signal, and sum up. 0, or -1 logged. */
static int serve(struct devpool *pool, SSL_CTX *tls, struct replay *replay)
{
	const struct options *options = pool->options;
	struct stats *stats = &pool->stats;
	struct server server;
	sigset_t waiting;
	int done = 0;

	catch_signals(&waiting);
	if (server_open(&server, pool, tls, replay) < 0)
		return -1;
	printf("devpool: listening on 127.0.0.1:%u\n", server.port);
	fflush(stdout);

	double end = stats->started + options->time_limit;
	while (done == 0 && !stopped && clock_now() < end)
		done = server_step(&server, &waiting, end);

	stats_report(stats, options->algo, clock_now());
	if (options->json && stats_print_json(stats, options->algo, &pool->faults, server.port, pool->jobs.made,
					      clock_now()) < 0)
		done = -1;
	server_close(&server);
	log_flush();
	return done;
}

/* Read the files that the options name, then serve. 0, or -1 logged. */
static int serve_with_files(struct devpool *pool)
{
	const struct options *options = pool->options;
	struct replay replay;
	SSL_CTX *tls = NULL;

	if (options->cert) {
		tls = tls_context(options->cert, options->key);
		if (!tls)
			return -1;
	}
	int done = options->replay ? replay_load(&replay, options->replay, options->replay_pool, options->replay_speed) : 0;
	if (done == 0) {
		done = serve(pool, tls, options->replay ? &replay : NULL);
		if (options->replay)
			replay_free(&replay);
	}
	SSL_CTX_free(tls);
	return done;
}

int main(int argc, char **argv)
{
	static struct devpool pool;	/* some 300 kB, mostly the jobs and what clients that left knew of them */
	static struct options options;
	int parsed = options_parse(&options, argc, argv);

	if (parsed != 0)
		return parsed < 0 ? 2 : 0;

	log_setup(LOG_INFO, true);
	signal(SIGPIPE, SIG_IGN);	/* OpenSSL writes without MSG_NOSIGNAL */
	pool.options = &options;
	pool.next_xnonce1 = FIRST_XNONCE1;
	pool.stats.started = clock_now();
	pool.scratch = algo_scratch(options.algo);
	if (!pool.scratch)
		return 1;
	faults_init(&pool.faults, &options.faults, pool.stats.started);
	jobs_init(&pool.jobs, options.xnonce2_len, options.clean_every,
		  options.difficulty / options.algo->diff1 * BLOCK_FACTOR);

	int done = serve_with_files(&pool);
	seen_clear(&pool.sent);
	jobs_destroy(&pool.jobs);
	free(pool.scratch);
	return done < 0 ? 1 : 0;
}
