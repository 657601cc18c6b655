/* The record of a session: what a reader finds in the file, whole or cut off, and what a full disk does. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/log.h"
#include "base/secret.h"
#include "pool/record.h"
#include "tests/overheard.h"

#define HUGE_LEN	(4u << 20)	/* bytes of a line */
#define LONGEST		(2 * HUGE_LEN + 1000)

static char path[] = "/tmp/check_record.XXXXXX";

static int setup(void **state)
{
	strcpy(path + strlen(path) - 6, "XXXXXX");
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static struct record *open_record(const char *name)
{
	return record_open(name, "sha256d", (const char *[]){ "h:1" }, 1);
}

/* A line of the third pool. */
static void say(struct record *record, unsigned connection, char direction, const char *line)
{
	record_put(record, &(struct record_entry){ .pool = 3, .connection = connection, .direction = direction, .text = line });
}

/* The next line as JSON; NULL at the end, also at an end that is none. */
static json_t *next_line(gzFile file)
{
	char *text = malloc(LONGEST);
	json_t *json = NULL;

	if (gzgets(file, text, LONGEST)) {
		json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		if (!json)
			fail_msg("not JSON: %.200s", text);
	}
	free(text);
	return json;
}

static void assert_next(gzFile file, unsigned connection, const char *direction, const char *line)
{
	json_t *json = next_line(file);

	assert_non_null(json);
	assert_int_equal(json_object_size(json), 5);
	assert_int_equal(json_integer_value(json_object_get(json, "pool")), 3);
	assert_true(json_is_real(json_object_get(json, "t")) && json_real_value(json_object_get(json, "t")) >= 0);
	assert_int_equal(json_integer_value(json_object_get(json, "conn")), connection);
	assert_string_equal(json_string_value(json_object_get(json, "dir")), direction);
	assert_string_equal(json_string_value(json_object_get(json, "line")), line);
	json_decref(json);
}

static gzFile open_and_skip_head(void)
{
	gzFile file = gzopen(path, "rb");

	assert_non_null(file);
	json_decref(next_line(file));
	return file;
}

static void the_head_tells_whose_it_is_but_no_login(void **state)
{
	static const char *const urls[] = { "stratum+ssl://me:hush@pool.example:3333", "http://h:1/", "u:hush%40h:2" };
	struct record *record = record_open(path, "lyra2rev2", urls, 3);
	struct stat status;

	(void)state;
	assert_non_null(record);
	record_close(record);
	assert_int_equal(stat(path, &status), 0);

	gzFile file = gzopen(path, "rb");
	json_t *head = next_line(file);
	assert_int_equal(json_integer_value(json_object_get(head, "adit-record")), 2);
	assert_string_equal(json_string_value(json_object_get(head, "algo")), "lyra2rev2");
	json_t *pools = json_pack("[sss]", "stratum+ssl://***@pool.example:3333", "http://h:1/", "***%40h:2");
	assert_true(json_equal(json_object_get(head, "pools"), pools));
	json_decref(pools);
	assert_null(next_line(file));
	json_decref(head);
	gzclose(file);
}

static void a_new_record_is_its_owners_only(void **state)
{
	struct stat status;

	(void)state;
	unlink(path);
	record_close(open_record(path));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);

	/* nor is one that takes the place of another's */
	assert_int_equal(chmod(path, 0666), 0);
	record_close(open_record(path));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
}

/* What belongs to HTTP goes with its bodies, and no secret with any of it. */
static void a_call_has_its_number_path_status_and_headers(void **state)
{
	const char *headers[][2] = { { "x-roll-ntime", "expire=9" }, { "x-stratum", "" }, { "x-reject-reason", "no hush-hush" } };
	static const char *const wanted[] = {
		"{\"pool\":1,\"conn\":7,\"dir\":\">\",\"call\":4,\"path\":\"/a?***\",\"line\":\"[1]\"}",
		("{\"pool\":1,\"conn\":7,\"dir\":\"<\",\"call\":4,\"status\":500,\"headers\":{\"x-roll-ntime\":\"expire=9\","
		 "\"x-reject-reason\":\"no ***\"},\"line\":\"a\\nb ***\"}"),
		"{\"pool\":1,\"conn\":7,\"dir\":\"<\",\"call\":5,\"status\":0,\"headers\":{},\"line\":\"\"}",
	};
	struct record *record = open_record(path);

	(void)state;
	assert_int_equal(secret_add("hush-hush"), 0);
	record_put(record, &(struct record_entry){ .pool = 1, .connection = 7, .direction = '>', .call = 4, .path = "/a?hush%2dhush",
						   .text = "[1]" });
	record_put(record, &(struct record_entry){ .pool = 1, .connection = 7, .direction = '<', .call = 4, .status = 500,
						   .headers = headers, .header_count = 3, .text = "a\nb hush-hush" });
	record_put(record, &(struct record_entry){ .pool = 1, .connection = 7, .direction = '<', .call = 5, .text = "" });
	record_close(record);
	secret_forget();

	gzFile file = open_and_skip_head();
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		json_t *want = json_loads(wanted[i], 0, NULL), *line = next_line(file);

		json_object_del(line, "t");
		if (!json_equal(line, want))
			fail_msg("line %zu is not as it should be", i + 1);
		json_decref(want);
		json_decref(line);
	}
	gzclose(file);
}

static void any_line_comes_back_as_it_was(void **state)
{
	static const struct {
		const char *line, *read;	/* NULL: the same */
	} rows[] = {
		{ "{\"id\":1}", NULL }, { "", NULL }, { "a\\b\"c/d", NULL }, { "\001\037\t\177", NULL }, { "gr\xc3\xbc\xc3\x9f", NULL },
		{ "\xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf", NULL },
		{ "a\xff\xfe" "b", "a\xef\xbf\xbd\xef\xbf\xbd" "b" },
		{ "\xc3", "\xef\xbf\xbd" }, { "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" }, { "\xc3(", "\xef\xbf\xbd(" },
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },		/* overlong */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },	/* a surrogate */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },	/* above U+10FFFF */
		{ "\xf5\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};
	struct record *record = open_record(path);
	char *huge = malloc(HUGE_LEN + 1);

	(void)state;
	memset(huge, '"', HUGE_LEN);
	huge[HUGE_LEN] = '\0';
	assert_int_equal(record_connection(record), 1);
	assert_int_equal(record_connection(record), 2);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		say(record, 1 + i % 2, i % 2 ? '<' : '>', rows[i].line);
	say(record, 2, '<', huge);
	record_close(record);

	gzFile file = open_and_skip_head();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_next(file, 1 + i % 2, i % 2 ? "<" : ">", rows[i].read ? rows[i].read : rows[i].line);
	assert_next(file, 2, "<", huge);
	assert_null(next_line(file));
	gzclose(file);
	free(huge);
}

/* In a child that ends without closing it: some lines, a pause, a tick or not, and a last line. */
static void record_and_die(bool with_tick)
{
	pid_t child = fork();

	if (child == 0) {
		struct record *record = open_record(path);

		say(record, 1, '>', "first");
		say(record, 1, '<', "second");
		nanosleep(&(struct timespec){ .tv_sec = RECORD_FLUSH, .tv_nsec = 10000000 }, NULL);
		if (with_tick)
			record_tick(record);
		else
			say(record, 1, '<', "third");
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void what_a_killed_program_recorded_can_be_read(void **state)
{
	(void)state;
	for (int with_tick = 0; with_tick < 2; with_tick++) {
		record_and_die(with_tick);
		gzFile file = open_and_skip_head();
		assert_next(file, 1, ">", "first");
		assert_next(file, 1, "<", "second");
		if (!with_tick)
			assert_next(file, 1, "<", "third");
		gzclose(file);
	}
}

/* What the function says on stderr, at most 1000 bytes. */
static void capture(char said[1000], void (*function)(void))
{
	overhear();
	function();
	overheard(said, 1000);
}

static void fill_a_full_disk(void)
{
	const struct rlimit small = { .rlim_cur = 100, .rlim_max = RLIM_INFINITY };
	struct rlimit before;

	getrlimit(RLIMIT_FSIZE, &before);
	struct record *record = open_record(path);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	for (unsigned i = 0; i < 100000; i++) {
		char line[40];

		snprintf(line, sizeof line, "a line without room, %u", i * 2654435761u);
		say(record, 1, '>', line);
	}
	record_close(record);
	setrlimit(RLIMIT_FSIZE, &before);
}

static void a_write_error_is_said_once_and_ends_the_record(void **state)
{
	char said[1000];

	(void)state;
	capture(said, fill_a_full_disk);
	const char *first = strstr(said, "File too large; recording ends\n");
	assert_non_null(first);
	assert_null(strstr(first + 1, "record "));
}

static void open_what_is_no_file(void)
{
	assert_null(open_record("/dev/full"));
	assert_null(open_record("/tmp"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(open_record(path));

	/* nor one that somebody reads */
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_null(open_record(path));
	close(reader);
}

static void only_a_regular_file_is_taken_and_nothing_is_waited_for(void **state)
{
	char said[1000], sentence[100];

	(void)state;
	capture(said, open_what_is_no_file);
	assert_non_null(strstr(said, "record /dev/full: it is not a regular file\n"));
	assert_non_null(strstr(said, "record /tmp: Is a directory\n"));
	snprintf(sentence, sizeof sentence, "record %s: it is not a regular file\n", path);
	assert_non_null(strstr(said, sentence));
	assert_non_null(strstr(said, "(the last line 1 more time)"));
}

static void open_where_nothing_can_be(void)
{
	assert_null(open_record("/nonexistent/record.gz"));
}

static void a_file_that_cannot_be_made_is_named(void **state)
{
	char said[1000];

	(void)state;
	capture(said, open_where_nothing_can_be);
	assert_non_null(strstr(said, "record /nonexistent/record.gz: No such file or directory\n"));
}

static void open_a_password(void)
{
	assert_null(open_record("/nonexistent/hush"));
	assert_null(open_record("/nonexistent/hush-hush"));
}

static void a_name_that_is_a_password_is_not_shown(void **state)
{
	char said[1000];

	(void)state;
	assert_int_equal(secret_add("hush"), 0);
	assert_int_equal(secret_add("hush-hush"), 0);
	capture(said, open_a_password);
	secret_forget();
	assert_non_null(strstr(said, "record /nonexistent/***: No such file or directory\n"));
	assert_null(strstr(said, "hush"));
}

static void no_record_is_no_harm(void **state)
{
	(void)state;
	assert_int_equal(record_connection(NULL), 0);
	say(NULL, 0, '>', "x");
	record_tick(NULL);
	record_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_head_tells_whose_it_is_but_no_login),
		TEST(a_new_record_is_its_owners_only),
		TEST(a_call_has_its_number_path_status_and_headers),
		TEST(any_line_comes_back_as_it_was),
		TEST(what_a_killed_program_recorded_can_be_read),
		TEST(a_write_error_is_said_once_and_ends_the_record),
		TEST(only_a_regular_file_is_taken_and_nothing_is_waited_for),
		TEST(a_file_that_cannot_be_made_is_named),
		TEST(a_name_that_is_a_password_is_not_shown),
		TEST(no_record_is_no_harm),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
