/*
 * Lines and shares of a stratum session, against a pool that follows a script: every
 * shape of message that pools are known to send, and some that only a rude one would,
 * and every verdict on a share. See check_login.c for how a session begins.
 */
#include "tests/pool_rig.h"

#include <math.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/target.h"
#include "pool/connection.h"
#include "pool/jsonrpc.h"
#include "pool/pending.h"
#include "pool/record.h"

static void golden_share_is_submitted_to_the_letter(void **state)
{
	struct rig *rig = *state;
	struct share share = { .nonce = 0x0035635f };
	uint64_t first, end;
	uint32_t value[8];

	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	fake_announce(rig->fake, &(struct fake_job){ .difficulty = 1.0 / 4096 });
	assert_true(board_claim(&rig->board, 1, &share.work, &first, &end));
	store_le32(share.work.header + 76, share.nonce);
	rig->config.algo->hash(share.digest, share.work.header, NULL);
	target_load(value, share.digest);
	assert_true(target_met(value, share.work.target));
	share.difficulty = target_difficulty(value);
	pool_submit(rig->pool, &share);
	WAIT_UNTIL(stats_of(rig).accepted == 1);

	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":1,\"method\":\"mining.configure\",\"params\":[[\"version-rolling\"],"
					 "{\"version-rolling.mask\":\"1fffe000\",\"version-rolling.min-bit-count\":1}]}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":2,\"method\":\"mining.subscribe\","
					 "\"params\":[\"adit/test\"]}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":3,\"method\":\"mining.authorize\","
					 "\"params\":[\"user\",\"" SECRET "\"]}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":4,\"method\":\"mining.extranonce.subscribe\",\"params\":[]}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":5,\"method\":\"mining.submit\",\"params\":"
					 "[\"user\",\"j1\",\"00000000\",\"65a0b1c0\",\"0035635f\"]}"), 1);
	assert_logged(": logged in as user\n");
	assert_logged(": difficulty 0.000244141\n");
	assert_logged(": share accepted, diff 0.000444705, ");
	assert_true(stats_of(rig).connected);
	assert_int_equal(stats_of(rig).jobs, 1);
	assert_int_equal(stats_of(rig).connections, 1);
	assert_true(stats_of(rig).difficulty == 1.0 / 4096);
}

static void lines_are_assembled_however_they_come(void **state)
{
	static const struct fake_script rows[] = {
		{ .line_end = "\r\n" },
		{ .line_end = "\n\n   \n\r\n" },
		{ .chunk = 7 },
		{ .chunk = 1,
		  .after_login = "{\"id\":null,\"method\":\"client.show_message\",\"params\":[\"gr\xc3\xbc\xc3\x9f\"]}\n" },
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->script = rows[i];
		rig->config.dump = true;
		start_mining(rig);
		mine(rig, 2);
		assert_all_good(rig);
		assert_int_equal(fake_connections(rig->fake), 1);
		assert_not_logged("}?");	/* what the log makes of a CR */
		rig = rig_again(state);
	}
}

static void several_messages_in_one_write_are_all_heard(void **state)
{
	struct rig *rig = *state;

	rig->script.authorize_reply = "";
	start(rig);
	assert_true(fake_wait_line(rig->fake, "mining.authorize"));
	char *notify = fake_notify_text(rig->fake, &(struct fake_job){ 0 }), text[3000];
	snprintf(text, sizeof text, "{\"id\":3,\"result\":true,\"error\":null}\n"
		 "{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[1e-7]}\n%s", notify);
	free(notify);
	fake_send(rig->fake, text);
	mine(rig, 1);
	assert_all_good(rig);
}

static void bad_lines_are_dropped(void **state)
{
	static const char *const lines[] = {
		"{ id: null, result: [], error: true }\n", "{\"error\":null,\"id\":auth,\"result\":true}\n", "not json\n",
		"[]\n", "42\n", "\"s\"\n", "{}\n", "{\"id\":{},\"result\":[]}\n", "{\"method\":5,\"id\":1e400}\n",
		"{\"id\":null,\"method\":\"mining.notify\"}\n", "{\"id\":null,\"method\":\"mining.notify\",\"params\":{}}\n",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":null}\n",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[\"x\"]}\n",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[0]}\n",
		"{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[-1]}\n",
		"{\"id\":null,\"method\":\"client.show_message\",\"params\":[[]]}\n",
	};
	struct rig *rig = *state;

	start_mining(rig);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		fake_send(rig->fake, lines[i]);
	fake_announce(rig->fake, &(struct fake_job){ .id = "j2", .keep = true });
	WAIT_UNTIL(stats_of(rig).jobs == 2);
	mine(rig, 2);
	assert_all_good(rig);
	assert_int_equal(fake_connections(rig->fake), 1);
	assert_logged("line dropped, not JSON: { id: null");
	assert_logged("line dropped, not a JSON object: []");
}

static void ten_bad_lines_in_a_row_end_the_connection(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	for (int i = 0; i < 18; i++) {
		fake_send(rig->fake, "no\n");
		if (i % 9 == 8)
			wait_heard(rig);
	}
	assert_int_equal(fake_connections(rig->fake), 1);
	for (int i = 0; i < 10; i++)
		fake_send(rig->fake, "no\n");
	assert_true(fake_wait_connections(rig->fake, 2));
	assert_logged("10 bad lines in a row: this is not a stratum server");
}

static void a_web_server_is_named_as_such(void **state)
{
	struct rig *rig = *state;

	rig->script.greeting = "HTTP/1.1 400 Bad Request\n\n<html>no</html>\n";
	rig->config.retries = 0;
	start(rig);
	WAIT_UNTIL(rig->gave_up);
	assert_logged(": this is a web server, not a stratum server\n");
}

static void huge_lines_do_no_harm(void **state)
{
	struct rig *rig = *state;
	char *message = padded("{\"id\":null,\"method\":\"client.show_message\",\"params\":[\"", 'm', 200000, "\"]}\n");
	char *deep = padded("", '[', 100000, "\n");
	char *wide = padded("{\"params\":[0", ',', 100000, "]}\n");
	char *long_line = padded("", ' ', LINE_MAX_LEN + 70000, "{\"id\":5,\"method\":\"mining.ping\"}\n");
	long kib;

	start_mining(rig);
	fake_send(rig->fake, message);
	wait_logged(" says: mmmm");
	kib = resident_kib();
	fake_send(rig->fake, deep);
	fake_send(rig->fake, wide);
	fake_send(rig->fake, long_line);
	fake_send(rig->fake, "{\"id\":6,\"method\":\"mining.ping\"}\n");
	assert_true(fake_wait_line(rig->fake, "\"id\":6"));
	assert_int_equal(fake_lines_with(rig->fake, "\"id\":5"), 0);
	assert_logged("line dropped, nested too deeply: [[[[");
	assert_logged("line dropped, too many values: {\"params");
	assert_logged("a line is longer than 4194304 bytes: skipped");
	assert_true(RIG_SANITIZED || resident_kib() - kib < 32 * 1024);
	mine(rig, 1);
	assert_all_good(rig);
	free(message);
	free(deep);
	free(wide);
	free(long_line);
}

static void requests_of_the_pool_are_answered(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"mining.ping\",\"params\":[]}\n"
		  "{\"id\":null,\"method\":\"no.such\",\"params\":[]}\n"
		  "{\"id\":null,\"method\":\"client.get_version\",\"params\":[]}\n"
		  "{\"method\":\"client.get_version\"}\n"
		  "{\"id\":77,\"method\":\"client.get_version\",\"params\":[]}\n"
		  "{\"id\":\"seven\",\"method\":\"client.get_version\",\"params\":[]}\n"
		  "{\"params\":[],\"id\":42,\"method\":\"mining.ping\"}\n"
		  "{\"params\":[],\"id\":41,\"method\":\"mining.ping\",\"result\":null,\"error\":null}\n"	/* answers nothing of ours */
		  "{\"id\":43,\"method\":\"no.such\",\"params\":[]}\n");
	assert_true(fake_wait_line(rig->fake, "{\"id\":43,\"result\":null,\"error\":[-3,\"Method not found\",null]}"));
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":77,\"result\":\"adit/test\",\"error\":null}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":\"seven\",\"result\":\"adit/test\",\"error\":null}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":42,\"result\":\"pong\",\"error\":null}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "{\"id\":41,\"result\":\"pong\",\"error\":null}"), 1);
	assert_int_equal(fake_lines_with(rig->fake, "\"result\""), 5);
}

static void a_message_of_the_pool_is_shown_and_harmless(void **state)
{
	struct rig *rig = *state;

	start_mining(rig);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"client.show_message\",\"params\":"
		  "[\"hi \\u001b[31mred\\u001b[0m\\nFAKE accepted: 1/1 %s%n\"]}\n");
	wait_logged(" says: hi ");
	assert_logged("FAKE accepted: 1/1 %s%n\n");
	assert_not_logged("\033");
	assert_not_logged("\nFAKE");
}

static void a_pool_that_floods_messages_does_not_flood_the_log(void **state)
{
	struct rig *rig = *state;
	char text[200];

	start_mining(rig);
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof text,
			 "{\"id\":null,\"method\":\"client.show_message\",\"params\":[\"number %d\"]}\n", i);
		fake_send(rig->fake, text);
	}
	wait_heard(rig);
	assert_logged("number 0\n");
	unsigned shown = 0;
	for (const char *at = log_text(); (at = strstr(at, " says: ")); at++)
		shown++;
	assert_in_range(shown, 10, 500);
}

static char *read_gzip(const char *path)
{
	char *text = calloc(1, 1 << 16);
	gzFile file = gzopen(path, "rb");

	assert_non_null(file);
	assert_true(gzread(file, text, (1 << 16) - 1) > 0);
	gzclose(file);
	return text;
}

static void a_record_holds_every_line_and_no_secret(void **state)
{
	struct rig *rig = *state;
	char path[] = "/tmp/check_stratum.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	rig->config.record = record_open(path, "sha256d", (const char *[]){ "h:1", "stratum+tcp://user:" SECRET "@pool:1" }, 2);
	rig->config.number = 2;
	assert_non_null(rig->config.record);
	start_mining(rig);
	mine(rig, 1);
	fake_send(rig->fake, "{\"id\":null,\"method\":\"client.show_message\",\"params\":[\"not " SECRET "!\"]}\n");
	wait_heard(rig);
	fake_drop(rig->fake);
	assert_true(fake_wait_logins(rig->fake, 2));
	pool_stop(rig->pool);
	record_close(rig->config.record);

	char *text = read_gzip(path);
	unlink(path);
	assert_null(strstr(text, SECRET));
	assert_ptr_equal(strstr(text, "{\"adit-record\":2,\"algo\":\"sha256d\",\"pools\":[\"h:1\",\"stratum+tcp://***@pool:1\"]}\n"), text);
	assert_non_null(strstr(text, ",\"pool\":2,\"conn\":1,\"dir\":\">\",\"line\":\"{\\\"id\\\":1,\\\"method\\\":\\\"mining.configure\\\""));
	assert_non_null(strstr(text, "\\\"mining.authorize\\\",\\\"params\\\":[\\\"user\\\",\\\"***\\\"]}\"}\n"));
	assert_non_null(strstr(text, ",\"dir\":\"<\",\"line\":\"{\\\"id\\\":null,\\\"method\\\":\\\"mining.notify\\\""));
	assert_non_null(strstr(text, "not ***!"));
	assert_non_null(strstr(text, ",\"conn\":2,\"dir\":\">\""));
	free(text);
}

static void every_shape_of_verdict_is_counted_with_its_reason(void **state)
{
	static const struct {
		const char *verdict, *reason;	/* NULL: accepted */
	} rows[] = {
		{ "{\"id\":$,\"result\":true,\"error\":null}\n", NULL },
		{ "{\"id\":$,\"result\":true}\n", NULL },
		{ "{\"reject-reason\":\"Above target\",\"result\":false,\"error\":null,\"id\":$}\n", ": Above target\n" },
		{ "{\"id\":$,\"result\":null,\"error\":[21,\"Job not found\",\"\"]}\n", ": Job not found\n" },
		{ "{\"id\":$,\"result\":false,\"error\":[20,\"Low\\ndiff\",null]}\n", ": Low?diff\n" },
		{ "{\"id\":$,\"result\":false,\"error\":\"stale-prevblk\"}\n", ": stale-prevblk\n" },
		{ "{\"id\":$,\"result\":null,\"error\":{\"code\":-32,\"message\":\"No such job\"}}\n", ": No such job\n" },
		{ "{\"id\":$,\"result\":null,\"error\":[23]}\n", ": unknown, code 23\n" },
		{ "{\"id\":$,\"result\":null,\"error\":[\"23\",42,null]}\n", ": unknown\n" },
		{ "{\"id\":$,\"result\":true,\"error\":[22,\"Duplicate\",null]}\n", ": Duplicate\n" },
		{ "{\"id\":$,\"result\":null,\"error\":null}\n", ": unknown\n" },
		{ "{\"id\":$}\n", ": unknown\n" },
	};
	struct rig *rig = *state;
	unsigned accepted = 0, rejected = 0;

	start_mining(rig);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig->script.verdict = rows[i].verdict;
		mine(rig, 1);
		accepted += !rows[i].reason;
		rejected += !!rows[i].reason;
		assert_int_equal(stats_of(rig).accepted, accepted);
		assert_int_equal(stats_of(rig).rejected, rejected);
		if (rows[i].reason) {
			const char *line = strrchr(log_text(), '[');

			assert_non_null(line);
			if (!strstr(line, "share rejected, diff ") || !strstr(line, rows[i].reason))
				fail_with("%s logged as %s", rows[i].verdict, line);
		}
		/* the throttle lets ten a second pass */
		if (rejected == 5)
			nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	}
}

static void *stop_pool(void *rig)
{
	stop_is_quick(rig);
	return NULL;
}

/* The answer comes when the pool is told to stop already. One of a few tries: a busy machine may be later than that waits. */
static void replies_under_way_at_the_stop_are_counted(void **state)
{
	struct rig *rig = *state;
	unsigned counted = 0;

	for (int i = 0; i < 5 && counted == 0; i++) {
		char reply[64];
		pthread_t stopping;

		rig->script.verdict = "";
		start_mining(rig);
		struct share share = find(rig);
		pool_submit(rig->pool, &share);
		assert_true(fake_wait_shares(rig->fake, 1));
		snprintf(reply, sizeof reply, "{\"id\":%u,\"result\":true}\n", (unsigned)fake_share(rig->fake, 0).id);

		pthread_create(&stopping, NULL, stop_pool, rig);
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
		fake_send(rig->fake, reply);
		pthread_join(stopping, NULL);
		counted = (unsigned)stats_of(rig).accepted;
		assert_int_equal(stats_of(rig).unanswered, 1 - counted);
		rig = rig_again(state);
	}
	assert_int_equal(counted, 1);
}

static void replies_may_come_late_out_of_order_or_never(void **state)
{
	struct rig *rig = *state;
	char text[400];

	rig->script.verdict = "";
	start_mining(rig);
	for (int i = 0; i < 4; i++) {
		struct share share = find(rig);

		pool_submit(rig->pool, &share);
	}
	assert_true(fake_wait_shares(rig->fake, 4));
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(fake_share(rig->fake, i).id, fake_share(rig->fake, i - 1).id + 1);
	unsigned first = fake_share(rig->fake, 0).id;
	snprintf(text, sizeof text, "{\"id\":%u,\"result\":true}\n{\"id\":%u,\"result\":false}\n{\"id\":%u,\"result\":true}\n"
		 "{\"id\":999999,\"result\":true}\n{\"id\":%u,\"result\":true}\n{\"id\":0,\"result\":true}\n",
		 first + 2, first, first + 1, first);
	fake_send(rig->fake, text);
	wait_heard(rig);
	assert_int_equal(stats_of(rig).accepted, 2);
	assert_int_equal(stats_of(rig).rejected, 1);
	assert_int_equal(stats_of(rig).unanswered, 0);
	fake_drop(rig->fake);
	WAIT_UNTIL(stats_of(rig).unanswered == 1);
}

static void unanswered_shares_expire_and_block_no_others(void **state)
{
	struct pending_table table = { 0 };
	struct pending taken;
	uint32_t id = 1;

	(void)state;
	for (unsigned i = 0; i < PENDING_MAX; i++) {
		id = pending_free_id(&table, id);
		assert_int_not_equal(id, 0);
		pending_add(&table, &(struct pending){ .id = id++, .sent = i });
	}
	assert_int_equal(pending_free_id(&table, id), 0);
	assert_true(pending_take(&table, 7, &taken));
	assert_false(pending_take(&table, 7, &taken));
	assert_int_equal(pending_free_id(&table, id), 7 + PENDING_MAX);
	assert_false(pending_take(&table, 8 + PENDING_MAX, &taken));
	assert_int_equal(pending_expire(&table, 100), 99);	/* one was taken */
	assert_int_equal(pending_expire(&table, 100), 0);
	assert_int_equal(pending_expire(&table, HUGE_VAL), PENDING_MAX - 100);
}

static void a_share_that_meets_the_bits_is_a_block(void **state)
{
	struct rig *rig = *state;

	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	fake_announce(rig->fake, &(struct fake_job){ .nbits = "207fffff" });
	mine(rig, 1);
	assert_all_good(rig);
	assert_int_equal(stats_of(rig).blocks, 1);
	assert_logged(": block found, height 840000, hash 00");
}

static void ids_are_numbers_or_their_text(void **state)
{
	static const struct {
		const char *line;
		bool ok;
		uint32_t id;
	} rows[] = {
		{ "{\"id\":5}", true, 5 }, { "{\"id\":\"5\"}", true, 5 }, { "{\"id\":4294967295}", true, 4294967295 },
		{ "{\"id\":5.0}", true, 5 }, { "{\"id\":5e0}", true, 5 }, { "{\"id\":0.5e1}", true, 5 }, { "{\"id\":5.5}", false, 0 },
		{ "{\"id\":-5.0}", false, 0 }, { "{\"id\":4294967296.0}", false, 0 }, { "{\"id\":1e300}", false, 0 },
		{ "{\"id\":4294967296}", false, 0 }, { "{\"id\":\"4294967296\"}", false, 0 }, { "{\"id\":-1}", false, 0 },
		{ "{\"id\":\"\"}", false, 0 }, { "{\"id\":\"5x\"}", false, 0 }, { "{\"id\":\"-5\"}", false, 0 },
		{ "{\"id\":null}", false, 0 }, { "{}", false, 0 }, { "{\"id\":[5]}", false, 0 }, { "{\"id\":true}", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct message message;
		uint32_t id = 0;

		assert_null(message_parse(&message, rows[i].line, strlen(rows[i].line)));
		if (message_id(&message, &id) != rows[i].ok || id != rows[i].id)
			fail_with("%s gave %u", rows[i].line, (unsigned)id);
		message_free(&message);
	}
}

static void brackets_in_strings_do_not_count_as_nesting(void **state)
{
	char *quoted = padded("{\"method\":\"\\\"", '[', 1000, "\"}");
	char *nested = padded("{\"params\":", '[', 31, ""), *closed = padded(nested, ']', 31, "}");
	struct message message;

	(void)state;
	assert_null(message_parse(&message, quoted, strlen(quoted)));
	message_free(&message);
	assert_null(message_parse(&message, closed, strlen(closed)));
	message_free(&message);
	assert_non_null(message_parse(&message, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 33));
	assert_non_null(message_parse(&message, "{\"a\":\0}", 7));
	assert_non_null(message_parse(&message, "{\"a\\", 4));
	free(quoted);
	free(nested);
	free(closed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(golden_share_is_submitted_to_the_letter),
		TEST(lines_are_assembled_however_they_come),
		TEST(several_messages_in_one_write_are_all_heard),
		TEST(bad_lines_are_dropped),
		TEST(ten_bad_lines_in_a_row_end_the_connection),
		TEST(a_web_server_is_named_as_such),
		TEST(huge_lines_do_no_harm),
		TEST(requests_of_the_pool_are_answered),
		TEST(a_message_of_the_pool_is_shown_and_harmless),
		TEST(a_pool_that_floods_messages_does_not_flood_the_log),
		TEST(a_record_holds_every_line_and_no_secret),
		TEST(every_shape_of_verdict_is_counted_with_its_reason),
		TEST(replies_under_way_at_the_stop_are_counted),
		TEST(replies_may_come_late_out_of_order_or_never),
		TEST(unanswered_shares_expire_and_block_no_others),
		TEST(a_share_that_meets_the_bits_is_a_block),
		TEST(ids_are_numbers_or_their_text),
		TEST(brackets_in_strings_do_not_count_as_nesting),
	};

	return cmocka_run_group_tests_name("stratum", tests, NULL, NULL);
}
