/* See lent_stage.h. */
#include "fpga/lent_stage.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "work/worker.h"

#define ITEM	32	/* bytes of a stage's message and digest */
#define PROOF_NONCES	256
#define BAD_MAX	16	/* wrong candidates that are borne in any case, or as many as true ones */

enum batch_state { FREE, WAITS, AT_DEVICE, BACK };

/* A batch on its way through the chain. */
struct batch {
	enum batch_state state;			/* under the lock */
	uint64_t number;			/* the order in which batches came to the device */
	uint64_t nonce;				/* the first */
	const struct lane_stage *stage;		/* the one it is at: the device's */
	uint64_t *words;			/* of its groups of lanes, one after the other */
	uint8_t *in, *out;			/* the same as the device takes it */
};

struct line {
	struct lent_stage *lent;
	unsigned groups;			/* of lanes, in a batch */
	void *job;				/* the kernel's */
	struct batch *batches;

	pthread_t thread;			/* the device's */
	bool has_thread, is_open;
	unsigned good, bad;			/* candidates, the searching thread's own */
	pthread_mutex_t lock;			/* of the rest */
	pthread_cond_t changed;
	uint64_t sent;				/* batches that came to the device */
	bool ending, lost;
};

bool lent_stage_fits(const struct lent_stage *lent)
{
	if (!lent->kernel || !lent->kernel->header)
		return false;
	for (const struct lane_stage *stage = lent->kernel->stages; stage[1].name; stage++)
		if (strcmp(stage->name, lent->name) == 0)
			return true;
	return false;
}

static unsigned nonces_of(const struct line *line)
{
	return line->groups * line->lent->kernel->lanes;
}

/* Lane layout to the bytes of item after item. */
static void pack(const struct line *line, struct batch *batch)
{
	const unsigned lanes = line->lent->kernel->lanes;
	uint8_t *item = batch->in;

	for (unsigned group = 0; group < line->groups; group++)
		for (unsigned lane = 0; lane < lanes; lane++, item += ITEM)
			for (unsigned i = 0; i < 4; i++)
				store_le64(item + 8 * i, batch->words[(4 * group + i) * lanes + lane]);
}

static void unpack(const struct line *line, struct batch *batch)
{
	const unsigned lanes = line->lent->kernel->lanes;
	const uint8_t *item = batch->out;

	for (unsigned group = 0; group < line->groups; group++)
		for (unsigned lane = 0; lane < lanes; lane++, item += ITEM)
			for (unsigned i = 0; i < 4; i++)
				batch->words[(4 * group + i) * lanes + lane] = load_le64(item + 8 * i);
}

static void set_state(struct line *line, struct batch *batch, enum batch_state state)
{
	pthread_mutex_lock(&line->lock);
	if (state == WAITS)
		batch->number = line->sent++;
	batch->state = state;
	pthread_cond_broadcast(&line->changed);
	pthread_mutex_unlock(&line->lock);
}

/* Run the stages from batch->stage on, up to the next lent one or the last. True: it waits for the device. */
static bool advance(struct line *line, struct batch *batch)
{
	const struct kernel *kernel = line->lent->kernel;

	for (; batch->stage[1].name; batch->stage++) {
		if (strcmp(batch->stage->name, line->lent->name) == 0) {
			pack(line, batch);
			set_state(line, batch, WAITS);
			return true;
		}
		for (unsigned group = 0; group < line->groups; group++)
			batch->stage->run(line->job, batch->words + (size_t)4 * kernel->lanes * group);
	}
	return false;
}

static bool begin(struct line *line, struct batch *batch, uint64_t nonce)
{
	const struct kernel *kernel = line->lent->kernel;

	batch->nonce = nonce;
	batch->stage = kernel->stages;
	for (unsigned group = 0; group < line->groups; group++)
		kernel->header(line->job, (uint32_t)nonce + group * kernel->lanes, batch->words + (size_t)4 * kernel->lanes * group);
	return advance(line, batch);
}

static bool go_on(struct line *line, struct batch *batch)
{
	unpack(line, batch);
	batch->stage++;
	return advance(line, batch);
}

/* The batch of this state that came to the device first; NULL: there is none. Under the lock. */
static struct batch *oldest(struct line *line, enum batch_state state)
{
	struct batch *found = NULL;

	for (unsigned i = 0; i < line->lent->depth; i++) {
		struct batch *batch = &line->batches[i];

		if (batch->state == state && (!found || batch->number < found->number))
			found = batch;
	}
	return found;
}

static void *serve(void *arg)
{
	struct line *line = arg;
	struct lent_stage *lent = line->lent;

	pthread_mutex_lock(&line->lock);
	while (!line->ending) {
		struct batch *batch = oldest(line, WAITS);

		if (!batch || line->lost) {
			pthread_cond_wait(&line->changed, &line->lock);
			continue;
		}
		batch->state = AT_DEVICE;
		pthread_mutex_unlock(&line->lock);
		double began = clock_now();
		bool lost = lent->device->run(lent->ctx, batch->out, batch->in, nonces_of(line)) < 0;
		lent->device_busy = lent->device_busy + clock_now() - began;
		pthread_mutex_lock(&line->lock);
		batch->state = BACK;
		line->lost |= lost;
		pthread_cond_broadcast(&line->changed);
	}
	pthread_mutex_unlock(&line->lock);
	return NULL;
}

/* A batch that is back from the device, else one that is free, if `may_begin`, else waits for one. NULL: all are free, or the device is lost. */
static struct batch *next_batch(struct line *line, bool may_begin)
{
	struct batch *batch;

	pthread_mutex_lock(&line->lock);
	for (;;) {
		batch = oldest(line, BACK);
		if (!batch && may_begin)
			batch = oldest(line, FREE);
		if (batch || line->lost || !(oldest(line, WAITS) || oldest(line, AT_DEVICE)))
			break;
		pthread_cond_wait(&line->changed, &line->lock);
	}
	if (line->lost)
		batch = NULL;
	pthread_mutex_unlock(&line->lock);
	return batch;
}

/* Whom walk() asks and tells. */
struct walker {
	bool (*stale)(void *ctx);					/* true ends it early */
	void (*answer)(void *ctx, uint64_t nonce, uint32_t mask);	/* of a group of lanes, the first at `nonce` */
	void (*undone)(void *ctx, uint64_t first, uint64_t end);	/* the device was lost before these had answers */
};

/*
 * Wait until the device works on nothing, and free all batches. Whether the device is lost: then what they were at, and what
 * had not begun, [next, end), is undone.
 */
static bool clear(struct line *line, uint64_t next, uint64_t end, const struct walker *walker, void *ctx)
{
	pthread_mutex_lock(&line->lock);
	while (oldest(line, AT_DEVICE))
		pthread_cond_wait(&line->changed, &line->lock);
	const bool lost = line->lost;
	for (unsigned i = 0; i < line->lent->depth; i++) {
		struct batch *batch = &line->batches[i];

		if (lost && batch->state != FREE)
			walker->undone(ctx, batch->nonce, batch->nonce + nonces_of(line));
		batch->state = FREE;
	}
	pthread_mutex_unlock(&line->lock);
	if (lost)
		walker->undone(ctx, next, end);
	return lost;
}

/*
 * All nonces of [first, end) through the chain. Answers come in any order, and of the last batch for nonces beyond `end`
 * too. Returns 0, or -1 when the device is lost.
 */
static int walk(struct line *line, uint64_t first, uint64_t end, const struct walker *walker, void *ctx)
{
	struct lent_stage *lent = line->lent;
	uint64_t next = first;
	struct batch *batch;
	double began = clock_now(), busy = 0;

	while ((batch = next_batch(line, next < end))) {
		double turn = clock_now();
		bool waits;

		if (walker->stale(ctx))
			break;
		if (batch->state == FREE) {
			waits = begin(line, batch, next);
			next += nonces_of(line);
		} else {
			waits = go_on(line, batch);
		}
		for (unsigned group = 0; !waits && group < line->groups; group++)
			walker->answer(ctx, batch->nonce + (uint64_t)group * lent->kernel->lanes,
			       lent->kernel->last(line->job, batch->words + (size_t)4 * lent->kernel->lanes * group));
		if (!waits)
			set_state(line, batch, FREE);
		busy += clock_now() - turn;
	}
	const bool lost = clear(line, next, end, walker, ctx);
	lent->cpu_busy = lent->cpu_busy + busy;
	lent->searched = lent->searched + clock_now() - began;
	return lost ? -1 : 0;
}

struct search {
	struct worker *w;
	const struct work *work;
	uint64_t end;
	uint64_t hashes;
};

static bool is_stale(void *ctx)
{
	const struct search *s = ctx;

	return board_is_stale(s->w->board, s->work);
}

/* A device that answers, but wrongly, is as good as lost. */
static void distrust(struct line *line)
{
	pthread_mutex_lock(&line->lock);
	const bool is_news = !line->lost;
	line->lost = true;
	pthread_mutex_unlock(&line->lock);
	if (is_news)
		log_error("%s: %u of its %u candidates were wrong", line->lent->device->name, line->bad, line->bad + line->good);
}

static void take_answer(void *ctx, uint64_t nonce, uint32_t mask)
{
	struct search *s = ctx;
	struct line *line = s->w->state;
	const struct lent_stage *lent = line->lent;
	uint64_t left = nonce < s->end ? s->end - nonce : 0, lanes = left < lent->kernel->lanes ? left : lent->kernel->lanes;

	for (unsigned lane = 0; lane < lanes; lane++) {
		if (!(mask >> lane & 1))
			continue;
		if (worker_candidate(s->w, s->work, (uint32_t)(nonce + lane)))
			line->good++;
		else
			line->bad++;
	}
	s->hashes += lanes;
	s->w->hashes += lanes;
	if (line->bad >= BAD_MAX && line->bad > line->good)
		distrust(line);
}

static void give_back(void *ctx, uint64_t first, uint64_t end)
{
	const struct search *s = ctx;

	if (end > s->end)
		end = s->end;
	if (first < end)
		board_give_back(s->w->board, s->work, first, end);
}

/* Under each of the work's versions in turn. */
int64_t lent_stage_scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	static const struct walker walker = { is_stale, take_answer, give_back };
	struct line *line = w->state;
	const unsigned versions = work->version_count > 0 ? work->version_count : 1;
	struct work one = *work;
	struct search s = { .w = w, .work = &one, .end = end };

	one.version_count = 0;
	for (unsigned i = 0; i < versions && !is_stale(&s); i++) {
		if (work->version_count > 0)
			store_le32(one.header, work->versions[i]);
		line->lent->kernel->prepare(line->job, w->algo, &one);
		if (line->lost)
			give_back(&s, first, end);
		else
			walk(line, first, end, &walker, &s);
	}
	if (line->lost && !board_wait_closed(w->board, 0)) {	/* at the end of the run none is waited for */
		line->lent->on = false;
		line->lent->failures++;
		return -1;
	}
	return (int64_t)(s.hashes / versions);
}

static int64_t scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	const struct lent_stage *lent = w->device;
	int64_t done = lent_stage_scan(w, work, first, end);

	return done < 0 ? log_error("%s: switched off, what it did not search goes to others", lent->device->name) : done;
}

/* What the reference says of the nonces from `first` on, in place of what the chain says. */
struct proof {
	const struct algo *algo;
	struct work work;
	void *scratch;
	uint64_t end;
	unsigned lanes;
	uint64_t wrong;		/* nonces */
};

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

static void ignore(void *ctx, uint64_t first, uint64_t end)
{
	(void)ctx;
	(void)first;
	(void)end;
}

static uint32_t top_word(const struct proof *proof, uint64_t nonce)
{
	uint8_t header[HEADER_MAX], digest[32];

	memcpy(header, proof->work.header, sizeof header);
	store_le32(header + proof->algo->nonce_off, (uint32_t)nonce);
	proof->algo->hash(digest, header, proof->scratch);
	return load_le32(digest + 28);
}

static void check_answer(void *ctx, uint64_t nonce, uint32_t mask)
{
	struct proof *proof = ctx;

	for (unsigned lane = 0; lane < proof->lanes && nonce + lane < proof->end; lane++)
		proof->wrong += (mask >> lane & 1) != (top_word(proof, nonce + lane) <= proof->work.target[7]);
}

/* The device's digests of a whole batch are those of this CPU's stage, which passed its own self-test. */
static int prove_stage(struct line *line)
{
	const struct kernel *kernel = line->lent->kernel;
	const struct lane_stage *stage = kernel->stages;
	struct batch *batch = &line->batches[0];
	const size_t items = nonces_of(line);
	uint64_t x = 1;
	size_t wrong = 0;

	while (strcmp(stage->name, line->lent->name) != 0)
		stage++;
	for (size_t i = 0; i < 4 * items; i++)
		batch->words[i] = x = x * 6364136223846793005 + 1442695040888963407;
	pack(line, batch);
	if (line->lent->device->run(line->lent->ctx, batch->out, batch->in, items) < 0)
		return -1;
	for (unsigned group = 0; group < line->groups; group++)
		stage->run(line->job, batch->words + (size_t)4 * kernel->lanes * group);
	pack(line, batch);
	for (size_t i = 0; i < items; i++)
		wrong += memcmp(batch->in + ITEM * i, batch->out + ITEM * i, ITEM) != 0;
	return wrong == 0 ? 0 : log_error("%s: %zu of %zu digests of %s are wrong", line->lent->device->name, wrong, items, stage->name);
}

/*
 * The whole chain: some hundred nonces of a made-up header, the last before 2^32 among them, at four targets, one of which
 * is a digest's own top word.
 */
static int prove_chain(struct line *line, const struct algo *algo)
{
	static const struct walker walker = { never, check_answer, ignore };
	static const uint32_t targets[] = { 0x7fffffff, 0x3fffffff, 0xbfffffff, 0 };
	const unsigned lanes = line->lent->kernel->lanes;
	struct proof proof = { .algo = algo, .lanes = lanes };
	uint64_t first = UINT32_MAX - 2 * lanes;	/* past the last nonce, too */
	int status = 0;

	proof.scratch = algo->scratch_len > 0 ? aligned_alloc(CACHE_LINE, (algo->scratch_len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE) : NULL;
	if (algo->scratch_len > 0 && !proof.scratch)
		return log_error("%s: no memory", line->lent->device->name);
	for (size_t i = 0; i < HEADER_MAX; i++)
		proof.work.header[i] = (uint8_t)(i * 73 + 11);
	for (unsigned i = 0; status == 0 && i < sizeof targets / sizeof targets[0]; i++) {
		proof.work.target[7] = i < 3 ? targets[i] : top_word(&proof, first);
		proof.end = first + PROOF_NONCES;
		line->lent->kernel->prepare(line->job, algo, &proof.work);
		status = walk(line, first, first + PROOF_NONCES, &walker, &proof);
	}
	free(proof.scratch);
	if (status == 0 && proof.wrong > 0)
		status = log_error("%s: wrong about %ju of %u nonces", line->lent->device->name, (uintmax_t)proof.wrong, 4 * PROOF_NONCES);
	return status;
}

static void free_line(struct line *line)
{
	for (unsigned i = 0; line->batches && i < line->lent->depth; i++) {
		free(line->batches[i].words);
		free(line->batches[i].in);
		free(line->batches[i].out);
	}
	free(line->batches);
	free(line->job);
	pthread_cond_destroy(&line->changed);
	pthread_mutex_destroy(&line->lock);
	free(line);
}

static int make_line(struct line *line, const struct algo *algo)
{
	const struct lent_stage *lent = line->lent;
	size_t job_len = (lent->kernel->job_len + algo->scratch_len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	size_t batch_len;

	line->groups = lent->batch / lent->kernel->lanes;
	line->groups = line->groups > 0 ? line->groups : 1;
	batch_len = (size_t)nonces_of(line) * ITEM;
	batch_len = (batch_len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	line->job = aligned_alloc(CACHE_LINE, job_len);
	line->batches = calloc(lent->depth, sizeof *line->batches);
	if (!line->job || !line->batches)
		return log_error("%s: no memory for %u batches", lent->device->name, lent->depth);
	memset(line->job, 0, job_len);
	for (unsigned i = 0; i < lent->depth; i++) {
		struct batch *batch = &line->batches[i];

		batch->words = aligned_alloc(CACHE_LINE, batch_len);
		batch->in = aligned_alloc(CACHE_LINE, batch_len);
		batch->out = aligned_alloc(CACHE_LINE, batch_len);
		if (!batch->words || !batch->in || !batch->out)
			return log_error("%s: no memory for %u batches", lent->device->name, lent->depth);
	}
	return 0;
}

static int start_device(struct line *line)
{
	line->has_thread = pthread_create(&line->thread, NULL, serve, line) == 0;
	return line->has_thread ? 0 : log_error("%s: its thread cannot be started", line->lent->device->name);
}

static void close_worker(struct worker *w)
{
	struct line *line = w->state;

	pthread_mutex_lock(&line->lock);
	line->ending = true;
	pthread_cond_broadcast(&line->changed);
	pthread_mutex_unlock(&line->lock);
	if (line->has_thread)
		pthread_join(line->thread, NULL);
	if (line->is_open)
		line->lent->device->close(line->lent->ctx);
	free_line(line);
	w->state = NULL;
}

static int open_worker(struct worker *w)
{
	struct lent_stage *lent = w->device;
	struct line *line = calloc(1, sizeof *line);

	if (!line)
		return log_error("%s: no memory", lent->device->name);
	line->lent = lent;
	pthread_mutex_init(&line->lock, NULL);
	pthread_cond_init(&line->changed, NULL);
	w->state = line;
	line->is_open = lent->device->open(lent->ctx) == 0;
	if (line->is_open && make_line(line, w->algo) == 0 && prove_stage(line) == 0 && start_device(line) == 0 &&
	    prove_chain(line, w->algo) == 0) {
		log_info("%s: %s proved; %u batches of %u under way", lent->device->name, lent->name, lent->depth, nonces_of(line));
		lent->on = true;
		return 0;
	}
	lent->on = false;
	close_worker(w);
	return -1;
}

static bool supported(void)
{
	return true;
}

const struct backend backend_lent_stage = {
	.name = "lent-stage", .supported = supported, .open = open_worker, .scan = scan, .close = close_worker,
};
