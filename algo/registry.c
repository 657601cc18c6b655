/* The list of algorithms as a table, and its look-up. */
#include "algo/registry.h"

#include <strings.h>

#define ALGO(name) extern const struct algo algo_##name;
#include "algo/list.h"
#undef ALGO

const struct algo *const algos[] = {
#define ALGO(name) &algo_##name,
#include "algo/list.h"
#undef ALGO
	NULL
};

static bool is_named(const struct algo *algo, const char *name)
{
	if (strcasecmp(algo->name, name) == 0)
		return true;
	for (const char *const *alias = algo->aliases; alias && *alias; alias++)
		if (strcasecmp(*alias, name) == 0)
			return true;
	return false;
}

const struct algo *algo_find(const char *name)
{
	for (const struct algo *const *algo = algos; *algo; algo++)
		if (is_named(*algo, name))
			return *algo;
	return NULL;
}
