/* Measured values in order: see sort.h. */
#include "base/sort.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_values(double *values, size_t count)
{
	if (count > 0)
		qsort(values, count, sizeof *values, ascending);
}

double sorted_quantile(const double *values, size_t count, double q)
{
	return count ? values[(size_t)(q * (double)(count - 1) + 0.5)] : 0;
}

double sort_median(double *values, size_t count)
{
	sort_values(values, count);
	return sorted_quantile(values, count, 0.5);
}
