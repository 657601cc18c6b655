/* Collecting what names cards: see card_list.h. */
#include "cli/card_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "algo/registry.h"
#include "cli/cell.h"

void card_list_command_line(struct card_list *list)
{
	list->on_command_line = true;
}

/* The name of a device that both would drive; NULL: there is none. */
static const char *shared_device(const struct fpga_spec *a, const struct fpga_spec *b)
{
	if (a->sim || b->sim || a->serial != b->serial)
		return NULL;
	if (strcmp(a->miner, b->miner) == 0)
		return b->miner;
	if (b->dma[0] && strcmp(a->dma, b->dma) == 0)
		return b->dma;
	return b->buffer[0] && strcmp(a->buffer, b->buffer) == 0 ? b->buffer : NULL;
}

int card_list_add(struct card_list *list, const char *value, char *why, size_t why_len)
{
	struct fpga_spec spec;

	if (fpga_spec_parse(&spec, value, why, why_len) < 0)
		return -1;
	if (list->on_command_line && !list->named_there) {
		list->count = 0;
		list->named_there = true;
	}
	if (list->count == CARDS_MAX) {
		snprintf(why, why_len, "more than %d cards", CARDS_MAX);
		return -1;
	}
	for (unsigned i = 0; i < list->count; i++) {
		const char *shared = shared_device(&list->specs[i], &spec);

		if (shared) {
			snprintf(why, why_len, "%s is named twice", shared);
			return -1;
		}
	}
	list->specs[list->count++] = spec;
	return 0;
}

int card_list_design(struct card_list *list, const char *value, char *why, size_t why_len)
{
	const char *equals = strchr(value, '=');
	char name[32];

	if (!equals || equals == value || !equals[1] || (size_t)(equals - value) >= sizeof name) {
		snprintf(why, why_len, "\"%.60s\" is not ALGO=FILE", value);
		return -1;
	}
	snprintf(name, sizeof name, "%.*s", (int)(equals - value), value);

	const struct algo *algo = algo_find(name);
	if (!algo) {
		snprintf(why, why_len, "\"%s\" is not an algorithm; --list names them", name);
		return -1;
	}
	unsigned i = 0;
	while (i < list->design_count && list->designs[i].algo != algo)
		i++;
	if (i == DESIGNS_MAX) {
		snprintf(why, why_len, "more than %d designs", DESIGNS_MAX);
		return -1;
	}
	if (i == list->design_count)
		list->design_count++;
	free(list->designs[i].file);
	list->designs[i] = (struct card_design){ .algo = algo, .file = strdup(equals + 1) };
	return 0;
}

bool card_list_only(const char *backend)
{
	return backend && (strcasecmp(backend, "fpga") == 0 || strcasecmp(backend, "fpga-dma") == 0);
}

static bool all_simulated(const struct card_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!list->specs[i].sim)
			return false;
	return true;
}

bool card_list_serves(const struct card_list *list, const struct algo *asked, const struct algo *algo)
{
	if (list->count == 0 || asked)
		return list->count > 0 && asked == algo;
	if (all_simulated(list))
		return true;
	for (unsigned i = 0; i < list->design_count; i++)
		if (list->designs[i].algo == algo)
			return true;
	return list->design_count == 0 && card_knows(algo);
}

struct cards *card_list_create(const struct card_list *list)
{
	const struct cards_config config = {
		.root = list->root ? list->root : "/", .specs = list->specs, .count = list->count,
		.designs = list->designs, .design_count = list->design_count, .stop = cell_signalled,
	};

	return cards_create(&config);
}

void card_list_free(struct card_list *list)
{
	for (unsigned i = 0; i < list->design_count; i++)
		free(list->designs[i].file);
	list->design_count = list->count = 0;
}
