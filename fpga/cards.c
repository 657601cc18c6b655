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
#define LOOK_NS		50000000

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
	for (unsigned i = 0; i < cards->count; i++) {
		struct fpga_unit *unit = &cards->units[i];

		if (config->specs[i].sim)
			snprintf(unit->name, sizeof unit->name, "sim:%u", config->specs[i].depth);
		else
			snprintf(unit->name, sizeof unit->name, "%s:%s", config->specs[i].serial ? "serial" : "uio", config->specs[i].miner);
		unit->open = open_by_spec;
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
	if (cards)
		stop_all(cards);
	free(cards);
}

static const struct card_design *design_of(const struct cards *cards, const struct algo *algo)
{
	for (unsigned i = 0; i < cards->config.design_count; i++)
		if (cards->config.designs[i].algo == algo)
			return &cards->config.designs[i];
	return NULL;
}

/* A design was loaded just now: wait until the kernel has made the devices that it brings. */
static void wait_for_devices(const struct cards *cards)
{
	const double end = clock_now() + APPEAR_S;

	for (unsigned i = 0; i < cards->count; i++) {
		const struct fpga_spec *spec = &cards->config.specs[i];
		const struct uio_card_names names = uio_card_names(spec);

		while (!spec->sim && !spec->serial && !uio_card_there(cards->config.root, &names) && clock_now() < end)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	}
}

int cards_use(struct cards *cards, const struct algo *algo)
{
	const struct card_design *design = design_of(cards, algo);
	int on = 0;

	stop_all(cards);
	if (!card_knows(algo))
		return log_error("fpga: no card searches %s", algo->name);
	if (design && manager_load(&cards->manager, algo, design->file) < 0)
		return -1;
	if (design)
		wait_for_devices(cards);
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

	return !spec->sim && !spec->serial && sensors_temperature(celsius, cards->config.root);
}
