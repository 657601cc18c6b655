/* Bytes as text, two lower-case digits each, first byte first. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write 2 * len digits and a NUL to `text`, which must have room for them. */
void hex_encode(char *text, const uint8_t *bytes, size_t len);

/* Decode exactly `len` bytes. False, `bytes` undefined, unless text is 2 * len hex digits of either case and nothing else. */
bool hex_decode(uint8_t *bytes, size_t len, const char *text);

#endif
