/* The worker's side of a card: claims, jobs, hits, and what a failure leaves. See unit.h. */
#include "fpga/unit.h"

#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "fpga/known_answer.h"

#define FIRST_WANT	4096	/* nonces, before the rate is known */
#define LEAST_WANT	256
#define MOST_WANT	(UINT64_C(1) << 31)	/* of a job: a card counts its hashes modulo 2^32 */
#define CLAIM_S		0.25	/* of hashing a claim should be worth */
#define SERVE_S		0.01	/* how soon newer work is seen */
#define BAD_MAX		16	/* wrong hits since the start that are borne in any case, or as many as true ones */

bool fpga_unit_unwanted(const struct fpga_unit *unit)
{
	if (unit->board)
		return board_wait_closed(unit->board, 0);
	return unit->stop && unit->stop();
}

static bool unwanted(void *ctx)
{
	return fpga_unit_unwanted(ctx);
}

int fpga_unit_start(struct fpga_unit *unit)
{
	struct transport transport;

	unit->on = false;
	if (unit->open(unit, &transport) < 0)
		return -1;
	transport.unwanted = unwanted;
	transport.unwanted_ctx = unit;
	card_init(&unit->card, &transport);

	int result = card_identify(&unit->card, unit->algo);
	if (result == 0 && (card_reset(&unit->card) < 0 || known_answer_test(&unit->card, unit->algo, &unit->tag) < 0))
		result = -1;
	if (result < 0) {
		card_close(&unit->card);
		return result;
	}
	memset(unit->jobs, 0, sizeof unit->jobs);
	unit->good = unit->bad = 0;
	unit->want = FIRST_WANT;
	retry_started(&unit->retry);
	unit->cores = unit->card.cores;
	unit->clocks = unit->card.clocks;
	unit->clock_khz = (uint32_t)(unit->card.clock_hz / 1000);
	unit->in_use = true;
	unit->on = true;
	return 0;
}

void fpga_unit_stop(struct fpga_unit *unit)
{
	if (!unit->in_use)
		return;
	card_stop(&unit->card);
	card_close(&unit->card);
	unit->in_use = false;
}

/* What a scan works through: a claim, whose versions become jobs one after the other. */
struct search {
	struct worker *w;
	struct fpga_unit *unit;
	struct work work;		/* of the claim */
	uint64_t first, end;
	unsigned version, versions;	/* the next one of it to become a job, and how many there are */
	struct fpga_job *running;	/* NULL: none */
	struct fpga_job *prepared;	/* in the JOB registers; NULL: none */
	double started_at;		/* the running one: clock_now() */
	uint64_t hashes;
};

static bool seen_before(struct fpga_unit *unit, uint32_t tag, uint32_t nonce)
{
	for (unsigned i = 0; i < FPGA_HITS_SEEN; i++)
		if (unit->seen[i].tag == tag && unit->seen[i].nonce == nonce)
			return true;
	unit->seen[unit->seen_next].tag = tag;
	unit->seen[unit->seen_next].nonce = nonce;
	unit->seen_next = (unit->seen_next + 1) % FPGA_HITS_SEEN;
	return false;
}

/* What a card reports is believed in nothing: neither tag nor nonce, nor that it is the first time. */
static void take_hit(void *ctx, uint32_t tag, uint32_t nonce)
{
	struct search *s = ctx;
	struct fpga_unit *unit = s->unit;
	struct fpga_job *job = &unit->jobs[tag % FPGA_JOBS];

	unit->hits++;
	if (tag == 0 || job->regs.tag != tag || !job->started || nonce < job->regs.first || nonce > job->regs.last) {
		s->w->hw_errors++;
		unit->bad++;
		return;
	}
	if (seen_before(unit, tag, nonce)) {
		unit->duplicates++;
		unit->bad++;
		return;
	}
	if (job != s->running)
		unit->stale++;		/* still true for its own work; the pool's thread knows whether that is wanted */
	if (!worker_candidate(s->w, &job->work, nonce)) {
		unit->bad++;
		return;
	}
	unit->good++;
	if (job->behind_hits <= nonce)
		job->behind_hits = (uint64_t)nonce + 1;
}

static void set_claim(struct search *s, const struct work *work, uint64_t first, uint64_t end)
{
	if (work != &s->work)
		s->work = *work;
	s->first = first;
	s->end = end;
	s->version = 0;
	s->versions = work->version_count > 0 ? work->version_count : 1;
}

/* The work under one of its versions. */
static struct work under_version(const struct work *work, unsigned version)
{
	struct work one = *work;

	if (work->version_count > 0) {
		store_le32(one.header, work->versions[version]);
		one.versions[0] = work->versions[version];
		one.version_count = 1;
	}
	return one;
}

/* The next job, made of the claim or, where that is used up, of a new one; NULL: there is nothing to do. */
static struct fpga_job *next_job(struct search *s)
{
	struct fpga_unit *unit = s->unit;

	if (s->version == s->versions || board_is_stale(s->w->board, &s->work)) {
		uint64_t want = unit->want / s->versions, first, end;

		s->version = s->versions;
		want = want < LEAST_WANT ? LEAST_WANT : want > MOST_WANT ? MOST_WANT : want;
		if (!board_try_claim(s->w->board, want, &s->work, &first, &end))
			return NULL;
		set_claim(s, &s->work, first, end);
	}
	if (++unit->tag == 0)
		unit->tag++;		/* 0 is no job's */

	struct fpga_job *job = &unit->jobs[unit->tag % FPGA_JOBS];

	job->work = under_version(&s->work, s->version++);
	job->first = job->behind_hits = s->first;
	job->end = s->end;
	job->started = false;
	card_job_make(&job->regs, unit->tag, &job->work, job->first, job->end);
	return job;
}

static void prepare_next(struct search *s)
{
	s->prepared = next_job(s);
	if (s->prepared)
		card_prepare(&s->unit->card, &s->prepared->regs);
}

/* Start what is prepared; what runs is abandoned. */
static void start_prepared(struct search *s)
{
	card_start(&s->unit->card, &s->prepared->regs);
	s->running = s->prepared;
	s->running->started = true;
	s->prepared = NULL;
	s->started_at = clock_now();
}

/* The card counts from its start on, the unit for the whole run. */
static void take_interrupts(struct fpga_unit *unit)
{
	unit->missed_irqs += unit->card.missed;
	unit->lost_irqs += unit->card.lost;
	unit->card.missed = unit->card.lost = 0;
}

static void count(struct search *s, uint64_t nonces)
{
	s->hashes += nonces;
	s->w->hashes += nonces;
	s->unit->clock_khz = (uint32_t)(s->unit->card.clock_hz / 1000);
	take_interrupts(s->unit);
}

/* The running job is exhausted: count it, and learn from it how much to claim. */
static void finish_running(struct search *s)
{
	struct fpga_unit *unit = s->unit;
	double seconds = clock_now() - s->started_at;
	uint64_t nonces = s->running->end - s->running->first, most = 4 * unit->want;
	double aim = seconds > 0 ? (double)nonces * CLAIM_S / seconds : (double)most;

	count(s, nonces);
	unit->want = aim > (double)most ? most : aim < LEAST_WANT ? LEAST_WANT : (uint64_t)aim;
	s->running = NULL;
	retry_worked(&unit->retry);
}

/* The card has failed: off with it, and what it did not do goes back. */
static void switch_off(struct search *s)
{
	struct fpga_unit *unit = s->unit;
	struct board *board = s->w->board;

	fpga_unit_stop(unit);
	unit->on = false;
	unit->failures++;
	count(s, s->running ? s->running->behind_hits - s->running->first : 0);	/* hashed, or lost */
	if (s->running)
		board_give_back(board, &s->running->work, s->running->behind_hits, s->running->end);
	if (s->prepared)
		board_give_back(board, &s->prepared->work, s->prepared->first, s->prepared->end);
	for (; s->version < s->versions; s->version++) {
		const struct work work = under_version(&s->work, s->version);

		board_give_back(board, &work, s->first, s->end);
	}
	log_warn("card %s: switched off; its work goes to others, and it is tried again in %.0f s", unit->name,
		 retry_pause(&unit->retry));
}

static int start(struct fpga_unit *unit)
{
	return unit->start ? unit->start(unit) : fpga_unit_start(unit);
}

/* The card is off: leave the work to others, and try it after a pause. */
static void try_again(struct fpga_unit *unit)
{
	if (!retry_wait(&unit->retry, unit->board))
		return;
	if (start(unit) == 0)
		log_info("card %s: works again", unit->name);
	else if (!fpga_unit_unwanted(unit))
		log_warn("card %s: still off, tried again in %.0f s", unit->name, retry_pause(&unit->retry));
}

/* Newer work is out, or none. The running job is worth nothing any more. */
static void leave_stale(struct search *s)
{
	count(s, card_progress(&s->unit->card));
	if (!s->prepared || board_is_stale(s->w->board, &s->prepared->work))
		prepare_next(s);
	if (s->prepared) {
		start_prepared(s);
	} else {
		s->running = NULL;
		card_stop(&s->unit->card);
	}
}

/* One turn while a job runs. -1: the card failed. */
static int turn(struct search *s)
{
	struct fpga_unit *unit = s->unit;

	if (board_is_stale(s->w->board, &s->running->work))
		leave_stale(s);
	else if (!s->prepared)
		prepare_next(s);

	int done = card_serve(&unit->card, SERVE_S);
	if (done < 0)
		return -1;
	if (unit->bad >= BAD_MAX && unit->bad > unit->good)
		return log_error("card %s: %u of its %u hits were wrong", unit->name, unit->bad, unit->bad + unit->good);
	if (done == 0)
		return 0;
	finish_running(s);
	if (!s->prepared)
		prepare_next(s);
	if (s->prepared)
		start_prepared(s);
	return 0;
}

/*
 * The claim it is called with and further ones, so that the card always has a next job in its registers, until the
 * board has nothing more at once or the card fails.
 */
static int64_t scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	struct fpga_unit *unit = w->device;
	struct search s = { .w = w, .unit = unit };

	if (!unit->in_use) {
		board_give_back(w->board, work, first, end);
		try_again(unit);
		return 0;
	}
	unit->card.hit = take_hit;
	unit->card.hit_ctx = &s;
	set_claim(&s, work, first, end);
	prepare_next(&s);
	if (s.prepared)
		start_prepared(&s);
	while (s.running) {
		if (turn(&s) < 0) {
			switch_off(&s);
			break;
		}
	}
	return (int64_t)s.hashes;
}

static int open_worker(struct worker *w)
{
	struct fpga_unit *unit = w->device;

	unit->board = w->board;

	int result = unit->in_use ? 0 : start(unit);
	if (result == CARD_FOREIGN) {
		unit->board = NULL;
		return log_error("card %s: given up", unit->name);
	}
	if (result < 0 && !fpga_unit_unwanted(unit))
		log_warn("card %s: off, tried again in %.0f s", unit->name, retry_pause(&unit->retry));
	return 0;
}

static void close_worker(struct worker *w)
{
	struct fpga_unit *unit = w->device;

	fpga_unit_stop(unit);
	unit->board = NULL;
}

static bool supported(void)
{
	return true;
}

const struct backend backend_fpga = {
	.name = "fpga", .supported = supported, .open = open_worker, .scan = scan, .close = close_worker,
};
