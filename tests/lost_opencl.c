/* Preloaded: after $LOST_AFTER kernels the device is gone, as when a card falls off its bus. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
			      const size_t *local, cl_uint wait_count, const cl_event *waits, cl_event *event)
{
	static atomic_int calls;
	const char *limit = getenv("LOST_AFTER");
	cl_int (*true_one)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
			   const cl_event *, cl_event *);

	if (limit && ++calls > atoi(limit))
		return CL_DEVICE_NOT_AVAILABLE;
	*(void **)&true_one = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
	return true_one(queue, kernel, dimensions, offset, global, local, wait_count, waits, event);
}
