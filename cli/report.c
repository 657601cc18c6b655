/* Rates with their unit. */
#include "cli/report.h"

#include <stdio.h>

void report_rate(char text[RATE_TEXT], double rate)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	if (!(rate > 0)) {
		snprintf(text, RATE_TEXT, "0 H/s");
		return;
	}
	for (; rate >= 999.95 && unit + 2 < sizeof units; unit++)
		rate /= 1000;
	if (unit == 0)
		snprintf(text, RATE_TEXT, "%.4g H/s", rate);
	else
		snprintf(text, RATE_TEXT, "%.*f %cH/s", rate < 10 ? 3 : rate < 100 ? 2 : 1, rate, units[unit]);
}
