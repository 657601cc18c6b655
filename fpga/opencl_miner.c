/* See opencl_miner.h. */
#include "fpga/opencl_miner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "sha3/cubehash256.h"
#include "sha3/sha256.h"
#include "work/worker.h"

#define HITS		255		/* that a call can tell of: sha256d.cl */
#define FIRST_WANT	(1 << 14)	/* nonces */
#define WANT_MAX	(1u << 30)
#define CALL_S		0.02		/* of a call: how soon newer work is seen */

int opencl_spec_parse(struct opencl_spec *spec, const char *value, char *why, size_t why_len)
{
	char *end;
	unsigned long index = value[0] >= '0' && value[0] <= '9' ? strtoul(value, &end, 10) : 1000;

	*spec = (struct opencl_spec){ .form = OPENCL_BY_TYPE };
	if (index > 99 || (*end != '\0' && *end != ',')) {
		snprintf(why, why_len, "begins with the number of a device, 0 to 99");
		return -1;
	}
	spec->index = (unsigned)index;
	while (*end == ',') {
		const char *item = end + 1;
		size_t len = strcspn(item, ",");

		if (len == 10 && memcmp(item, "form=range", 10) == 0) {
			spec->form = OPENCL_RANGE;
		} else if (len == 13 && memcmp(item, "form=pipeline", 13) == 0) {
			spec->form = OPENCL_PIPELINE;
		} else if (len > 7 && len - 7 < sizeof spec->binary && memcmp(item, "binary=", 7) == 0) {
			memcpy(spec->binary, item + 7, len - 7);
			spec->binary[len - 7] = '\0';
		} else {
			snprintf(why, why_len, "'%.*s' is none of form=range, form=pipeline and binary=FILE", (int)(len < 40 ? len : 40), item);
			return -1;
		}
		end = (char *)item + len;
	}
	return 0;
}

static int open_program(struct opencl_miner *miner, const char *program)
{
	const struct opencl_config config = { .index = miner->spec.index, .program = program, .form = miner->spec.form,
					      .binary = miner->spec.binary[0] ? miner->spec.binary : NULL };

	miner->cl = opencl_open(&config);
	if (!miner->cl)
		return -1;
	snprintf(miner->name, sizeof miner->name, "opencl %u, %s", miner->spec.index, opencl_device_name(miner->cl));
	log_info("%s: context in %.2f s, program in %.2f s", miner->name, opencl_times(miner->cl)->context,
		 opencl_times(miner->cl)->program);
	return 0;
}

static void close_program(struct opencl_miner *miner)
{
	if (miner->cl)
		opencl_close(miner->cl);
	miner->cl = NULL;
}

/* Of sha256d: what the kernel wants of a work. */
struct header_params {
	uint32_t words[12];
};

static struct header_params params_of(const struct work *work)
{
	struct header_params params;

	memcpy(params.words, sha256_iv, sizeof sha256_iv);
	sha256_compress(params.words, work->header);
	for (unsigned i = 0; i < 3; i++)
		params.words[8 + i] = load_be32(work->header + 64 + 4 * i);
	params.words[11] = work->target[7];
	return params;
}

/* out[0] candidates, the first HITS of them after it. 0, or -1 logged. */
static int search(struct opencl_miner *miner, const struct header_params *params, uint64_t first, uint64_t count, uint32_t out[HITS + 1])
{
	memset(out, 0, 4 * (HITS + 1));
	return opencl_run(miner->cl, &(struct opencl_call){
		.kernel = "sha256d_search", .params = params->words, .param_words = 12, .first = first, .items = count,
		.out = out, .out_size = 4 * (HITS + 1), .out_is_input = true });
}

/*
 * Candidates of [first, first + count): a call that found more than it can tell of is made again in halves. A kernel that
 * names a nonce outside of its range is as wrong as one that errs: the reference refuses it there, or here.
 */
static int report(struct worker *w, const struct work *work, const struct header_params *params, uint64_t first, uint64_t count)
{
	struct opencl_miner *miner = w->device;
	uint32_t out[HITS + 1];

	if (search(miner, params, first, count, out) < 0)
		return -1;
	if (out[0] > HITS && count > 1) {
		uint64_t half = count / 2;

		return report(w, work, params, first, half) < 0 ? -1 : report(w, work, params, first + half, count - half);
	}
	for (uint32_t i = 0; i < out[0] && i < HITS; i++) {
		if (out[1 + i] - first < count)
			worker_candidate(w, work, out[1 + i]);
		else
			w->hw_errors++;
	}
	return 0;
}

static int64_t scan_header(struct worker *w, const struct work *work, uint64_t first, uint64_t end, uint64_t *hashes)
{
	struct opencl_miner *miner = w->device;
	const struct header_params params = params_of(work);

	for (uint64_t nonce = first, count; nonce < end && !board_is_stale(w->board, work); nonce += count) {
		double began = clock_now();

		count = end - nonce < miner->want ? end - nonce : miner->want;
		if (report(w, work, &params, nonce, count) < 0) {
			board_give_back(w->board, work, nonce, end);
			return -1;
		}
		double seconds = clock_now() - began;
		if (count == miner->want && seconds < CALL_S / 2 && miner->want < WANT_MAX)
			miner->want *= 2;
		else if (seconds > 2 * CALL_S && miner->want > FIRST_WANT)
			miner->want /= 2;
		*hashes += count;
		w->hashes += count;
	}
	return 0;
}

static int64_t scan_search(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	const struct opencl_miner *miner = w->device;
	const unsigned versions = work->version_count > 0 ? work->version_count : 1;
	struct work one = *work;
	uint64_t hashes = 0;
	bool lost = false;

	one.version_count = 0;
	for (unsigned i = 0; i < versions; i++) {
		if (work->version_count > 0)
			store_le32(one.header, work->versions[i]);
		if (lost)
			board_give_back(w->board, &one, first, end);
		else
			lost = scan_header(w, &one, first, end, &hashes) < 0;
	}
	if (lost)
		return log_error("%s: switched off, what it did not search goes to others", miner->name);
	return (int64_t)(hashes / versions);
}

/*
 * Before it is trusted: of a made-up header's nonces, those of a few ranges whose digests' top words are small enough,
 * exactly, and at a target that is one digest's own and one below it.
 */
static int prove_search(struct worker *w)
{
	enum { NONCES = 600 };
	struct opencl_miner *miner = w->device;
	const uint64_t first = UINT32_MAX - (NONCES - 1);
	uint32_t tops[NONCES], targets[] = { 0x0fffffff, 0x3fffffff, 0, 0 };
	struct work work = { 0 };

	for (size_t i = 0; i < HEADER_MAX; i++)
		work.header[i] = (uint8_t)(i * 73 + 11);
	for (unsigned i = 0; i < NONCES; i++) {
		uint8_t digest[32];

		store_le32(work.header + w->algo->nonce_off, (uint32_t)(first + i));
		w->algo->hash(digest, work.header, w->scratch);
		tops[i] = load_le32(digest + 28);
	}
	targets[2] = tops[0];
	targets[3] = tops[0] - 1;
	for (unsigned t = 0; t < sizeof targets / sizeof targets[0]; t++) {
		uint32_t out[HITS + 1];
		bool told[NONCES] = { false };
		unsigned wrong = 0;

		work.target[7] = targets[t];
		const struct header_params params = params_of(&work);
		const uint64_t count = targets[t] == 0x3fffffff ? NONCES : NONCES / 3;
		if (search(miner, &params, first, count, out) < 0)
			return -1;
		unsigned right = 0;
		for (unsigned i = 0; i < count; i++)
			right += tops[i] <= targets[t];
		for (uint32_t i = 0; i < out[0] && i < HITS; i++) {
			uint64_t place = out[1 + i] - first;

			wrong += place >= count || told[place] || tops[place] > targets[t];
			if (place < count)
				told[place] = true;
		}
		if (out[0] != right || wrong > 0)
			return log_error("%s: wrong about %u of %u candidates", miner->name, wrong ? wrong : out[0] > right ? out[0] - right : right - out[0],
					 right);
	}
	return 0;
}

static int open_search(struct worker *w)
{
	struct opencl_miner *miner = w->device;

	if (open_program(miner, "sha256d") < 0)
		return -1;
	miner->want = FIRST_WANT;
	if (prove_search(w) == 0)
		return 0;
	close_program(miner);
	return -1;
}

static void close_search(struct worker *w)
{
	close_program(w->device);
}

static int open_stage(void *ctx)
{
	return open_program(ctx, "cubehash256");
}

static int run_stage(void *ctx, uint8_t *out, const uint8_t *in, size_t items)
{
	struct opencl_miner *miner = ctx;

	return opencl_run(miner->cl, &(struct opencl_call){
		.kernel = "cubehash256", .params = cubehash256_iv, .param_words = 32, .items = items, .in = in, .in_size = 32 * items,
		.out = out, .out_size = 32 * items });
}

static void close_stage(void *ctx)
{
	close_program(ctx);
}

static bool supported(void)
{
	return opencl_count() > 0;
}

static const struct backend backend_opencl = {
	.name = "opencl", .supported = supported, .open = open_search, .scan = scan_search, .close = close_search,
};

struct crew_device opencl_miner_init(struct opencl_miner *miner, const struct opencl_spec *spec, const struct algo *algo,
				     const struct kernel *kernel)
{
	*miner = (struct opencl_miner){ .spec = *spec };
	snprintf(miner->name, sizeof miner->name, "opencl %u", spec->index);
	if (strcmp(algo->name, "sha256d") == 0)
		return (struct crew_device){ &backend_opencl, miner };
	miner->device = (struct lent_device){ miner->name, open_stage, run_stage, close_stage };
	miner->lent = (struct lent_stage){ .name = "cubehash256", .kernel = kernel, .device = &miner->device, .ctx = miner,
					   .batch = LENT_BATCH, .depth = LENT_DEPTH };
	return lent_stage_fits(&miner->lent) ? (struct crew_device){ &backend_lent_stage, &miner->lent } : (struct crew_device){ NULL, NULL };
}
