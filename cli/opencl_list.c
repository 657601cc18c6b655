/* See opencl_list.h. */
#include "cli/opencl_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/log.h"
#include "config.h"

void opencl_list_command_line(struct opencl_list *list)
{
	list->on_command_line = true;
}

bool opencl_list_only(const char *backend)
{
	return backend && strcasecmp(backend, "opencl") == 0;
}

void opencl_set_free(struct opencl_set *set)
{
	free(set);
}

#ifdef HAVE_OPENCL

int opencl_list_add(struct opencl_list *list, const char *value, char *why, size_t why_len)
{
	struct opencl_spec spec;

	if (opencl_spec_parse(&spec, value, why, why_len) < 0)
		return -1;
	if (list->on_command_line && !list->named_there) {
		list->count = 0;
		list->named_there = true;
	}
	for (unsigned i = 0; i < list->count; i++) {
		if (list->specs[i].index == spec.index) {
			snprintf(why, why_len, "device %u is named twice", spec.index);
			return -1;
		}
	}
	if (list->count == OPENCL_MAX) {
		snprintf(why, why_len, "more than %d devices", OPENCL_MAX);
		return -1;
	}
	list->specs[list->count++] = spec;
	return 0;
}

struct opencl_set *opencl_set_create(const struct opencl_list *list, const struct algo *algo, const struct kernel *kernel)
{
	struct opencl_set *opencl = calloc(1, sizeof *opencl);

	if (!opencl) {
		log_error("opencl: no memory");
		return NULL;
	}
	opencl->set = (struct device_set){ .backend = "opencl", .noun = "device", .prefix = "", .count = list->count };
	for (unsigned i = 0; i < list->count; i++) {
		struct device_entry *entry = &opencl->set.entries[i];
		struct opencl_miner *miner = &opencl->miners[i];

		entry->device = opencl_miner_init(miner, &list->specs[i], algo, kernel);
		entry->name = miner->name;
		entry->lent = miner->lent.name ? &miner->lent : NULL;
		snprintf(entry->label, sizeof entry->label, "opencl %u", list->specs[i].index);
		if (!entry->device.backend) {
			log_error("opencl: there is nothing that a device can do for %s", algo->name);
			free(opencl);
			return NULL;
		}
	}
	return opencl;
}

#else

int opencl_list_add(struct opencl_list *list, const char *value, char *why, size_t why_len)
{
	(void)list, (void)value;
	snprintf(why, why_len, "this build has no OpenCL; install ocl-icd-opencl-dev (Debian) or ocl-icd-devel (Fedora) and configure again");
	return -1;
}

struct opencl_set *opencl_set_create(const struct opencl_list *list, const struct algo *algo, const struct kernel *kernel)
{
	(void)list, (void)algo, (void)kernel;
	return NULL;	/* none could be named */
}

#endif
