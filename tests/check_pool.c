/*
 * A pool's life, whatever the protocol: addresses, attempts and pauses, losses,
 * stopping, the bounds of its queue, and what must never be logged.
 */
#include "tests/pool_rig.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "pool/pending.h"
#include "pool/queue.h"
#include "pool/throttle.h"
#include "pool/transport.h"
#include "pool/url.h"

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

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
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

static void urls_are_read_in_every_form(void **state)
{
	static const struct {
		const char *text, *scheme, *host;
		unsigned port;
	} good[] = {
		{ "stratum+tcp://127.0.0.1:3333", "stratum+tcp", "127.0.0.1", 3333 },
		{ "STRATUM+TCP://Pool.Example:1", "stratum+tcp", "Pool.Example", 1 },
		{ "stratum+tcp://h:65535/", "stratum+tcp", "h", 65535 },
		{ "stratum+ssl://[::1]:3333/x:y@z", "stratum+ssl", "[::1]", 3333 },
		{ "[fe80::1]:80", "", "[fe80::1]", 80 },
		{ "h:0080", "", "h", 80 },
		{ "stratum+tcp://user:pass@h:1", "stratum+tcp", "h", 1 },
	};
	static const char *const bad[] = {
		"", "h", "h:", ":3333", "stratum+tcp://", "stratum+tcp://h", "stratum+tcp://h:0", "stratum+tcp://h:65536",
		"stratum+tcp://h:99999", "h:99999999999999999999", "h:33x", "h:-1",
		"[::1]", "[::1", "[]:1", "[x]:1", "::1:3333",
		"%4:x@h:1", "%00:x@h:1", "x:%g1@h:1", "@", "u@", "a b:1", "h\n:1", "waytoolongaschemeforanyone://h:1",
	};
	struct url url;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		const char *why = url_parse(&url, good[i].text);

		if (why)
			fail_with("%s: %s", good[i].text, why);
		assert_string_equal(url.scheme, good[i].scheme);
		assert_string_equal(url.host, good[i].host);
		assert_int_equal(url.port, good[i].port);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (!url_parse(&url, bad[i]))
			fail_with("taken: %s", bad[i]);
}

static void a_login_in_the_url_is_used_where_none_is_given(void **state)
{
	static const struct {
		const char *login, *user, *pass, *sent;
	} rows[] = {
		{ "w.1:" SECRET "@", "", "", "[\"w.1\",\"" SECRET "\"]" },
		{ "w%%401:a%%3ab%%2f%%25@", "", "", "[\"w@1\",\"a:b/%\"]" },
		{ "w@", "", SECRET, "[\"w\",\"" SECRET "\"]" },
		{ "w:no@", "user", SECRET, "[\"user\",\"" SECRET "\"]" },
	};
	struct rig *rig = *state;
	char url[100];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		log_setup(LOG_DEBUG, false);
		snprintf(url, sizeof url, "stratum+tcp://%s127.0.0.1:%%u", rows[i].login);
		rig->config.user = rows[i].user;
		rig->config.pass = rows[i].pass;
		rig->config.dump = true;
		start_at(rig, url);
		assert_true(fake_wait_logins(rig->fake, 1));
		assert_int_equal(fake_lines_with(rig->fake, rows[i].sent), 1);
		assert_not_logged(SECRET);
		rig = rig_again(state);
	}
}

static void domains_are_told_apart(void **state)
{
	static const struct {
		const char *host, *other;
		bool same;
	} rows[] = {
		{ "pool.example", "POOL.example", true }, { "pool.example", "eu.pool.example", true },
		{ "eu.pool.example", "us.pool.example", true }, { "eu.pool.example", "pool.example", true },
		{ "eu.pool.example", "a.us.pool.example", true }, { "a.eu.pool.example", "b.eu.pool.example", true },
		{ "pool.example", "evil.example", false }, { "pool.example", "evilpool.example", false },
		{ "pool.example", "pool.example.evil", false }, { "pool.co.uk", "evil.co.uk", false },
		{ "pool.co.uk", "co.uk", false }, { "a.pool.co.uk", "b.pool.co.uk", true },
		{ "eu.longname.de", "us.longname.de", true }, { "localhost", "evil.localhost", false },
		{ "10.0.0.1", "10.0.0.1", true }, { "10.0.0.1", "11.0.0.1", false }, { "1.2.3.4", "5.2.3.4", false },
		{ "[::1]", "[::1]", true }, { "[::1]", "[::2]", false }, { "10.0.0.1", "x.10.0.0.1", false },
		{ "pool.example", "", false }, { "pool.example", ".", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (url_same_domain(rows[i].host, rows[i].other) != rows[i].same)
			fail_with("%s and %s", rows[i].host, rows[i].other);
}

static void proxies_and_certificates_are_checked_at_the_start(void **state)
{
	static const char *const bad[] = {
		"socks5://" SECRET "@h:1", "socks4://h:1", "ftp://h:1", "h:1", "http://h", "socks5h://u:" SECRET "@:1", "",
	};
	struct rig *rig = *state;
	struct transport transport;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (transport_init(&transport, bad[i], NULL, false) == 0)
			fail_with("taken: %s", bad[i]);
	assert_not_logged(SECRET);
	assert_logged("proxy 'h:1': it is neither http, socks4a nor socks5h");
	assert_int_equal(transport_init(&transport, NULL, "/nonexistent/ca.pem", false), -1);
	assert_logged("certificates /nonexistent/ca.pem: No such file");
	assert_int_equal(transport_init(&transport, "socks5h://u:p@[::1]:9050", "/dev/null", false), 0);
	assert_string_equal(transport.proxy, "socks5h://u:p@[::1]:9050");
	transport_destroy(&transport);

	rig->config.url = "stratum+tls://h:1";
	rig->config.no_verify = true;
	pool_destroy(pool_create(&rig->config));
	assert_logged("warning: pool h:1: ITS CERTIFICATE WILL NOT BE VERIFIED");
}

static void a_pool_without_a_usable_url_is_refused(void **state)
{
	static const char *const urls[] = { "ftp://h:1", "stratum+tcp://h:0", "", "waytoolongaschemeforanyone://h:1" };
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
		char text[100];

		rig->config.url = urls[i];
		assert_null(pool_create(&rig->config));
		snprintf(text, sizeof text, "pool URL '%s': ", urls[i]);
		assert_logged(text);
	}
	rig->config.url = "stratum+tcp://user:" SECRET "@h:0";
	assert_null(pool_create(&rig->config));
	assert_not_logged(SECRET);
	assert_logged("pool URL 'h:0': its port is 0");
	rig->config.url = "h:1";
	rig->config.user = "\xff";
	assert_null(pool_create(&rig->config));
}

static void schemes_and_slashes_reach_the_pool(void **state)
{
	static const char *const urls[] = {
		"127.0.0.1:%u", "STRATUM+TCP://127.0.0.1:%u", "stratum+tcp://127.0.0.1:%u/",
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
		start_at(rig, urls[i]);
		assert_true(fake_wait_logins(rig->fake, 1));
		assert_int_equal(strncmp(pool_name(rig->pool), "127.0.0.1:", 10), 0);
		rig = rig_again(state);
	}
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
	throttle.second_began -= 2;
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
		TEST(pauses_grow_from_the_configured_one),
		TEST(work_ends_the_growth_of_pauses),
		TEST(a_lost_connection_takes_work_and_shares_with_it),
		TEST(five_hundred_connections_leave_nothing_behind),
		TEST(silence_ends_a_connection_and_says_which),
		TEST(a_login_without_reply_ends_too),
		TEST(stops_at_once_while_mining),
		TEST(stops_at_once_while_pausing),
		TEST(stops_at_once_while_connecting),
		TEST(a_plain_pool_behind_a_tls_url_is_not_spoken_to),
		TEST(a_flood_of_shares_is_bounded_and_said),
		TEST(secrets_stay_out_of_log_and_dump),
		TEST(urls_are_read_in_every_form),
		TEST(a_login_in_the_url_is_used_where_none_is_given),
		TEST(domains_are_told_apart),
		TEST(proxies_and_certificates_are_checked_at_the_start),
		TEST(a_pool_without_a_usable_url_is_refused),
		TEST(schemes_and_slashes_reach_the_pool),
		TEST(throttle_passes_some_and_counts_the_rest),
	};

	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
