/* Reads the known answers; a file that does not parse must fail, never count as no vectors. */
#include "tests/kat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"

const char *kat_text(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	if (!text)
		fail_msg("a vector has no string \"%s\"", member);
	return text;
}

static void vector_read(struct vector *vector, const json_t *object)
{
	const char *input = kat_text(object, "input_hex");

	vector->json = object;
	vector->name = kat_text(object, "name");
	vector->input_len = strlen(input) / 2;
	if (vector->input_len > sizeof vector->input || !hex_decode(vector->input, vector->input_len, input))
		fail_msg("%s: input_hex is too long or no hex", vector->name);
	if (!hex_decode(vector->output, sizeof vector->output, kat_text(object, "output_hex")))
		fail_msg("%s: output_hex is not 32 bytes of hex", vector->name);
}

size_t kat_each(const char *file, bool (*check)(const struct vector *, const void *), const void *context)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	json_error_t error;
	json_t *vectors, *object;
	size_t index, count = 0;

	snprintf(path, sizeof path, "%s/tests/kat/%s", srcdir ? srcdir : ".", file);
	vectors = json_load_file(path, 0, &error);
	if (!json_is_array(vectors))
		fail_msg("%s: no array of vectors: %s", path, error.text);

	json_array_foreach(vectors, index, object) {
		struct vector vector;

		vector_read(&vector, object);
		count += check(&vector, context);
	}
	json_decref(vectors);
	return count;
}
