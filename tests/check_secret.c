/* What no text may show: each form in which a password comes back is found, and what is no secret stays as it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/clock.h"
#include "base/secret.h"
#include "pool/url.h"

static int forget(void **state)
{
	(void)state;
	secret_forget();
	return 0;
}

struct row {
	const char *text, *masked;	/* NULL: the same */
};

static void assert_masked(enum secret_scope scope, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *text = strdup(rows[i].text);

		secret_mask(text, scope);
		assert_string_equal(text, rows[i].masked ? rows[i].masked : rows[i].text);
		free(text);
	}
}

#define ASSERT_MASKED(scope, rows) assert_masked(scope, rows, sizeof (rows) / sizeof *(rows))

static void a_secret_is_found_however_it_is_written(void **state)
{
	static const struct row rows[] = {
		{ "", NULL }, { "hush-hus", NULL }, { "Hush-hush", NULL },
		{ "hush-hush", "***" }, { "no hush-hush!", "no ***!" }, { "xhush-hushx", "x***x" },
		{ "hush-hush hush-hushhush-hush", "*** ***" }, { "hush-hush-hush", "***" }, { "hush-hush-hush-hush", "***" },
		/* JSON */
		{ "[\"\\u0068ush-hush\",1]", "[\"***\",1]" }, { "\\u0068\\u0075\\u0073\\u0068\\u002d\\u0068\\u0075\\u0073\\u0068", "***" },
		{ "\\u0068\\u0075\\u0073\\u0068\\u002D\\u0068\\u0075\\u0073\\u0068", "***" },
		{ "\\\\u0068ush-hush", "***" }, { "\\\\\\\\u0068ush-hush", "***" }, { "\\n\\nhush-hush\\n", "\\n\\n***\\n" },
		/* percent */
		{ "a%20hush%2dhush%20b", "a%20***%20b" }, { "%68%75%73%68%2D%68%75%73%68", "***" }, { "hush%252dhush", "***" },
		/* HTML, with and without the end */
		{ "hush&#45;hush", "***" }, { "&#0000104;ush&#x2d;hush", "***" }, { "hush&#X2Dhush", "***" }, { "hush&#45hush", "***" },
		{ "hush&amp;#45;hush", "***" }, { "&amp;hush-hush&amp;", "&amp;***&amp;" },
		/* one upon the other */
		{ "hush\\u00252dhush", "***" }, { "%5Cu0068ush-hush", "***" }, { "hush%26%2345%3bhush", "***" }, { "hush&#37;2Dhush", "***" },
		{ "hush\\u0026#x2d;hush", "***" }, { "hush&#92;u002dhush", "***" },
		/* base64: alone, and of demo:, of x: and of ab: before it; in the alphabet of URLs, and grown together */
		{ "aHVzaC1odXNo", "***" }, { "Basic ZGVtbzpodXNoLWh1c2g=", "Basic ZGVtbz***=" },
		{ "Basic eDpodXNoLWh1c2g=", "Basic eD***=" }, { "YWI6aHVzaC1odXNo.", "YWI6***." },
		{ "BasicaHVzaC1odXNo", "Basic***" }, { "aHVzaC1odXNoaHVzaC1odXNo", "***" },
		{ "\\u0061HVzaC1odXNo", "***" }, { "aHVzaC1odXN\\u006f", "***" },
		/* an escape that is none */
		{ "%zz%6\\u006\\q\\", NULL }, { "%00\\u0000\\ud800\\udc00x\\udc00\\ud800", NULL },
		{ "& &; &# &#; &#x; &#x &#0; &#1114112; &#99999999999999999999; &nosuchname; &amp", NULL }, { "hush&45;hush&#", NULL },
	};

	(void)state;
	assert_int_equal(secret_add("hush-hush"), 0);
	ASSERT_MASKED(SECRET_FOREIGN, rows);
	ASSERT_MASKED(SECRET_OWN, rows);
}

static void names_of_html_and_the_plus_of_forms_are_read(void **state)
{
	static const char *const forms[] = {
		"a+b%26%3C%3Cd%2B%C3%A9%E2%82%AC%F0%9F%98%80", "a b&amp;&lt;&LT;d&plus;&eacute;&euro;\xf0\x9f\x98\x80",
		"a&#32;b&#38;&#60;&lt;d&#43;&#233;&#8364;&#55357;&#56832;", "a b&&lt;<d+&#xE9;&#x20AC;&#x1f600;",
		"a+b%26amp%3B%26lt%3B%26lt%3Bd%2B%26eacute%3B%26euro%3B%26%23128512%3B", "a&plus;b%26&lt;<d%2b\xc3\xa9&euro;&#x1F600",
		"YSBiJjw8ZCvDqeKCrPCfmIA", "YSBiJjw8ZCvDqeKCrPCfmI&#65;",
	};

	(void)state;
	assert_int_equal(secret_add("a b&<<d+\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), 0);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		ASSERT_MASKED(SECRET_FOREIGN, ((struct row[]){ { forms[i], "***" } }));
	ASSERT_MASKED(SECRET_FOREIGN, ((struct row[]){ { "a b&<<d-\xc3\xa9", NULL }, { "&Eacute;&lT;", NULL } }));
}

/* Every spelling of each byte in turn, of a secret that holds what the escapes are made of. */
static void no_byte_of_a_secret_is_out_of_reach(void **state)
{
	static const char secret[] = "p\"s/\\n\\%41'\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80 z";
	char form[600] = "", *json;
	size_t used = 0;

	(void)state;
	assert_int_equal(secret_add(secret), 0);
	for (size_t i = 0; secret[i]; i++)
		used += (size_t)snprintf(form + used, sizeof form - used, "%%%02x", (unsigned)(unsigned char)secret[i]);
	secret_mask(form, SECRET_FOREIGN);
	assert_string_equal(form, "***");

	json_t *text = json_pack("[s]", secret);
	for (unsigned i = 0; i < 4; i++) {
		json = json_dumps(text, (i & 1 ? JSON_ENSURE_ASCII : 0) | (i & 2 ? JSON_ESCAPE_SLASH : 0));
		secret_mask(json, SECRET_FOREIGN);
		assert_string_equal(json, "[\"***\"]");
		free(json);
	}
	/* JSON within JSON, as when a line is quoted in an error's text */
	json = json_dumps(text, JSON_ENSURE_ASCII);
	json_decref(text);
	text = json_pack("[s]", json);
	free(json);
	json = json_dumps(text, 0);
	secret_mask(json, SECRET_FOREIGN);
	assert_null(strstr(json, "p\\"));
	assert_null(strstr(json, "20ac"));
	json_decref(text);
	free(json);
}

static void short_secrets_are_masked_only_as_words_of_foreign_text(void **state)
{
	static const struct row foreign[] = {
		{ "[\"demo\",\"pool\"]", "[\"demo\",\"***\"]" }, { "wrong: pool.", "wrong: ***." }, { "pool", "***" },
		{ "pools", NULL }, { "apool", NULL }, { "my_pool", NULL }, { "pool.example", NULL }, { "eu.pool", NULL }, { "a-pool", NULL },
		{ "-pool-", "-***-" }, { ".pool.", ".***." }, { "\\u0070ool", "***" }, { "cG9vbA==", "***==" }, { "bTpwb29s", "bT***" },
		/* hex digits */
		{ "00deadbeefcafe", NULL }, { "deadbeefcafe", "***" }, { "\"deadbeefcafe\"", "\"***\"" }, { "deadbeefcafe0", NULL },
		{ "12345678", "***" }, { "123456789", NULL },
		/* too little to guard anything */
		{ "x next [\"x\"] 1234567 abc", NULL },
	};
	static const struct row own[] = {
		{ "pool a:1: mining", NULL }, { "deadbeefcafe", NULL }, { "12345678", NULL },
	};

	(void)state;
	assert_int_equal(secret_add("pool"), 0);
	assert_int_equal(secret_add("deadbeefcafe"), 0);
	assert_int_equal(secret_add("12345678"), 0);
	assert_int_equal(secret_add("x"), 0);
	assert_int_equal(secret_add("1234567"), 0);
	assert_int_equal(secret_add("abc"), 0);
	assert_int_equal(secret_add(""), 0);
	ASSERT_MASKED(SECRET_FOREIGN, foreign);
	ASSERT_MASKED(SECRET_OWN, own);
}

static void a_secret_that_is_an_escape_hides_itself_only(void **state)
{
	static const struct row rows[] = { { "%41%41", "***" }, { "AA A", NULL }, { "A%41", NULL }, { "%2541\\u00254\\u0031 AA", "*** AA" } };

	(void)state;
	assert_int_equal(secret_add("%41%41"), 0);
	ASSERT_MASKED(SECRET_FOREIGN, rows);
}

static void logins_in_urls_are_masked_whosever_they_are(void **state)
{
	static const struct row rows[] = {
		{ "see http://me:other@h:1/ or", "see http://***@h:1/ or" }, { "\"http:\\/\\/me@h\"", "\"http:\\/\\/**@h\"" },
		{ "a://b:c@d@e", "a://***@e" }, { "http://h/@x", NULL }, { "http://h \"a@b\"", NULL }, { "://", NULL }, { "a://@b", NULL },
		{ "http://a:b@c ftp://d@e", "http://***@c ftp://*@e" },
	};

	(void)state;
	ASSERT_MASKED(SECRET_OWN, rows);
	ASSERT_MASKED(SECRET_FOREIGN, rows);
}

static void what_is_cut_has_been_masked_before(void **state)
{
	char out[12];

	(void)state;
	assert_int_equal(secret_add("hush-hush"), 0);
	assert_string_equal(secret_show(out, sizeof out, "12345678 hush-hush"), "12345678 **");
	assert_string_equal(secret_show(out, sizeof out, "hush\\u002dhush, so long"), "***, so lon");
}

/* A peer may send megabytes of escapes for one line of the log: their cost has to stay that of its head. */
static void of_a_huge_text_no_half_of_a_secret_is_shown(void **state)
{
	enum { LEN = 8 << 20, HEAD = 1 << 16 };
	const char *const secret = "hush-hush";
	char *text = malloc(LEN + 1), out[600];

	(void)state;
	assert_non_null(text);
	assert_int_equal(secret_add(secret), 0);
	for (size_t i = 0; i < LEN; i++)
		text[i] = secret[i % strlen(secret)];
	text[LEN] = '\0';
	assert_string_equal(secret_show(out, sizeof out, text), "*");
	memset(text, '.', HEAD - 4);		/* so that the head ends within one */
	memset(text, ' ', 20);
	memcpy(text + 10, secret, strlen(secret));
	secret_show(out, sizeof out, text);
	assert_int_equal(strlen(out), sizeof out - 1);
	assert_memory_equal(out, "          *** .....", 18);
	assert_null(strstr(out, "hush"));
	free(text);
}

static void a_huge_text_costs_no_more_than_its_head(void **state)
{
	enum { LEN = 16 << 20, TRIES = 5 };
	static const char kinds[] = "\\u0041%41+&amp;";
	char *text = malloc(LEN + 1), out[100];
	double least[2] = { HUGE_VAL, HUGE_VAL };	/* CPU seconds, of 128 KiB and of it all */

	(void)state;
	assert_non_null(text);
	assert_int_equal(secret_add("hush-hush"), 0);
	for (size_t i = 0; i < LEN; i++)
		text[i] = kinds[i % (sizeof kinds - 1)];
	text[LEN] = '\0';
	for (unsigned i = 0; i < 2 * TRIES; i++) {
		double began = clock_thread_cpu();

		secret_show(out, sizeof out, i % 2 ? text : text + LEN - 2 * 65536);
		least[i % 2] = fmin(least[i % 2], clock_thread_cpu() - began);
	}
	assert_true(least[1] < 8 * least[0]);		/* and not 128 times */
	free(text);
}

/* A number below `end`, the same ones in each run. */
static unsigned chance(unsigned end)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state >> 33) % end;
}

enum { POINTS = 24, FORM_MAX = 65536 };

static size_t utf8_len(const char *c)
{
	unsigned char head = (unsigned char)*c;

	return head < 0x80 ? 1 : head < 0xe0 ? 2 : head < 0xf0 ? 3 : 4;
}

static unsigned utf8_point(const char *c)
{
	size_t len = utf8_len(c);
	unsigned point = (unsigned char)*c & (len == 1 ? 0x7f : 0xff >> (len + 1));

	for (size_t i = 1; i < len; i++)
		point = point << 6 | ((unsigned char)c[i] & 0x3f);
	return point;
}

/* The ways in which one code point may be written: append it to a form; what has to be escaped always is. */
typedef void write_fn(FILE *form, const char *c);

static void write_json(FILE *form, const char *c)
{
	unsigned point = utf8_point(c);

	if (strchr("\"\\/", *c) && chance(2))
		fprintf(form, "\\%c", *c);
	else if (*c != '\\' && *c != '"' && chance(2))
		fwrite(c, 1, utf8_len(c), form);
	else if (point > 0xffff)
		fprintf(form, chance(2) ? "\\u%04x\\u%04x" : "\\u%04X\\u%04X", 0xd800 + ((point - 0x10000) >> 10), 0xdc00 + (point & 0x3ff));
	else
		fprintf(form, chance(2) ? "\\u%04x" : "\\u%04X", point);
}

static void write_percent(FILE *form, const char *c)
{
	const bool plain = *c != '%' && chance(2);

	for (size_t i = 0; i < utf8_len(c); i++)
		fprintf(form, plain ? "%c" : chance(2) ? "%%%02x" : "%%%02X", (unsigned)(unsigned char)c[i]);
}

static void write_form(FILE *form, const char *c)
{
	if (*c == ' ')
		fputs(chance(4) ? "+" : "%20", form);
	else if (*c == '+')
		fputs("%2B", form);
	else
		write_percent(form, c);
}

static void write_html(FILE *form, const char *c)
{
	static const struct { char byte; const char *name; } names[] = {
		{ '&', "amp" }, { '<', "lt" }, { '>', "gt" }, { '"', "quot" }, { '\'', "apos" }, { '/', "sol" }, { '%', "percnt" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*c == names[i].byte && chance(2)) {
			fprintf(form, "&%s;", names[i].name);
			return;
		}
	if (*c != '&' && chance(2))
		fwrite(c, 1, utf8_len(c), form);
	else
		fprintf(form, chance(3) == 0 ? "&#%u;" : chance(2) ? "&#x%x;" : "&#X%04X;", utf8_point(c));
}

static void write_whole(char form[FORM_MAX], const char *text, write_fn *write)
{
	FILE *file = fmemopen(form, FORM_MAX, "w");

	for (const char *c = text; *c; c += utf8_len(c))
		write(file, c);
	assert_int_equal(fclose(file), 0);
}

static void write_base64(char *form, const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", last[] = "+/-_";
	const unsigned of_urls = 2 * chance(2);

	for (size_t bit = 0; bit < 8 * strlen(text); bit += 6) {
		const unsigned char *c = (const unsigned char *)text + bit / 8;
		unsigned value = (unsigned)(c[0] << 8 | c[1]) >> (10 - bit % 8) & 63;	/* the NUL at the end is zeros */

		*form++ = value < 62 ? letters[value] : last[of_urls + value - 62];
	}
	*form = '\0';
}

/* What the escapes are made of is common in it, and there is something of every length of UTF-8. */
static void make_secret(char *secret)
{
	static const char common[] = "\"\\/%&+<>'# ;=-.@:nuxAamplt0129";
	static const struct { unsigned first, end; } ranges[] = { { 0x20, 0x7f }, { 0xa0, 0x800 }, { 0x800, 0xd800 }, { 0x10000, 0x110000 } };

	for (unsigned points = 4 + chance(POINTS - 4); points > 0; points--) {
		unsigned i = chance(4), point = ranges[i].first + chance(ranges[i].end - ranges[i].first);
		static const unsigned heads[] = { 0, 0xc0, 0xe0, 0xf0 };

		if (chance(4) > 0) {
			i = 0;
			point = (unsigned char)common[chance(sizeof common - 1)];
		}
		*secret++ = (char)(heads[i] | point >> 6 * i);
		while (i-- > 0)
			*secret++ = (char)(0x80 | (point >> 6 * i & 0x3f));
	}
	*secret = '\0';
}

/* In any three escapes upon each other, with base64 below them or not. */
static void no_spelling_of_any_secret_is_missed(void **state)
{
	static write_fn *const writers[] = { write_json, write_percent, write_form, write_html };
	char *forms[2] = { malloc(FORM_MAX), malloc(FORM_MAX) }, *text = malloc(FORM_MAX + 10), secret[4 * POINTS + 1];

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		unsigned now = 0;

		make_secret(secret);
		if (strspn(secret, "0123456789") == strlen(secret))
			continue;		/* such a one is not looked for */
		assert_int_equal(secret_add(secret), 0);
		strcpy(forms[0], secret);
		if (chance(4) == 0)
			write_base64(forms[0], secret);
		for (unsigned deep = chance(4); deep > 0; deep--, now = !now)
			write_whole(forms[!now], forms[now], writers[chance(4)]);
		sprintf(text, "x[%s]y", forms[now]);
		secret_mask(text, SECRET_FOREIGN);
		if (strcmp(text, "x[***]y") != 0)
			fail_msg("round %u: '%s' as '%s' became '%s'", round, secret, forms[now], text);
		secret_forget();
	}
	free(forms[0]);
	free(forms[1]);
	free(text);
}

static void as_many_as_promised_are_kept_and_no_more(void **state)
{
	char text[20];

	(void)state;
	for (unsigned again = 0; again < 2; again++)
		for (unsigned i = 0; i < SECRETS_MAX; i++) {
			snprintf(text, sizeof text, "secret-%u.", i);
			assert_int_equal(secret_add(text), 0);
		}
	assert_int_equal(secret_add("one more secret"), -1);
	secret_mask(text, SECRET_OWN);
	assert_string_equal(text, "***");
}

static void a_url_is_shown_without_what_may_be_a_secret(void **state)
{
	static const struct row rows[] = {
		{ "stratum+tcp://h:1", NULL }, { "h:1", NULL }, { "", NULL }, { ":99999", NULL }, { "[::1]:3333", NULL }, { "http://h:1/a:b", NULL },
		{ "stratum+tcp://u:pass@h:1", "stratum+tcp://***@h:1" }, { "u:pass@h:1", "***@h:1" }, { "u@h:1", "***@h:1" },
		{ "http://u:p/ss@h:1/", "http://***@h:1/" }, { "u:p://ss@h:1", "***@h:1" }, { "a://u:p@ss@h:1", "a://***@h:1" },
		{ "stratum+tcp://u:pass%40h:port", "stratum+tcp://***%40***" }, { "u:a%40b%40h:1", "***%40h:1" },
		{ "a://u%40x:pass@h:1", "a://***@h:1" }, { "ftp://h:99999", NULL }, { "h:1/a/b@c", "***@***" },
		/* what is at the wrong place: behind the port, for the port, for the host */
		{ "h:1:pass", "h:1***" }, { "stratum+tcp://pool.example:pass", "stratum+tcp://pool.example***" }, { "h:pass", "***" },
		{ "stratum+tcp://pool.example:3333pass", "stratum+tcp://pool.example:3333***" }, { "u:pass:h:1", "***" },
		{ "a://u:pass:h:1", "a://***" }, { "h:1 pass", "h:1***" }, { "h:1/ pass", "h:1***" }, { "h:1@pass", "***@***" },
		{ "pass", "***" }, { "stratum+tcp://pass", "stratum+tcp://***" }, { "h:1234567", "***" }, { "[::1", "***" },
		{ "stratum+tcp://pool.example", NULL }, { "a://u:pass@pool.example", "a://***@pool.example" }, { "[::1]", NULL },
		{ "http://pool.example/pass", "http://pool.example***" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char shown[URL_SHOWN_MAX], *hidden = strdup(rows[i].text);

		assert_string_equal(url_shown(shown, rows[i].text), rows[i].masked ? rows[i].masked : rows[i].text);
		url_hide(hidden);
		assert_int_equal(strlen(hidden), strlen(rows[i].text));
		assert_true(!rows[i].masked == !strcmp(hidden, rows[i].text));
		assert_null(strstr(hidden, "pass"));
		free(hidden);
	}
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_secret_is_found_however_it_is_written),
		TEST(names_of_html_and_the_plus_of_forms_are_read),
		TEST(no_byte_of_a_secret_is_out_of_reach),
		TEST(no_spelling_of_any_secret_is_missed),
		TEST(short_secrets_are_masked_only_as_words_of_foreign_text),
		TEST(a_secret_that_is_an_escape_hides_itself_only),
		TEST(logins_in_urls_are_masked_whosever_they_are),
		TEST(what_is_cut_has_been_masked_before),
		TEST(of_a_huge_text_no_half_of_a_secret_is_shown),
		TEST(a_huge_text_costs_no_more_than_its_head),
		TEST(as_many_as_promised_are_kept_and_no_more),
		TEST(a_url_is_shown_without_what_may_be_a_secret),
	};

	return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
