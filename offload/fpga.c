/*
 * FPGA cards as workers: the first is the first card that --fpga names, the second the second, and so on.
 *
 * What a newcomer would get wrong: a simulated card's seconds are the simulation's. What carries over to a board is its clocks.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "fpga/offload_card.h"
#include "offload/device.h"

static bool offers(const struct core *core)
{
	return offload_card_offers(core->name);
}

static int open_fpga(struct device *device)
{
	const struct device_settings *settings = device->settings;
	struct offload_card *card = calloc(1, sizeof *card);
	double began = clock_now();

	if (!card)
		return log_error("fpga %u: no memory", device->index);
	if (offload_card_open(card, settings->fpga_root, &settings->fpga[device->index], device->core->name) < 0) {
		free(card);
		return -1;
	}
	device->state = card;
	device->spent.setup += clock_now() - began;
	return 0;
}

static int run_fpga(struct device *device, const struct batch *batch)
{
	struct offload_card *card = device->state;
	const struct offload_sums before = card->sums;

	if (offload_card_run(card, batch) < 0)
		return -1;
	device->spent.in += card->sums.in - before.in;
	device->spent.kernel += card->sums.kernel - before.kernel;
	device->spent.out += card->sums.out - before.out;
	device->spent.clocks += card->sums.cycles - before.cycles;
	return 0;
}

static void close_fpga(struct device *device)
{
	offload_card_close(device->state);
	free(device->state);
}

const struct device_kind device_fpga = {
	.name = "fpga", .help = "a card with the core; --fpga names it", .offers = offers, .open = open_fpga, .run = run_fpga,
	.close = close_fpga,
};
