/* Which features count as usable, from the registers that say so, and the mask that takes some away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simd/cpu.h"
#include "tests/kernel_bench.h"

/* The names in ADIT_CPU_MASK, which main() has applied. */
static void no_masked_feature_is_reported(void **state)
{
	const char *mask = getenv("ADIT_CPU_MASK");
	char have[256], text[256], *rest = text;

	(void)state;
	if (!mask)
		return;
	cpu_feature_names(have, sizeof have - 1);
	strcat(have, " ");
	snprintf(text, sizeof text, "%s", mask);
	for (char *item; (item = strsep(&rest, ",")); ) {
		char word[64];

		snprintf(word, sizeof word, "%s ", item + 1);
		assert_null(strstr(have, word));
	}
}

/* Intel SDM vol. 2A, CPUID: leaf 1 ECX and EDX, leaf 7 EBX. */
#define SSSE3		(1u << 9)
#define SSE41		(1u << 19)
#define OSXSAVE		(1u << 27)
#define AVX		(1u << 28)
#define SSE2		(1u << 26)
#define AVX2		(1u << 5)
#define SHA		(1u << 29)

static const struct cpu_x86_ids modern = {
	.max_leaf = 7, .leaf1_ecx = SSSE3 | SSE41 | OSXSAVE | AVX, .leaf1_edx = SSE2, .leaf7_ebx = AVX2 | SHA, .xcr0 = 7,
};

static bool decodes(struct cpu_x86_ids id, enum cpu_feature feature)
{
	return cpu_decode_x86(&id) >> feature & 1;
}

static void a_modern_cpu_has_everything(void **state)
{
	(void)state;
	for (enum cpu_feature f = CPU_SSE2; f <= CPU_SHA; f++)
		assert_true(decodes(modern, f));
	assert_false(decodes(modern, CPU_NEON));
	assert_false(decodes(modern, CPU_SHA2));
}

static void avx_needs_a_system_that_uses_xsave(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.leaf1_ecx &= ~OSXSAVE;
	id.xcr0 = 0;
	assert_false(decodes(id, CPU_AVX));
	assert_false(decodes(id, CPU_AVX2));
	assert_true(decodes(id, CPU_SSE2));
	assert_true(decodes(id, CPU_SHA));
}

static void avx_needs_a_system_that_keeps_upper_halves(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.xcr0 = 3;	/* x87 and SSE */
	assert_false(decodes(id, CPU_AVX));
	assert_false(decodes(id, CPU_AVX2));
	assert_true(decodes(id, CPU_SHA));
	id.xcr0 = 5;	/* the upper halves without the lower: nothing may be used */
	for (enum cpu_feature f = CPU_SSE2; f <= CPU_SHA; f++)
		assert_false(decodes(id, f));
}

static void sha_needs_sse41(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.leaf1_ecx &= ~SSE41;
	assert_false(decodes(id, CPU_SHA));
	assert_true(decodes(id, CPU_AVX2));
}

static void leaf_7_counts_only_where_there_is_one(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.max_leaf = 6;
	assert_false(decodes(id, CPU_AVX2));
	assert_false(decodes(id, CPU_SHA));
	assert_true(decodes(id, CPU_AVX));
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_masked_feature_is_reported),
		cmocka_unit_test(a_modern_cpu_has_everything),
		cmocka_unit_test(avx_needs_a_system_that_uses_xsave),
		cmocka_unit_test(avx_needs_a_system_that_keeps_upper_halves),
		cmocka_unit_test(sha_needs_sse41),
		cmocka_unit_test(leaf_7_counts_only_where_there_is_one),
	};

	return run_masked(tests);
}
