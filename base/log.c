/* One line, one write(2): see log.h for what a line may hold. */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/secret.h"

#define TEXT_MAX 2000	/* bytes of one line's text; longer ones end in "..." */
#define REPEAT_SECONDS 60	/* that a repeated line is only counted */

static struct {
	pthread_mutex_t lock;
	enum log_level level;
	bool color;
	unsigned repeats;
	enum log_level last_level;
	time_t last_time;
	char last[TEXT_MAX];
} logger = { .lock = PTHREAD_MUTEX_INITIALIZER, .level = LOG_INFO };

void log_setup(enum log_level level, bool color)
{
	logger.level = level;
	logger.color = color && isatty(STDERR_FILENO) && !getenv("NO_COLOR");
}

bool log_enabled(enum log_level level)
{
	return level <= logger.level;
}

/*
 * Bytes of the UTF-8 character at c, of two or more (RFC 3629, section 4); 0: it is none, or one of the C1 controls.
 * A longer form than need be is none either: a terminal may take it for the control that it spells.
 */
static unsigned utf8_len(const unsigned char *c)
{
	const unsigned len = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : 2;
	const unsigned char least = *c == 0xc2 || *c == 0xe0 ? 0xa0 : *c == 0xf0 ? 0x90 : 0x80;	/* of the second byte */
	const unsigned char most = *c == 0xed ? 0x9f : *c == 0xf4 ? 0x8f : 0xbf;

	if (*c < 0xc2 || *c > 0xf4 || c[1] < least || c[1] > most)
		return 0;
	for (unsigned i = 2; i < len; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

void log_make_harmless(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; ) {
		unsigned len = *c < 0x80 ? 1 : utf8_len(c);

		if (*c < 0x20 || *c == 0x7f || len == 0)
			*c = '?';
		c += len ? len : 1;
	}
}

static void put_line(enum log_level level, const char *text)
{
	static const char *const marks[] = {
		[LOG_ERROR] = "\033[31m", [LOG_NOTICE] = "\033[32m", [LOG_WARN] = "\033[33m", [LOG_INFO] = "", [LOG_DEBUG] = "\033[2m",
	};
	static const char *const names[] = {
		[LOG_ERROR] = "error: ", [LOG_NOTICE] = "", [LOG_WARN] = "warning: ", [LOG_INFO] = "", [LOG_DEBUG] = "debug: ",
	};
	char line[TEXT_MAX + 100], stamp[32];
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &local);

	int len = snprintf(line, sizeof line, "%s[%s] %s%s%s\n", logger.color ? marks[level] : "", stamp,
			   names[level], text, logger.color ? "\033[0m" : "");
	for (int done = 0; done < len; ) {
		ssize_t n = write(STDERR_FILENO, line + done, (size_t)(len - done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;		/* nowhere left to say so */
		done += (int)n;
	}
}

static void put_repeats(void)
{
	char text[64];

	if (logger.repeats == 0)
		return;
	snprintf(text, sizeof text, "(the last line %u more time%s)", logger.repeats, logger.repeats > 1 ? "s" : "");
	put_line(logger.last_level, text);
	logger.repeats = 0;
}

/* The whole text, from malloc(): it must be masked before it is cut. NULL: no memory. */
__attribute__((format(printf, 1, 0))) static char *compose(const char *format, va_list args, const char *cause)
{
	char *text, *with_cause;

	if (vasprintf(&text, format, args) < 0)
		return NULL;
	if (!cause)
		return text;
	int len = asprintf(&with_cause, "%s: %s", text, cause);
	free(text);
	return len < 0 ? NULL : with_cause;
}

__attribute__((format(printf, 2, 0))) static void put(enum log_level level, const char *format, va_list args, const char *cause)
{
	char text[TEXT_MAX];

	if (!log_enabled(level))
		return;

	char *whole = compose(format, args, cause);
	if (whole)
		secret_mask(whole, SECRET_OWN);
	if (snprintf(text, sizeof text, "%s", whole ? whole : "no memory for a line of the log") >= TEXT_MAX)
		memcpy(text + sizeof text - 4, "...", 4);
	free(whole);
	log_make_harmless(text);

	pthread_mutex_lock(&logger.lock);
	time_t now = time(NULL);
	if (strcmp(text, logger.last) == 0 && level == logger.last_level && now - logger.last_time < REPEAT_SECONDS) {
		logger.repeats++;
	} else {
		put_repeats();
		put_line(level, text);
		strcpy(logger.last, text);
		logger.last_level = level;
		logger.last_time = now;
	}
	pthread_mutex_unlock(&logger.lock);
}

void log_flush(void)
{
	pthread_mutex_lock(&logger.lock);
	put_repeats();
	pthread_mutex_unlock(&logger.lock);
}

void log_notice(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(LOG_NOTICE, format, args, NULL);
	va_end(args);
}

void log_info(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(LOG_INFO, format, args, NULL);
	va_end(args);
}

void log_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(LOG_WARN, format, args, NULL);
	va_end(args);
}

void log_debug(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(LOG_DEBUG, format, args, NULL);
	va_end(args);
}

int log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(LOG_ERROR, format, args, NULL);
	va_end(args);
	return -1;
}

int log_errno(const char *format, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, format);
	put(LOG_ERROR, format, args, strerror(saved));
	va_end(args);
	errno = saved;
	return -1;
}
