/* A key, from a file or the environment: never from the command line, which anyone can read. */
#ifndef OFFLOAD_KEY_H
#define OFFLOAD_KEY_H

#include <stddef.h>
#include <stdint.h>

#define KEY_VARIABLE	"ADIT_OFFLOAD_KEY"

/*
 * `len` bytes, as bytes or as 2 * len hexadecimal digits with at most a line's end after them, from `file`; where that is
 * NULL, as digits from the environment's KEY_VARIABLE. 0, or -1 logged; the key itself is never shown.
 */
int key_load(uint8_t *key, size_t len, const char *file);

#endif
