/* mining.notify to job, any job to works: see job.h. */
#include "pool/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/target.h"
#include "pool/double_sha256.h"
#include "pool/jsonrpc.h"

#define BRANCHES_MAX	64	/* a tree of 2^64 transactions */
#define ID_MAX		1024	/* bytes */
#define XNONCE2_LONG	4	/* bytes: it has more values than any second of a job will need */

/* the places in mining.notify's parameters; the flag is the last of all, whatever comes between */
enum { ID, PREVHASH, COINBASE1, COINBASE2, BRANCHES, VERSION, NBITS, NTIME, FIXED_COUNT };

static bool parse_hex32(uint32_t *number, const json_t *value)
{
	uint8_t bytes[4];

	if (!jsonrpc_hex(bytes, sizeof bytes, value))
		return false;
	*number = load_be32(bytes);
	return true;
}

static const char *parse_coinbase(struct job *job, const json_t *half1, const json_t *half2,
				  const struct extranonce *extranonce)
{
	size_t len1 = json_string_length(half1) / 2, len2 = json_string_length(half2) / 2;

	job->xnonce2_off = len1 + extranonce->first_len;
	job->xnonce2_len = extranonce->second_len;
	job->coinbase_len = job->xnonce2_off + job->xnonce2_len + len2;
	job->coinbase = calloc(1, job->coinbase_len + 1);
	if (!job->coinbase)
		return "no memory for its coinbase";
	if (!jsonrpc_hex(job->coinbase, len1, half1))
		return "the first half of its coinbase is not hex";
	memcpy(job->coinbase + len1, extranonce->first, extranonce->first_len);
	if (!jsonrpc_hex(job->coinbase + job->xnonce2_off + job->xnonce2_len, len2, half2))
		return "the second half of its coinbase is not hex";
	return NULL;
}

/* The push of 1 to 4 bytes, least significant first, that the input script begins with. */
static long parse_height(const uint8_t *coinbase, size_t len)
{
	enum { SCRIPT = 4 + 1 + 32 + 4 + 1 };	/* version, input count, outpoint, script length */
	const uint8_t *script = coinbase + SCRIPT;
	long height = 0;

	if (len < SCRIPT + 5 || script[0] < 1 || script[0] > 4 || script[script[0]] > 0x7f)
		return -1;
	for (size_t i = script[0]; i > 0; i--)
		height = height << 8 | script[i];
	return height;
}

static const char *parse_branches(struct job *job, const json_t *list)
{
	if (!json_is_array(list))
		return "its merkle branches are not a list";
	job->branch_count = json_array_size(list);
	if (job->branch_count > BRANCHES_MAX)
		return "it has too many merkle branches";
	job->branches = calloc(job->branch_count + 1, sizeof *job->branches);
	if (!job->branches)
		return "no memory for its merkle branches";
	for (size_t i = 0; i < job->branch_count; i++)
		if (!jsonrpc_hex(job->branches[i], 32, json_array_get(list, i)))
			return "a merkle branch is not 64 hex digits";
	return NULL;
}

static bool parse_flag(const json_t *params)
{
	size_t count = json_array_size(params);
	const json_t *last = json_array_get(params, count - 1);

	return count > FIXED_COUNT && (json_is_true(last) || (json_is_integer(last) && json_integer_value(last) != 0));
}

static const char *parse(struct job *job, const json_t *params, const struct extranonce *extranonce)
{
	const json_t *id = json_array_get(params, ID);
	uint8_t prevhash[32], root[32];
	uint32_t version, nbits;

	if (!json_is_array(params) || json_array_size(params) < FIXED_COUNT)
		return "it has fewer than eight parameters";
	if (!json_is_string(id) || json_string_length(id) > ID_MAX)
		return "its id is not a string of usual length";
	if (!jsonrpc_hex(prevhash, sizeof prevhash, json_array_get(params, PREVHASH)))
		return "its previous block is not 64 hex digits";
	if (!parse_hex32(&version, json_array_get(params, VERSION)))
		return "its version is not 8 hex digits";
	if (!parse_hex32(&nbits, json_array_get(params, NBITS)))
		return "its bits are not 8 hex digits";
	if (!parse_hex32(&job->ntime, json_array_get(params, NTIME)))
		return "its time is not 8 hex digits";

	const char *why = parse_coinbase(job, json_array_get(params, COINBASE1), json_array_get(params, COINBASE2),
					 extranonce);
	if (!why)
		why = parse_branches(job, json_array_get(params, BRANCHES));
	if (why)
		return why;

	job->id = strdup(json_string_value(id));
	if (!job->id)
		return "no memory for its id";
	job->clean = parse_flag(params);
	job->height = parse_height(job->coinbase, job->coinbase_len);
	if (header_merkle_root(root, job->coinbase, job->coinbase_len, (const uint8_t (*)[32])job->branches,
			       job->branch_count) < 0)
		return "the crypto library cannot hash its coinbase";
	header_build(job->header, version, prevhash, root, job->ntime, nbits);
	return NULL;
}

struct job *job_new(void)
{
	struct job *job = calloc(1, sizeof *job);

	if (!job)
		return NULL;
	job->live = true;
	job->arrived = clock_now();
	job->roll_max = ROLL_MAX;
	return job;
}

struct job *job_parse(const json_t *params, const struct extranonce *extranonce, double difficulty,
		      const struct algo *algo, const char **why)
{
	struct job *job = job_new();

	if (!job) {
		*why = "no memory for it";
		return NULL;
	}
	*why = parse(job, params, extranonce);
	if (*why) {
		job_free(job);
		return NULL;
	}
	job->difficulty = difficulty;
	target_from_difficulty(job->target, difficulty / algo->diff1);
	return job;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	free(job->id);
	free(job->coinbase);
	free(job->branches);
	free(job);
}

/* How many values extranonce2 has: 2^(8 * len). From 8 bytes on it is 0, for without end. */
static uint64_t xnonce2_count(const struct job *job)
{
	return job->xnonce2_len < 8 ? UINT64_C(1) << 8 * job->xnonce2_len : 0;
}

/* How many versions the mask allows, the job's own among them. */
static uint64_t version_count(const struct job *job)
{
	return UINT64_C(1) << __builtin_popcount(job->version_mask);
}

/* How many of them a work carries: a power of two, so that groups of them come out even. */
static unsigned group_size(const struct job *job)
{
	unsigned size = 1;

	while (2 * size <= job->versions && 2 * size <= version_count(job))
		size *= 2;
	return size;
}

/* Version number `index` of those the mask allows; 0 is the job's own. BIP 310's version bits are the result & mask. */
static uint32_t version_at(const struct job *job, uint64_t index)
{
	uint32_t version = header_version(job->header);

	for (uint32_t mask = job->version_mask; index > 0; index >>= 1) {
		if (index & 1)
			version ^= mask & -mask;	/* the lowest bit of it */
		mask &= mask - 1;			/* and without it */
	}
	return version;
}

static void set_versions(struct work *work, const struct job *job, uint64_t group)
{
	unsigned size = group_size(job);

	header_set_version(work->header, version_at(job, group * size));
	work->version_count = 0;
	for (unsigned i = 0; i < size && size > 1; i++)
		work->versions[work->version_count++] = version_at(job, group * size + i);
}

/* Into the header goes the root for this extranonce2, a number, most significant byte first. */
static int set_root(uint8_t header[HEADER_LEN], struct job *job, uint64_t xnonce2)
{
	uint8_t *bytes = job->coinbase + job->xnonce2_off, root[32];

	for (size_t i = job->xnonce2_len; i > 0; i--) {
		bytes[i - 1] = (uint8_t)xnonce2;
		xnonce2 >>= 8;
	}
	if (header_merkle_root(root, job->coinbase, job->coinbase_len, (const uint8_t (*)[32])job->branches,
			       job->branch_count) < 0)
		return -1;
	header_set_root(header, root);
	return 0;
}

/* What the job's headers are known by, times and rolled bits of the version aside. 0, or -1: the crypto library refuses. */
static int make_key(uint8_t key[32], const struct job *job)
{
	uint8_t bytes[HEADER_LEN + 4];

	memcpy(bytes, job->header, HEADER_LEN);
	header_set_version(bytes, header_version(job->header) & ~ROLLED_BITS);
	header_set_ntime(bytes, 0);
	store_le32(bytes + HEADER_LEN, (uint32_t)job->coinbase_len);
	return double_sha256(key, bytes, sizeof bytes);
}

/* The job's first field; the others are of later seconds. With a long extranonce2 only the first group of versions is searched. */
static int make_field(struct search_field *field, const struct job *job)
{
	*field = (struct search_field){
		.xnonce2_off = (uint32_t)job->xnonce2_off, .xnonce2_len = job->xnonce2_len, .works = xnonce2_count(job),
	};
	if (job->xnonce2_len < XNONCE2_LONG) {
		field->version = header_version(job->header) & ROLLED_BITS;
		field->version_mask = job->version_mask;
		field->versions = group_size(job);
		field->works *= version_count(job) / group_size(job);
	}
	return make_key(field->key, job);
}

/* Take a work that no one has searched, of the first second that has one and may be searched by now. */
static bool take_work(struct job *job, struct searched *searched, double now, uint64_t *number)
{
	struct search_field field;

	if (make_field(&field, job) < 0)
		return false;
	for (; job->second <= job->roll_max && (double)job->second <= now - job->arrived; job->second++) {
		field.ntime = job->ntime + job->second;
		if (searched_take(searched, &field, number))
			return true;
	}
	return false;
}

bool job_next(struct job *job, struct searched *searched, struct work *work, double now)
{
	uint64_t xnonce2s = xnonce2_count(job), number;

	if (!take_work(job, searched, now, &number))
		return false;
	memcpy(work->header, job->header, HEADER_LEN);
	if (job->coinbase && set_root(work->header, job, xnonce2s ? number % xnonce2s : number) < 0)
		return false;
	set_versions(work, job, xnonce2s ? number / xnonce2s : 0);
	header_set_ntime(work->header, job->ntime + job->second);
	memcpy(work->target, job->target, sizeof work->target);
	work->difficulty = job->difficulty;
	work->job = job->number;
	work->xnonce2_len = job->xnonce2_len;
	if (job->xnonce2_len > 0)
		memcpy(work->xnonce2, job->coinbase + job->xnonce2_off, job->xnonce2_len);
	return true;
}

bool job_is_same(const struct job *a, const struct job *b)
{
	return memcmp(a->header, b->header, HEADER_LEN) == 0 && a->coinbase_len == b->coinbase_len &&
	       a->xnonce2_off == b->xnonce2_off && a->xnonce2_len == b->xnonce2_len;
}
