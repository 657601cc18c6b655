/*
 * HTML's names of characters: all of HTML 4.01 (section 24), and of later HTML ("Named character references") those
 * that stand for one byte of ASCII.
 */
#ifndef BASE_ENTITY_H
#define BASE_ENTITY_H

#include <stddef.h>

#define ENTITY_NAME_MAX 16	/* bytes of the longest */

/* The code point, below 0x10000, of what stands between & and a semicolon; upper and lower case differ. 0: it is no such name. */
unsigned entity_point(const char *name, size_t len);

#endif
