/* Numbers as people read them. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stddef.h>

/* "14.62 MH/s" to `text`: four significant digits, H/s to EH/s; "0 H/s" for anything not above 0. */
#define RATE_TEXT 24
void report_rate(char text[RATE_TEXT], double hashes_per_second);

#endif
