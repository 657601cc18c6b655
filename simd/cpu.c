/* Detection of CPU features and the mask that takes some away. */
#include "simd/cpu.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#elif defined __linux__
#include <sys/auxv.h>
#endif

static const char *const names[CPU_FEATURES] = {
	[CPU_SSE2] = "sse2", [CPU_SSSE3] = "ssse3", [CPU_SSE41] = "sse4.1",
	[CPU_AVX] = "avx", [CPU_AVX2] = "avx2", [CPU_AVX512] = "avx512", [CPU_SHA] = "sha",
	[CPU_NEON] = "neon", [CPU_SHA2] = "sha2",
};

/* What a feature is of no use without: taking one out takes out its heirs. */
static const enum cpu_feature needs[CPU_FEATURES] = {
	[CPU_SSE2] = CPU_SSE2, [CPU_SSSE3] = CPU_SSE2, [CPU_SSE41] = CPU_SSSE3, [CPU_AVX] = CPU_SSE41,
	[CPU_AVX2] = CPU_AVX, [CPU_AVX512] = CPU_AVX2, [CPU_SHA] = CPU_SSE41, [CPU_NEON] = CPU_NEON, [CPU_SHA2] = CPU_NEON,
};

/* F, DQ, BW and VL of CPUID leaf 7 EBX: what simd/avx512.c is compiled for. Intel SDM vol. 1, 15.2 to 15.4. */
#define LEAF7_AVX512	(1u << 16 | 1u << 17 | 1u << 30 | 1u << 31)

/* Registers that the system keeps, in XCR0: vol. 1, 13.1. */
#define XCR0_XMM	(1u << 1)
#define XCR0_YMM	(XCR0_XMM | 1u << 2)	/* and their upper halves */
#define XCR0_ZMM	(XCR0_YMM | 7u << 5)	/* and the masks, the upper halves of ZMM0-15, and ZMM16-31 */

static uint32_t masked;		/* features taken out by cpu_mask(); set before any thread starts */

uint32_t cpu_decode_x86(const struct cpu_x86_ids *id)
{
	bool os_keeps_xmm = true;	/* FXSR is part of the x86-64 contract; XCR0, when there, must agree */
	bool os_keeps_ymm = false, os_keeps_zmm = false;
	uint32_t f = 0;

	if (id->leaf1_ecx & 1u << 27) {
		os_keeps_xmm = id->xcr0 & XCR0_XMM;
		os_keeps_ymm = (id->xcr0 & XCR0_YMM) == XCR0_YMM;
		os_keeps_zmm = (id->xcr0 & XCR0_ZMM) == XCR0_ZMM;
	}
	if (os_keeps_xmm && id->leaf1_edx & 1u << 26)
		f |= 1u << CPU_SSE2;
	if (f && id->leaf1_ecx & 1u << 9)
		f |= 1u << CPU_SSSE3;
	if (f & 1u << CPU_SSSE3 && id->leaf1_ecx & 1u << 19)
		f |= 1u << CPU_SSE41;
	if (os_keeps_ymm && id->leaf1_ecx & 1u << 28)
		f |= 1u << CPU_AVX;
	if (id->max_leaf >= 7) {
		if (f & 1u << CPU_AVX && id->leaf7_ebx & 1u << 5)
			f |= 1u << CPU_AVX2;
		if (f & 1u << CPU_AVX2 && os_keeps_zmm && (id->leaf7_ebx & LEAF7_AVX512) == LEAF7_AVX512)
			f |= 1u << CPU_AVX512;
		if (f & 1u << CPU_SSE41 && id->leaf7_ebx & 1u << 29)
			f |= 1u << CPU_SHA;
	}
	return f;
}

#if defined __x86_64__ || defined __i386__
static uint32_t read_xcr0(void)
{
	uint32_t low, high;

	__asm__ volatile ("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return low;
}

static uint32_t detect(void)
{
	struct cpu_x86_ids id = { 0 };
	uint32_t a, b, c, d;

	if (!__get_cpuid(0, &id.max_leaf, &b, &c, &d))
		return 0;
	__get_cpuid(1, &a, &b, &id.leaf1_ecx, &id.leaf1_edx);
	if (id.max_leaf >= 7)
		__get_cpuid_count(7, 0, &a, &id.leaf7_ebx, &c, &d);
	if (id.leaf1_ecx & 1u << 27)
		id.xcr0 = read_xcr0();
	return cpu_decode_x86(&id);
}
#elif defined __aarch64__ && defined __linux__
/* Linux: Documentation/arch/arm64/elf_hwcaps.rst */
static uint32_t detect(void)
{
	unsigned long caps = getauxval(AT_HWCAP);

	return (caps & 1ul << 1 ? 1u << CPU_NEON : 0) | (caps & 1ul << 6 ? 1u << CPU_SHA2 : 0);
}
#elif defined __arm__ && defined __linux__
static uint32_t detect(void)
{
	unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);

	return (caps & 1ul << 12 ? 1u << CPU_NEON : 0) | (caps2 & 1ul << 3 ? 1u << CPU_SHA2 : 0);
}
#else
static uint32_t detect(void)
{
	return 0;
}
#endif

bool cpu_has(enum cpu_feature feature)
{
	return detect() & ~masked & 1u << feature;
}

int cpu_mask(const char *mask)
{
	char text[256];
	char *rest = text;

	if (snprintf(text, sizeof text, "%s", mask) >= (int)sizeof text)
		return log_error("--cpu: the mask is too long");
	for (char *item; (item = strsep(&rest, ",")); ) {
		unsigned feature = 0;

		while (feature < CPU_FEATURES && (item[0] != '-' || strcmp(item + 1, names[feature]) != 0))
			feature++;
		if (feature == CPU_FEATURES) {
			char known[256] = "";

			for (feature = 0; feature < CPU_FEATURES; feature++)
				snprintf(known + strlen(known), sizeof known - strlen(known), " -%s", names[feature]);
			return log_error("--cpu: \"%s\" is not one of%s", item, known);
		}
		masked |= 1u << feature;
	}
	for (unsigned feature = 0; feature < CPU_FEATURES; feature++)	/* in order: heirs come later */
		if (masked & 1u << needs[feature])
			masked |= 1u << feature;
	return 0;
}

void cpu_feature_names(char *text, size_t len)
{
	uint32_t have = detect() & ~masked;
	size_t used = 0;

	text[0] = '\0';
	for (unsigned feature = 0; feature < CPU_FEATURES; feature++)
		if (have & 1u << feature && used < len)
			used += (size_t)snprintf(text + used, len - used, "%s%s", used ? " " : "", names[feature]);
}

void cpu_model(char *text, size_t len)
{
	static const char *const keys[] = { "model name", "Model", "Hardware", "CPU part" };
	char line[256];

	snprintf(text, len, "unknown");
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		FILE *info = fopen("/proc/cpuinfo", "r");
		bool found = false;

		if (!info)
			return;
		while (!found && fgets(line, sizeof line, info)) {
			char *value = strchr(line, ':');

			if (value && strncmp(line, keys[k], strlen(keys[k])) == 0) {
				value += 1 + strspn(value + 1, " \t");
				value[strcspn(value, "\n")] = '\0';
				snprintf(text, len, "%s", value);
				found = true;
			}
		}
		fclose(info);
		if (found)
			return;
	}
}
