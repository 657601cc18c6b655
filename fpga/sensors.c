/* Temperatures from iio and hwmon: see sensors.h. Both count in thousandths of a degree. */
#include "fpga/sensors.h"

#include <math.h>
#include <stdlib.h>

#include "fpga/sysfs.h"

#define IIO	"/sys/bus/iio/devices"
#define HWMON	"/sys/class/hwmon"

/* The whole text as a finite number. */
static bool parse(double *value, const char *text)
{
	char *end;
	const double parsed = strtod(text, &end);

	if (end == text || *end || !isfinite(parsed))
		return false;
	*value = parsed;
	return true;
}

static bool read_value(double *value, const char *root, const char *class, const char *device, unsigned number,
		       const char *file)
{
	char text[SYSFS_TEXT];

	return sysfs_read(text, root, "%s/%s%u/%s", class, device, number, file) && parse(value, text);
}

/* Some kernels show no offset: it is 0 then. */
static bool xadc_temperature(double *celsius, const char *root)
{
	double raw, offset = 0, scale;
	char text[SYSFS_TEXT];
	unsigned number;

	if (!sysfs_find(&number, root, IIO, "iio:device", "name", "xadc") ||
	    !read_value(&raw, root, IIO, "iio:device", number, "in_temp0_raw") ||
	    !read_value(&scale, root, IIO, "iio:device", number, "in_temp0_scale"))
		return false;
	if (sysfs_read(text, root, IIO "/iio:device%u/in_temp0_offset", number) && !parse(&offset, text))
		return false;
	const double thousandths = (raw + offset) * scale;
	if (!isfinite(thousandths))
		return false;
	*celsius = thousandths / 1000;
	return true;
}

static bool hwmon_temperature(double *celsius, const char *root)
{
	double thousandths;
	unsigned number;

	if (!sysfs_find(&number, root, HWMON, "hwmon", "temp1_input", NULL) ||
	    !read_value(&thousandths, root, HWMON, "hwmon", number, "temp1_input"))
		return false;
	*celsius = thousandths / 1000;
	return true;
}

bool sensors_temperature(double *celsius, const char *root)
{
	return xadc_temperature(celsius, root) || hwmon_temperature(celsius, root);
}
