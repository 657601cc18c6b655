/* A growing hash table of digests: see seen.h. */
#include "tests/devpool/seen.h"

#include <stdlib.h>

#include "base/bytes.h"

/* The slot that holds `key`, or the free one where it belongs. */
static uint64_t *slot_of(const struct seen *seen, uint64_t key)
{
	size_t i = key & (seen->slot_count - 1);

	while (seen->slots[i] && seen->slots[i] != key)
		i = (i + 1) & (seen->slot_count - 1);
	return &seen->slots[i];
}

static int grow(struct seen *seen)
{
	struct seen bigger = { .slot_count = seen->slot_count ? 2 * seen->slot_count : 256, .count = seen->count };

	if (seen->count == SEEN_MAX)
		return -1;
	bigger.slots = calloc(bigger.slot_count, sizeof *bigger.slots);
	if (!bigger.slots)
		return -1;
	for (size_t i = 0; i < seen->slot_count; i++)
		if (seen->slots[i])
			*slot_of(&bigger, seen->slots[i]) = seen->slots[i];
	free(seen->slots);
	*seen = bigger;
	return 0;
}

int seen_add(struct seen *seen, const uint8_t digest[32])
{
	/* the digest's low end: its high end is mostly zeros, that is what makes it a share */
	uint64_t key = load_le64(digest);

	if (key == 0)
		key = 1;
	if (2 * seen->count >= seen->slot_count && grow(seen) < 0)
		return -1;

	uint64_t *slot = slot_of(seen, key);

	if (*slot)
		return 0;
	*slot = key;
	seen->count++;
	return 1;
}

void seen_clear(struct seen *seen)
{
	free(seen->slots);
	*seen = (struct seen){ 0 };
}
