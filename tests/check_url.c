/*
 * Where a pool is and by which way it is reached: URLs, what is in them, proxies and
 * certificates, and which other places a pool may send us to.
 */
#include "tests/pool_rig.h"

#include "base/log.h"
#include "pool/protocol.h"
#include "pool/transport.h"
#include "pool/url.h"

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
		{ "pool.example", "", false }, { "pool.example", ".", false }, { ".", "pool.example", false },
		{ "pool.example.", "pool.example", true }, { "pool.example", "eu.pool.example.", true },
		{ "pool.example.", "evil.example.", false }, { "pool.example.", "evil.example", false },
		{ "pool.co.uk.", "evil.co.uk.", false }, { "localhost.", "evil.localhost.", false },
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
	assert_logged("pool URL 'stratum+tcp://***@h:0': its port is 0");
	rig->config.url = "stratum+tcp://user:" SECRET "%40h:1";
	assert_null(pool_create(&rig->config));
	assert_not_logged(SECRET);
	assert_logged("pool URL 'stratum+tcp://***%40h:1': its host has characters that no host name has");
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

static void plain_stratum_is_not_followed_from_tls(void **state)
{
	static const struct {
		const char *own, *offer;
		bool taken;
	} rows[] = {
		{ "https://h:1", "stratum+tcp://h:2", false }, { "https://h:1", "stratum+ssl://h:2", true },
		{ "http://h:1", "stratum+tcp://h:2", true }, { "http://h:1", "stratum+ssl://h:2", true },
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->config.url = rows[i].own;
		struct pool *pool = pool_create(&rig->config);
		assert_non_null(pool);
		if (pool_follow(pool, rows[i].offer) != rows[i].taken)
			fail_with("from %s to %s", rows[i].own, rows[i].offer);
		pool_destroy(pool);
	}
	assert_logged("the offer of stratum+tcp://h:2 is not followed: it is without TLS\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(urls_are_read_in_every_form),
		TEST(a_login_in_the_url_is_used_where_none_is_given),
		TEST(domains_are_told_apart),
		TEST(proxies_and_certificates_are_checked_at_the_start),
		TEST(a_pool_without_a_usable_url_is_refused),
		TEST(schemes_and_slashes_reach_the_pool),
		TEST(plain_stratum_is_not_followed_from_tls),
	};

	return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
