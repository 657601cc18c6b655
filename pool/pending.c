/* The table of unanswered shares: see pending.h. */
#include "pool/pending.h"

#include <stddef.h>

uint32_t pending_free_id(const struct pending_table *table, uint32_t id)
{
	for (unsigned i = 0; i < PENDING_MAX; i++)
		if (table->places[(id + i) % PENDING_MAX].id == 0)
			return id + i;
	return 0;
}

void pending_add(struct pending_table *table, const struct pending *pending)
{
	table->places[pending->id % PENDING_MAX] = *pending;
}

bool pending_has(const struct pending_table *table, uint32_t id)
{
	return id != 0 && table->places[id % PENDING_MAX].id == id;
}

bool pending_take(struct pending_table *table, uint32_t id, struct pending *pending)
{
	struct pending *place = &table->places[id % PENDING_MAX];

	if (!pending_has(table, id))
		return false;
	*pending = *place;
	place->id = 0;
	return true;
}

bool pending_any(const struct pending_table *table)
{
	for (size_t i = 0; i < PENDING_MAX; i++)
		if (table->places[i].id != 0)
			return true;
	return false;
}

unsigned pending_expire(struct pending_table *table, double limit)
{
	unsigned expired = 0;

	for (unsigned i = 0; i < PENDING_MAX; i++) {
		if (table->places[i].id != 0 && table->places[i].sent < limit) {
			table->places[i].id = 0;
			expired++;
		}
	}
	return expired;
}
