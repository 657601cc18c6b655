/* The kinds of device, in the order of --help. */
DEVICE_KIND(cpu)
DEVICE_KIND(plain)
DEVICE_KIND(null)
