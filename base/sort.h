/* Measured values in order, for their median and spread. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/* Ascending. */
void sort_values(double *values, size_t count);

/* Of values in order, the one below which lies the part q of them, 0 to 1: 0.5 is the median. 0 when there are none. */
double sorted_quantile(const double *values, size_t count, double q);

/* The median of values in any order, which are sorted by it. 0 when there are none. */
double sort_median(double *values, size_t count);

#endif
