/* Jobs and shares of the fake pool: see fake_jobs.h. */
#include "tests/fake_jobs.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREVHASH "18273645d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000"
#define BRANCHES "[\"bbce6b6ce5b7abfb64b54a0af04a950b290dfbf208bb2773a3ede53ec5e59f12\"," \
	"\"321aaa67193b1f38b526f1881e3a3b04b60b4d32083fa99005567e52f15a4491\"," \
	"\"428df247e5df83d4da868646083f513827294de8d8bc79ab653316b2344081e1\"]"
#define HALF1 "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff%02x0340d10c"
#define HALF2 "2f66782fffffffff01205fa01200000000160014000102030405060708090a0b0c0d0e0f1011121300000000"

static size_t unhex(uint8_t *bytes, const char *text)
{
	size_t len = strlen(text) / 2;

	for (size_t i = 0; i < len; i++) {
		char two[3] = { text[2 * i], text[2 * i + 1], '\0' };

		bytes[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return len;
}

static void hash_twice(uint8_t out[32], const uint8_t *data, size_t len)
{
	uint8_t once[32];

	SHA256(data, len, once);
	SHA256(once, sizeof once, out);
}

static void append_reversed(uint8_t **end, const char *hex)
{
	uint8_t bytes[4];

	unhex(bytes, hex);
	for (int i = 3; i >= 0; i--)
		*(*end)++ = bytes[i];
}

/* The difficulty that a share's header reaches under a job. */
static double share_difficulty(const struct known_job *job, const struct fake_share *share)
{
	size_t len = (strlen(job->half1) + strlen(job->xnonce1) + strlen(share->xnonce2) + strlen(job->half2)) / 2;
	uint8_t *coinbase = malloc(len), *end = coinbase;
	uint8_t pair[64], header[80], hash[32], prevhash[32];
	char version[9];
	double value = 0;

	end += unhex(end, job->half1);
	end += unhex(end, job->xnonce1);
	end += unhex(end, share->xnonce2);
	unhex(end, job->half2);
	hash_twice(pair, coinbase, len);
	free(coinbase);
	for (size_t i = 0; i < json_array_size(job->branches); i++) {
		unhex(pair + 32, json_string_value(json_array_get(job->branches, i)));
		hash_twice(pair, pair, 64);
	}

	end = header;
	snprintf(version, sizeof version, "%08x",
		 (unsigned)((job->version & ~job->mask) | (strtoul(share->bits, NULL, 16) & job->mask)));
	append_reversed(&end, version);
	unhex(prevhash, PREVHASH);
	for (size_t i = 0; i < 32; i++)
		*end++ = prevhash[i / 4 * 4 + 3 - i % 4];
	memcpy(end, pair, 32);
	end += 32;
	append_reversed(&end, share->ntime);
	append_reversed(&end, job->nbits);
	append_reversed(&end, share->nonce);
	hash_twice(hash, header, sizeof header);
	for (int i = 31; i >= 0; i--)
		value = value * 256 + hash[i];
	for (int i = 0; i < 208; i++)
		value /= 2;
	return 65535 / value;
}

const char *fake_jobs_check(const struct fake_jobs *jobs, const struct fake_share *share)
{
	const char *fault = "unknown job";

	if (strlen(share->ntime) != 8 || strlen(share->nonce) != 8)
		return "ntime or nonce is not 8 digits";
	for (unsigned i = 0; i < jobs->count; i++) {
		const struct known_job *job = &jobs->jobs[i];

		if (!job->live || strcmp(job->id, share->job) != 0)
			continue;
		if (strlen(share->xnonce2) != 2 * job->xnonce2_len)
			fault = "wrong length of extranonce2";
		else if (strtoul(share->bits, NULL, 16) & ~(unsigned long)job->mask)
			fault = "bits that were not granted";
		else if (share_difficulty(job, share) < job->difficulty * (1 - 1e-9))
			fault = "above target";
		else
			return NULL;
	}
	return fault;
}

static const char *text_or(const char *text, const char *usual)
{
	return text ? text : usual;
}

char *fake_jobs_add(struct fake_jobs *jobs, const struct fake_job *job)
{
	struct known_job *known = &jobs->jobs[jobs->count++];
	const char *xnonce1 = text_or(job->xnonce1, "a1b2c3d4"), *branches = text_or(job->branches, BRANCHES);
	size_t xnonce2_len = job->xnonce2_len == FAKE_NONE ? 0 : job->xnonce2_len ? (size_t)job->xnonce2_len : 4;
	char half1[200], *text;
	size_t len;

	if (jobs->count == FAKE_JOBS_MAX)
		abort();
	if (!job->keep)
		for (unsigned i = 0; i + 1 < jobs->count; i++)
			jobs->jobs[i].live = false;
	snprintf(half1, sizeof half1, HALF1, (unsigned)(4 + 4 + strlen(xnonce1) / 2 + xnonce2_len));
	*known = (struct known_job){
		.id = strdup(text_or(job->id, "j1")), .xnonce1 = strdup(xnonce1), .half1 = strdup(half1),
		.half2 = strdup(text_or(job->half2, HALF2)), .nbits = strdup(text_or(job->nbits, "1d00ffff")),
		.ntime = strdup(text_or(job->ntime, "65a0b1c0")), .branches = json_loads(branches, 0, NULL),
		.version = job->version ? job->version : 0x20000000, .mask = job->mask,
		.xnonce2_len = xnonce2_len, .difficulty = job->difficulty ? job->difficulty : FAKE_DIFFICULTY, .live = true,
	};

	FILE *stream = open_memstream(&text, &len);
	fprintf(stream, "{\"id\":null,\"method\":\"mining.notify\",\"params\":[\"%s\",\"%s\",\"%s\",\"%s\",%s,\"%08x\",",
		known->id, PREVHASH, known->half1, known->half2, branches, (unsigned)known->version);
	fprintf(stream, "\"%s\",\"%s\",%s]}\n", known->nbits, known->ntime, job->keep ? "false" : "true");
	fclose(stream);
	return text;
}

void fake_jobs_free(struct fake_jobs *jobs)
{
	for (unsigned i = 0; i < jobs->count; i++) {
		struct known_job *job = &jobs->jobs[i];

		free(job->id);
		free(job->xnonce1);
		free(job->half1);
		free(job->half2);
		free(job->nbits);
		free(job->ntime);
		json_decref(job->branches);
	}
}
