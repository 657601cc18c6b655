/* Memory as a device finds it on the bus. */
#ifndef FPGA_SIM_BUS_MEMORY_H
#define FPGA_SIM_BUS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct bus_memory {
	uint8_t *bytes;
	size_t len;		/* bytes; 0: there is none */
	uint64_t addr;		/* of bytes[0] */
};

#endif
