/* Making units of what the user named, and their design ready: see cards.h. */
#include "fpga/cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "fpga/sensors.h"
#include "fpga/serial.h"
#include "fpga/uio_card.h"

#define APPEAR_S	5	/* a design's devices may come so long after it */
#define LOOK_S		0.05	/* between two looks for them */

/* A unit's transport, by its spec. */
static int open_by_spec(struct fpga_unit *unit, struct transport *transport)
{
	const struct cards *cards = unit->open_ctx;
	const struct fpga_spec *spec = &cards->config.specs[unit - cards->units];
	const struct uio_card_names names = uio_card_names(spec);
	char design[16];

	snprintf(design, sizeof design, "%u", spec->depth);
	if (spec->sim)
		return transport_open_sim(transport, design);
	if (spec->serial)
		return transport_open_serial(transport, cards->config.root, spec->miner);
	return transport_open_uio(transport, cards->config.root, &names);
}

static const struct card_design *design_of(const struct cards *cards, const struct algo *algo)
{
	for (unsigned i = 0; i < cards->config.design_count; i++)
		if (cards->config.designs[i].algo == algo)
			return &cards->config.designs[i];
	return NULL;
}

/* Whether it is in the FPGA that the kernel's manager loads. */
static bool in_the_fpga(const struct fpga_spec *spec)
{
	return !spec->sim && !spec->serial;
}

/* Sleep a little. True: the board, if there is one yet, is closed. */
static bool pause_looking(struct board *board)
{
	if (board)
		return board_wait_closed(board, LOOK_S);
	nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * LOOK_S) }, NULL);
	return false;
}

/* Load a design, and wait until the kernel has made the devices that it brings. 0, or -1 logged. */
static int load(struct cards *cards, const struct card_design *design, struct board *board)
{
	if (manager_load(&cards->manager, design->algo, design->file) < 0)
		return -1;

	const double end = clock_now() + APPEAR_S;
	for (unsigned i = 0; i < cards->count; i++) {
		const struct fpga_spec *spec = &cards->config.specs[i];
		const struct uio_card_names names = uio_card_names(spec);

		while (in_the_fpga(spec) && !uio_card_there(cards->config.root, &names) && clock_now() < end)
			if (pause_looking(board))
				return 0;
	}
	return 0;
}

static bool others_in_use(const struct cards *cards, const struct fpga_unit *unit)
{
	for (unsigned i = 0; i < cards->count; i++)
		if (&cards->units[i] != unit && in_the_fpga(&cards->config.specs[i]) && cards->units[i].in_use)
			return true;
	return false;
}

/*
 * What a card failed of may be its design: a board that lost its power has none, and a hung one becomes well by loading it.
 * But loading stops all cards in that FPGA, so while one of them works the others are tried as they are.
 */
static int restart(struct fpga_unit *unit, struct board *board)
{
	struct cards *cards = unit->open_ctx;
	const struct card_design *design = design_of(cards, unit->algo);
	bool ready = true;
	int result = -1;

	if (!design || !in_the_fpga(&cards->config.specs[unit - cards->units]))
		return fpga_unit_start(unit);
	pthread_mutex_lock(&cards->lock);
	if (!others_in_use(cards, unit)) {
		cards->manager.loaded = NULL;
		ready = load(cards, design, board) == 0;
	}
	if (ready && !board_wait_closed(board, 0))
		result = fpga_unit_start(unit);
	pthread_mutex_unlock(&cards->lock);
	return result;
}

struct cards *cards_create(const struct cards_config *config)
{
	struct cards *cards = calloc(1, sizeof *cards);

	if (!cards) {
		log_errno("%u cards", config->count);
		return NULL;
	}
	cards->config = *config;
	cards->manager.root = config->root;
	cards->count = config->count;
	pthread_mutex_init(&cards->lock, NULL);
	for (unsigned i = 0; i < cards->count; i++) {
		struct fpga_unit *unit = &cards->units[i];

		if (config->specs[i].sim)
			snprintf(unit->name, sizeof unit->name, "sim:%u", config->specs[i].depth);
		else
			snprintf(unit->name, sizeof unit->name, "%s:%s", config->specs[i].serial ? "serial" : "uio", config->specs[i].miner);
		unit->open = open_by_spec;
		unit->restart = restart;
		unit->open_ctx = cards;
	}
	return cards;
}

static void stop_all(struct cards *cards)
{
	for (unsigned i = 0; i < cards->count; i++)
		fpga_unit_stop(&cards->units[i]);
}

void cards_destroy(struct cards *cards)
{
	if (!cards)
		return;
	stop_all(cards);
	pthread_mutex_destroy(&cards->lock);
	free(cards);
}

int cards_load(struct cards *cards, const struct algo *algo)
{
	const struct card_design *design = design_of(cards, algo);

	return design ? load(cards, design, NULL) : 0;
}

int cards_use(struct cards *cards, const struct algo *algo)
{
	const struct card_design *design = design_of(cards, algo);
	int on = 0;

	stop_all(cards);
	if (!card_knows(algo))
		return log_error("fpga: no card searches %s", algo->name);
	if (cards_load(cards, algo) < 0)
		return -1;
	for (unsigned i = 0; i < cards->count; i++) {
		struct fpga_unit *unit = &cards->units[i];

		unit->algo = algo;
		if (fpga_unit_start(unit) == 0) {
			on++;
			log_info("card %s: %s, %u core%s, %u clocks a hash, known answers found; %.1f MHz", unit->name, algo->name,
				 unit->cores, unit->cores == 1 ? "" : "s", unit->clocks, unit->clock_khz / 1e3);
		}
	}
	if (design && on == 0) {
		cards->manager.loaded = NULL;
		return log_error("bitstream %s: no card works with it", design->file);
	}
	return on;
}

bool cards_temperature(const struct cards *cards, unsigned index, double *celsius)
{
	const struct fpga_spec *spec = &cards->config.specs[index];

	return in_the_fpga(spec) && sensors_temperature(celsius, cards->config.root);
}
