/*
 * What the program says on standard error, caught instead of shown. One catch at a time.
 */
#ifndef TESTS_OVERHEARD_H
#define TESTS_OVERHEARD_H

#include <stddef.h>

/* From now on. */
void overhear(void);

/* Until now: at most size - 1 bytes of it, as a string. */
void overheard(char *text, size_t size);

#endif
