/* Plain C: runs everywhere, and serves every algorithm. */
#define LANES 1
#define KERNEL(name) name##_scalar
#include "simd/backend.h"
#include "simd/lanes.h"
#include "simd/lyra2rev2_lanes.h"
#include "simd/reference.h"
#include "simd/scan.h"
#include "simd/sha256d_lanes.h"

static const struct kernel kernels[] = { SHA256D_KERNEL, LYRA2REV2_KERNEL, REFERENCE_KERNEL, { 0 } };

static bool supported(void)
{
	return true;
}

const struct backend backend_scalar = {
	.name = "scalar", .supported = supported,
	.open = lanes_open, .scan = lanes_scan, .close = lanes_close, .kernels = kernels,
};
