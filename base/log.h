/*
 * Lines for the operator, on stderr: subject, event, number, unit. One write per
 * line, so lines of different threads never mix; control characters in what a pool
 * sent are made harmless; a line that only repeats the last one is counted instead.
 * Secrets are masked (base/secret.h); text of a peer goes through secret_show() before.
 *
 * The level and colour are set once by main before any thread starts.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_NOTICE, LOG_WARN, LOG_INFO, LOG_DEBUG };	/* quiet is up to LOG_NOTICE */

/* Show lines up to `level`; with `color`, mark their level when stderr is a terminal and NO_COLOR is unset. */
void log_setup(enum log_level level, bool color);

bool log_enabled(enum log_level level);

/* What even a quiet run must say: a block was found. */
__attribute__((format(printf, 1, 2))) void log_notice(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_debug(const char *format, ...);

/* Both return -1, so that a failing function can end with one of them. log_errno() adds ": " and errno's text. */
__attribute__((format(printf, 1, 2))) int log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) int log_errno(const char *format, ...);

/* In place: UTF-8 stays, and what could move a cursor, start a new line or an escape sequence becomes a question mark. */
void log_make_harmless(char *text);

/* Print the count of a last line that was repeated, if any: before exit. */
void log_flush(void);

#endif
