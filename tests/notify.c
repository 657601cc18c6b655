/* The golden job: see notify.h. */
#include "tests/notify.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "algo/registry.h"
#include "base/hex.h"

int notify_setup(void **state)
{
	*state = searched_create();
	return *state ? 0 : -1;
}

int notify_teardown(void **state)
{
	searched_destroy(*state);
	return 0;
}

struct extranonce extranonce_of(const char *first, uint8_t second_len)
{
	struct extranonce extranonce = { .first_len = strlen(first) / 2, .second_len = second_len };

	assert_true(hex_decode(extranonce.first, extranonce.first_len, first));
	return extranonce;
}

struct job *parse_with(const struct extranonce *extranonce, const char *params, const char **why)
{
	json_t *json = json_loads(params, 0, NULL);

	assert_non_null(json);
	struct job *job = job_parse(json, extranonce, 1.0 / 4096, algo_find("sha256d"), why);
	json_decref(json);
	return job;
}

struct job *parse(const char *params)
{
	struct extranonce extranonce = extranonce_of("a1b2c3d4", 4);
	const char *why;
	struct job *job = parse_with(&extranonce, params, &why);

	if (!job)
		fail_msg("refused: %s", why);
	return job;
}

struct job *parse_standard(const char *ntime)
{
	char params[2000];

	snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s\",\"%s\",%s,\"20000000\",\"1d00ffff\",\"%s\",true]",
		 PREVHASH, HALF1, HALF2, BRANCHES, ntime);
	return parse(params);
}

struct job *parse_sized(uint8_t second_len, const char *ntime)
{
	struct extranonce extranonce = extranonce_of("a1b2c3d4", second_len);
	char params[2000];
	const char *why;

	snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s\",\"%s\",%s,\"20000000\",\"1d00ffff\",\"%s\",true]",
		 PREVHASH, HALF1, HALF2, BRANCHES, ntime);
	struct job *job = parse_with(&extranonce, params, &why);
	assert_non_null(job);
	return job;
}

struct job *parse_rolled(uint8_t second_len, const char *version, const char *ntime, uint32_t mask, unsigned versions)
{
	struct extranonce extranonce = extranonce_of("a1b2c3d4", second_len);
	char params[2000];
	const char *why;

	snprintf(params, sizeof params, "[\"j1\",\"%s\",\"%s\",\"%s\",[],\"%s\",\"1d00ffff\",\"%s\",true]",
		 PREVHASH, HALF1, HALF2, version, ntime);
	struct job *job = parse_with(&extranonce, params, &why);
	assert_non_null(job);
	job->version_mask = mask;
	job->versions = versions;
	return job;
}

struct work next_of(void **state, struct job *job)
{
	struct work work = { 0 };

	assert_true(job_next(job, *state, &work, job->arrived));
	return work;
}

void assert_bytes(const uint8_t *bytes, size_t len, const char *want)
{
	char text[2 * HEADER_LEN + 1];

	hex_encode(text, bytes, len);
	assert_string_equal(text, want);
}
