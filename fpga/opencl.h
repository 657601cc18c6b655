/*
 * OpenCL devices: CPUs, GPUs and FPGA cards behind one interface. A program is built from
 * its source, or taken from a binary: the one the user names, which FPGAs need, or the one
 * kept from an earlier build, by device and source.
 *
 * What a newcomer would get wrong: opening a device and building a program can take seconds
 * on its own, a kernel milliseconds. Open once, and run often. Each part is timed apart.
 *
 * One thread uses an open device at a time.
 */
#ifndef FPGA_OPENCL_H
#define FPGA_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPENCL_NAME	128	/* bytes */

/* Devices of all platforms, in the order the system names them; 0 also where there is no OpenCL at all. */
unsigned opencl_count(void);

/* Into `name`, OPENCL_NAME bytes: "cpu, Intel(R) Xeon(R) Processor". 0, or -1: there is no such device. */
int opencl_describe(char *name, unsigned index);

enum opencl_form {
	OPENCL_BY_TYPE,		/* a pipeline on an accelerator, else a range */
	OPENCL_RANGE, OPENCL_PIPELINE
};

struct opencl_config {
	unsigned index;		/* which device */
	const char *program;	/* "chacha20": a file of fpga/cl */
	enum opencl_form form;
	const char *binary;	/* a file to take the program from; NULL: source or cache */
};

/* Seconds, from the device's own clock but for the first two. */
struct opencl_times {
	double context, program;	/* of open() */
	double in, kernel, out;		/* summed over all runs */
};

struct opencl;

/* NULL, logged: no such device, or the program does not build or is not for it. */
struct opencl *opencl_open(const struct opencl_config *);
void opencl_close(struct opencl *);

/* One kernel over an array: see fpga/cl/core.cl. Sizes in bytes, multiples of 4. */
struct opencl_call {
	const char *kernel;		/* "chacha20", without the form */
	const uint32_t *params;
	size_t param_words;		/* 1..OPENCL_PARAMS */
	uint64_t first, items;
	const void *in;			/* in_size bytes; NULL with 0 */
	void *out;			/* out_size bytes */
	size_t in_size, out_size;
	bool out_is_input;		/* `out` goes to the device before, too */
};
#define OPENCL_PARAMS	64

/* 0, or -1 logged: the device is lost; it can then only be closed. */
int opencl_run(struct opencl *, const struct opencl_call *);

const struct opencl_times *opencl_times(const struct opencl *);
const char *opencl_device_name(const struct opencl *);

/* Bytes that one buffer of the device can have. */
size_t opencl_buffer_max(const struct opencl *);

#endif
