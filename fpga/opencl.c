/* See opencl.h. */
#define CL_TARGET_OPENCL_VERSION 120
#include "fpga/opencl.h"

#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "fpga/opencl_binary.h"
#include "fpga/opencl_sources.h"

#define PLATFORMS_MAX	16
#define DEVICES_MAX	32	/* of a platform */
#define RANGE		256	/* a range is a multiple of this, so that the device can cut it into even groups */
#define OPTIONS		"-cl-std=CL1.2"

static const struct {
	const char *name, *text;
} sources[] = {
	{ "aes128", source_aes128 }, { "chacha20", source_chacha20 }, { "cubehash256", source_cubehash256 }, { "sha256d", source_sha256d },
};

struct buffer {
	cl_mem mem;
	size_t size;
};

struct opencl {
	char name[OPENCL_NAME];
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;		/* the one used last */
	const char *kernel_name;	/* its name, without the form */
	bool pipeline;
	size_t buffer_max;
	struct buffer params, in, out;
	struct opencl_times times;
};

/* The first look at platforms and devices makes them ready, and neither loader nor PoCL bear two threads at that. */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

/* Each device of each platform, until visit() returns true. */
static bool look(bool (*visit)(cl_device_id, void *), void *ctx)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint platform_count = 0;

	if (clGetPlatformIDs(PLATFORMS_MAX, platforms, &platform_count) != CL_SUCCESS)
		return false;
	for (cl_uint i = 0; i < platform_count && i < PLATFORMS_MAX; i++) {
		cl_device_id devices[DEVICES_MAX];
		cl_uint count = 0;

		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, DEVICES_MAX, devices, &count) != CL_SUCCESS)
			continue;
		for (cl_uint j = 0; j < count && j < DEVICES_MAX; j++)
			if (visit(devices[j], ctx))
				return true;
	}
	return false;
}

static bool each_device(bool (*visit)(cl_device_id, void *), void *ctx)
{
	pthread_mutex_lock(&looking);
	bool found = look(visit, ctx);
	pthread_mutex_unlock(&looking);
	return found;
}

static bool count_one(cl_device_id device, void *count)
{
	(void)device;
	++*(unsigned *)count;
	return false;
}

unsigned opencl_count(void)
{
	unsigned count = 0;

	each_device(count_one, &count);
	return count;
}

struct wanted {
	unsigned left;
	cl_device_id device;
};

static bool take_if_wanted(cl_device_id device, void *ctx)
{
	struct wanted *wanted = ctx;

	wanted->device = device;
	return wanted->left-- == 0;
}

static const char *type_name(cl_device_id device)
{
	cl_device_type type = 0;

	clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
	return type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : type & CL_DEVICE_TYPE_GPU ? "gpu" :
	       type & CL_DEVICE_TYPE_CPU ? "cpu" : "device";
}

static void describe(char name[OPENCL_NAME], cl_device_id device)
{
	char model[OPENCL_NAME] = "";

	clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof model - 1, model, NULL);
	snprintf(name, OPENCL_NAME, "%s, %.100s", type_name(device), model);
}

int opencl_describe(char *name, unsigned index)
{
	struct wanted wanted = { .left = index };

	if (!each_device(take_if_wanted, &wanted))
		return -1;
	describe(name, wanted.device);
	return 0;
}

static int fail(const struct opencl *cl, const char *what, cl_int error)
{
	return log_error("opencl, %s: %s failed, error %d", cl->name, what, (int)error);
}

static const char *find_source(const char *name)
{
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		if (strcmp(sources[i].name, name) == 0)
			return sources[i].text;
	return NULL;
}

/* Build what was created; a log of the compiler's goes to our own. */
static cl_int build(struct opencl *cl)
{
	char text[2000] = "";
	cl_int error = clBuildProgram(cl->program, 1, &cl->device, OPTIONS, NULL, NULL);

	if (error == CL_BUILD_PROGRAM_FAILURE) {
		clGetProgramBuildInfo(cl->program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof text - 1, text, NULL);
		log_debug("opencl, %s: %s", cl->name, text);
	}
	return error;
}

static void drop_program(struct opencl *cl)
{
	if (cl->program)
		clReleaseProgram(cl->program);
	cl->program = NULL;
}

static cl_int from_binary(struct opencl *cl, const struct opencl_binary *binary)
{
	const unsigned char *bytes = binary->bytes;
	cl_int error, state = CL_SUCCESS;

	cl->program = clCreateProgramWithBinary(cl->context, 1, &cl->device, &binary->len, &bytes, &state, &error);
	if (error == CL_SUCCESS)
		error = state != CL_SUCCESS ? state : build(cl);
	if (error != CL_SUCCESS)
		drop_program(cl);
	return error;
}

static cl_int from_source(struct opencl *cl, const char *texts[2])
{
	cl_int error;

	cl->program = clCreateProgramWithSource(cl->context, 2, texts, NULL, &error);
	if (error == CL_SUCCESS)
		error = build(cl);
	if (error != CL_SUCCESS)
		drop_program(cl);
	return error;
}

/* Keep what was built for the next time. That it cannot be kept is no error. */
static void keep(struct opencl *cl, const struct opencl_key *key)
{
	struct opencl_binary binary = { 0 };

	if (clGetProgramInfo(cl->program, CL_PROGRAM_BINARY_SIZES, sizeof binary.len, &binary.len, NULL) != CL_SUCCESS ||
	    binary.len == 0 || !(binary.bytes = malloc(binary.len)))
		return;
	if (clGetProgramInfo(cl->program, CL_PROGRAM_BINARIES, sizeof binary.bytes, &binary.bytes, NULL) == CL_SUCCESS)
		opencl_cache_store(key, &binary);
	opencl_binary_free(&binary);
}

static struct opencl_key key_of(const struct opencl *cl, const char *const texts[2])
{
	char version[OPENCL_NAME] = "", driver[OPENCL_NAME] = "";
	const char *parts[] = { cl->name, version, driver, OPTIONS, texts[0], texts[1] };

	clGetDeviceInfo(cl->device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
	clGetDeviceInfo(cl->device, CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL);
	return opencl_key_make(parts, sizeof parts / sizeof parts[0]);
}

/* From the file that the user names; else from what an earlier build left; else from source. */
static int load_program(struct opencl *cl, const struct opencl_config *config)
{
	const char *texts[2] = { source_core, find_source(config->program) };
	struct opencl_binary binary;
	cl_int error;

	if (!texts[1])
		return log_error("opencl: there is no program %s", config->program);
	if (config->binary) {
		if (opencl_binary_read(&binary, config->binary) < 0)
			return -1;
		error = from_binary(cl, &binary);
		opencl_binary_free(&binary);
		return error == CL_SUCCESS ? 0 : log_error("opencl, %s: %s is %s, and not for this device", cl->name, config->binary, binary.format);
	}
	struct opencl_key key = key_of(cl, texts);
	if (opencl_cache_load(&key, &binary) == 0) {
		error = from_binary(cl, &binary);
		opencl_binary_free(&binary);
		if (error == CL_SUCCESS)
			return 0;
		log_debug("opencl, %s: the program kept from before is not taken, it is built anew", cl->name);
	}
	error = from_source(cl, texts);
	if (error != CL_SUCCESS)
		return fail(cl, "building the program", error);
	keep(cl, &key);
	return 0;
}

static int open_device(struct opencl *cl, const struct opencl_config *config)
{
	struct wanted wanted = { .left = config->index };
	cl_bool little = CL_FALSE;
	cl_ulong buffer_max = 0;
	cl_int error;

	if (!each_device(take_if_wanted, &wanted))
		return log_error("opencl: there is no device %u, of %u", config->index, opencl_count());
	cl->device = wanted.device;
	describe(cl->name, cl->device);
	clGetDeviceInfo(cl->device, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
	if (!little)
		return log_error("opencl, %s: a big-endian device, which the kernels are not for", cl->name);
	clGetDeviceInfo(cl->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof buffer_max, &buffer_max, NULL);
	cl->buffer_max = (size_t)buffer_max;
	cl->pipeline = config->form == OPENCL_BY_TYPE ? strcmp(type_name(cl->device), "accelerator") == 0 : config->form == OPENCL_PIPELINE;
	cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &error);
	if (error != CL_SUCCESS)
		return fail(cl, "making a context", error);
	cl->queue = clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &error);
	return error == CL_SUCCESS ? 0 : fail(cl, "making a queue", error);
}

struct opencl *opencl_open(const struct opencl_config *config)
{
	struct opencl *cl = calloc(1, sizeof *cl);
	double began = clock_now();

	if (!cl) {
		log_error("opencl: no memory");
		return NULL;
	}
	int status = open_device(cl, config);
	cl->times.context = clock_now() - began;
	if (status == 0)
		status = load_program(cl, config);
	cl->times.program = clock_now() - began - cl->times.context;
	if (status < 0) {
		opencl_close(cl);
		return NULL;
	}
	return cl;
}

void opencl_close(struct opencl *cl)
{
	struct buffer *buffers[] = { &cl->params, &cl->in, &cl->out };

	if (cl->queue)
		clFinish(cl->queue);
	for (unsigned i = 0; i < 3; i++)
		if (buffers[i]->mem)
			clReleaseMemObject(buffers[i]->mem);
	if (cl->kernel)
		clReleaseKernel(cl->kernel);
	drop_program(cl);
	if (cl->queue)
		clReleaseCommandQueue(cl->queue);
	if (cl->context)
		clReleaseContext(cl->context);
	free(cl);
}

static int choose_kernel(struct opencl *cl, const char *name)
{
	char full[64];
	cl_int error;

	if (cl->kernel_name && strcmp(cl->kernel_name, name) == 0)
		return 0;
	if (cl->kernel)
		clReleaseKernel(cl->kernel);
	cl->kernel_name = NULL;
	snprintf(full, sizeof full, "%s_%s", name, cl->pipeline ? "pipeline" : "range");
	cl->kernel = clCreateKernel(cl->program, full, &error);
	if (error != CL_SUCCESS) {
		cl->kernel = NULL;
		return fail(cl, full, error);
	}
	cl->kernel_name = name;
	return 0;
}

/* Buffers grow and stay. No buffer can have no size, so one of nothing has a word. */
static cl_int need(struct opencl *cl, struct buffer *buffer, size_t size)
{
	cl_int error = CL_SUCCESS;

	if (buffer->mem && buffer->size >= size)
		return CL_SUCCESS;
	if (buffer->mem)
		clReleaseMemObject(buffer->mem);
	buffer->size = size > 0 ? size : 4;
	buffer->mem = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, buffer->size, NULL, &error);
	if (error != CL_SUCCESS)
		buffer->mem = NULL;
	return error;
}

/* The device's seconds for a finished command. */
static double taken(cl_event event)
{
	cl_ulong began = 0, ended = 0;

	clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, NULL);
	clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL);
	clReleaseEvent(event);
	return (double)(ended - began) / 1e9;
}

/* Copy into a buffer; `seconds` may be NULL. */
static cl_int send(struct opencl *cl, struct buffer *buffer, const void *bytes, size_t size, double *seconds)
{
	cl_event event;
	cl_int error = need(cl, buffer, size);

	if (error != CL_SUCCESS || size == 0)
		return error;
	error = clEnqueueWriteBuffer(cl->queue, buffer->mem, CL_TRUE, 0, size, bytes, 0, NULL, &event);
	if (error != CL_SUCCESS)
		return error;
	double passed = taken(event);
	if (seconds)
		*seconds += passed;
	return CL_SUCCESS;
}

static cl_int run_kernel(struct opencl *cl, const struct opencl_call *call)
{
	cl_ulong first = call->first, items = call->items;
	size_t group = 1, global = cl->pipeline ? 1 : (size_t)((items + RANGE - 1) / RANGE * RANGE);
	cl_event event;
	cl_int error = clSetKernelArg(cl->kernel, 0, sizeof cl->params.mem, &cl->params.mem);

	error |= clSetKernelArg(cl->kernel, 1, sizeof first, &first);
	error |= clSetKernelArg(cl->kernel, 2, sizeof items, &items);
	error |= clSetKernelArg(cl->kernel, 3, sizeof cl->in.mem, &cl->in.mem);
	error |= clSetKernelArg(cl->kernel, 4, sizeof cl->out.mem, &cl->out.mem);
	if (error == CL_SUCCESS)
		error = clEnqueueNDRangeKernel(cl->queue, cl->kernel, 1, NULL, &global, cl->pipeline ? &group : NULL, 0,
					       NULL, &event);
	if (error != CL_SUCCESS)
		return error;
	error = clWaitForEvents(1, &event);
	cl->times.kernel += taken(event);
	return error;
}

int opencl_run(struct opencl *cl, const struct opencl_call *call)
{
	cl_event event;
	cl_int error;

	if (call->items == 0)
		return 0;
	if (choose_kernel(cl, call->kernel) < 0)
		return -1;
	error = send(cl, &cl->params, call->params, 4 * call->param_words, NULL);
	if (error == CL_SUCCESS)
		error = send(cl, &cl->in, call->in, call->in_size, &cl->times.in);
	if (error == CL_SUCCESS)
		error = call->out_is_input ? send(cl, &cl->out, call->out, call->out_size, &cl->times.in) : need(cl, &cl->out, call->out_size);
	if (error != CL_SUCCESS)
		return fail(cl, "sending", error);
	error = run_kernel(cl, call);
	if (error != CL_SUCCESS)
		return fail(cl, "the kernel", error);
	error = clEnqueueReadBuffer(cl->queue, cl->out.mem, CL_TRUE, 0, call->out_size, call->out, 0, NULL, &event);
	if (error != CL_SUCCESS)
		return fail(cl, "receiving", error);
	cl->times.out += taken(event);
	return 0;
}

const struct opencl_times *opencl_times(const struct opencl *cl)
{
	return &cl->times;
}

const char *opencl_device_name(const struct opencl *cl)
{
	return cl->name;
}

size_t opencl_buffer_max(const struct opencl *cl)
{
	return cl->buffer_max;
}
