/* From a submit to a verdict: coinbase, merkle root, header, digest, target. See share.h. */
#include "tests/devpool/share.h"

#include <openssl/sha.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/target.h"

#define NTIME_AHEAD 7200	/* seconds a header may be ahead of the clock, as nodes have it */

const struct verdict_text verdict_texts[VERDICT_COUNT] = {
	[SHARE_ACCEPTED] = { 0, "Accepted", "accepted" },
	[SHARE_NOT_SUBSCRIBED] = { 25, "Not subscribed", "not_subscribed" },
	[SHARE_UNAUTHORIZED] = { 24, "Unauthorized worker", "unauthorized" },
	[SHARE_BAD_PARAMS] = { 20, "Not five texts: user, job, extranonce2, ntime, nonce", "bad_params" },
	[SHARE_BAD_XNONCE2] = { 20, "Extranonce2 is not hex of the agreed length", "bad_extranonce2" },
	[SHARE_BAD_NTIME] = { 20, "Ntime is not 8 hex digits", "bad_ntime" },
	[SHARE_BAD_NONCE] = { 20, "Nonce is not 8 hex digits", "bad_nonce" },
	[SHARE_BAD_VERSION] = { 20, "Version bits are not there or not 8 hex digits", "bad_version" },
	[SHARE_VERSION_MASK] = { 20, "Version bits outside the mask", "version_mask" },
	[SHARE_NTIME_RANGE] = { 20, "Ntime out of range", "ntime_range" },
	[SHARE_UNKNOWN_JOB] = { 21, "Job not found", "unknown_job" },
	[SHARE_STALE_JOB] = { 21, "Job not found", "stale_job" },
	[SHARE_LOW_DIFFICULTY] = { 23, "Low difficulty share", "low_difficulty" },
	[SHARE_DUPLICATE] = { 22, "Duplicate share", "duplicate" },
	[SHARE_TOO_MANY] = { 20, "Too many shares for one job", "too_many" },
};

/* For txids and the merkle tree, whatever the proof of work; `out` may be `data`. */
static void sha256_twice(uint8_t out[32], const uint8_t *data, size_t len)
{
	uint8_t first[32];

	SHA256(data, len, first);
	SHA256(first, sizeof first, out);
}

static void merkle_root(uint8_t root[32], const struct job *job, const struct xnonce *xnonce, const uint8_t *xnonce2)
{
	uint8_t coinbase[COINBASE_MAX + XNONCE1_MAX + XNONCE2_MAX + COINBASE_MAX], *end = coinbase;
	uint8_t pair[64];

	memcpy(end, job->coinbase1, job->coinbase1_len);
	end += job->coinbase1_len;
	memcpy(end, xnonce->first, xnonce->first_len);
	end += xnonce->first_len;
	memcpy(end, xnonce2, xnonce->second_len);
	end += xnonce->second_len;
	memcpy(end, job->coinbase2, job->coinbase2_len);
	end += job->coinbase2_len;

	sha256_twice(pair, coinbase, (size_t)(end - coinbase));
	for (size_t i = 0; i < job->branch_count; i++) {
		memcpy(pair + 32, job->branches[i], 32);
		sha256_twice(pair, pair, sizeof pair);
	}
	memcpy(root, pair, 32);
}

/* A number as stratum writes it: 8 hex digits, the most significant first. */
static bool read_number(uint32_t *value, const char *text)
{
	uint8_t bytes[4];

	if (!hex_decode(bytes, sizeof bytes, text))
		return false;
	*value = load_be32(bytes);
	return true;
}

/* BIP310: the header has the job's version, with the miner's bits where the mask has ones. */
static enum verdict roll_version(uint32_t *version, const struct claim *claim)
{
	uint32_t mask = claim->terms->mask, bits;

	if (!claim->terms->rolling)
		return claim->version ? SHARE_BAD_PARAMS : SHARE_ACCEPTED;
	if (!claim->version || !read_number(&bits, claim->version))
		return SHARE_BAD_VERSION;
	if (bits & ~mask)
		return SHARE_VERSION_MASK;
	*version = (*version & ~mask) | bits;
	return SHARE_ACCEPTED;
}

enum verdict share_header(uint8_t header[80], const struct job *job, const struct claim *claim)
{
	const struct xnonce *xnonce = &claim->terms->xnonce;
	uint8_t xnonce2[XNONCE2_MAX];
	uint32_t version = job->version, ntime, nonce;

	if (!hex_decode(xnonce2, xnonce->second_len, claim->xnonce2))
		return SHARE_BAD_XNONCE2;
	if (!read_number(&ntime, claim->ntime))
		return SHARE_BAD_NTIME;
	if (!read_number(&nonce, claim->nonce))
		return SHARE_BAD_NONCE;
	if (ntime < job->ntime || ntime > (uint64_t)time(NULL) + NTIME_AHEAD)
		return SHARE_NTIME_RANGE;

	enum verdict rolled = roll_version(&version, claim);
	if (rolled != SHARE_ACCEPTED)
		return rolled;
	store_le32(header, version);
	memcpy(header + 4, job->prevhash, 32);
	merkle_root(header + 36, job, xnonce, xnonce2);
	store_le32(header + 68, ntime);
	store_le32(header + 72, job->bits);
	store_le32(header + 76, nonce);
	return SHARE_ACCEPTED;
}

enum verdict share_check(const struct algo *algo, void *scratch, bool *block, struct job *job, const uint8_t header[80],
			 double difficulty)
{
	uint8_t digest[32];
	uint32_t value[8], target[8];

	algo->hash(digest, header, scratch);
	target_load(value, digest);
	target_from_difficulty(target, difficulty / algo->diff1);
	if (!target_met(value, target))
		return SHARE_LOW_DIFFICULTY;

	int added = seen_add(&job->seen, digest);
	if (added <= 0)
		return added == 0 ? SHARE_DUPLICATE : SHARE_TOO_MANY;
	target_from_bits(target, job->bits);
	*block = target_met(value, target);
	return SHARE_ACCEPTED;
}
