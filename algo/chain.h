/*
 * Proofs of work that are a chain: the first stage hashes the header, each later one
 * the 32 bytes before it. An algorithm is then a table of stages, ended by name NULL.
 */
#ifndef ALGO_CHAIN_H
#define ALGO_CHAIN_H

#include <stddef.h>
#include <stdint.h>

/* One of the two functions is set: hash_with for a primitive that wants scratch. `out` may be `in`. */
struct chain_stage {
	const char *name;	/* of the primitive: "cubehash256" */
	void (*hash)(uint8_t out[32], const uint8_t *in, size_t len);
	void (*hash_with)(uint8_t out[32], const uint8_t *in, size_t len, void *scratch);
};

static inline void chain_hash(uint8_t out[32], const struct chain_stage *stage,
			      const uint8_t *header, size_t header_len, void *scratch)
{
	const uint8_t *in = header;
	size_t len = header_len;

	for (; stage->name; stage++) {
		if (stage->hash)
			stage->hash(out, in, len);
		else
			stage->hash_with(out, in, len, scratch);
		in = out;
		len = 32;
	}
}

#endif
