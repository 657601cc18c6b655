/*
 * The pools as the user names them, in order, each with the credentials named after
 * its URL. What is named before any URL holds for every pool that has none of its own.
 *
 * What a newcomer would get wrong: the command line comes after the configuration
 * file and wins, so its first URL sends away all pools of the file, and credentials
 * before it replace theirs.
 */
#ifndef CLI_POOL_LIST_H
#define CLI_POOL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "pool/pools.h"

struct pool_entry {
	char *url, *user, *pass;	/* NULL: not named */
	unsigned quota;			/* 0: not named */
};

struct pool_list {
	struct pool_entry pools[POOLS_MAX];
	unsigned count;
	struct pool_entry of_file, of_command_line;	/* for all: what was named before any URL */
	bool in_entry;			/* of the file's list */
	bool on_command_line;
	bool named_there;		/* a URL */
};

/* From now on it is the command line that names. */
void pool_list_command_line(struct pool_list *);

/* An entry of the file's list begins: a pool whose URL may be named at any place in it. -1: there are too many. */
int pool_list_begin(struct pool_list *);

/* And ends. -1: no URL was named. */
int pool_list_end(struct pool_list *);

/* A URL: outside of an entry, that of the next pool. -1: there are too many. */
int pool_list_url(struct pool_list *, const char *url);

/* Of the pool named last, or of all. The user is `len` bytes. */
void pool_list_user(struct pool_list *, const char *user, size_t len);
void pool_list_pass(struct pool_list *, const char *pass);
void pool_list_quota(struct pool_list *, unsigned quota);

/* What holds for a pool in the end; its texts are the list's, NULL and 0 for what was not named at all. */
struct pool_entry pool_list_get(const struct pool_list *, unsigned index);

void pool_list_free(struct pool_list *);

#endif
