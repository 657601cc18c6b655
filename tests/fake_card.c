/* The software card: see fake_card.h. It knows regs.h and the reference hash, and nothing of the driver. */
#include "tests/fake_card.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "fpga/regs.h"
#include "sha3/sha256.h"

#define ACCESS_CLOCKS	20	/* of a register access */
#define WAIT_CLOCKS	40000	/* of a wait that nothing ends */

#define JOB(card, name) ((card)->running[(FPGA_JOB_##name - FPGA_JOB_TAG) / 4])

/* The digest's top word, from midstate and tail as the registers have them. */
static uint32_t top_word(const struct fake_card *c, uint32_t nonce)
{
	uint32_t state[8];
	uint8_t block[64] = { 0 }, first[32], digest[32];

	for (unsigned i = 0; i < 8; i++)
		state[i] = c->running[(FPGA_JOB_MIDSTATE0 - FPGA_JOB_TAG) / 4 + i];
	for (unsigned i = 0; i < 3; i++)
		store_be32(block + 4 * i, c->running[(FPGA_JOB_TAIL0 - FPGA_JOB_TAG) / 4 + i]);
	store_le32(block + 12, nonce);
	block[16] = 0x80;
	store_be64(block + 56, 640);
	sha256_compress(state, block);
	for (unsigned i = 0; i < 8; i++)
		store_be32(first + 4 * i, state[i]);
	sha256(digest, first, sizeof first);
	return load_le32(digest + 28);
}

static void raise_irq(struct fake_card *c, uint32_t bits)
{
	c->irq_status |= bits;
	if (c->irq_status & c->irq_enable && !c->irq) {
		c->irq = true;
		c->interrupts++;
	}
}

/* A hit of this header behind the job's end; any nonce there where hits are rare. */
static uint32_t hit_beyond(const struct fake_card *c)
{
	uint32_t nonce = (uint32_t)c->end;

	for (unsigned i = 0; i < 10000 && top_word(c, nonce) > JOB(c, TARGET); i++)
		nonce++;
	return nonce;
}

static void queue_late_hit(struct fake_card *c)
{
	const uint64_t hit = atomic_exchange(&c->late_hit, 0);

	if (hit == 0)
		return;
	c->queue[c->queued].tag = (uint32_t)(hit >> 32);
	c->queue[c->queued++].nonce = (uint32_t)hit;
}

static void queue_hit(struct fake_card *c, uint32_t nonce)
{
	uint32_t tag = JOB(c, TAG);

	queue_late_hit(c);
	c->odd = !c->odd;
	if (c->fault == FAKE_MISSED_NONCE && c->odd)
		return;
	if (c->fault == FAKE_WRONG_NONCE)
		nonce ^= 1;
	if (c->fault == FAKE_FAR_NONCE)
		nonce ^= 0x80000000;
	if (c->fault == FAKE_BEYOND)
		nonce = hit_beyond(c);
	if (c->fault == FAKE_WRONG_TAG)
		tag ^= 0x40000000;
	for (int times = c->fault == FAKE_REPEATED_NONCE ? 2 : 1; times > 0 && c->queued < FAKE_HITS; times--) {
		c->queue[c->queued].tag = tag;
		c->queue[c->queued++].nonce = nonce;
	}
	raise_irq(c, FPGA_IRQ_STATUS_HIT);
}

static bool room(const struct fake_card *c)
{
	return c->fault == FAKE_OVERFLOWING || c->queued + 2 <= FAKE_HITS;
}

static bool silent(const struct fake_card *c)
{
	return c->fault == FAKE_SILENT || (c->fault == FAKE_FALLS_SILENT && c->popped > 0);
}

/* Let its clock run. */
static void run(struct fake_card *c, unsigned clocks)
{
	if (c->fault == FAKE_STOPPED || c->fault == FAKE_UNPLUGGED)
		return;
	c->cycles += clocks;
	c->clock_rest += clocks;
	for (; c->busy && !silent(c) && c->clock_rest >= FAKE_CLOCKS && room(c); c->clock_rest -= FAKE_CLOCKS) {
		uint32_t target = JOB(c, TARGET), floor = c->target_floor;

		if (top_word(c, (uint32_t)c->next) <= (target > floor ? target : floor))
			queue_hit(c, (uint32_t)c->next);
		c->next++;
		c->hashes++;
		if (c->next == c->end || (c->fault == FAKE_SKIPPING && c->next + 8 == c->end)) {
			c->busy = false;
			raise_irq(c, FPGA_IRQ_STATUS_EXHAUSTED);
		}
	}
	c->clock_rest = c->busy && room(c) && !silent(c) ? c->clock_rest : 0;
}

/* At a START: how many writes it took, and when. */
static void note_writes(struct fake_card *c)
{
	if (c->since_start > c->job_writes)
		c->job_writes = c->since_start;
	if (c->while_idle > c->late_writes && c->starts > 0 && JOB(c, LAST) - JOB(c, FIRST) >= FAKE_LONG)
		c->late_writes = c->while_idle;
	c->since_start = c->while_idle = 0;
}

static void command(struct fake_card *c, uint32_t value)
{
	if (value & FPGA_CONTROL_RESET) {
		c->busy = c->irq = false;
		c->queued = c->interrupts = 0;
		c->irq_status = c->irq_enable = c->cycles = c->hashes = 0;
	}
	if (value & FPGA_CONTROL_STOP)
		c->busy = false;
	if (value & FPGA_CONTROL_START) {
		note_writes(c);
		memcpy(c->running, c->regs, sizeof c->running);
		c->next = JOB(c, FIRST);
		c->end = c->next + (uint32_t)(JOB(c, LAST) - JOB(c, FIRST)) + 1;
		c->irq_status &= ~FPGA_IRQ_STATUS_EXHAUSTED;
		c->irq = c->irq && c->irq_status;
		c->busy = true;
		c->popped = 0;
		c->starts++;
	}
}

static uint32_t status(const struct fake_card *c)
{
	bool dirty = c->fault == FAKE_DIRTY || c->fault == FAKE_STUCK_HITS;

	return (c->busy || c->fault == FAKE_BUSY_WHEN_DONE ? FPGA_STATUS_BUSY : 0) |
	       (c->queued > 0 || (dirty && c->starts > 0) || c->fault == FAKE_DIRTY ? FPGA_STATUS_HIT : 0) |
	       (c->queued == FAKE_HITS ? FPGA_STATUS_FULL : 0);
}

static uint32_t pop(struct fake_card *c)
{
	uint32_t nonce = c->queue[0].nonce;

	c->popped++;
	if (c->queued > 0)
		memmove(c->queue, c->queue + 1, --c->queued * sizeof *c->queue);
	return nonce;
}

static uint32_t fake_read(struct transport *t, unsigned offset)
{
	struct fake_card *c = t->ctx;

	run(c, ACCESS_CLOCKS);
	if (c->fault == FAKE_UNPLUGGED)
		return TRANSPORT_GONE;
	switch (offset) {
	case FPGA_ID:
		return c->fault == FAKE_FOREIGN ? 0x12345678 : 0x41444954;
	case FPGA_VERSION:
		return c->fault == FAKE_OTHER_VERSION ? 0x00020000 : 0x00010003;
	case FPGA_CAPS:
		return (c->fault == FAKE_OTHER_ALGO ? 9u : 1u) | (c->fault == FAKE_NONSENSE ? 0u : 1u) << FPGA_CAPS_CORES_SHIFT |
		       FAKE_CLOCKS << FPGA_CAPS_CLOCKS_SHIFT | 4u << FPGA_CAPS_HITS_LOG2_SHIFT;
	case FPGA_STATUS:
		return status(c);
	case FPGA_IRQ_STATUS:
		return c->irq_status;
	case FPGA_HIT_TAG:
		return c->queue[0].tag;
	case FPGA_HIT_NONCE:
		return pop(c);
	case FPGA_CYCLES:
		return c->cycles;
	case FPGA_HASHES:
		return c->hashes;
	default:
		return 0;
	}
}

static void fake_write(struct transport *t, unsigned offset, uint32_t value)
{
	struct fake_card *c = t->ctx;

	run(c, ACCESS_CLOCKS);
	if (c->fault == FAKE_UNPLUGGED)
		return;
	c->writes++;
	if (offset == FPGA_CONTROL) {
		command(c, value);
	} else if (offset == FPGA_IRQ_STATUS) {
		c->irq_status &= ~value;
		c->irq = c->irq && c->irq_status;
	} else if (offset == FPGA_IRQ_ENABLE) {
		c->irq_enable = value;
		raise_irq(c, 0);
	} else if (offset >= FPGA_JOB_TAG) {
		c->regs[(offset - FPGA_JOB_TAG) / 4] = value;
		c->since_start++;
		c->while_idle += !c->busy;
	}
}

static int fake_wait(struct transport *t, double timeout_s)
{
	struct fake_card *c = t->ctx;
	int interrupts;

	c->waits++;
	if (c->stuck_high)
		return 1;
	for (unsigned clocks = 0; timeout_s > 0 && c->interrupts == 0 && clocks < WAIT_CLOCKS; clocks += FAKE_CLOCKS)
		run(c, FAKE_CLOCKS);
	if (c->fault == FAKE_UNPLUGGED)
		return -1;
	if (c->masked || c->fault == FAKE_LOST_IRQ)
		return 0;
	interrupts = c->fault == FAKE_STUCK_IRQ ? 1 : (int)c->interrupts;
	c->interrupts = 0;
	c->masked = interrupts > 0;
	return interrupts + (interrupts > 0 && c->misses_one);
}

static int fake_unmask(struct transport *t)
{
	struct fake_card *c = t->ctx;

	c->masked = false;
	c->unmasked++;
	return c->fault == FAKE_UNPLUGGED ? -1 : 0;
}

static void fake_close(struct transport *t)
{
	((struct fake_card *)t->ctx)->closed++;
}

static const struct transport_ops ops = {
	.read = fake_read, .write = fake_write, .wait = fake_wait, .unmask = fake_unmask, .close = fake_close,
};

void fake_card_open(struct fake_card *c, struct transport *t)
{
	*t = (struct transport){ .ops = &ops, .ctx = c, .name = "fake" };
	c->opened++;
	c->starts = c->since_start = c->while_idle = 0;
	c->masked = false;
}
