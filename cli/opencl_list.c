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
	struct opencl_set *set = calloc(1, sizeof *set);

	if (!set) {
		log_error("opencl: no memory");
		return NULL;
	}
	for (; set->count < list->count; set->count++) {
		set->devices[set->count] = opencl_miner_init(&set->miners[set->count], &list->specs[set->count], algo, kernel);
		if (!set->devices[set->count].backend) {
			log_error("opencl: there is nothing that a device can do for %s", algo->name);
			free(set);
			return NULL;
		}
	}
	return set;
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
