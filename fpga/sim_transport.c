/*
 * The simulated card within the process: `--fpga sim`. The simulation (fpga/sim) is a
 * library of its own, loaded when it is asked for, so that the miner needs neither Verilator
 * nor a C++ runtime to be built or to run.
 *
 * What a newcomer would get wrong: this is not how the driver is tested. Here are no open(),
 * mmap() and read(); the whole of it, on the same simulation, runs under fpga/sim/shim.c.
 */
#include "fpga/transport.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "fpga/sim/board.h"

#define LIBRARY		"libadit-fpga-sim.so"
#define MEMORY_LEN	0x300000	/* bytes of the stream's memory: two thirds in, one third out */
#define LENGTH_BITS	26		/* a transfer may be as long as that memory */

/* The DMA's registers that are needed here; fpga/axi_dma.c drives the whole of it. */
enum { MM2S = 0x00, S2MM = 0x30, CR = 0x00, SR = 0x04, ADDRESS = 0x18, LENGTH = 0x28 };
enum { CR_RUN = 0x0001, CR_RESET = 0x0004, CR_IRQS = 0x5000, SR_ERROR = 0x4000 };

#define RESET_LOOKS	100
#define ASK_S		0.05	/* of waiting, until it is asked whether the answer is wanted still */
#define DESIGN		16	/* bytes of a design's name */

struct sim {
	void *library;
	const struct board_api *api;
	struct board *board;
	char design[DESIGN];
	unsigned plugged;
	uint32_t irqs[BOARD_DEVICES];	/* interrupts so far */
	uint8_t *memory;
};

static uint32_t sim_read(struct transport *t, unsigned offset)
{
	struct sim *sim = t->ctx;

	return sim->api->read(sim->board, sim->plugged, BOARD_CARD, offset);
}

static void sim_write(struct transport *t, unsigned offset, uint32_t value)
{
	struct sim *sim = t->ctx;

	sim->api->write(sim->board, sim->plugged, BOARD_CARD, offset, value);
}

/* As struct transport_ops has it, for either device. */
static int wait_for(struct transport *t, enum board_device device, double timeout_s)
{
	struct sim *sim = t->ctx;
	struct pollfd wait = { .fd = sim->api->irq_fd(sim->board, device), .events = POLLIN };
	uint32_t total;

	if (poll(&wait, 1, (int)(1000 * timeout_s + 0.999)) <= 0)
		return 0;
	int error = sim->api->irq_take(sim->board, sim->plugged, device, &total);
	if (error == -EAGAIN)
		return 0;
	if (error != 0)
		return log_error("fpga %s: the card is unplugged", t->name);
	int step = (int)(total - sim->irqs[device]);
	sim->irqs[device] = total;
	return step;
}

static int sim_wait(struct transport *t, double timeout_s)
{
	return wait_for(t, BOARD_CARD, timeout_s);
}

static int sim_unmask(struct transport *t)
{
	struct sim *sim = t->ctx;
	int error = sim->api->irq_mask(sim->board, sim->plugged, BOARD_CARD, false);

	return error == -EIO ? log_error("fpga %s: the card is unplugged", t->name) : 0;
}

static void dma_write(struct sim *sim, unsigned offset, uint32_t value)
{
	sim->api->write(sim->board, sim->plugged, BOARD_DMA, offset, value);
}

static uint32_t dma_read(struct sim *sim, unsigned offset)
{
	return sim->api->read(sim->board, sim->plugged, BOARD_DMA, offset);
}

/* It takes a few looks; a card that does not answer seems to be in it for ever. */
static void reset_stream(struct sim *sim)
{
	dma_write(sim, MM2S + CR, CR_RESET);
	for (int i = 0; i < RESET_LOOKS && dma_read(sim, MM2S + CR) & CR_RESET; i++)
		;
}

/* With the transfers under way, until both are done. */
static int finish_stream(struct transport *t, size_t out_len, double timeout_s)
{
	struct sim *sim = t->ctx;
	const double end = clock_now() + timeout_s;
	int irqs;

	while ((irqs = wait_for(t, BOARD_DMA, timeout_s < ASK_S ? timeout_s : ASK_S)) == 0 && clock_now() < end)
		if (transport_unwanted(t))
			return -1;
	if (irqs < 0)
		return -1;
	uint32_t status = dma_read(sim, S2MM + SR) | dma_read(sim, MM2S + SR);
	if (status == TRANSPORT_GONE)
		return log_error("fpga %s: the card does not answer any more", t->name);
	if (irqs == 0)
		return log_error("fpga %s: the stream is not done after %.3g s", t->name, timeout_s);
	if (status & SR_ERROR)
		return log_error("fpga %s: the stream failed, status %08x", t->name, (unsigned)status);
	if (dma_read(sim, S2MM + LENGTH) != out_len)
		return log_error("fpga %s: the stream brought %u bytes where %zu were due", t->name,
				 (unsigned)dma_read(sim, S2MM + LENGTH), out_len);
	return 0;
}

static int sim_stream(struct transport *t, size_t in_len, size_t out_len, double timeout_s)
{
	struct sim *sim = t->ctx;

	reset_stream(sim);	/* the last one may have failed while the card did not answer */
	dma_write(sim, S2MM + CR, CR_RUN | CR_IRQS);
	dma_write(sim, MM2S + CR, CR_RUN | (CR_IRQS & SR_ERROR));	/* the answer's end is the end of both */
	if (sim->api->irq_mask(sim->board, sim->plugged, BOARD_DMA, false) == -EIO)
		return log_error("fpga %s: the card is unplugged", t->name);
	dma_write(sim, S2MM + ADDRESS, (uint32_t)(t->out - sim->memory));
	dma_write(sim, MM2S + ADDRESS, (uint32_t)(t->in - sim->memory));
	dma_write(sim, S2MM + LENGTH, (uint32_t)out_len);
	dma_write(sim, MM2S + LENGTH, (uint32_t)in_len);
	if (finish_stream(t, out_len, timeout_s) == 0)
		return 0;
	reset_stream(sim);
	return -1;
}

/* There is no cache between the card and us. */
static int hand_over(struct transport *t, size_t len)
{
	(void)t;
	(void)len;
	return 0;
}

static void sim_close(struct transport *t)
{
	struct sim *sim = t->ctx;

	sim->api->free(sim->board);
	dlclose(sim->library);
	free(sim->memory);
	free(sim);
	t->ctx = NULL;
}

static const struct transport_ops ops = {
	.read = sim_read, .write = sim_write, .wait = sim_wait, .unmask = sim_unmask, .stream = sim_stream,
	.lend = hand_over, .take_back = hand_over, .close = sim_close,
};

/* Where the program lies, as a folder with a slash at its end; "" when that cannot be told. */
static void program_folder(char *folder, size_t len)
{
	ssize_t got = readlink("/proc/self/exe", folder, len - 1);

	folder[got > 0 ? got : 0] = '\0';
	char *slash = strrchr(folder, '/');
	folder[slash ? slash - folder + 1 : 0] = '\0';
}

/* $ADIT_FPGA_SIM, or else beside the program (a build's folder), or else where it is installed. */
static void *load_library(void)
{
	const char *asked = getenv("ADIT_FPGA_SIM");
	char folder[1024], path[sizeof folder + sizeof LIBRARY];

	if (asked && *asked) {
		void *library = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
		if (!library)
			log_error("fpga sim: $ADIT_FPGA_SIM: %s", dlerror());
		return library;
	}
	program_folder(folder, sizeof folder);
	snprintf(path, sizeof path, "%s" LIBRARY, folder);
	void *library = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library)
		library = dlopen(PKGLIBDIR "/" LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		log_error("fpga sim: %s; the simulation is built where configure finds verilator and g++ (both are Debian packages)",
			  dlerror());
	return library;
}

/* The interface of this build. The library stays loaded only with it. */
static int load_api(struct sim *sim)
{
	sim->library = load_library();
	if (!sim->library)
		return -1;
	sim->api = dlsym(sim->library, BOARD_API);
	if (sim->api && sim->api->version == BOARD_API_VERSION)
		return 0;
	dlclose(sim->library);
	return log_error("fpga sim: %s is of another version of this program", LIBRARY);
}

static int power_up(struct sim *sim)
{
	char why[128];
	struct board_config config = {
		.design = sim->design,
		.length_bits = LENGTH_BITS,
		.memory = { .bytes = sim->memory, .len = MEMORY_LEN, .addr = 0 },
		.faults = getenv("ADIT_FPGA_FAULTS"),	/* fpga/sim/faults.h; every simulated card is its card 0 */
	};

	sim->board = sim->api->new(&config, why, sizeof why);
	if (!sim->board)
		return log_error("fpga sim: %s", why);
	sim->plugged = sim->api->plugged(sim->board);
	if (sim->plugged != 0)
		return 0;
	sim->api->free(sim->board);
	return log_error("fpga sim: the card is unplugged");
}

int transport_open_sim(struct transport *t, const char *design)
{
	struct sim *sim = calloc(1, sizeof *sim);

	if (!sim)
		return log_errno("fpga sim");
	snprintf(sim->design, sizeof sim->design, "%s", design);
	sim->memory = aligned_alloc(64, MEMORY_LEN);
	if (!sim->memory) {
		log_errno("fpga sim");
		goto free_sim;
	}
	if (load_api(sim) < 0)
		goto free_memory;
	if (power_up(sim) < 0)
		goto close_library;
	*t = (struct transport){
		.ops = &ops,
		.ctx = sim,
		.in = sim->memory,
		.in_size = MEMORY_LEN / 3 * 2,
		.out = sim->memory + MEMORY_LEN / 3 * 2,
		.out_size = MEMORY_LEN / 3,
		.out_memory = MEMORY_LEN / 3,
		.out_addr = MEMORY_LEN / 3 * 2,
	};
	snprintf(t->name, sizeof t->name, "sim:%s", sim->design);
	return 0;

close_library:
	dlclose(sim->library);
free_memory:
	free(sim->memory);
free_sim:
	free(sim);
	return -1;
}
