/* The board's thread, its bus and its interrupts: see board.h. */
#include "fpga/sim/board.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "fpga/regs.h"
#include "fpga/sim/dma.h"

#define CLOCKS_AT_ONCE	256u		/* between two looks at who wants the bus: well below a millisecond */
#define VISITS_AT_ONCE	32		/* after which the clock runs, though somebody uses the bus all the time */
#define LOOK_NS		20000000	/* how often a sleeping board looks at its file of faults, ns */
#define DESIGN		32		/* bytes of a design's name */
#define HANG_US		5000		/* what each access of a hanging bus takes */

struct line {
	int fd;
	uint32_t count, taken;
	bool masked, was_high;
};

/* A hit as it was read, for the faults that give it out again or wrong. */
struct hit {
	uint32_t tag;
	uint32_t nonce;
	bool repeat;		/* it stands at the queue's head once more */
	bool flip_tag;		/* the next bit to flip is in the tag */
};

struct board {
	struct board_config config;	/* but for its design */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* of the thread: work, or the last visitor has left */
	_Atomic unsigned visitors;	/* threads that use the bus or wait for it */
	bool closing;

	/* under the lock */
	char design[DESIGN];
	struct rtl *rtl;
	struct dma dma;
	struct faults faults;
	struct line line[BOARD_DEVICES];
	struct hit hit;
	unsigned plugged, pluggings;
};

/* Tell what is high, where it is not masked. */
static void deliver(struct board *b)
{
	const bool level[BOARD_DEVICES] = { rtl_irq(b->rtl), dma_irq(&b->dma) };
	const bool controlled = !faults_stand(&b->faults, FAULT_NO_IRQCONTROL);

	for (enum board_device i = 0; i < BOARD_DEVICES; i++) {
		struct line *line = &b->line[i];
		bool rises = level[i] && !line->was_high;

		line->was_high = level[i];
		if (controlled ? line->masked : !rises)
			continue;
		if (!level[i] && (i != BOARD_CARD || !faults_strike(&b->faults, FAULT_STUCK_INTERRUPT)))
			continue;
		line->masked = controlled;
		if (faults_strike(&b->faults, FAULT_LOST_INTERRUPT))
			continue;
		line->count++;
		eventfd_write(line->fd, 1);
	}
}

static void drain(struct line *line)
{
	eventfd_t count;

	while (eventfd_read(line->fd, &count) == 0)
		;
}

/* What the design writes to memory by itself. */
static bool store(void *ctx, uint64_t addr, const uint8_t *bytes)
{
	struct board *b = ctx;
	uint8_t *at = bus_memory_at(&b->config.memory, addr, RTL_WORD_MAX);

	if (!at || faults_strike(&b->faults, FAULT_DMA_ERROR))
		return false;
	memcpy(at, bytes, RTL_WORD_MAX);
	return true;
}

/* A card fresh from power-up, with that design. 0, or -1, and nothing has changed: there is none, or no memory. */
static int power_up(struct board *b, const char *design)
{
	struct rtl *rtl = rtl_new(design, store, b);

	if (!rtl)
		return -1;
	rtl_free(b->rtl);
	b->rtl = rtl;
	if (design != b->design)
		snprintf(b->design, sizeof b->design, "%s", design);
	dma_init(&b->dma, b->rtl, &b->config.memory, b->config.length_bits, &b->faults);
	b->hit = (struct hit){ 0 };
	for (enum board_device i = 0; i < BOARD_DEVICES; i++) {
		drain(&b->line[i]);
		b->line[i] = (struct line){ .fd = b->line[i].fd };
	}
	b->plugged = ++b->pluggings;
	return 0;
}

/* Faults may have come or gone. */
static void look(struct board *b)
{
	faults_look(&b->faults);
	bool out = faults_stand(&b->faults, FAULT_UNPLUG);

	if (out && b->plugged != 0) {
		faults_strike(&b->faults, FAULT_UNPLUG);
		b->plugged = 0;
		for (enum board_device i = 0; i < BOARD_DEVICES; i++)
			eventfd_write(b->line[i].fd, 1);	/* who waits hears of it */
	} else if (!out && b->plugged == 0) {
		power_up(b, b->design);
	}
}

static bool busy(struct board *b)
{
	return b->plugged != 0 && (dma_busy(&b->dma) || rtl_busy(b->rtl));
}

static void clock_once(struct board *b)
{
	if (!dma_busy(&b->dma)) {
		rtl_clock(b->rtl, CLOCKS_AT_ONCE);
		return;
	}
	for (unsigned i = 0; i < CLOCKS_AT_ONCE && dma_busy(&b->dma); i++)
		dma_clock(&b->dma);
}

/* Until somebody uses the board, or, when a file may change what it does, for a moment. */
static void sleep_awhile(struct board *b)
{
	struct timespec until;

	if (!b->config.faults) {
		pthread_cond_wait(&b->wake, &b->lock);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_cond_timedwait(&b->wake, &b->lock, &until);
}

static void *run(void *arg)
{
	struct board *b = arg;
	int visits = 0;

	pthread_mutex_lock(&b->lock);
	while (!b->closing) {
		look(b);
		if (b->visitors > 0 && visits < VISITS_AT_ONCE) {
			visits++;
			pthread_cond_wait(&b->wake, &b->lock);	/* the last one signals */
		} else if (busy(b)) {
			visits = 0;
			clock_once(b);
			deliver(b);
			pthread_mutex_unlock(&b->lock);
			pthread_mutex_lock(&b->lock);
		} else {
			sleep_awhile(b);
		}
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

static void enter(struct board *b)
{
	b->visitors++;
	pthread_mutex_lock(&b->lock);
	look(b);
}

static void leave(struct board *b)
{
	if (b->plugged != 0)
		deliver(b);
	if (--b->visitors == 0)
		pthread_cond_signal(&b->wake);
	pthread_mutex_unlock(&b->lock);
}

bool board_load(struct board *b, const char *design)
{
	bool loaded = true;

	enter(b);
	if (strcmp(b->design, design) != 0) {
		const unsigned plugged = b->plugged;

		loaded = power_up(b, design) == 0;
		if (plugged == 0)
			b->plugged = 0;		/* the next plugging-in finds it */
	}
	leave(b);
	return loaded;
}

unsigned board_plugged(struct board *b)
{
	enter(b);
	unsigned plugged = b->plugged;
	leave(b);
	return plugged;
}

/* Whether an access of that plugging-in reaches the card. */
static bool answers(struct board *b, unsigned plugged)
{
	if (plugged == 0 || plugged != b->plugged || faults_strike(&b->faults, FAULT_NO_ANSWER))
		return false;
	if (faults_strike(&b->faults, FAULT_HANG)) {
		pthread_mutex_unlock(&b->lock);
		usleep(HANG_US);
		pthread_mutex_lock(&b->lock);
		return false;
	}
	return true;
}

/* A register of the card, with what faults make of a hit. */
static uint32_t read_card(struct board *b, unsigned offset)
{
	struct hit *hit = &b->hit;

	if (!rtl_mines(b->rtl))
		return rtl_read(b->rtl, offset);
	if (hit->repeat) {
		switch (offset) {
		case FPGA_STATUS: return rtl_read(b->rtl, offset) | FPGA_STATUS_HIT;
		case FPGA_HIT_TAG: return hit->tag;
		case FPGA_HIT_NONCE: hit->repeat = false; return hit->nonce;
		default: return rtl_read(b->rtl, offset);
		}
	}
	if (offset == FPGA_HIT_TAG) {
		hit->tag = rtl_read(b->rtl, offset);
		if (hit->flip_tag && faults_strike(&b->faults, FAULT_BIT_FLIP)) {
			hit->flip_tag = false;
			return hit->tag ^ 1u << hit->tag % 32;
		}
		return hit->tag;
	}
	if (offset != FPGA_HIT_NONCE || !(rtl_read(b->rtl, FPGA_STATUS) & FPGA_STATUS_HIT))
		return rtl_read(b->rtl, offset);

	hit->nonce = rtl_read(b->rtl, offset);
	if (faults_strike(&b->faults, FAULT_REPEATED_NONCE))
		hit->repeat = true;
	else if (faults_strike(&b->faults, FAULT_WRONG_NONCE))
		return hit->nonce + 1;
	else if (!hit->flip_tag && faults_strike(&b->faults, FAULT_BIT_FLIP)) {
		hit->flip_tag = true;
		return hit->nonce ^ 1u << hit->nonce % 32;
	}
	return hit->nonce;
}

uint32_t board_read(struct board *b, unsigned plugged, enum board_device device, unsigned offset)
{
	uint32_t value = UINT32_MAX;

	enter(b);
	if (answers(b, plugged))
		value = device == BOARD_CARD ? read_card(b, offset) : dma_read(&b->dma, offset);
	leave(b);
	return value;
}

void board_write(struct board *b, unsigned plugged, enum board_device device, unsigned offset, uint32_t value)
{
	enter(b);
	if (answers(b, plugged)) {
		if (device == BOARD_CARD)
			rtl_write(b->rtl, offset, value);
		else
			dma_write(&b->dma, offset, value);
	}
	leave(b);
}

int board_irq_fd(const struct board *b, enum board_device device)
{
	return b->line[device].fd;
}

int board_irq_take(struct board *b, unsigned plugged, enum board_device device, uint32_t *count)
{
	struct line *line = &b->line[device];
	int result = 0;

	enter(b);
	if (plugged == 0 || plugged != b->plugged) {
		result = -EIO;
	} else {
		drain(line);
		if (line->taken == line->count)
			result = -EAGAIN;
		line->taken = line->count;
		*count = line->count;
	}
	leave(b);
	return result;
}

int board_irq_mask(struct board *b, unsigned plugged, enum board_device device, bool masked)
{
	int result = 0;

	enter(b);
	if (plugged == 0 || plugged != b->plugged)
		result = -EIO;
	else if (faults_strike(&b->faults, FAULT_NO_IRQCONTROL))
		result = -ENOSYS;
	else
		b->line[device].masked = masked;
	leave(b);
	return result;
}

/* All but the thread. */
static void release(struct board *b)
{
	for (enum board_device i = 0; i < BOARD_DEVICES; i++)
		if (b->line[i].fd >= 0)
			close(b->line[i].fd);
	rtl_free(b->rtl);
	free(b);
}

struct board *board_new(const struct board_config *config, char *why, size_t why_len)
{
	sigset_t all, before;
	struct board *b = calloc(1, sizeof *b);

	if (!b) {
		snprintf(why, why_len, "out of memory");
		return NULL;
	}
	b->config = *config;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->wake, NULL);
	faults_init(&b->faults, config->faults, config->card);
	for (enum board_device i = 0; i < BOARD_DEVICES; i++)
		b->line[i].fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (power_up(b, config->design) < 0) {
		snprintf(why, why_len, "no design %s was built; there are %s", config->design, rtl_designs());
		release(b);
		return NULL;
	}
	/* Its signals are the program's business, and go to other threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&b->thread, NULL, run, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		snprintf(why, why_len, "no thread could be started");
		release(b);
		return NULL;
	}
	return b;
}

void board_free(struct board *b)
{
	pthread_mutex_lock(&b->lock);
	b->closing = true;
	pthread_cond_signal(&b->wake);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	release(b);
}

extern const struct board_api adit_fpga_sim;
const struct board_api adit_fpga_sim = {
	.version = BOARD_API_VERSION,
	.designs = rtl_designs,
	.new = board_new,
	.free = board_free,
	.plugged = board_plugged,
	.read = board_read,
	.write = board_write,
	.irq_fd = board_irq_fd,
	.irq_take = board_irq_take,
	.irq_mask = board_irq_mask,
};
