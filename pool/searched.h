/*
 * What has been searched, of all pools of a run together, so that no header is
 * hashed twice: not when a job returns hours later, not over a lost connection, and
 * not when two pools, or two ports of one, hand out the same block. Any thread.
 *
 * What a newcomer would get wrong: this knows no jobs. They come and go, and their
 * ids mean nothing elsewhere; what was searched is known by the header's own bytes.
 */
#ifndef POOL_SEARCHED_H
#define POOL_SEARCHED_H

#include <stdbool.h>
#include <stdint.h>

#define SEARCHED_KEPT 32768	/* fields; of more, those that were not asked for the longest are forgotten */

/*
 * A field: the headers that differ only in extranonce2 and in the version bits of a
 * mask, in an order that its numbers give, and parted into works.
 */
struct search_field {
	uint8_t key[32];	/* a hash of all other parts of the header, extranonce2 being zeros; but for: */
	uint32_t ntime;
	uint32_t xnonce2_off, xnonce2_len;	/* where extranonce2 stands in the coinbase; fields that differ here overlap */
	uint32_t version, version_mask;	/* the first version, and the bits that change; of both, none but ROLLED_BITS */
	unsigned versions;	/* of which a work takes so many; fields of the same versions in another order overlap */
	uint64_t works;		/* that it has; 0: without end */
};

struct searched;

/* NULL, logged, when there is no memory. */
struct searched *searched_create(void);

/* Harmless on NULL. */
void searched_destroy(struct searched *);

/*
 * The number, from 0 on, of the field's next work that no one has taken: from now on
 * it is taken. False when all are, or when another field has taken some of its headers
 * in an order of its own.
 */
bool searched_take(struct searched *, const struct search_field *, uint64_t *number);

#endif
