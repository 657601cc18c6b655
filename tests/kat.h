/*
 * Known answers from tests/kat/: JSON arrays of {name, input_hex, output_hex, ...},
 * bytes in the order in which they are hashed and in which the digest comes out.
 */
#ifndef TESTS_KAT_H
#define TESTS_KAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define VECTOR_INPUT_MAX 256	/* bytes */

struct vector {
	const char *name;
	uint8_t input[VECTOR_INPUT_MAX];
	size_t input_len;
	uint8_t output[32];
	const json_t *json;	/* the whole object, for members that only some files have */
};

/*
 * Call check() for every vector of the file, and return for how many it said that
 * they concerned it. A file that is missing or malformed fails the running test.
 * Files are looked for in tests/kat below the environment's srcdir, or else below ".".
 */
size_t kat_each(const char *file, bool (*check)(const struct vector *, const void *context), const void *context);

/* A member that is a string; its absence fails the running test. */
const char *kat_text(const json_t *object, const char *member);

#endif
