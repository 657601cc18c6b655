/* What a board's own sensors say, where the kernel shows them. */
#ifndef FPGA_SENSORS_H
#define FPGA_SENSORS_H

#include <stdbool.h>

/*
 * The board's temperature in degrees Celsius: of the FPGA's die by the XADC (an iio device called "xadc"), else
 * temp1_input of the first hwmon device that has one. Below `root`. False: there is neither, or they show no number;
 * *celsius is unchanged then.
 */
bool sensors_temperature(double *celsius, const char *root);

#endif
