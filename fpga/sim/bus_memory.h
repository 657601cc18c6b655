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

/* Its bytes at [addr, addr + len) of the bus; NULL: nobody answers for all of them. */
static inline uint8_t *bus_memory_at(const struct bus_memory *m, uint64_t addr, size_t len)
{
	if (addr < m->addr || addr - m->addr > m->len || len > m->len - (size_t)(addr - m->addr))
		return NULL;
	return m->bytes + (addr - m->addr);
}

#endif
