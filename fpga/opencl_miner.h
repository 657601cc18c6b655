/*
 * OpenCL devices that mine: alone on sha256d, and as the keeper of CubeHash's stage in
 * lyra2rev2 (fpga/lent_stage.h).
 */
#ifndef FPGA_OPENCL_MINER_H
#define FPGA_OPENCL_MINER_H

#include "fpga/lent_stage.h"
#include "fpga/opencl.h"
#include "work/crew.h"

/* A device as the user names it: "INDEX[,form=range|pipeline][,binary=FILE]". */
struct opencl_spec {
	unsigned index;
	enum opencl_form form;
	char binary[256];		/* "": from source */
};

/* 0, or -1 with a sentence about the value in `why`. */
int opencl_spec_parse(struct opencl_spec *, const char *value, char *why, size_t why_len);

/* Set by opencl_miner_init(), and kept while the crew is. */
struct opencl_miner {
	char name[OPENCL_NAME + 16];	/* "opencl 0, cpu, ..." once it is open */
	struct opencl_spec spec;
	struct opencl *cl;		/* its thread's own */
	struct lent_stage lent;		/* of chains */
	struct lent_device device;
	uint64_t want;			/* nonces of a call: about a fiftieth of a second's */
};

/*
 * The miner as a device of a crew: it searches alone, or computes a stage beside `kernel`, this CPU's (NULL: there is none).
 * backend NULL: it can do nothing for `algo`.
 */
struct crew_device opencl_miner_init(struct opencl_miner *, const struct opencl_spec *, const struct algo *algo,
				     const struct kernel *kernel);

#endif
