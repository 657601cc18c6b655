/* Branches and roots: see merkle.h. */
#include "pool/merkle.h"

#include <string.h>

#include "pool/double_sha256.h"

static int hash_pair(uint8_t out[32], const uint8_t left[32], const uint8_t right[32])
{
	uint8_t pair[64];

	memcpy(pair, left, 32);
	memcpy(pair + 32, right, 32);
	return double_sha256(out, pair, sizeof pair);
}

int merkle_branches(uint8_t (*branches)[32], uint8_t (*nodes)[32], size_t count)
{
	int depth = 0;

	/* each level is the unknown node on the left, then nodes[0], its sibling, then the rest, which pairs up */
	while (count > 0) {
		size_t parents = count / 2;

		memcpy(branches[depth++], nodes[0], 32);
		for (size_t i = 0; i < parents; i++) {
			size_t left = 1 + 2 * i, right = left + 1 < count ? left + 1 : left;

			if (hash_pair(nodes[i], nodes[left], nodes[right]) < 0)
				return -1;
		}
		count = parents;
	}
	return depth;
}

int merkle_climb(uint8_t node[32], const uint8_t (*branches)[32], size_t branch_count)
{
	for (size_t i = 0; i < branch_count; i++)
		if (hash_pair(node, node, branches[i]) < 0)
			return -1;
	return 0;
}
