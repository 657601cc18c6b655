/* See overheard.h. */
#include "tests/overheard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"

static FILE *ear;
static int shown;	/* where standard error went */

void overhear(void)
{
	ear = tmpfile();
	shown = dup(STDERR_FILENO);
	assert_true(ear && shown >= 0 && dup2(fileno(ear), STDERR_FILENO) >= 0);
}

void overheard(char *text, size_t size)
{
	log_flush();
	assert_true(dup2(shown, STDERR_FILENO) >= 0);
	close(shown);
	rewind(ear);
	text[fread(text, 1, size - 1, ear)] = '\0';
	fclose(ear);
}
