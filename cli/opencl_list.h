/*
 * The OpenCL devices as the user names them, and the same as devices of a crew. As with pools,
 * the first on the command line sends away those of the configuration file.
 */
#ifndef CLI_OPENCL_LIST_H
#define CLI_OPENCL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/device_set.h"
#include "fpga/opencl_miner.h"

#define OPENCL_MAX DEVICE_SET_MAX

struct opencl_list {
	struct opencl_spec specs[OPENCL_MAX];
	unsigned count;
	bool on_command_line;
	bool named_there;		/* a device */
};

/* From now on it is the command line that names. */
void opencl_list_command_line(struct opencl_list *);

/* The value of --opencl. 0, or -1 with the reason in `why`. */
int opencl_list_add(struct opencl_list *, const char *value, char *why, size_t why_len);

/* Whether this backend is one of OpenCL devices alone: "opencl". NULL is not. */
bool opencl_list_only(const char *backend);

struct opencl_set {
	struct device_set set;
	struct opencl_miner miners[OPENCL_MAX];
};

/* For a run of `algo`; `kernel` is this CPU's, for the stages of a chain. NULL, logged: they can do nothing for it. */
struct opencl_set *opencl_set_create(const struct opencl_list *, const struct algo *algo, const struct kernel *kernel);
void opencl_set_free(struct opencl_set *);

#endif
