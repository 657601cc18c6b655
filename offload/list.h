/* The kinds of device, in the order of --help. */
#include "config.h"	/* HAVE_*: what this build has */

DEVICE_KIND(cpu)
DEVICE_KIND(plain)
DEVICE_KIND(null)
DEVICE_KIND(fpga)
#ifdef HAVE_OPENCL
DEVICE_KIND(opencl)
#endif
