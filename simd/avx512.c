/* AVX-512: 512-bit registers of x86-64, thirty-two of them. */
#define LANES 16
#define KERNEL(name) name##_avx512
#include "simd/backend.h"
#include "simd/cpu.h"
#include "simd/lanes.h"
#include "simd/lyra2rev2_lanes.h"
#include "simd/scan.h"
#include "simd/sha256d_lanes.h"

static const struct kernel kernels[] = { SHA256D_KERNEL, SHA256D_VERSIONS_KERNEL, LYRA2REV2_KERNEL, { 0 } };

static bool supported(void)
{
	return cpu_has(CPU_AVX512);
}

const struct backend backend_avx512 = {
	.name = "avx512", .supported = supported,
	.open = lanes_open, .scan = lanes_scan, .close = lanes_close, .kernels = kernels,
};
