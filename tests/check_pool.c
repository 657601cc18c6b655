/*
 * A pool's life, whatever the protocol: attempts and pauses, losses, stopping, the
 * bounds of its queue, and what must never be logged, or not too often.
 */
#include "tests/pool_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "pool/pending.h"
#include "pool/queue.h"
#include "pool/throttle.h"
#include "tests/open_files.h"

static void retries_are_counted_exactly(void **state)
{
	struct rig *rig = *state;

	for (int retries = 0; retries < 3; retries++) {
		rig->script.close = CLOSE_AFTER_SUBSCRIBE;
		rig->config.retries = retries;
		start(rig);
		WAIT_UNTIL(rig->gave_up);
		assert_int_equal(fake_connections(rig->fake), retries + 1);
		assert_logged("the pool closed the connection");
		rig = rig_again(state);
	}
}

static void a_closed_port_is_given_up_too(void **state)
{
	struct rig *rig = *state;
	struct fake_pool *gone = fake_start(&rig->script);
	char url[100];

	snprintf(url, sizeof url, "stratum+tcp://127.0.0.1:%u", fake_port(gone));
	fake_stop(gone);
	rig->config.retries = 1;
	start_pool(rig, url);
	WAIT_UNTIL(rig->gave_up);
	assert_logged(": cannot connect: ");
	assert_logged(": giving up after 2 attempts\n");
	assert_int_equal(stats_of(rig).connections, 0);
}

static unsigned times_logged(const char *text)
{
	unsigned times = 0;

	for (const char *at = log_text(); (at = strstr(at, text)); at++)
		times++;
	return times;
}

#define GETWORK(target) GETWORK_UPON("18273645", target)
#define GETWORK_UPON(block, target) "{\"id\":1,\"result\":{\"target\":\"" target "\"," \
	"\"data\":\"20000000" block "d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000" \
	"b5a79192b5224a5161bf67c6f1fc6823fb9d4e423187d706e0b14c98525be86e65a0b1c01d00ffff00000000" \
	"000000800000000000000000000000000000000000000000000000000000000000000000000000000000000080020000\"},\"error\":null}\n"

/* A node that gives the same work again and again, whose time may not be changed. */
static void a_node_whose_work_is_used_up_is_told_of_once(void **state)
{
	static const char used_up[] = ": all nonces of its work are searched";
	struct rig *rig = *state;
	struct work work;
	uint64_t first, end;

	log_setup(LOG_NOTICE, false);
	rig->nonce_end = 16;
	rig->script.greeting = "HTTP/1.1 200 OK\nConnection: close\n\n" GETWORK("000000000000000000000000000000000000000000000000000000f0ff0f0000");
	rig->script.close = CLOSE_ON_ACCEPT;
	start_at(rig, "http://127.0.0.1:%u");
	assert_true(board_claim(&rig->board, 16, &work, &first, &end));
	assert_false(pool_next(rig->pool, &work));
	wait_logged(used_up);
	assert_true(fake_wait_connections(rig->fake, 4));	/* it is asked on */
	assert_int_equal(times_logged(used_up), 1);
	assert_not_logged("the last line");			/* was repeated */
}

/* A block is given up for the one before it, whose work was out already: nothing is left to search. */
static void work_of_a_block_given_up_is_taken_away(void **state)
{
#define ANSWER(block) "HTTP/1.1 200 OK\nConnection: close\n\n" \
	GETWORK_UPON(block, "000000000000000000000000000000000000000000000000000000f0ff0f0000")
	struct rig *rig = *state;
	struct work work;
	uint64_t first, end;

	rig->config.scan_time_s = 0.05;
	rig->script.greeting = ANSWER("18273645");
	rig->script.close = CLOSE_ON_ACCEPT;
	start_at(rig, "http://127.0.0.1:%u");
	assert_true(board_claim(&rig->board, 1, &work, &first, &end));
	rig->script.greeting = ANSWER("28273645");
	WAIT_UNTIL(stats_of(rig).jobs == 2);
	assert_true(board_claim(&rig->board, 1, &work, &first, &end));
	rig->script.greeting = ANSWER("18273645");
	WAIT_UNTIL(!board_try_claim(&rig->board, 1, &work, &first, &end));
}

/* Each protocol counts its jobs by itself: a share of the one's first is none of the other's. */
static void a_share_from_before_another_protocol_is_stale(void **state)
{
	static const char easy[] = GETWORK("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00");
	struct rig *rig = *state;
	struct fake_script script = { .greeting = NULL };
	struct fake_pool *offered = fake_start(&script);
	static char plain[1000], offer[1000];	/* the pool may ask once more at the very end */

	snprintf(plain, sizeof plain, "HTTP/1.1 200 OK\nConnection: close\n\n%s", easy);
	snprintf(offer, sizeof offer, "HTTP/1.1 200 OK\nConnection: close\nX-Stratum: stratum+tcp://127.0.0.1:%u\n\n%s", fake_port(offered), easy);
	rig->script.greeting = plain;
	rig->script.close = CLOSE_ON_ACCEPT;
	start_at(rig, "http://127.0.0.1:%u");
	struct share late = find(rig);
	rig->script.greeting = offer;
	assert_true(fake_wait_logins(offered, 1));
	fake_announce(offered, &(struct fake_job){ 0 });
	mine(rig, 1);
	assert_int_equal(rig->work.job, late.work.job);
	pool_submit(rig->pool, &late);
	WAIT_UNTIL(stats_of(rig).stale == 1);
	assert_int_equal(fake_shares(offered), 1);
	fake_stop(offered);
}

static void pauses_grow_from_the_configured_one(void **state)
{
	struct rig *rig = *state;

	rig->script.close = CLOSE_AFTER_SUBSCRIBE;
	rig->config.retry_pause_s = 0.1;
	start(rig);
	assert_true(fake_wait_connections(rig->fake, 4));
	for (unsigned i = 1, factor = 1; i < 4; i++, factor *= 2) {
		double pause = fake_connection_time(rig->fake, i + 1) - fake_connection_time(rig->fake, i);

		if (pause < 0.095 * factor)
			fail_with("pause %u was %.3f s", i, pause);
	}
}

static void work_ends_the_growth_of_pauses(void **state)
{
	struct rig *rig = *state;

	rig->config.retries = 1;	/* so that two failures in a row would be one too many */
	start_mining(rig);
	for (unsigned i = 1; i < 4; i++) {
		mine(rig, 1);
		fake_drop(rig->fake);
		assert_true(fake_wait_logins(rig->fake, i + 1));
		fake_announce(rig->fake, &(struct fake_job){ 0 });
	}
	mine(rig, 1);
	assert_false(rig->gave_up);
	assert_int_equal(stats_of(rig).accepted, 4);
	assert_int_equal(stats_of(rig).connections, 4);
	assert_all_good(rig);		/* the same job, over again: but no share twice */
}

/* What a pool says to give a job and to wish us gone at once. */
static const char *job_and_farewell(struct fake_pool *fake)
{
	char *notify = fake_notify_text(fake, &(struct fake_job){ 0 }), *text = malloc(strlen(notify) + 100);

	sprintf(text, "%s{\"id\":null,\"method\":\"client.reconnect\",\"params\":[]}\n", notify);
	free(notify);
	return fake_keep(fake, text);
}

static void a_pool_that_sends_us_away_at_once_has_failed(void **state)
{
	struct rig *rig = *state;
	char url[100];

	rig->config.retries = 2;
	rig->config.retry_pause_s = 0.75;
	rig->fake = fake_start(&rig->script);
	rig->script.after_login = job_and_farewell(rig->fake);
	snprintf(url, sizeof url, "127.0.0.1:%u", fake_port(rig->fake));
	start_pool(rig, url);
	WAIT_UNTIL(rig->gave_up);
	assert_int_equal(fake_connections(rig->fake), 3);
	assert_int_equal(stats_of(rig).jobs, 3);
	assert_true(fake_connection_time(rig->fake, 2) - fake_connection_time(rig->fake, 1) >= 0.99);
	assert_true(fake_connection_time(rig->fake, 3) - fake_connection_time(rig->fake, 2) >= 1.49);	/* they grow */
}

static void a_wish_to_reconnect_is_no_failure_after_a_while(void **state)
{
	struct rig *rig = *state;
	char url[100];

	rig->config.lasting_s = 0;
	rig->config.retries = 0;
	rig->config.retry_pause_s = 0;
	rig->fake = fake_start(&rig->script);
	rig->script.after_login = job_and_farewell(rig->fake);
	snprintf(url, sizeof url, "127.0.0.1:%u", fake_port(rig->fake));
	start_pool(rig, url);
	assert_true(fake_wait_logins(rig->fake, 3));
	assert_false(rig->gave_up);
	for (unsigned i = 1; i < 3; i++)	/* even though we would come at once */
		assert_true(fake_connection_time(rig->fake, i + 1) - fake_connection_time(rig->fake, i) >= 0.99);
}

static void a_pool_that_comes_and_goes_does_not_flood_the_log(void **state)
{
	static const char *const lines[] = { ": logged in as ", ": the pool closed the connection", ": connection lost", ": next attempt in " };
	struct rig *rig = *state;
	double began = clock_now();
	char url[100];

	rig->fake = fake_start(&rig->script);
	rig->script.after_login = fake_keep(rig->fake, fake_notify_text(rig->fake, &(struct fake_job){ 0 }));
	rig->script.close = CLOSE_AFTER_LOGIN;
	rig->config.retry_pause_s = 0;
	snprintf(url, sizeof url, "127.0.0.1:%u", fake_port(rig->fake));
	start_pool(rig, url);
	assert_true(fake_wait_connections(rig->fake, 100));
	assert_logged(lines[0]);
	assert_logged(lines[3]);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		assert_in_range(times_logged(lines[i]), 0, 10 * (1 + (unsigned)(clock_now() - began) / 60));
}

static void a_lost_connection_takes_work_and_shares_with_it(void **state)
{
	struct rig *rig = *state;

	rig->script.verdict = "";
	start_mining(rig);
	struct share share = find(rig), late = find(rig);
	pool_submit(rig->pool, &share);
	assert_true(fake_wait_shares(rig->fake, 1));
	fake_drop(rig->fake);
	wait_new_work(rig);
	WAIT_UNTIL(stats_of(rig).unanswered == 1);
	pool_submit(rig->pool, &late);
	WAIT_UNTIL(stats_of(rig).stale == 1);
	assert_true(fake_wait_logins(rig->fake, 2));
	fake_announce(rig->fake, &(struct fake_job){ 0 });
	pool_submit(rig->pool, &late);		/* not even when the same job is back */
	WAIT_UNTIL(stats_of(rig).stale == 2);
	assert_int_equal(fake_shares(rig->fake), 1);
	assert_logged(": no reply to 1 share\n");
}

static void five_hundred_connections_leave_nothing_behind(void **state)
{
	struct rig *rig = *state;
	unsigned files;
	long kib;

	log_setup(LOG_ERROR, false);
	rig->script.close = CLOSE_AFTER_SUBSCRIBE;
	rig->config.retry_pause_s = 0;
	start(rig);
	assert_true(fake_wait_connections(rig->fake, 50));
	files = open_files();
	kib = resident_kib();
	assert_true(fake_wait_connections(rig->fake, 500));
	/* each side may be at any point of a connection */
	assert_in_range(open_files(), files - 8, files + 8);
	if (!RIG_SANITIZED && resident_kib() - kib > 2048)
		fail_with("grew by %ld KiB", resident_kib() - kib);
}

static void silence_ends_a_connection_and_says_which(void **state)
{
	struct rig *rig = *state;

	rig->config.timeout_s = 0.5;
	start_mining(rig);
	assert_true(fake_wait_connections(rig->fake, 2));
	assert_true(fake_connection_time(rig->fake, 2) - fake_connection_time(rig->fake, 1) > 0.49);
	assert_logged(": silent for 0.5 s, connection given up\n");
	assert_not_logged("no reply to");
}

static void a_login_without_reply_ends_too(void **state)
{
	struct rig *rig = *state;

	rig->config.timeout_s = 0.5;
	rig->script.subscribe_reply = "";
	start(rig);
	assert_true(fake_wait_connections(rig->fake, 2));
	assert_logged(": no reply to mining.subscribe in 0.5 s\n");
}

static void stops_at_once_while_mining(void **state)
{
	start_mining(*state);
	mine(*state, 1);
	stop_is_quick(*state);
}

static void stops_at_once_while_pausing(void **state)
{
	struct rig *rig = *state;

	rig->script.close = CLOSE_ON_ACCEPT;
	rig->config.retry_pause_s = 1000;
	start(rig);
	wait_logged(": next attempt in ");
	stop_is_quick(rig);
}

static void stops_at_once_while_connecting(void **state)
{
	struct rig *rig = *state;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0), fillers[4];
	char url[100];

	/* a listener whose queue is full answers no more */
	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 0), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	for (int i = 0; i < 4; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fillers[i], (struct sockaddr *)&address, len);
	}
	snprintf(url, sizeof url, "stratum+tcp://127.0.0.1:%u", ntohs(address.sin_port));
	start_pool(rig, url);
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	stop_is_quick(rig);
	assert_not_logged("cannot connect");
	for (int i = 0; i < 4; i++)
		close(fillers[i]);
	close(listener);
}

static void a_plain_pool_behind_a_tls_url_is_not_spoken_to(void **state)
{
	struct rig *rig = *state;

	rig->script.greeting = "{\"id\":null,\"method\":\"client.show_message\",\"params\":[\"plain text here\"]}\n";
	rig->config.retries = 0;
	start_at(rig, "stratum+ssl://127.0.0.1:%u");
	WAIT_UNTIL(rig->gave_up);
	assert_logged(": cannot connect: ");
	assert_int_equal(fake_lines_with(rig->fake, "mining."), 0);
}

static void a_flood_of_shares_is_bounded_and_said(void **state)
{
	struct rig *rig = *state;

	rig->script.verdict = "";		/* and nothing is answered */
	start_mining(rig);
	struct share share = find(rig);
	long kib = resident_kib();
	for (int i = 0; i < 100000; i++)
		pool_submit(rig->pool, &share);
	assert_true(stats_of(rig).dropped >= 100000 - PENDING_MAX - QUEUE_MAX);
	WAIT_UNTIL((pool_submit(rig->pool, &share), fake_shares(rig->fake) >= PENDING_MAX));
	assert_logged("share dropped, too many at once: its difficulty is too low\n");
	assert_true(RIG_SANITIZED || resident_kib() - kib < 8 * 1024);
	stop_is_quick(rig);
	assert_int_equal(fake_shares(rig->fake), PENDING_MAX);
	assert_int_equal(stats_of(rig).unanswered, PENDING_MAX);
}

static void a_share_that_cannot_be_sent_is_counted_once(void **state)
{
	enum { SHARES = 200 };
	struct rig *rig = *state;
	char *user = padded("", 'u', 60000, "");	/* in every share: more than all buffers on the way hold */
	struct pool_stats stats;

	rig->script.verdict = "";
	rig->config.user = user;
	start_mining(rig);
	struct share share = find(rig);
	rig->script.deaf = true;
	for (int i = 0; i < SHARES; i++) {
		WAIT_UNTIL((stats = stats_of(rig), stats.sent + stats.stale + 100 > (unsigned)i));
		pool_submit(rig->pool, &share);
	}
	wait_logged(": it does not read what it is sent\n");
	rig->script.deaf = false;
	fake_drop(rig->fake);
	assert_true(fake_wait_logins(rig->fake, 2));
	WAIT_UNTIL((stats = stats_of(rig), stats.sent + stats.stale == SHARES));
	assert_int_equal(stats.unanswered, stats.sent);
	assert_true(stats.sent > 0 && stats.stale > 0);
	free(user);
}

static void secrets_stay_out_of_log_and_dump(void **state)
{
	struct rig *rig = *state;

	log_setup(LOG_DEBUG, false);
	rig->config.dump = true;
	start_mining(rig);
	mine(rig, 1);
	assert_int_equal(fake_lines_with(rig->fake, SECRET), 1);
	assert_not_logged(SECRET);
	assert_logged("> {\"id\":3,\"method\":\"mining.authorize\",\"params\":[\"user\",\"***\"]}\n");
	assert_logged("< {\"id\":null,\"method\":\"mining.notify\"");
}

static void throttle_passes_some_and_counts_the_rest(void **state)
{
	struct throttle throttle = { 0 };
	char note[THROTTLE_NOTE_MAX];
	unsigned passed = 0;
	double began = clock_now();

	(void)state;
	for (int i = 0; i < 1000; i++)
		passed += throttle_pass(&throttle, note);
	assert_true(passed >= 10 && passed <= 10 * (unsigned)(clock_now() - began + 2));
	throttle.window_began -= 2;
	assert_true(throttle_pass(&throttle, note));
	assert_true(strstr(note, " more not shown)"));
	assert_true(throttle_pass(&throttle, note));
	assert_string_equal(note, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(retries_are_counted_exactly),
		TEST(a_closed_port_is_given_up_too),
		TEST(a_node_whose_work_is_used_up_is_told_of_once),
		TEST(work_of_a_block_given_up_is_taken_away),
		TEST(a_share_from_before_another_protocol_is_stale),
		TEST(pauses_grow_from_the_configured_one),
		TEST(work_ends_the_growth_of_pauses),
		TEST(a_pool_that_sends_us_away_at_once_has_failed),
		TEST(a_wish_to_reconnect_is_no_failure_after_a_while),
		TEST(a_pool_that_comes_and_goes_does_not_flood_the_log),
		TEST(a_lost_connection_takes_work_and_shares_with_it),
		TEST(five_hundred_connections_leave_nothing_behind),
		TEST(silence_ends_a_connection_and_says_which),
		TEST(a_login_without_reply_ends_too),
		TEST(stops_at_once_while_mining),
		TEST(stops_at_once_while_pausing),
		TEST(stops_at_once_while_connecting),
		TEST(a_plain_pool_behind_a_tls_url_is_not_spoken_to),
		TEST(a_flood_of_shares_is_bounded_and_said),
		TEST(a_share_that_cannot_be_sent_is_counted_once),
		TEST(secrets_stay_out_of_log_and_dump),
		TEST(throttle_passes_some_and_counts_the_rest),
	};

	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
