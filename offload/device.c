/* The list of devices and what holds for all: see device.h. */
#include "offload/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

#define PROOF_ITEMS	55

const struct device_kind *const device_kinds[] = {
#define DEVICE_KIND(name) &device_##name,
#include "offload/list.h"
#undef DEVICE_KIND
	NULL
};

/* A device is believed once its answer to a small batch is the reference's. */
static int prove(struct device *device)
{
	const struct core *core = device->core;
	const struct core_params params = { .key = { 1, 2, 3 }, .iv = { 4, 5, 6 }, .operation = FIELD_MUL };
	uint8_t in[64 * PROOF_ITEMS], out[64 * PROOF_ITEMS], right[64 * PROOF_ITEMS];
	struct batch batch = { core, &params, 7, PROOF_ITEMS, in, right };

	core_example(core, in, PROOF_ITEMS);
	core->plain(&batch);
	batch.out = out;
	struct spent before = device->spent;
	if (device->kind->run(device, &batch) < 0)
		return -1;
	device->spent = before;
	return memcmp(out, right, PROOF_ITEMS * core->item_out) == 0 ? 0 :
	       log_error("%s %u: %s gives wrong answers", device->kind->name, device->index, core->name);
}

int device_open(struct device *device, const struct device_want *want, const struct core *core)
{
	const struct device_kind *kind = want->kind;

	*device = (struct device){ .kind = kind, .index = want->index, .settings = want->settings, .core = core };
	if (!kind->offers(core))
		return log_error("%s has no core %s", kind->name, core->name);
	if (kind->open && kind->open(device) < 0)
		return -1;
	if (!kind->keeps_nothing && prove(device) < 0) {
		device_close(device);
		return -1;
	}
	return 0;
}

int device_run(struct device *device, const struct batch *batch)
{
	return device->kind->run(device, batch);
}

void device_close(struct device *device)
{
	if (device->kind->close)
		device->kind->close(device);
}

static const struct device_kind *find_kind(const char *name, size_t len)
{
	for (const struct device_kind *const *kind = device_kinds; *kind; kind++)
		if (strlen((*kind)->name) == len && memcmp((*kind)->name, name, len) == 0)
			return *kind;
	return NULL;
}

int devices_parse(struct device_want wants[DEVICES_MAX], const char *text, const struct device_settings *settings, char why[DEVICE_WHY])
{
	unsigned count = 0;

	for (const char *item = text; ; item++) {
		size_t len = strcspn(item, ":,");
		const struct device_kind *kind = find_kind(item, len);
		unsigned long number = 1;
		unsigned index = 0;

		if (!kind) {
			snprintf(why, DEVICE_WHY, "there is no kind of worker called '%.*s'", (int)(len < 30 ? len : 30), item);
			return -1;
		}
		item += len;
		if (*item == ':') {
			char *end;

			number = item[1] >= '0' && item[1] <= '9' ? strtoul(item + 1, &end, 10) : 0;
			if (number < 1 || number > DEVICES_MAX || (*end != '\0' && *end != ',')) {
				snprintf(why, DEVICE_WHY, "how many of %s is a number from 1 to %d", kind->name, DEVICES_MAX);
				return -1;
			}
			item = end;
		}
		for (unsigned i = 0; i < count; i++)
			index += wants[i].kind == kind;
		if (count + number > DEVICES_MAX) {
			snprintf(why, DEVICE_WHY, "more than %d workers", DEVICES_MAX);
			return -1;
		}
		while (number-- > 0)
			wants[count++] = (struct device_want){ kind, index++, settings };
		if (*item == '\0')
			return (int)count;
	}
}

static int run_best(struct device *device, const struct batch *batch)
{
	double began = clock_now();
	int status = 0;

	if (batch->core->openssl && !batch->core->plain_is_faster)
		status = batch->core->openssl(batch);
	else
		batch->core->plain(batch);
	device->spent.kernel += clock_now() - began;
	return status;
}

static int run_plain(struct device *device, const struct batch *batch)
{
	double began = clock_now();

	batch->core->plain(batch);
	device->spent.kernel += clock_now() - began;
	return 0;
}

static int run_nothing(struct device *device, const struct batch *batch)
{
	(void)device;
	(void)batch;
	return 0;
}

static bool any_core(const struct core *core)
{
	(void)core;
	return true;
}

const struct device_kind device_cpu = {
	.name = "cpu", .help = "a thread, by OpenSSL where that is faster", .is_thread = true, .offers = any_core, .run = run_best,
};

const struct device_kind device_plain = {
	.name = "plain", .help = "a thread, by the plain reference in C", .is_thread = true, .offers = any_core, .run = run_plain,
};

const struct device_kind device_null = {
	.name = "null", .help = "computes nothing: what all the rest costs", .keeps_nothing = true, .is_thread = true, .offers = any_core,
	.run = run_nothing,
};
