/* What no text may show: each form in which a password comes back is found, and what is no secret stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

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
		/* one upon the other */
		{ "hush\\u00252dhush", "***" }, { "%5Cu0068ush-hush", "***" },
		/* base64: alone, and of demo:, of x: and of ab: before it; in the alphabet of URLs, and grown together */
		{ "aHVzaC1odXNo", "***" }, { "Basic ZGVtbzpodXNoLWh1c2g=", "Basic ZGVtbz***=" },
		{ "Basic eDpodXNoLWh1c2g=", "Basic eD***=" }, { "YWI6aHVzaC1odXNo.", "YWI6***." },
		{ "BasicaHVzaC1odXNo", "Basic***" }, { "aHVzaC1odXNoaHVzaC1odXNo", "***" },
		{ "\\u0061HVzaC1odXNo", "***" }, { "aHVzaC1odXN\\u006f", "***" },
		/* an escape that is none */
		{ "%zz%6\\u006\\q\\", NULL }, { "%00\\u0000\\ud800\\udc00x\\udc00\\ud800", NULL },
	};

	(void)state;
	assert_int_equal(secret_add("hush-hush"), 0);
	ASSERT_MASKED(SECRET_FOREIGN, rows);
	ASSERT_MASKED(SECRET_OWN, rows);
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

static void a_url_is_shown_without_what_may_be_a_login(void **state)
{
	static const struct row rows[] = {
		{ "stratum+tcp://h:1", NULL }, { "h:1", NULL }, { "h", NULL }, { "", NULL }, { "[::1]:3333", NULL }, { "http://h:1/a:b", NULL },
		{ "stratum+tcp://u:pass@h:1", "stratum+tcp://***@h:1" }, { "u:pass@h:1", "***@h:1" }, { "u@h:1", "***@h:1" },
		{ "http://u:p/ss@h:1/", "http://***@h:1/" }, { "u:p://ss@h:1", "***@h:1" }, { "a://u:p@ss@h:1", "a://***@h:1" },
		{ "stratum+tcp://u:pass%40h:port", "stratum+tcp://***%40h:port" }, { "u:a%40b%40h:1", "***%40h:1" },
		{ "a://u%40x:pass@h:1", "a://***@h:1" }, { "stratum+tcp://u:pass:h:1", "stratum+tcp://***:h:1" },
		{ "ftp://h:99999", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char shown[URL_SHOWN_MAX], *hidden = strdup(rows[i].text);

		assert_string_equal(url_shown(shown, rows[i].text), rows[i].masked ? rows[i].masked : rows[i].text);
		url_hide_login(hidden);
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
		TEST(no_byte_of_a_secret_is_out_of_reach),
		TEST(short_secrets_are_masked_only_as_words_of_foreign_text),
		TEST(a_secret_that_is_an_escape_hides_itself_only),
		TEST(logins_in_urls_are_masked_whosever_they_are),
		TEST(what_is_cut_has_been_masked_before),
		TEST(as_many_as_promised_are_kept_and_no_more),
		TEST(a_url_is_shown_without_what_may_be_a_login),
	};

	return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
