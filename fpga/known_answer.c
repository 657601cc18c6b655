/* Jobs whose answer is known, searched by a card: see known_answer.h. */
#include "fpga/known_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/log.h"

#define NONCES_MAX	96	/* of one of these jobs */
#define SERVE_S		0.01

/* A job under test, and which of its nonces are, and were, hits. */
struct exam {
	struct card *card;
	const struct algo *algo;
	void *scratch;
	struct card_job job;
	bool expected[NONCES_MAX], found[NONCES_MAX];
	unsigned wrong;		/* hits that are none of this job's, or came twice */
};

static void take_hit(void *ctx, uint32_t tag, uint32_t nonce)
{
	struct exam *e = ctx;
	uint32_t index = nonce - e->job.first;

	if (tag != e->job.tag || index > e->job.last - e->job.first || e->found[index])
		e->wrong++;
	else
		e->found[index] = true;
}

/* What the reference says of nonces [first, end) of `work`. */
static void expect(struct exam *e, const struct work *work, uint64_t first, uint64_t end)
{
	uint8_t header[HEADER_MAX], digest[32];

	memcpy(header, work->header, sizeof header);
	memset(e->found, 0, sizeof e->found);
	e->wrong = 0;
	for (uint64_t nonce = first; nonce < end; nonce++) {
		store_le32(header + e->algo->nonce_off, (uint32_t)nonce);
		e->algo->hash(digest, header, e->scratch);
		e->expected[nonce - first] = load_le32(digest + 28) <= work->target[7];
	}
}

/* At most NONCES_MAX of them. */
static int search(struct exam *e, uint32_t tag, const struct work *work, uint64_t first, uint64_t end)
{
	const char *name = e->card->transport.name;
	int done;

	expect(e, work, first, end);
	card_job_make(&e->job, tag, work, first, end);
	card_prepare(e->card, &e->job);
	card_start(e->card, &e->job);
	while ((done = card_serve(e->card, SERVE_S)) == 0 && e->wrong <= NONCES_MAX)
		if (transport_unwanted(&e->card->transport))
			return -1;
	if (done < 0)
		return -1;
	if (e->wrong > 0)
		return log_error("card %s: known-answer test: %u hits that are none of its job's", name, e->wrong);
	for (uint64_t nonce = first; nonce < end; nonce++)
		if (e->expected[nonce - first] != e->found[nonce - first])
			return log_error("card %s: known-answer test: nonce %08x is %s", name, (unsigned)nonce,
					 e->found[nonce - first] ? "no hit, and it says so" : "a hit, and it does not say so");
	return 0;
}

static int known_blocks(struct exam *e, uint32_t *tag)
{
	for (const struct kat *kat = e->algo->kats; kat->header; kat++) {
		struct work work = { .target = { 0 } };	/* a top word of 0 is all that counts here */

		if (!hex_decode(work.header, e->algo->header_len, kat->header))
			return log_error("card: a known answer is no header");
		uint64_t nonce = load_le32(work.header + e->algo->nonce_off);
		uint64_t first = nonce < NONCES_MAX / 2 ? 0 : nonce - NONCES_MAX / 2;

		if (search(e, ++*tag, &work, first, first + NONCES_MAX) < 0)
			return -1;
	}
	return 0;
}

static int ranges(struct exam *e, uint32_t *tag)
{
	static const struct {
		uint32_t target;
		uint64_t first, end;
	} rows[] = {
		{ 0x3fffffff, 0, NONCES_MAX },					/* many hits */
		{ 0xffffffff, 0x00fffff0, 0x01000010 },				/* each nonce one, and a carry in them */
		{ 0xffffffff, UINT64_C(0xffffffff), UINT64_C(0x100000000) },	/* the last nonce of all, alone */
		{ 0x00000000, 0x80000000, 0x80000000 + NONCES_MAX },		/* none */
	};
	struct work work;

	memset(&work, 0, sizeof work);
	for (size_t i = 0; i < e->algo->header_len; i++)
		work.header[i] = (uint8_t)(37 * i + 11);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		work.header[0] = (uint8_t)i;
		work.target[7] = rows[i].target;
		if (search(e, ++*tag, &work, rows[i].first, rows[i].end) < 0)
			return -1;
	}
	return 0;
}

int known_answer_test(struct card *card, const struct algo *algo, uint32_t *tag)
{
	struct exam e = { .card = card, .algo = algo };
	int result = -1;

	e.scratch = aligned_alloc(CACHE_LINE, (algo->scratch_len + CACHE_LINE) / CACHE_LINE * CACHE_LINE);
	if (!e.scratch)
		return log_errno("card %s: scratch", card->transport.name);
	card->hit = take_hit;
	card->hit_ctx = &e;
	if (known_blocks(&e, tag) == 0 && ranges(&e, tag) == 0)
		result = 0;
	card->hit = NULL;
	card->hit_ctx = NULL;
	free(e.scratch);
	return result;
}
