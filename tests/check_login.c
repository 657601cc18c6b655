/*
 * How a stratum session begins, and begins again: every reply to subscribe, authorize
 * and configure that pools are known to give, in any order with what else they say,
 * reconnections by the pool's wish, and the resuming of a session.
 */
#include "tests/pool_rig.h"

static void a_job_before_the_login_reply_is_mined_after_it(void **state)
{
	struct rig *rig = *state;

	rig->script.authorize_reply = "";
	start(rig);
	assert_true(fake_wait_line(rig->fake, "mining.authorize"));
	fake_announce(rig->fake, &(struct fake_job){ 0 });
	wait_heard(rig);
	assert_int_equal(stats_of(rig).jobs, 0);
	fake_send(rig->fake, "{\"id\":3,\"result\":true,\"error\":null}\n");
	mine(rig, 1);
	assert_all_good(rig);
}

/* However early a pool speaks of jobs, and in which order, the first one is mined as it was meant. */
static void what_comes_before_the_subscription_is_kept(void **state)
{
	static const char reply[] = "{\"id\":2,\"result\":[[],\"a1b2c3d4\",4],\"error\":null}\n";
	static const char difficulty[] = "{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[1e-7]}\n";
	static const char other[] = "{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[1]}\n";
	static const char extranonce[] = "{\"id\":null,\"method\":\"mining.set_extranonce\",\"params\":[\"0badc0de05\",3]}\n";
	static const struct {
		const char *before, *after;	/* the job */
		bool changed;			/* its extranonce is the other one */
	} rows[] = {
		{ difficulty, "", false }, { "", difficulty, false }, { difficulty, other, false },
		{ difficulty, extranonce, false }, { extranonce, difficulty, true },
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct fake_job job = { 0 };

		if (rows[i].changed)
			job = (struct fake_job){ .xnonce1 = "0badc0de05", .xnonce2_len = 3 };
		rig->script.subscribe_reply = "";
		start(rig);
		assert_true(fake_wait_line(rig->fake, "mining.subscribe"));
		fake_send(rig->fake, rows[i].before);
		fake_notify(rig->fake, &(struct fake_job){ .id = "j0", .branches = "[]" });	/* replaced by the next */
		fake_notify(rig->fake, &job);
		fake_send(rig->fake, rows[i].after);
		fake_send(rig->fake, reply);
		mine(rig, 2);
		assert_all_good(rig);
		assert_int_equal(stats_of(rig).accepted, 2);
		if (!rows[i].changed && rows[i].after == extranonce) {	/* which holds for the next */
			fake_notify(rig->fake, &(struct fake_job){ .id = "j2", .xnonce1 = "0badc0de05", .xnonce2_len = 3 });
			wait_new_work(rig);
			mine(rig, 2);
			assert_all_good(rig);
		}
		rig = rig_again(state);
	}
}

static void every_shape_of_a_good_reply_is_understood(void **state)
{
	static const struct fake_script rows[] = {
		{ .subscribe_reply = "{\"result\":[[[\"mining.set_difficulty\",\"x\"],[\"mining.notify\",\"x\"]],"
				     "\"a1b2c3d4\",4],\"id\":$}\n" },
		{ .subscribe_reply = "{\"id\":$,\"result\":[null,\"a1b2c3d4\",4],\"error\":null}\n" },
		{ .subscribe_reply = "{\"id\":$,\"result\":[[],\"a1b2c3d4\",4],\"error\":null}\n" },
		{ .subscribe_reply = "{\"id\":\"$\",\"result\":[[],\"A1B2C3D4\",4,\"more\"],"
				     "\"error\":null,\"jsonrpc\":\"2.0\"}\n",
		  .authorize_reply = "{\"id\":\"$\",\"result\":true,\"error\":null}\n",
		  .verdict = "{\"id\":\"$\",\"result\":true,\"error\":null}\n" },
		{ .authorize_reply = "{\"result\":true,\"id\":$}\n", .verdict = "{\"result\":true,\"id\":$}\n" },
		{ .subscribe_reply = "{\"id\":$.0,\"result\":[[],\"a1b2c3d4\",4],\"error\":null}\n",
		  .authorize_reply = "{\"id\":$e0,\"result\":true}\n", .verdict = "{\"id\":$.0,\"result\":true}\n" },
		{ .configure_reply = "{\"id\":$,\"method\":\"mining.configure\",\"result\":{},\"error\":null}\n",
		  .subscribe_reply = "{\"id\":$,\"method\":\"mining.subscribe\",\"result\":[[],\"a1b2c3d4\",4],\"error\":null}\n",
		  .authorize_reply = "{\"id\":\"$\",\"method\":\"mining.authorize\",\"result\":true}\n",
		  .verdict = "{\"id\":$,\"method\":\"mining.submit\",\"result\":true,\"error\":null}\n" },
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->script = rows[i];
		start_mining(rig);
		mine(rig, 1);
		assert_all_good(rig);
		assert_int_equal(stats_of(rig).accepted, 1);
		rig = rig_again(state);
	}
}

static void unusable_extranonces_end_the_attempt(void **state)
{
	static const char *const rows[] = {
		"{\"id\":$,\"result\":[[],\"zz\",4],\"error\":null}\n",
		"{\"id\":$,\"result\":[[],\"a1b\",4],\"error\":null}\n",
		"{\"id\":$,\"result\":[[],12345678,4],\"error\":null}\n",
		"{\"id\":$,\"result\":[[],\"a1b2c3d4\",17],\"error\":null}\n",
		"{\"id\":$,\"result\":[[],\"a1b2c3d4\",-1],\"error\":null}\n",
		"{\"id\":$,\"result\":[[],\"a1b2c3d4\"],\"error\":null}\n",
		"{\"id\":$,\"result\":true,\"error\":null}\n",
		"{\"id\":$}\n",
		"{\"id\":$,\"result\":null,\"error\":[20,\"Not today\",null]}\n",
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->script.subscribe_reply = rows[i];
		rig->config.retries = 0;
		start(rig);
		WAIT_UNTIL(rig->gave_up);
		assert_int_equal(fake_lines_with(rig->fake, "mining.authorize"), 0);
		assert_logged(strstr(rows[i], "Not today") ? "subscription refused: Not today" : "no usable extranonce");
		rig = rig_again(state);
	}
}

static void a_refused_login_is_named_and_counts_as_failure(void **state)
{
	static const struct {
		const char *reply, *reason;
	} rows[] = {
		{ "{\"id\":$,\"result\":false,\"error\":null}\n", "login of user refused: unknown\n" },
		{ "{\"id\":$,\"result\":null,\"error\":[24,\"Unauthorized worker\",null]}\n",
		  "login of user refused: Unauthorized worker\n" },
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *notify;

		rig->config.retries = 2;
		rig->script.authorize_reply = rows[i].reply;
		rig->fake = fake_start(&rig->script);
		notify = fake_notify_text(rig->fake, &(struct fake_job){ 0 });
		rig->script.after_login = notify;
		char url[100];
		snprintf(url, sizeof url, "127.0.0.1:%u", fake_port(rig->fake));
		start_pool(rig, url);
		WAIT_UNTIL(rig->gave_up);
		assert_int_equal(fake_connections(rig->fake), 3);
		assert_int_equal(fake_shares(rig->fake), 0);
		assert_int_equal(stats_of(rig).jobs, 0);
		assert_true(stats_of(rig).gave_up);
		assert_false(stats_of(rig).connected);
		assert_logged(rows[i].reason);
		assert_logged(": giving up after 3 attempts\n");
		rig = rig_again(state);
		free(notify);
	}
}

static void configure_may_be_answered_anyhow(void **state)
{
	static const char *const rows[] = {
		"", "{\"id\":$,\"result\":null,\"error\":[-3,\"Method not found\",null]}\n", "{\"id\":$}\n",
		"{\"id\":$,\"result\":{\"version-rolling\":false},\"error\":null}\n",
		"{\"id\":$,\"result\":{\"version-rolling\":\"no bits for you\"},\"error\":null}\n",
		"{\"id\":$,\"result\":[],\"error\":null}\n", "{\"id\":$,\"result\":true,\"error\":null}\n",
		"{\"id\":$,\"result\":{\"version-rolling.mask\":\"1fffe000\"},\"error\":null}\n",
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->config.versions = 8;
		rig->script.configure_reply = rows[i];
		start_mining(rig);
		mine(rig, 2);
		assert_all_good(rig);		/* five parameters, and the version as it came */
		assert_int_equal(fake_connections(rig->fake), 1);
		assert_int_equal(fake_lines_with(rig->fake, "mining.configure"), 1);
		rig = rig_again(state);
	}
}

static void a_mask_is_taken_in_any_way_it_is_written(void **state)
{
	static const struct {
		const char *reply;
		uint32_t mask;
	} rows[] = {
		{ "{\"id\":$,\"result\":{\"version-rolling\":true,\"version-rolling.mask\":\"1FFFE000\"},\"error\":null}\n", 0x1fffe000 },
		{ "{\"id\":\"$\",\"result\":{\"version-rolling\":true,\"version-rolling.mask\":\"e000\"}}\n", 0xe000 },
		{ "{\"id\":$,\"result\":{\"version-rolling\":true,\"version-rolling.mask\":\"ffffffff\"},\"error\":null}\n", 0x1fffe000 },
		{ "{\"id\":$,\"result\":{\"version-rolling\":true},\"error\":null}\n", 0 },
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->config.versions = 8;
		rig->script.configure_reply = rows[i].reply;
		start(rig);
		assert_true(fake_wait_logins(rig->fake, 1));
		fake_announce(rig->fake, &(struct fake_job){ .version = 0x32ef0000, .mask = rows[i].mask });
		mine(rig, 5);
		assert_all_good(rig);
		assert_int_equal(rig->work.version_count, rows[i].mask ? 8 : 0);
		rig = rig_again(state);
	}
}

static void a_pool_that_hangs_up_on_an_extra_request_is_spared_it(void **state)
{
	static const struct {
		int close;
		const char *method;
	} rows[] = { { CLOSE_AT_CONFIGURE, "mining.configure" }, { CLOSE_AT_FOLLOW_XNONCE, "mining.extranonce.subscribe" } };
	struct rig *rig = *state;
	char text[100];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->script.close = rows[i].close;
		start(rig);
		assert_true(fake_wait_logins(rig->fake, i + 1));
		if (i == 1)
			assert_true(fake_wait_connections(rig->fake, 2));
		snprintf(text, sizeof text, ": perhaps it does not like %s: the next connection does without\n", rows[i].method);
		wait_logged(text);
		assert_true(fake_wait_logins(rig->fake, i + 1));
		fake_announce(rig->fake, &(struct fake_job){ 0 });
		mine(rig, 2);
		assert_all_good(rig);
		assert_int_equal(fake_lines_with(rig->fake, rows[i].method), 1);
		assert_int_equal(fake_connections(rig->fake), 2);
		rig = rig_again(state);
	}
}

static void a_pool_that_is_down_anyway_is_asked_again(void **state)
{
	struct rig *rig = *state;

	rig->script.close = CLOSE_AT_CONFIGURE;
	rig->script.subscribe_reply = "";
	rig->config.timeout_s = 0.2;
	start(rig);
	assert_true(fake_wait_connections(rig->fake, 3));	/* with it, without, with it */
	wait_logged("perhaps it does not like mining.configure");
	rig->script.close = CLOSE_NEVER;
	WAIT_UNTIL(fake_lines_with(rig->fake, "mining.configure") >= 2);
}

static void what_was_not_wanted_is_not_asked_for(void **state)
{
	struct rig *rig = *state;

	rig->config.no_version_rolling = true;
	rig->config.versions = 8;
	start_mining(rig);
	mine(rig, 1);
	assert_all_good(rig);
	assert_int_equal(fake_lines_with(rig->fake, "mining.configure"), 0);
	assert_int_equal(fake_lines_with(rig->fake, "mining.suggest_difficulty"), 0);
}

static void difficulties_are_asked_for_before_the_login(void **state)
{
	struct rig *rig = *state;

	rig->config.no_version_rolling = true;
	rig->config.suggest_difficulty = 0.1;
	rig->config.least_difficulty = 1024;
	start_mining(rig);
	mine(rig, 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":1,\"method\":\"mining.configure\",\"params\":[[\"minimum-difficulty\"],"
					 "{\"minimum-difficulty.value\":1024}]}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":3,\"method\":\"mining.suggest_difficulty\",\"params\":[0.1]}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":4,\"method\":\"mining.authorize\""), 1);
	assert_all_good(rig);
}

static void reconnect_is_followed_on_the_same_host_only(void **state)
{
	static const char *const followed[] = {
		"{\"id\":null,\"method\":\"client.reconnect\"}\n",
		"{\"id\":0,\"method\":\"client.reconnect\",\"params\":[]}\n",
		"{\"id\":null,\"method\":\"client.reconnect\",\"params\":[\"\",\"0\",0]}\n",
		"{\"id\":null,\"method\":\"client.reconnect\",\"params\":[\"127.0.0.1\"]}\n",
		"{\"id\":null,\"method\":\"client.reconnect\",\"params\":[\"127.0.0.1\",0.0,0.5]}\n",
	};
	static const char no_text[] = "its host is not a text", no_port[] = "its port is not a whole number from 0 to 65535";
	static const char no_wait[] = "its wait is not a number of seconds", no_host[] = "its host has characters that no host name has";
	static const struct { const char *params, *why; } refused[] = {
		{ "{},[],-5", no_text }, { "1,1", no_text }, { "\"\",70000", no_port }, { "\"\",\"33a\"", no_port },
		{ "\"\",1.5", no_port }, { "\"\",-1", no_port }, { "\"\",1e300", no_port }, { "\"\",[1]", no_port },
		{ "\"\",1,-1", no_wait }, { "\"\",1,\"soon\"", no_wait },
		{ "\"127.0.0.2\",3333,0", "it leads to another host" }, { "\"a@127.0.0.1\",3333", no_host }, { "\"u:p@127.0.0.1\"", "its IPv6 address" },
		{ "\"stratum+tcp://127.0.0.1\"", "its IPv6 address" }, { "\"127.0.0.1/\"", no_host }, { "\"127.0.0.1:1\"", "it leads to another host" },
	};
	struct rig *rig = *state;
	unsigned connections = 1;

	start_mining(rig);
	for (size_t i = 0; i < sizeof followed / sizeof followed[0]; i++) {
		WAIT_UNTIL(stats_of(rig).jobs == connections);
		fake_send(rig->fake, followed[i]);
		assert_true(fake_wait_logins(rig->fake, ++connections));
		fake_announce(rig->fake, &(struct fake_job){ 0 });
	}
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		char text[200];

		start_mining(rig = rig_again(state));
		WAIT_UNTIL(stats_of(rig).jobs == 1);
		snprintf(text, sizeof text, "{\"id\":null,\"method\":\"client.reconnect\",\"params\":[%s]}\n", refused[i].params);
		fake_send(rig->fake, text);
		wait_heard(rig);
		assert_int_equal(fake_connections(rig->fake), 1);
		snprintf(text, sizeof text, ": reconnect dropped: %s", refused[i].why);
		assert_logged(text);
	}
}

static void reconnect_to_another_port_holds_until_that_fails(void **state)
{
	struct rig *rig = *state;
	struct fake_script script = { .close = CLOSE_AFTER_LOGIN };
	struct fake_pool *other = fake_start(&script);
	char text[200];

	start_mining(rig);
	mine(rig, 1);
	snprintf(text, sizeof text, "{\"id\":0,\"method\":\"client.reconnect\",\"params\":[\"127.0.0.1\",\"%u\",0.2]}\n",
		 fake_port(other));
	fake_send(rig->fake, text);
	assert_true(fake_wait_logins(other, 1));
	assert_true(fake_connection_time(other, 1) - fake_connection_time(rig->fake, 1) > 0.19);
	assert_true(fake_wait_logins(rig->fake, 2));
	assert_int_equal(fake_connections(other), 1);
	fake_stop(other);
}

static void a_host_of_the_same_domain_is_followed_once(void **state)
{
	struct rig *rig = *state;
	char text[200];

	rig->fake = fake_start(&rig->script);
	snprintf(text, sizeof text, "stratum+tcp://eu.pool.localhost:%u", fake_port(rig->fake));
	start_pool(rig, text);
	assert_true(fake_wait_logins(rig->fake, 1));
	fake_announce(rig->fake, &(struct fake_job){ 0 });
	mine(rig, 1);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"client.reconnect\",\"params\":[\"us.elsewhere.localhost\",3333]}\n"
		  "{\"id\":null,\"method\":\"client.reconnect\",\"params\":[\"x@y/.pool.localhost\",3333]}\n"
		  "{\"id\":null,\"method\":\"client.reconnect\",\"params\":[\"x y.pool.localhost\",3333]}\n"
		  "{\"id\":null,\"method\":\"client.reconnect\",\"params\":[\"us.pool.localhost\",null,null]}\n");
	assert_true(fake_wait_logins(rig->fake, 2));
	assert_logged("the pool asks to connect again, to us.pool.localhost:");
	assert_logged("reconnect dropped: it leads to another host");
	assert_logged("reconnect dropped: its host has characters");
	fake_announce(rig->fake, &(struct fake_job){ 0 });
	mine(rig, 1);
	assert_all_good(rig);
}

static void a_session_is_resumed_by_its_name(void **state)
{
	static const char *const named[] = {
		"{\"id\":$,\"result\":[[[\"mining.set_difficulty\",\"d1\"],[\"mining.notify\",\"ae68\"]],\"a1b2c3d4\",4],\"error\":null}\n",
		"{\"id\":$,\"result\":[[\"mining.notify\",\"ae68\"],\"a1b2c3d4\",4],\"error\":null}\n",
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
		rig->script.subscribe_reply = named[i];
		start_mining(rig);
		mine(rig, 2);
		fake_drop(rig->fake);
		assert_true(fake_wait_logins(rig->fake, 2));
		assert_int_equal(fake_lines_with(rig->fake, "\"method\":\"mining.subscribe\",\"params\":[\"adit/test\"]"), 1);
		assert_int_equal(fake_lines_with(rig->fake, "\"method\":\"mining.subscribe\",\"params\":[\"adit/test\",\"ae68\"]"), 1);
		fake_notify(rig->fake, &(struct fake_job){ .difficulty = 1 });
		WAIT_UNTIL(stats_of(rig).jobs == 2);
		fake_announce(rig->fake, &(struct fake_job){ 0 });
		WAIT_UNTIL(stats_of(rig).jobs == 3);
		mine(rig, 2);
		assert_all_good(rig);	/* none of them twice */
		rig = rig_again(state);
	}
}

static void a_session_that_is_not_resumed_begins_anew(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	mine(rig, 1);
	rig->script.subscribe_reply = "";
	fake_drop(rig->fake);
	assert_true(fake_wait_line(rig->fake, "[\"adit/test\",\"s1\"]"));
	rig->script.subscribe_reply = NULL;
	fake_send(rig->fake, "{\"id\":2,\"result\":null,\"error\":[20,\"Session expired\",null]}\n");
	assert_true(fake_wait_logins(rig->fake, 2));
	assert_int_equal(fake_connections(rig->fake), 2);
	assert_int_equal(fake_lines_with(rig->fake, "\"params\":[\"adit/test\"]"), 2);
	assert_logged("the session is not resumed: Session expired");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_job_before_the_login_reply_is_mined_after_it),
		TEST(what_comes_before_the_subscription_is_kept),
		TEST(every_shape_of_a_good_reply_is_understood),
		TEST(unusable_extranonces_end_the_attempt),
		TEST(a_refused_login_is_named_and_counts_as_failure),
		TEST(configure_may_be_answered_anyhow),
		TEST(a_mask_is_taken_in_any_way_it_is_written),
		TEST(a_pool_that_hangs_up_on_an_extra_request_is_spared_it),
		TEST(a_pool_that_is_down_anyway_is_asked_again),
		TEST(what_was_not_wanted_is_not_asked_for),
		TEST(difficulties_are_asked_for_before_the_login),
		TEST(reconnect_is_followed_on_the_same_host_only),
		TEST(reconnect_to_another_port_holds_until_that_fails),
		TEST(a_host_of_the_same_domain_is_followed_once),
		TEST(a_session_is_resumed_by_its_name),
		TEST(a_session_that_is_not_resumed_begins_anew),
	};

	return cmocka_run_group_tests_name("login", tests, NULL, NULL);
}
