/* A table of fields by their keys, the latest of them: see searched.h. */
#include "pool/searched.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/log.h"

#define BUCKETS 8192

struct spot {
	struct search_field field;
	uint64_t taken;		/* of its works, from the first on */
	uint64_t asked;		/* what `questions` was then */
	struct spot *next;	/* in its bucket */
};

struct searched {
	pthread_mutex_t lock;	/* of all below; a thread that has it takes no other */
	uint64_t questions;
	unsigned count;
	struct spot spots[SEARCHED_KEPT];
	struct spot *buckets[BUCKETS];
};

struct searched *searched_create(void)
{
	struct searched *searched = calloc(1, sizeof *searched);

	if (searched)
		pthread_mutex_init(&searched->lock, NULL);
	else
		log_error("no memory for what is searched");
	return searched;
}

void searched_destroy(struct searched *searched)
{
	if (!searched)
		return;
	pthread_mutex_destroy(&searched->lock);
	free(searched);
}

static struct spot **bucket_of(struct searched *searched, const struct search_field *field)
{
	return &searched->buckets[(load_le32(field->key) + field->ntime) % BUCKETS];
}

static bool is_same_but_version(const struct search_field *a, const struct search_field *b)
{
	return a->ntime == b->ntime && memcmp(a->key, b->key, sizeof a->key) == 0;
}

/* Do equal numbers mean equal headers? */
static bool counts_alike(const struct search_field *a, const struct search_field *b)
{
	return a->xnonce2_off == b->xnonce2_off && a->xnonce2_len == b->xnonce2_len && a->version == b->version &&
	       a->version_mask == b->version_mask && a->versions == b->versions;
}

/* Is any version one of both? */
static bool overlap(const struct search_field *a, const struct search_field *b)
{
	return ((a->version ^ b->version) & ~(a->version_mask | b->version_mask)) == 0;
}

/* An unused spot, or that which was not asked for the longest, out of its bucket. */
static struct spot *free_spot(struct searched *searched)
{
	struct spot *oldest = searched->spots, **link;

	if (searched->count < SEARCHED_KEPT)
		return &searched->spots[searched->count++];
	for (struct spot *spot = searched->spots; spot < searched->spots + SEARCHED_KEPT; spot++)
		if (spot->asked < oldest->asked)
			oldest = spot;
	for (link = bucket_of(searched, &oldest->field); *link != oldest; link = &(*link)->next)
		;
	*link = oldest->next;
	return oldest;
}

/* The field's own spot, made if need be; NULL: its headers are others'. */
static struct spot *find_spot(struct searched *searched, const struct search_field *field)
{
	struct spot **bucket = bucket_of(searched, field), *own = NULL;
	bool taken = false;

	searched->questions++;
	for (struct spot *spot = *bucket; spot; spot = spot->next) {
		if (!is_same_but_version(&spot->field, field) || !overlap(&spot->field, field))
			continue;
		spot->asked = searched->questions;
		taken = true;
		if (counts_alike(&spot->field, field))
			own = spot;
	}
	if (taken)
		return own;
	own = free_spot(searched);
	*own = (struct spot){ .field = *field, .asked = searched->questions, .next = *bucket };
	*bucket = own;
	return own;
}

bool searched_take(struct searched *searched, const struct search_field *field, uint64_t *number)
{
	pthread_mutex_lock(&searched->lock);
	struct spot *spot = find_spot(searched, field);
	bool any = spot && (field->works == 0 || spot->taken < field->works);
	if (any)
		*number = spot->taken++;
	pthread_mutex_unlock(&searched->lock);
	return any;
}
