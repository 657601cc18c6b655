/* Which pool an option belongs to: see pool_list.h. */
#include "cli/pool_list.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

/* Free a text that nobody shall find afterwards. */
static void wipe(char *text)
{
	if (text)
		OPENSSL_cleanse(text, strlen(text));
	free(text);
}

static void free_entry(struct pool_entry *entry)
{
	wipe(entry->url);	/* it may have a password in it */
	free(entry->user);
	wipe(entry->pass);
	*entry = (struct pool_entry){ .quota = 0 };
}

void pool_list_free(struct pool_list *list)
{
	free_entry(&list->of_file);
	free_entry(&list->of_command_line);
	while (list->count > 0)
		free_entry(&list->pools[--list->count]);
}

void pool_list_command_line(struct pool_list *list)
{
	list->on_command_line = true;
}

static void replace(char **field, const char *value, size_t len)
{
	free(*field);
	*field = strndup(value, len);
}

/* Where a value goes: to the latest pool, or to all. */
static struct pool_entry *place(struct pool_list *list)
{
	if (list->in_entry || list->named_there)
		return &list->pools[list->count - 1];
	return list->on_command_line ? &list->of_command_line : &list->of_file;
}

int pool_list_begin(struct pool_list *list)
{
	if (list->count == POOLS_MAX)
		return -1;
	list->count++;
	list->in_entry = true;
	return 0;
}

int pool_list_end(struct pool_list *list)
{
	list->in_entry = false;
	return list->pools[list->count - 1].url ? 0 : -1;
}

int pool_list_url(struct pool_list *list, const char *url)
{
	if (list->on_command_line && !list->named_there) {
		while (list->count > 0)
			free_entry(&list->pools[--list->count]);
		list->named_there = true;
	}
	if (!list->in_entry && list->count == POOLS_MAX)
		return -1;
	if (!list->in_entry)
		list->count++;
	replace(&list->pools[list->count - 1].url, url, strlen(url));
	return 0;
}

void pool_list_user(struct pool_list *list, const char *user, size_t len)
{
	replace(&place(list)->user, user, len);
}

void pool_list_pass(struct pool_list *list, const char *pass)
{
	replace(&place(list)->pass, pass, strlen(pass));
}

void pool_list_quota(struct pool_list *list, unsigned quota)
{
	place(list)->quota = quota;
}

struct pool_entry pool_list_get(const struct pool_list *list, unsigned index)
{
	const struct pool_entry *own = &list->pools[index], *over = &list->of_command_line;
	const struct pool_entry *strongest_first[] = { list->named_there ? own : over, list->named_there ? over : own, &list->of_file };
	struct pool_entry entry = { .url = own->url };

	for (size_t i = 0; i < sizeof strongest_first / sizeof *strongest_first; i++) {
		const struct pool_entry *next = strongest_first[i];

		entry.user = entry.user ? entry.user : next->user;
		entry.pass = entry.pass ? entry.pass : next->pass;
		entry.quota = entry.quota ? entry.quota : next->quota;
	}
	return entry;
}
