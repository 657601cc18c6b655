/*
 * Shares that were sent and await their reply, by the id of their request. Of fixed
 * size: when the replies fall so far behind, no more is sent until some come or
 * expire.
 */
#ifndef POOL_PENDING_H
#define POOL_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#define PENDING_MAX	512	/* shares */
#define PENDING_TIME	120	/* s to wait for a reply */

struct pending {
	uint32_t id;		/* 0: this place is free */
	double sent;		/* clock_now() */
	double difficulty;	/* of the share */
};

struct pending_table {
	struct pending places[PENDING_MAX];	/* request n at n % PENDING_MAX */
};

/*
 * The first id from `id` on whose place is free; 0 when all are taken. Ids are
 * skipped rather than waited for, so a share that is never answered blocks no other.
 */
uint32_t pending_free_id(const struct pending_table *, uint32_t id);

/* Into its place, which must be free. */
void pending_add(struct pending_table *, const struct pending *);

/* Take out the one of this id; false when there is none: a reply to nothing, or a second one. */
bool pending_take(struct pending_table *, uint32_t id, struct pending *);

/* Is there one of this id? */
bool pending_has(const struct pending_table *, uint32_t id);

/* Does any share await its reply? */
bool pending_any(const struct pending_table *);

/* Take out those sent before `limit`; returns how many. */
unsigned pending_expire(struct pending_table *, double limit);

#endif
