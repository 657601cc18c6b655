/*
 * Shares that came, to know a second sending. A share is known by 64 bits of a digest:
 * every digest that could be taken for another is a chance in 2^64 per pair.
 */
#ifndef DEVPOOL_SEEN_H
#define DEVPOOL_SEEN_H

#include <stddef.h>
#include <stdint.h>

#define SEEN_MAX (1u << 19)	/* shares in one table: 8 MiB of slots */

struct seen {		/* all zero: empty */
	uint64_t *slots;	/* an open hash table, 0 for a free slot, at most half full */
	size_t slot_count;	/* a power of two, or 0 */
	size_t count;
};

/* 1 when it is new and now remembered, 0 when it was there, -1 when there is no room for it. */
int seen_add(struct seen *, const uint8_t digest[32]);

/* Forget all and free the memory. */
void seen_clear(struct seen *);

#endif
