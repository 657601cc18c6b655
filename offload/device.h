/*
 * What computes batches: CPU threads, OpenCL devices, FPGA cards. A kind of device is one
 * file and one line in list.h.
 *
 * What a newcomer would get wrong: a device is opened for one core, once, and then used
 * for many batches; on real ones opening (context, program, bitstream) takes seconds, a
 * batch milliseconds. Both are counted, apart.
 */
#ifndef OFFLOAD_DEVICE_H
#define OFFLOAD_DEVICE_H

#include "cores/core.h"
#include "fpga/spec.h"

/* Seconds, but for the clocks. Where a device cannot tell in and out from its kernel, they are in `kernel`. */
struct spent {
	double setup;		/* open() */
	double in, kernel, out;	/* of all batches */
	uint64_t clocks;	/* of the device's own, in all batches; 0: it does not tell */
};

#define FPGA_MAX	16	/* cards */

/* How to use devices, where a kind leaves a choice. */
struct device_settings {
	const char *opencl_form;	/* "range", "pipeline"; NULL: by the device's type */
	const char *opencl_binary;	/* a file with the program; NULL: from source */
	struct fpga_spec fpga[FPGA_MAX];	/* card N is worker fpga N */
	unsigned fpga_count;
	const char *fpga_root;		/* below which the kernel's files are looked for */
};

struct device {
	const struct device_kind *kind;
	unsigned index;		/* 0, 1, ... among those of its kind */
	const struct device_settings *settings;
	const struct core *core;
	void *state;		/* the kind's own */
	struct spent spent;
};

struct device_kind {
	const char *name;
	const char *help;
	bool keeps_nothing;	/* its results are not the core's: only to be thrown away */
	bool is_thread;		/* the CPU computes, not something that a thread waits for */
	bool (*offers)(const struct core *);

	/* Get ready for device->core. 0, or -1 logged. Adds to spent.setup. NULL: nothing to do. */
	int (*open)(struct device *);

	/* Compute a batch of device->core. 0, or -1 logged: the device is lost. Adds to spent. */
	int (*run)(struct device *, const struct batch *);
	void (*close)(struct device *);
};

#define DEVICE_KIND(name) extern const struct device_kind device_##name;
#include "offload/list.h"
#undef DEVICE_KIND

/* In list order, ended by NULL. */
extern const struct device_kind *const device_kinds[];

/* Which device is wanted. */
struct device_want {
	const struct device_kind *kind;
	unsigned index;
	const struct device_settings *settings;	/* outlive the device */
};

/* 0, or -1 logged: it does not offer the core, did not start, or its answers are not the reference's. */
int device_open(struct device *, const struct device_want *, const struct core *);
int device_run(struct device *, const struct batch *);
void device_close(struct device *);

/* "cpu:2,opencl,null": how many of each kind, 1 where not said. */
#define DEVICES_MAX	64

/* Returns how many are wanted, 1..DEVICES_MAX, or -1 with the reason in `why`. */
#define DEVICE_WHY	120	/* bytes */
int devices_parse(struct device_want wants[DEVICES_MAX], const char *text, const struct device_settings *, char why[DEVICE_WHY]);

#endif
