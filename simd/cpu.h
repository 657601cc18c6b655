/*
 * What this CPU can do, as far as the kernels ask. A feature counts only when the
 * operating system also keeps its registers (XGETBV on x86, AT_HWCAP on ARM):
 * CPUID alone says what the silicon has, not what may be executed.
 */
#ifndef SIMD_CPU_H
#define SIMD_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cpu_feature {
	CPU_SSE2, CPU_SSSE3, CPU_SSE41, CPU_AVX, CPU_AVX2, CPU_AVX512, CPU_SHA,
	CPU_NEON, CPU_SHA2,
	CPU_FEATURES
};

/* The registers that decide, so that a test can play any machine. Intel SDM vol. 2A, CPUID; vol. 1, 13.3. */
struct cpu_x86_ids {
	uint32_t max_leaf;
	uint32_t leaf1_ecx, leaf1_edx;
	uint32_t leaf7_ebx;		/* 0 when max_leaf < 7 */
	uint32_t xcr0;			/* 0 when OSXSAVE (leaf 1 ECX bit 27) is clear */
};

/* Bit (1 << feature) for each feature that may be used. */
uint32_t cpu_decode_x86(const struct cpu_x86_ids *);

/* Does this machine have the feature, and has --cpu left it in? */
bool cpu_has(enum cpu_feature);

/*
 * Apply a mask like "-avx2,-sha": every named feature is taken out. Returns 0, or
 * -1 logged when a name is unknown. Called once, before any thread starts.
 */
int cpu_mask(const char *mask);

/* Names of the usable features, space-separated ("sse2 ssse3"), for reports. */
void cpu_feature_names(char *text, size_t len);

/* The CPU's name as its maker or kernel gives it, "unknown" if neither does. */
void cpu_model(char *text, size_t len);

#endif
