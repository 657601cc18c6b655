/* OpenCL devices as workers: which core is which kernel, and what its parameters are. */
#include <string.h>

#include "base/bytes.h"
#include "base/log.h"
#include "cipher/aes128.h"
#include "fpga/opencl.h"
#include "offload/device.h"
#include "sha3/cubehash256.h"

#define PART_MAX	(64 << 20)	/* bytes of a batch given to the device at once */

static size_t no_params(uint32_t *words, const struct core_params *params)
{
	(void)params;
	words[0] = 0;
	return 1;
}

static size_t chacha20_params(uint32_t *words, const struct core_params *params)
{
	for (unsigned i = 0; i < 8; i++)
		words[i] = load_le32(params->key + 4 * i);
	for (unsigned i = 0; i < 3; i++)
		words[8 + i] = load_le32(params->iv + 4 * i);
	return 11;
}

static size_t aes128_params(uint32_t *words, const struct core_params *params)
{
	struct aes128 cipher;

	aes128_init(&cipher, params->key);
	for (unsigned i = 0; i < 44; i++)
		words[i] = load_le32(cipher.round_keys[0] + 4 * i);
	for (unsigned i = 0; i < 4; i++)
		words[44 + i] = load_be32(params->iv + 4 * i);
	return 48;
}

static size_t cubehash256_params(uint32_t *words, const struct core_params *params)
{
	(void)params;
	for (unsigned i = 0; i < 32; i++)
		words[i] = cubehash256_iv[i];
	return 32;
}

static const struct kernel_row {
	const char *core, *program, *kernel;
	size_t (*params)(uint32_t words[OPENCL_PARAMS], const struct core_params *);	/* how many words */
} rows[] = {
	{ "chacha20", "chacha20", "chacha20", chacha20_params },
	{ "aes128-ecb", "aes128", "aes128_ecb", aes128_params },
	{ "aes128-ctr", "aes128", "aes128_ctr", aes128_params },
	{ "sha256d", "sha256d", "sha256d", no_params },
	{ "cubehash256", "cubehash256", "cubehash256", cubehash256_params },
};

static const struct kernel_row *find_row(const struct core *core)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (core_find(rows[i].core) == core)
			return &rows[i];
	return NULL;
}

static bool offers(const struct core *core)
{
	return find_row(core) != NULL;
}

static int open_opencl(struct device *device)
{
	const struct device_settings *settings = device->settings;
	struct opencl_config config = { .index = device->index, .program = find_row(device->core)->program,
					.binary = settings->opencl_binary };

	if (settings->opencl_form)
		config.form = strcmp(settings->opencl_form, "pipeline") == 0 ? OPENCL_PIPELINE : OPENCL_RANGE;
	device->state = opencl_open(&config);
	if (!device->state)
		return -1;
	const struct opencl_times *times = opencl_times(device->state);
	device->spent.setup += times->context + times->program;
	return 0;
}

static int run_opencl(struct device *device, const struct batch *batch)
{
	const struct core *core = batch->core;
	const struct kernel_row *row = find_row(core);
	const struct opencl_times *times = opencl_times(device->state);
	struct opencl_times before = *times;
	uint32_t params[OPENCL_PARAMS];
	size_t words = row->params(params, batch->params), most = opencl_buffer_max(device->state);

	most = (most < PART_MAX ? most : PART_MAX) / core->item_in;
	for (size_t at = 0, part; at < batch->items; at += part) {
		part = batch->items - at < most ? batch->items - at : most;
		if (opencl_run(device->state, &(struct opencl_call){
				.kernel = row->kernel, .params = params, .param_words = words, .first = batch->first + at, .items = part,
				.in = batch->in + at * core->item_in, .in_size = part * core->item_in,
				.out = batch->out + at * core->item_out, .out_size = part * core->item_out }) < 0)
			return -1;
	}
	device->spent.in += times->in - before.in;
	device->spent.kernel += times->kernel - before.kernel;
	device->spent.out += times->out - before.out;
	return 0;
}

static void close_opencl(struct device *device)
{
	opencl_close(device->state);
}

const struct device_kind device_opencl = {
	.name = "opencl", .help = "an OpenCL device; --opencl-form and --opencl-binary say how", .offers = offers, .open = open_opencl,
	.run = run_opencl, .close = close_opencl,
};
