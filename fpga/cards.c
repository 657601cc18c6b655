/* Making units of what the user named, and their design ready: see cards.h. */
#include "fpga/cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Load a design, unless it is there already. 0, or -1 logged. */
static int load(struct cards *cards, const struct card_design *design)
{
	if (cards->manager.loaded == design->algo)
		return 0;
	if (manager_load(&cards->manager, design->algo, design->file) < 0)
		return -1;
	cards->loaded_at = clock_now();
	memset(cards->tried, 0, sizeof cards->tried);
	return 0;
}

/* Wait until the kernel has made the devices of a card, which may be some time after it has loaded the design. */
static void wait_for_devices(const struct cards *cards, unsigned index)
{
	const struct fpga_spec *spec = &cards->config.specs[index];
	const struct uio_card_names names = uio_card_names(spec);
	const double end = cards->loaded_at + APPEAR_S;

	while (in_the_fpga(spec) && !uio_card_there(cards->config.root, &names) && clock_now() < end &&
	       !fpga_unit_unwanted(&cards->units[index]))
		nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * LOOK_S) }, NULL);
}

static bool others_in_use(const struct cards *cards, unsigned index)
{
	for (unsigned i = 0; i < cards->count; i++)
		if (i != index && in_the_fpga(&cards->config.specs[i]) && (cards->units[i].in_use || cards->starting[i]))
			return true;
	return false;
}

/*
 * Have the design in the FPGA, and no one load another until end_start(). What a card failed of may be its design: a board
 * that lost its power has none, and a hung one becomes well by loading it. But loading stops all cards in that FPGA, so
 * while one of them is in use the others are tried as they are; and what was loaded for one that failed is good for the next.
 */
static int begin_start(struct cards *cards, unsigned index, const struct card_design *design)
{
	int result = 0;

	pthread_mutex_lock(&cards->lock);
	if (!others_in_use(cards, index)) {
		if (cards->tried[index])
			cards->manager.loaded = NULL;
		result = load(cards, design);
	}
	if (result == 0)
		cards->starting[index] = cards->tried[index] = true;
	pthread_mutex_unlock(&cards->lock);
	return result;
}

static void end_start(struct cards *cards, unsigned index)
{
	pthread_mutex_lock(&cards->lock);
	cards->starting[index] = false;
	pthread_mutex_unlock(&cards->lock);
}

void cards_tell_foreign(const struct cards *cards, unsigned index, const struct algo *algo)
{
	const struct card_design *design = design_of(cards, algo);

	if (design && in_the_fpga(&cards->config.specs[index]))
		log_error("bitstream %s: with it card %s is not one for %s", design->file, cards->units[index].name, algo->name);
}

/* With its design in the FPGA, where one was named. */
static int start_with(struct cards *cards, unsigned index, const struct card_design *design)
{
	struct fpga_unit *unit = &cards->units[index];

	if (begin_start(cards, index, design) < 0)
		return -1;
	wait_for_devices(cards, index);

	int result = fpga_unit_unwanted(unit) ? -1 : fpga_unit_start(unit);
	end_start(cards, index);
	if (result == CARD_FOREIGN)
		cards_tell_foreign(cards, index, unit->algo);
	return result;
}

static int start_card(struct fpga_unit *unit)
{
	struct cards *cards = unit->open_ctx;
	const unsigned index = (unsigned)(unit - cards->units);
	const struct card_design *design = design_of(cards, unit->algo);
	int result;

	if (design && in_the_fpga(&cards->config.specs[index]))
		result = start_with(cards, index, design);
	else
		result = fpga_unit_start(unit) < 0 ? -1 : 0;	/* who has loaded something foreign there may load another */
	if (result == 0)
		log_info("card %s: %s, %u core%s, %u clocks a hash, known answers found; %.1f MHz", unit->name, unit->algo->name,
			 unit->cores, unit->cores == 1 ? "" : "s", unit->clocks, unit->clock_khz / 1e3);
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
		unit->start = start_card;
		unit->stop = config->stop;
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

	stop_all(cards);
	memset(cards->tried, 0, sizeof cards->tried);
	return design ? load(cards, design) : 0;
}

int cards_prepare(struct cards *cards, const struct algo *algo)
{
	if (!card_knows(algo))
		return log_error("fpga: no card searches %s", algo->name);
	for (unsigned i = 0; i < cards->count; i++)
		cards->units[i].algo = algo;
	return cards_load(cards, algo);
}

int cards_hold(struct cards *cards, unsigned index, const struct algo *algo)
{
	const struct card_design *design = design_of(cards, algo);

	if (!design || !in_the_fpga(&cards->config.specs[index]))
		return 0;
	if (begin_start(cards, index, design) < 0)
		return -1;
	wait_for_devices(cards, index);
	return 0;
}

void cards_release(struct cards *cards, unsigned index)
{
	end_start(cards, index);
}

int cards_use(struct cards *cards, const struct algo *algo)
{
	unsigned on = 0, foreign = 0;

	if (cards_prepare(cards, algo) < 0)
		return -1;
	for (unsigned i = 0; i < cards->count && !fpga_unit_unwanted(&cards->units[i]); i++) {
		int result = start_card(&cards->units[i]);

		on += result == 0;
		foreign += result == CARD_FOREIGN;
	}
	if (foreign < cards->count)
		return (int)on;
	cards->manager.loaded = NULL;
	return -1;
}

bool cards_temperature(const struct cards *cards, unsigned index, double *celsius)
{
	const struct fpga_spec *spec = &cards->config.specs[index];

	return in_the_fpga(spec) && sensors_temperature(celsius, cards->config.root);
}
