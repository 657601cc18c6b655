/*
 * Merkle trees as Bitcoin has them: each node is the double SHA-256 of its two
 * children, and a last one without a sibling is its own sibling. All hashes are in
 * hashing order.
 *
 * What a newcomer would get wrong: the tree is over txids, never over the hashes
 * that include witnesses, save for the one witness tree inside the commitment.
 */
#ifndef POOL_MERKLE_H
#define POOL_MERKLE_H

#include <stddef.h>
#include <stdint.h>

#define MERKLE_DEPTH_MAX 64	/* more than any tree in memory has */

/*
 * The branches up the side of the first leaf, whose own hash plays no part. `nodes`
 * are the other `count` leaves in order; they are overwritten. Returns how many
 * branches there are, or -1 when the crypto library refuses.
 */
int merkle_branches(uint8_t (*branches)[32], uint8_t (*nodes)[32], size_t count);

/* From the first leaf up to the root, in place. 0 or -1. */
int merkle_climb(uint8_t node[32], const uint8_t (*branches)[32], size_t branch_count);

#endif
