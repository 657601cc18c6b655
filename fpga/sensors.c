/* Temperatures from iio and hwmon: see sensors.h. Both count in thousandths of a degree. */
#include "fpga/sensors.h"

#include <math.h>
#include <stdlib.h>

#include "fpga/sysfs.h"

#define IIO	"/sys/bus/iio/devices"
#define HWMON	"/sys/class/hwmon"

static bool read_value(double *value, const char *root, const char *class, const char *device, unsigned number,
		       const char *file)
{
	char text[SYSFS_TEXT], *end;

	if (!sysfs_read(text, root, "%s/%s%u/%s", class, device, number, file))
		return false;
	*value = strtod(text, &end);
	return end != text && !*end && isfinite(*value);
}

bool sensors_temperature(double *celsius, const char *root)
{
	double raw, offset = 0, scale;
	unsigned number;

	if (sysfs_find(&number, root, IIO, "iio:device", "name", "xadc") &&
	    read_value(&raw, root, IIO, "iio:device", number, "in_temp0_raw") &&
	    read_value(&scale, root, IIO, "iio:device", number, "in_temp0_scale")) {
		read_value(&offset, root, IIO, "iio:device", number, "in_temp0_offset");
		*celsius = (raw + offset) * scale / 1000;
		return true;
	}
	if (!sysfs_find(&number, root, HWMON, "hwmon", "temp1_input", NULL) ||
	    !read_value(&raw, root, HWMON, "hwmon", number, "temp1_input"))
		return false;
	*celsius = raw / 1000;
	return true;
}
