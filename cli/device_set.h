/*
 * Devices that search beside the CPU threads, or without them, and prove themselves when their workers open them: OpenCL
 * devices, and cards that keep a stage of a chain. How they are measured, tested and reported on, whatever they are.
 */
#ifndef CLI_DEVICE_SET_H
#define CLI_DEVICE_SET_H

#include <jansson.h>

#include "fpga/lent_stage.h"
#include "work/crew.h"

#define DEVICE_SET_MAX 16

struct device_entry {
	char label[64];			/* in a self-test: "opencl 0" */
	const char *name;		/* in logs and results; opening the device may complete it */
	struct crew_device device;
	const struct lent_stage *lent;	/* NULL: it searches by itself */
};

/* Its texts are the owner's, and stay. */
struct device_set {
	const char *backend;		/* what --backend calls them: "opencl" */
	const char *noun;		/* "device", "card" */
	const char *prefix;		/* of their names in text: "", "card " */
	unsigned count;
	struct device_entry entries[DEVICE_SET_MAX];
};

/*
 * Measure all of them together for `limit` seconds. Prints, or adds to `results` where that is not NULL. *interrupted: by a
 * signal. 0, or -1 logged.
 */
int device_set_measure(const struct device_set *, const struct algo *, double limit, json_t *results, bool *interrupted);

/* Open each, which proves it, and close it; a line for each. 0, or -1: one failed. */
int device_set_self_test(const struct device_set *, const struct algo *);

/* A line for each, and the same for --json; `workers` are their own, in their order, and `seconds` is how long they have run. */
void device_set_report(const struct device_set *, const struct worker *workers, double seconds);
json_t *device_set_report_json(const struct device_set *, const struct worker *workers, double seconds);

#endif
