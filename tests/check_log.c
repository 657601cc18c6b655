/*
 * Log lines as they reach standard error: one of a kind, harmless, cut and counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "tests/overheard.h"

#define SAID_MAX 10000

/* What say() writes to standard error, without the stamps that begin its lines. */
static void capture(char said[SAID_MAX], void (*say)(void))
{
	char text[SAID_MAX];
	size_t len = 0;

	overhear();
	say();
	overheard(text, sizeof text);
	said[0] = '\0';
	for (const char *line = text; *line; ) {
		const int line_len = (int)(strchr(line, '\n') + 1 - line);
		int year, stamp_len = 0;

		assert_int_equal(sscanf(line, "[%4d-%*2d-%*2d %*2d:%*2d:%*2d] %n", &year, &stamp_len), 1);
		assert_int_equal(stamp_len, 22);
		len += (size_t)snprintf(said + len, SAID_MAX - len, "%.*s", line_len - stamp_len, line + stamp_len);
		line += line_len;
	}
}

static void say_all_levels(void)
{
	log_error("bad");
	log_notice("block");
	log_warn("odd");
	log_info("so");
	log_debug("detail");
}

/* So that the next line repeats none. */
static void say_between(void)
{
	log_debug("between");
}

static void a_level_shows_what_is_graver(void **state)
{
	static const struct { enum log_level level; const char *said; } cases[] = {
		{ LOG_ERROR, "error: bad\n" },
		{ LOG_NOTICE, "error: bad\nblock\n" },
		{ LOG_WARN, "error: bad\nblock\nwarning: odd\n" },
		{ LOG_INFO, "error: bad\nblock\nwarning: odd\nso\n" },
		{ LOG_DEBUG, "error: bad\nblock\nwarning: odd\nso\ndebug: detail\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char said[SAID_MAX];

		log_setup(LOG_DEBUG, false);
		capture(said, say_between);
		log_setup(cases[i].level, false);
		capture(said, say_all_levels);
		assert_string_equal(said, cases[i].said);
	}
}

static void say_again(void)
{
	for (int i = 0; i < 5; i++)
		log_info("again %d", 1);
	log_warn("again %d", 1);	/* of another level it is another line */
	log_info("again %d", 2);
	log_info("again %d", 2);
}

static void a_line_that_repeats_is_counted(void **state)
{
	char said[SAID_MAX];

	(void)state;
	log_setup(LOG_INFO, false);
	capture(said, say_again);
	assert_string_equal(said, "again 1\n(the last line 4 more times)\nwarning: again 1\nagain 2\n(the last line 1 more time)\n");
}

/* What a peer may send, and how it is shown. */
static const struct { const char *text, *shown; } foreign[] = {
	{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd" },
	{ "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",	/* the first and last of a range */
	  "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
	{ "a\x1b[2Jb\rc\nd\te\x7f", "a?[2Jb?c?d?e?" },
	{ "a\xc2\x9b" "2Jb", "a??2Jb" },			/* CSI among the C1 controls */
	{ "\x9b", "?" },
	{ "a\xc0\x9b" "b\xe0\x80\x9b" "c\xf0\x80\x80\x9b" "d", "a??b???c????d" },	/* ESC, spelled longer than need be */
	{ "a\xed\xa0\x80" "b\xf4\x90\x80\x80" "c\xff" "d", "a???b????c?d" },	/* a surrogate, above the last, none */
	{ "a\xc3", "a?" },
	{ "a\xe2\x82", "a??" },
	{ "a\xe2\x82" "b", "a??b" },
	{ "a\xf0\x9f\x98", "a???" },
};

static void say_foreign(void)
{
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		log_info("%s", foreign[i].text);
}

static void what_could_move_a_cursor_is_made_harmless(void **state)
{
	char said[SAID_MAX];
	const char *next = said;

	(void)state;
	log_setup(LOG_INFO, false);
	capture(said, say_foreign);
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		const size_t len = strlen(foreign[i].shown);

		if (strncmp(next, foreign[i].shown, len) != 0 || next[len] != '\n')
			fail_msg("case %zu is shown as %s", i, next);
		next += len + 1;
	}
	assert_string_equal(next, "");
}

static void say_much(void)
{
	char text[2001];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	log_info("%s", text);
	text[1999] = '\0';
	log_info("%s", text);
}

static void a_long_line_ends_in_dots(void **state)
{
	char said[SAID_MAX];
	char *second;

	(void)state;
	log_setup(LOG_INFO, false);
	capture(said, say_much);
	second = strchr(said, '\n') + 1;
	assert_int_equal(second - said, 2000);
	assert_memory_equal(second - 5, "x...\n", 5);
	assert_int_equal(strlen(second), 2000);
	assert_int_equal(strspn(second, "x"), 1999);
}

static void fail_twice(void)
{
	errno = ENOENT;
	assert_int_equal(log_errno("card %d: open", 7), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(log_error("card %d", 8), -1);
}

static void an_error_has_its_reason_and_returns_minus_1(void **state)
{
	char said[SAID_MAX];

	(void)state;
	log_setup(LOG_ERROR, false);
	capture(said, fail_twice);
	assert_string_equal(said, "error: card 7: open: No such file or directory\nerror: card 8\n");
}

static void say_to_nobody(void)
{
	close(STDERR_FILENO);
	log_info("into nothing");
}

static void a_closed_standard_error_loses_lines_and_nothing_else(void **state)
{
	char said[SAID_MAX];

	(void)state;
	log_setup(LOG_INFO, false);
	capture(said, say_to_nobody);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_shows_what_is_graver),
		cmocka_unit_test(a_line_that_repeats_is_counted),
		cmocka_unit_test(what_could_move_a_cursor_is_made_harmless),
		cmocka_unit_test(a_long_line_ends_in_dots),
		cmocka_unit_test(an_error_has_its_reason_and_returns_minus_1),
		cmocka_unit_test(a_closed_standard_error_loses_lines_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
