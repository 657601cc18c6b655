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
#define AVX512F		(1u << 16)
#define AVX512DQ	(1u << 17)
#define AVX512BW	(1u << 30)
#define AVX512VL	(1u << 31)
#define AVX512		(AVX512F | AVX512DQ | AVX512BW | AVX512VL)
#define SHA		(1u << 29)

/* Vol. 1, 13.1: XCR0. */
#define X87_XMM_YMM	7u
#define OPMASK		(1u << 5)
#define ZMM_HI256	(1u << 6)
#define HI16_ZMM	(1u << 7)

static const struct cpu_x86_ids modern = {
	.max_leaf = 7, .leaf1_ecx = SSSE3 | SSE41 | OSXSAVE | AVX, .leaf1_edx = SSE2, .leaf7_ebx = AVX2 | AVX512 | SHA,
	.xcr0 = X87_XMM_YMM | OPMASK | ZMM_HI256 | HI16_ZMM,
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
	assert_false(decodes(id, CPU_AVX512));
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

static void avx512_needs_a_system_that_keeps_all_its_registers(void **state)
{
	const uint32_t parts[] = { OPMASK, ZMM_HI256, HI16_ZMM, OPMASK | ZMM_HI256 | HI16_ZMM };
	struct cpu_x86_ids id = modern;

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		id.xcr0 = modern.xcr0 & ~parts[i];
		assert_false(decodes(id, CPU_AVX512));
		assert_true(decodes(id, CPU_AVX2));
	}
	id.xcr0 = modern.xcr0 & ~4u;	/* what AVX added is not kept */
	assert_false(decodes(id, CPU_AVX512));
	id.leaf1_ecx &= ~OSXSAVE;
	id.xcr0 = 0;
	assert_false(decodes(id, CPU_AVX512));
}

static void avx512_is_all_that_its_file_is_compiled_for(void **state)
{
	const uint32_t parts[] = { AVX512F, AVX512DQ, AVX512BW, AVX512VL };

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct cpu_x86_ids id = modern;

		id.leaf7_ebx &= ~parts[i];
		assert_false(decodes(id, CPU_AVX512));
		assert_true(decodes(id, CPU_AVX2));
	}
}

static void avx512_needs_avx2(void **state)
{
	struct cpu_x86_ids id = modern;

	(void)state;
	id.leaf7_ebx &= ~AVX2;
	assert_false(decodes(id, CPU_AVX512));
	assert_true(decodes(id, CPU_AVX));
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
	assert_false(decodes(id, CPU_AVX512));
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
		cmocka_unit_test(avx512_needs_a_system_that_keeps_all_its_registers),
		cmocka_unit_test(avx512_is_all_that_its_file_is_compiled_for),
		cmocka_unit_test(avx512_needs_avx2),
		cmocka_unit_test(sha_needs_sse41),
		cmocka_unit_test(leaf_7_counts_only_where_there_is_one),
	};

	return run_masked(tests);
}
