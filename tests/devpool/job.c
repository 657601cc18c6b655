/* Making jobs: a coinbase, some merkle branches and a place on the chain. See job.h. */
#include "tests/devpool/job.h"

#include <math.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/log.h"
#include "base/target.h"

#define FIRST_HEIGHT	800000
#define SCRIPT_SUFFIX	"/devpool/"
#define REWARD		625000000	/* units of the coinbase's first output */

/* The compact form of a target above 0, rounded down: the inverse of target_from_bits(). */
static uint32_t bits_from_target(const uint32_t target[8])
{
	uint8_t bytes[2 + 32] = { 0 };	/* two below the lowest, so that there are always three */
	unsigned size = 32;

	for (int i = 0; i < 8; i++)
		store_le32(bytes + 2 + 4 * i, target[i]);
	while (size > 1 && bytes[2 + size - 1] == 0)
		size--;

	uint32_t mantissa = (uint32_t)bytes[size + 1] << 16 | (uint32_t)bytes[size] << 8 | bytes[size - 1];

	if (mantissa & 0x00800000) {	/* that bit is the sign */
		mantissa >>= 8;
		size++;
	}
	return size << 24 | mantissa;
}

void jobs_init(struct jobs *jobs, size_t xnonce2_len, unsigned clean_every, double network_difficulty)
{
	uint32_t target[8];

	target_from_difficulty(target, network_difficulty);
	*jobs = (struct jobs){
		.height = FIRST_HEIGHT, .bits = bits_from_target(target),
		.xnonce2_len = xnonce2_len, .clean_every = clean_every,
	};
}

void jobs_destroy(struct jobs *jobs)
{
	for (size_t i = 0; i < JOBS_KEPT; i++)
		seen_clear(&jobs->ring[i].seen);
}

static void put(uint8_t *bytes, size_t *len, const void *from, size_t count)
{
	memcpy(bytes + *len, from, count);
	*len += count;
}

static void put_byte(uint8_t *bytes, size_t *len, unsigned byte)
{
	bytes[(*len)++] = (uint8_t)byte;
}

/* BIP34: the height opens the script as a minimal signed number, little-endian, behind its length. */
static void put_height(uint8_t *bytes, size_t *len, uint32_t height)
{
	size_t length_at = (*len)++;

	for (uint32_t rest = height; rest > 0; rest >>= 8)
		put_byte(bytes, len, rest & 0xff);
	if (bytes[*len - 1] & 0x80)
		put_byte(bytes, len, 0);	/* or it would read as negative */
	bytes[length_at] = (uint8_t)(*len - length_at - 1);
}

/*
 * A transaction with one input that spends nothing and two outputs: the reward, to a
 * random witness key hash, and a witness commitment (BIP141), random too. The
 * extranonces stand in the input's script, behind the height and before the suffix.
 */
static void make_coinbase(struct job *job, uint32_t height, size_t xnonce2_len, const uint8_t key_hash[20],
			  const uint8_t commitment[32])
{
	static const uint8_t start[] = { 1, 0, 0, 0, 1 };	/* version, inputs */
	static const uint8_t no_output[36] = { [32] = 0xff, 0xff, 0xff, 0xff };
	static const uint8_t sequence_outputs[] = { 0xff, 0xff, 0xff, 0xff, 2 };
	static const uint8_t witness_key_hash[] = { 22, 0x00, 20 };
	static const uint8_t witness_commitment[] = { 38, 0x6a, 36, 0xaa, 0x21, 0xa9, 0xed };
	uint8_t amount[8];
	uint8_t *part = job->coinbase1;
	size_t *len = &job->coinbase1_len;

	*len = 0;
	put(part, len, start, sizeof start);
	put(part, len, no_output, sizeof no_output);
	size_t length_at = (*len)++;
	put_height(part, len, height);
	size_t script_len = *len - length_at - 1 + XNONCE1_LEN + xnonce2_len + strlen(SCRIPT_SUFFIX);
	part[length_at] = (uint8_t)script_len;

	part = job->coinbase2;
	len = &job->coinbase2_len;
	*len = 0;
	put(part, len, SCRIPT_SUFFIX, strlen(SCRIPT_SUFFIX));
	put(part, len, sequence_outputs, sizeof sequence_outputs);
	store_le64(amount, REWARD);
	put(part, len, amount, sizeof amount);
	put(part, len, witness_key_hash, sizeof witness_key_hash);
	put(part, len, key_hash, 20);
	store_le64(amount, 0);
	put(part, len, amount, sizeof amount);
	put(part, len, witness_commitment, sizeof witness_commitment);
	put(part, len, commitment, 32);
	put(part, len, (const uint8_t[4]){ 0 }, 4);	/* lock time */
}

static void end_all_before(struct jobs *jobs, double now)
{
	for (size_t i = 0; i < JOBS_KEPT; i++)
		if (jobs->ring[i].ended > now)
			jobs->ring[i].ended = now;
}

const struct job *jobs_next(struct jobs *jobs, bool clean, double now)
{
	struct {
		uint8_t prevhash[28], branches[BRANCHES_MAX][32], key_hash[20], commitment[32], branch_count;
	} random;
	uint32_t number = jobs->made + 1;

	if (RAND_bytes((unsigned char *)&random, sizeof random) != 1) {
		log_error("job %u: no randomness", number);
		return NULL;
	}
	clean |= number == 1 || (jobs->clean_every > 0 && (number - 1) % jobs->clean_every == 0);
	if (clean) {
		end_all_before(jobs, now);
		jobs->height++;
		memcpy(jobs->prevhash, random.prevhash, sizeof random.prevhash);	/* its high end stays 0 */
	}

	struct job *job = &jobs->ring[number % JOBS_KEPT];
	seen_clear(&job->seen);
	*job = (struct job){
		.number = number, .clean = clean, .ended = INFINITY, .branch_count = random.branch_count % (BRANCHES_MAX + 1),
		.version = 0x20000000, .ntime = (uint32_t)time(NULL), .bits = jobs->bits,
	};
	snprintf(job->id, sizeof job->id, "%x", number);
	memcpy(job->prevhash, jobs->prevhash, sizeof job->prevhash);
	memcpy(job->branches, random.branches, sizeof job->branches);
	make_coinbase(job, jobs->height, jobs->xnonce2_len, random.key_hash, random.commitment);
	jobs->made = number;
	return job;
}

const struct job *jobs_newest(const struct jobs *jobs)
{
	return &jobs->ring[jobs->made % JOBS_KEPT];
}

struct job *jobs_find(struct jobs *jobs, const char *id)
{
	for (size_t i = 0; i < JOBS_KEPT; i++)
		if (jobs->ring[i].number > 0 && strcmp(jobs->ring[i].id, id) == 0)
			return &jobs->ring[i];
	return NULL;
}
