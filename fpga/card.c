/* Talking to a card's registers: see card.h. */
#include "fpga/card.h"

#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "fpga/regs.h"
#include "sha3/sha256.h"

#define ID		0x41444954	/* "ADIT" */
#define VERSION_MAJOR	1		/* the register layout this driver knows */
#define CORES_MAX	127
#define HITS_LOG2_MAX	16
#define CLOCK_LEAST_S	0.02		/* of a job from which the clock is measured */
#define IDLE_INTERRUPTS_MAX 100		/* in a row, then the interrupt is given up */

/* Which algorithms CAPS.ALGO can name. */
static const struct {
	const char *algo;
	uint32_t id;
} known[] = {
	{ "sha256d", 1 },
};

static uint32_t read_reg(struct card *c, unsigned offset)
{
	return c->transport.ops->read(&c->transport, offset);
}

static void write_reg(struct card *c, unsigned offset, uint32_t value)
{
	c->transport.ops->write(&c->transport, offset, value);
}

static uint32_t field(uint32_t value, uint32_t mask, unsigned shift)
{
	return (value & mask) >> shift;
}

static uint32_t algo_id(const struct algo *algo)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].algo, algo->name) == 0)
			return known[i].id;
	return 0;
}

bool card_knows(const struct algo *algo)
{
	return algo_id(algo) != 0;
}

void card_init(struct card *c, const struct transport *transport)
{
	*c = (struct card){ .transport = *transport, .stopped_s = CARD_STOPPED_S };
}

void card_close(struct card *c)
{
	c->transport.ops->close(&c->transport);
}

/* Of a miner: can this driver use it for `algo`? 0, or -1 logged. */
static int check_kind(struct card *c, const struct algo *algo, uint32_t version, uint32_t caps)
{
	const char *name = c->transport.name;
	const uint32_t log2 = field(caps, FPGA_CAPS_HITS_LOG2, FPGA_CAPS_HITS_LOG2_SHIFT);

	if (version >> 16 != VERSION_MAJOR)
		return log_error("card %s: its registers are of version %u.%u, and this driver knows %d", name,
				 (unsigned)(version >> 16), (unsigned)(version & 0xffff), VERSION_MAJOR);
	if (algo_id(algo) != (caps & FPGA_CAPS_ALGO))
		return log_error("card %s: it was built for algorithm %u, which is not %s", name,
				 (unsigned)(caps & FPGA_CAPS_ALGO), algo->name);
	c->cores = field(caps, FPGA_CAPS_CORES, FPGA_CAPS_CORES_SHIFT);
	c->clocks = field(caps, FPGA_CAPS_CLOCKS, FPGA_CAPS_CLOCKS_SHIFT);
	if (c->cores == 0 || c->cores > CORES_MAX || c->clocks == 0 || log2 == 0 || log2 > HITS_LOG2_MAX)
		return log_error("card %s: its capabilities %08x make no sense", name, (unsigned)caps);
	c->hits_max = 1u << log2;
	return 0;
}

int card_identify(struct card *c, const struct algo *algo)
{
	const char *name = c->transport.name;
	const uint32_t id = read_reg(c, FPGA_ID);

	/* What is no card of ours may be slow to say so, and is asked nothing more. */
	if (id == TRANSPORT_GONE)
		return log_error("card %s: nothing answers there", name);
	if (id != ID) {
		log_error("card %s: this is not the miner: its identity is %08x", name, (unsigned)id);
		return CARD_FOREIGN;
	}
	const uint32_t version = read_reg(c, FPGA_VERSION), caps = read_reg(c, FPGA_CAPS);

	if (version == TRANSPORT_GONE || caps == TRANSPORT_GONE)
		return log_error("card %s: it is gone", name);
	return check_kind(c, algo, version, caps) < 0 ? CARD_FOREIGN : 0;
}

/* Follow CYCLES, which overflows once in 2^32 clocks: more often than that it must be read. */
static void follow_clock(struct card *c)
{
	uint32_t now = read_reg(c, FPGA_CYCLES), step = now - c->cycles_read;

	if (step == 0)
		return;
	c->cycles += step;
	c->cycles_read = now;
	c->moved_at = clock_now();
}

int card_reset(struct card *c)
{
	const uint32_t all = FPGA_IRQ_STATUS_HIT | FPGA_IRQ_STATUS_EXHAUSTED;

	write_reg(c, FPGA_CONTROL, FPGA_CONTROL_RESET);
	c->running = c->more_hits = c->polling = false;
	c->idle_interrupts = 0;
	c->cycles = 0;
	c->cycles_read = read_reg(c, FPGA_CYCLES);
	if (read_reg(c, FPGA_STATUS) != 0 || read_reg(c, FPGA_IRQ_STATUS) != 0)
		return log_error("card %s: a reset leaves it with status %08x, interrupts %08x", c->transport.name,
				 (unsigned)read_reg(c, FPGA_STATUS), (unsigned)read_reg(c, FPGA_IRQ_STATUS));

	/* An interrupt of whoever used the card before may still be pending, or masked. */
	if (c->transport.ops->wait(&c->transport, 0) < 0 || c->transport.ops->unmask(&c->transport) < 0)
		return -1;
	write_reg(c, FPGA_IRQ_ENABLE, all);
	return 0;
}

void card_job_make(struct card_job *job, uint32_t tag, const struct work *work, uint64_t first, uint64_t end)
{
	*job = (struct card_job){ .tag = tag, .first = (uint32_t)first, .last = (uint32_t)(end - 1), .target = work->target[7] };
	memcpy(job->midstate, sha256_iv, sizeof job->midstate);
	sha256_compress(job->midstate, work->header);
	for (unsigned i = 0; i < 3; i++)
		job->tail[i] = load_be32(work->header + 64 + 4 * i);
}

void card_prepare(struct card *c, const struct card_job *job)
{
	for (unsigned i = 0; i < 8; i++)
		write_reg(c, FPGA_JOB_MIDSTATE0 + 4 * i, job->midstate[i]);
	for (unsigned i = 0; i < 3; i++)
		write_reg(c, FPGA_JOB_TAIL0 + 4 * i, job->tail[i]);
	write_reg(c, FPGA_JOB_TAG, job->tag);
	write_reg(c, FPGA_JOB_TARGET, job->target);
	write_reg(c, FPGA_JOB_FIRST, job->first);
	write_reg(c, FPGA_JOB_LAST, job->last);
}

/* The running job may take so long again. */
static void set_deadline(struct card *c)
{
	c->deadline = c->cycles + 2 * c->job_nonces * c->clocks / c->cores + CARD_LATE_CLOCKS;
}

void card_start(struct card *c, const struct card_job *job)
{
	c->hashes_before = read_reg(c, FPGA_HASHES);
	write_reg(c, FPGA_CONTROL, FPGA_CONTROL_START);
	c->running = true;
	c->job_nonces = (uint64_t)(job->last - job->first) + 1;
	follow_clock(c);
	c->job_cycles = c->cycles;
	c->job_at = c->moved_at = clock_now();	/* without a job the clock may stand */
	set_deadline(c);
}

void card_stop(struct card *c)
{
	write_reg(c, FPGA_CONTROL, FPGA_CONTROL_STOP);
	c->running = false;
}

uint64_t card_progress(struct card *c)
{
	const uint32_t hashes = read_reg(c, FPGA_HASHES), hashed = hashes - c->hashes_before;

	if (hashes == TRANSPORT_GONE && read_reg(c, FPGA_ID) != ID)
		return 0;
	return hashed < c->job_nonces ? hashed : c->job_nonces;
}

/* A register is all ones: is the card gone? -1 then. */
static int check_gone(struct card *c)
{
	if (read_reg(c, FPGA_ID) == ID)
		return 0;
	return log_error("card %s: it is gone", c->transport.name);
}

/* Hand out what is queued, but no more than the queue holds at once, since the card goes on finding. */
static int drain(struct card *c)
{
	unsigned taken = 0;
	uint32_t status;

	while ((status = read_reg(c, FPGA_STATUS)) & FPGA_STATUS_HIT && taken < c->hits_max) {
		if (status == TRANSPORT_GONE && check_gone(c) < 0)
			return -1;
		uint32_t tag = read_reg(c, FPGA_HIT_TAG);
		uint32_t nonce = read_reg(c, FPGA_HIT_NONCE);

		c->hit(c->hit_ctx, tag, nonce);
		taken++;
	}
	c->more_hits = status & FPGA_STATUS_HIT;
	if (taken > 0) {
		/* A full queue makes the search wait, and we took our time with it. */
		follow_clock(c);
		set_deadline(c);
	}
	return 0;
}

/* Acknowledge what has happened and take the hits. Returns the bits of IRQ_STATUS, or -1 logged. */
static int look(struct card *c)
{
	uint32_t happened = read_reg(c, FPGA_IRQ_STATUS);

	if (happened == TRANSPORT_GONE && check_gone(c) < 0)
		return -1;
	if (happened)
		write_reg(c, FPGA_IRQ_STATUS, happened);
	if ((happened || c->more_hits) && drain(c) < 0)
		return -1;
	return (int)(happened & (FPGA_IRQ_STATUS_HIT | FPGA_IRQ_STATUS_EXHAUSTED));
}

/* The job has ended just now, or is a little longer over, so what is too short to tell says nothing. */
static void measure_clock(struct card *c)
{
	double seconds = clock_now() - c->job_at;

	follow_clock(c);
	if (seconds > CLOCK_LEAST_S || c->clock_hz == 0)
		c->clock_hz = (double)(c->cycles - c->job_cycles) / (seconds + 1e-9);
}

/* It says that the job is done. It must not be busy with it, and have hashed all of it. */
static int check_exhausted(struct card *c)
{
	uint32_t status = read_reg(c, FPGA_STATUS);
	uint64_t hashed = card_progress(c);

	c->running = false;
	measure_clock(c);
	if (c->more_hits)
		return log_error("card %s: it has more hits than its queue can hold", c->transport.name);
	if (status & FPGA_STATUS_BUSY)
		return log_error("card %s: it says that its job is done and is still busy", c->transport.name);
	if (hashed < c->job_nonces)
		return log_error("card %s: it says that its job is done after %ju of %ju nonces", c->transport.name,
				 (uintmax_t)hashed, (uintmax_t)c->job_nonces);
	return 1;
}

/* Nothing has happened: is it still at work? */
static int check_alive(struct card *c)
{
	follow_clock(c);
	if (!c->running)
		return 0;
	if (clock_now() - c->moved_at > c->stopped_s)
		return log_error("card %s: its clock stands still", c->transport.name);
	if (c->cycles > c->deadline)
		return log_error("card %s: silent: %ju clocks after the end of its job was due", c->transport.name,
				 (uintmax_t)(c->cycles - c->deadline));
	return 0;
}

/* Interrupts came and nothing had happened. Many in a row: the line is stuck, and we do without. */
static void count_idle(struct card *c, bool idle)
{
	c->idle_interrupts = idle ? c->idle_interrupts + 1 : 0;
	if (c->polling || c->idle_interrupts < IDLE_INTERRUPTS_MAX)
		return;
	log_warn("card %s: its interrupt is stuck; from now on it is only looked at", c->transport.name);
	c->polling = true;
}

/* A stuck interrupt that the kernel's driver cannot mask ends every wait at once. */
static void rest(double seconds)
{
	nanosleep(&(struct timespec){ .tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds)) }, NULL);
}

int card_serve(struct card *c, double timeout_s)
{
	int interrupts = c->transport.ops->wait(&c->transport, c->more_hits ? 0 : timeout_s);
	int happened = interrupts < 0 ? -1 : look(c);

	if (happened < 0)
		return -1;
	if (interrupts == 0 && happened && !c->polling) {
		interrupts = c->transport.ops->wait(&c->transport, 0);	/* it may have come just now */
		c->lost += interrupts == 0;
	}
	if (interrupts < 0)
		return -1;
	if (interrupts > 0) {
		c->missed += (unsigned)interrupts - 1;
		count_idle(c, !happened);
		if (!c->polling && c->transport.ops->unmask(&c->transport) < 0)
			return -1;

		/* what happened between the acknowledgement and the unmasking made no interrupt */
		int again = look(c);
		if (again < 0)
			return -1;
		happened |= again;
	}
	if (interrupts > 0 && !happened && c->polling)
		rest(timeout_s);
	if (happened & FPGA_IRQ_STATUS_EXHAUSTED && c->running)
		return check_exhausted(c);
	return check_alive(c);
}
