/*
 * getwork's answers to jobs, and shares back to its data: the work and the submission
 * are the golden ones of the case catalogue. The calls are made up, without a network.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/hex.h"
#include "pool/node.h"

#define DATA_TO_TIME "2000000018273645d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000" \
	"b5a79192b5224a5161bf67c6f1fc6823fb9d4e423187d706e0b14c98525be86e"
#define PADDING "000000800000000000000000000000000000000000000000000000000000000000000000000000000000000080020000"
#define DATA DATA_TO_TIME "65a0b1c0" "1d00ffff" "00000000" PADDING
#define TARGET "000000000000000000000000000000000000000000000000000000f0ff0f0000"

/* A pool with a node's session, as far as a source of work looks at them. */
struct fixture {
	struct pool pool;
	struct node node;
	struct http_call call;
	struct searched *searched;
};

static struct fixture *make_fixture(void)
{
	struct fixture *f = calloc(1, sizeof *f);

	assert_non_null(f);
	f->searched = searched_create();
	assert_non_null(f->searched);
	f->pool.session = &f->node;
	f->pool.config.algo = algo_find("sha256d");
	snprintf(f->node.url, sizeof f->node.url, "http://127.0.0.1:8332/wallet/a");
	return f;
}

static void free_fixture(struct fixture *f)
{
	searched_destroy(f->searched);
	free(f);
}

static void set_header(struct fixture *f, enum http_header header, const char *value)
{
	snprintf(f->call.headers[header], HTTP_HEADER_MAX, "%s", value);
}

static struct job *parse(struct fixture *f, const char *data, const char *target, char why[TEMPLATE_WHY])
{
	json_t *result = json_pack("{s:s, s:s}", "data", data, "target", target);
	struct job *job = source_getwork.parse(&f->pool, result, &f->call, why);

	json_decref(result);
	return job;
}

static struct job *parse_golden(struct fixture *f)
{
	char why[TEMPLATE_WHY];
	struct job *job = parse(f, DATA, TARGET, why);

	assert_non_null(job);
	return job;
}

static void golden_work_gives_the_golden_header_and_submission(void **state)
{
	struct fixture *f = make_fixture();
	struct job *job = parse_golden(f);
	struct share share = { .nonce = 0x0035635f };
	char text[2 * HEADER_LEN + 1];

	(void)state;
	assert_true(job_next(job, f->searched, &share.work, job->arrived));
	hex_encode(text, share.work.header, HEADER_LEN);
	assert_string_equal(text, "000000204536271809f8e7d6c5b4a39281706f5e4d3c2b0a1f4e030000000000000000009291a7b5514a22b5c667bf61"
				  "2368fcf1424e9dfb06d78731984cb1e06ee85b52c0b1a065ffff001d00000000");
	assert_int_equal(share.work.target[6], 0xf0000000);
	assert_int_equal(share.work.target[7], 0x00000fff);

	char *params = source_getwork.submission(&f->pool, job, &share);
	assert_string_equal(params, "[\"" DATA_TO_TIME "65a0b1c0" "1d00ffff" "0035635f" PADDING "\"]");
	free(params);
	job_free(job);
	free_fixture(f);
}

/* One nonce range is one work; further ones step the time on, as far as the header allows and no faster than time does. */
static void time_steps_only_as_the_header_allows(void **state)
{
	static const struct { const char *header; unsigned seconds; } rows[] = {
		{ "", 0 }, { "N", 0 }, { "n", 0 }, { "expire=10", 10 }, { "Expire=3", 3 }, { "expire=0", 0 }, { "expire=", 0 }, { "expire=-1", 0 },
		{ "expire=100000", ROLL_MAX }, { "expire=99999999999999999999", ROLL_MAX }, { "Y", 60 }, { "1", 60 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *f = make_fixture();
		struct share share = { .nonce = 1 };

		set_header(f, HTTP_ROLL_NTIME, rows[i].header);
		struct job *job = parse_golden(f);
		for (unsigned s = 0; s <= rows[i].seconds; s++) {
			if (s > 0)
				assert_false(job_next(job, f->searched, &share.work, job->arrived + s - 0.5));
			assert_true(job_next(job, f->searched, &share.work, job->arrived + s));
			assert_int_equal(header_ntime(share.work.header), 0x65a0b1c0 + s);
		}
		assert_false(job_next(job, f->searched, &share.work, job->arrived + 10000));

		char want[2 * 128 + 8], *params = source_getwork.submission(&f->pool, job, &share);
		snprintf(want, sizeof want, "[\"" DATA_TO_TIME "%08x" "1d00ffff" "00000001" PADDING "\"]", 0x65a0b1c0 + rows[i].seconds);
		assert_string_equal(params, want);
		free(params);
		job_free(job);
		free_fixture(f);
	}
}

static void unusable_works_are_refused(void **state)
{
	static const struct { const char *data, *target; } rows[] = {
		{ "", TARGET }, { DATA_TO_TIME, TARGET }, { DATA "00", TARGET }, { "zz" DATA_TO_TIME, TARGET },
		{ DATA, "" }, { DATA, TARGET "0" }, { DATA, "zz" },
		{ DATA, "0000000000000000000000000000000000000000000000000000000000000000" },
	};
	struct fixture *f = make_fixture();
	char why[TEMPLATE_WHY];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_null(parse(f, rows[i].data, rows[i].target, why));
	assert_null(source_getwork.parse(&f->pool, NULL, &f->call, why));
	free_fixture(f);
}

static void a_verdict_takes_its_reason_from_body_or_header(void **state)
{
	static const struct { const char *reply, *header, *reason; } rows[] = {
		{ "{\"result\":true,\"error\":null}", "", NULL },
		{ "{\"result\":true}", "stale-work", NULL },
		{ "{\"result\":false,\"error\":null}", "", "unknown" },
		{ "{\"result\":false,\"error\":null}", "stale-work", "stale-work" },
		{ "{\"result\":null,\"error\":{\"code\":-1,\"message\":\"no such work\"}}", "", "no such work" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *f = make_fixture();
		struct message reply;
		char reason[REASON_MAX];

		set_header(f, HTTP_REJECT_REASON, rows[i].header);
		assert_null(message_parse(&reply, rows[i].reply, strlen(rows[i].reply)));
		assert_true(source_getwork.accepts(&reply, &f->call, reason) == !rows[i].reason);
		if (rows[i].reason)
			assert_string_equal(reason, rows[i].reason);
		message_free(&reply);
		free_fixture(f);
	}
}

static void long_polls_stay_on_the_nodes_host(void **state)
{
	static const struct { const char *offer, *url; } rows[] = {
		{ "/lp?x=1", "http://127.0.0.1:8332/lp?x=1" },
		{ "lp", "http://127.0.0.1:8332/wallet/lp" },
		{ "http://127.0.0.1:8337/LP", "http://127.0.0.1:8337/LP" },
		{ "http://elsewhere:8332/lp", "" },
		{ "//elsewhere/lp", "" },
		{ "https://127.0.0.1:8332/lp", "" },
		{ "ftp://127.0.0.1/", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *f = make_fixture();

		set_header(f, HTTP_LONG_POLLING, rows[i].offer);
		job_free(parse_golden(f));
		assert_string_equal(f->node.now.longpoll_url, rows[i].url);
		free_fixture(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_work_gives_the_golden_header_and_submission),
		cmocka_unit_test(time_steps_only_as_the_header_allows),
		cmocka_unit_test(unusable_works_are_refused),
		cmocka_unit_test(a_verdict_takes_its_reason_from_body_or_header),
		cmocka_unit_test(long_polls_stay_on_the_nodes_host),
	};

	return cmocka_run_group_tests_name("getwork", tests, NULL, NULL);
}
