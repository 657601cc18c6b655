/* See scratch.h. */
#include "algo/scratch.h"

#include <stdlib.h>

#include "base/log.h"

void *algo_scratch(const struct algo *algo)
{
	const size_t lines = algo->scratch_len / CACHE_LINE + 1;
	void *scratch = aligned_alloc(CACHE_LINE, lines * CACHE_LINE);

	if (!scratch)
		log_errno("%s: %zu bytes of scratch", algo->name, lines * CACHE_LINE);
	return scratch;
}
