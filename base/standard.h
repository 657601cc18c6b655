/*
 * The three standard descriptors. Who starts a program may have closed some: then the next
 * file opened would take their number, and with it what is printed and logged. And what is
 * printed may not arrive: a full disk shows only when the last of it is written.
 */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

/* Open /dev/null where one is closed. First of all, before any file is opened. */
void standard_fill(void);

/* Write out what was printed. Returns 0, or -1 logged: some of it is lost. */
int standard_flush(void);

#endif
