/* NEON: 128-bit registers of aarch64, and of 32-bit ARM when this file alone is compiled for them. */
#define LANES 4
#define KERNEL(name) name##_neon
#include "simd/backend.h"
#include "simd/cpu.h"
#include "simd/lanes.h"
#include "simd/lyra2rev2_lanes.h"
#include "simd/scan.h"
#include "simd/sha256d_lanes.h"

static const struct kernel kernels[] = { SHA256D_KERNEL, SHA256D_VERSIONS_KERNEL, LYRA2REV2_KERNEL, { 0 } };

static bool supported(void)
{
	return cpu_has(CPU_NEON);
}

const struct backend backend_neon = {
	.name = "neon", .supported = supported,
	.open = lanes_open, .scan = lanes_scan, .close = lanes_close, .kernels = kernels,
};
