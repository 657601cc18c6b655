/* The two copies and the files that move bytes between them: see memory.h. */
#include "fpga/sim/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel's enum dma_data_direction. */
enum { BIDIRECTIONAL, TO_DEVICE, FROM_DEVICE };

static int copy_init(int *fd, uint8_t **bytes, const char *name, size_t len)
{
	*fd = memfd_create(name, MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, (off_t)len) != 0)
		return -1;
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (map == MAP_FAILED)
		return -1;
	*bytes = map;
	return 0;
}

int memory_init(struct memory *m, size_t len)
{
	*m = (struct memory){ .cpu_fd = -1, .device_fd = -1, .len = len, .sync_size = len, .lent = calloc(len, sizeof *m->lent) };
	if (m->lent && copy_init(&m->cpu_fd, &m->cpu, "cpu", len) == 0 && copy_init(&m->device_fd, &m->device, "device", len) == 0)
		return 0;
	memory_release(m);
	return -1;
}

void memory_release(struct memory *m)
{
	if (m->cpu)
		munmap(m->cpu, m->len);
	if (m->device)
		munmap(m->device, m->len);
	free(m->lent);
	if (m->cpu_fd >= 0)
		close(m->cpu_fd);
	if (m->device_fd >= 0)
		close(m->device_fd);
}

static void take_back(struct memory *m, size_t offset, size_t size)
{
	for (size_t i = offset; i < offset + size; i++) {
		if (m->lent[i])
			m->cpu[i] = m->device[i];
		else
			m->device[i] = m->cpu[i];	/* by the cache */
		m->lent[i] = false;
	}
}

/*
 * A command is 1, with the range in the other files, or all in one number: the offset in bits 63..32, the size in
 * bits 31..4 of the lower half (a multiple of 16), the direction in bits 3..2 and bit 0.
 */
static int sync_copies(struct memory *m, uint64_t command, bool for_cpu)
{
	uint64_t offset = m->sync_offset, size = m->sync_size, direction = m->sync_direction;

	if (!(command & 1))
		return 0;
	if (command & 0xfffffff0) {
		offset = command >> 32;
		size = command & 0xfffffff0;
		direction = command >> 2 & 3;
	}
	if (direction > FROM_DEVICE || offset > m->len || size > m->len - offset)
		return -EINVAL;
	if (for_cpu && direction != TO_DEVICE)
		take_back(m, offset, size);
	if (!for_cpu && direction != FROM_DEVICE)
		memcpy(m->device + offset, m->cpu + offset, size);
	if (!for_cpu && direction != TO_DEVICE)
		memset(m->lent + offset, true, size);
	return 0;
}

int memory_attribute(struct memory *m, const char *name, const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || (*end && *end != '\n'))
		return -EINVAL;
	if (strcmp(name, "sync_for_cpu") == 0)
		return sync_copies(m, value, true);
	if (strcmp(name, "sync_for_device") == 0)
		return sync_copies(m, value, false);
	if (strcmp(name, "sync_offset") == 0)
		m->sync_offset = value;
	else if (strcmp(name, "sync_size") == 0)
		m->sync_size = value;
	else if (strcmp(name, "sync_direction") == 0)
		m->sync_direction = value;
	else
		return -EINVAL;
	return 0;
}
