/* See complaint.h. */
#include "cli/complaint.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

#define SENTENCE_MAX	1000	/* bytes */

int complain(const char *format, ...)
{
	char sentence[SENTENCE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	log_make_harmless(sentence);
	fprintf(stderr, "adit: %s\n", sentence);
	return -1;
}
