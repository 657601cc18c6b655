/* The choice among backends: the first that may be used and passes, or the one asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/clock.h"
#include "config.h"
#include "simd/cpu.h"
#include "tests/kernel_bench.h"

#define TRIES	50

/* Not with the sanitizers, without the optimizer, or where the suite's only such machines are emulated. */
#if defined __OPTIMIZE__ && defined __x86_64__ && !defined SANITIZED
#define AT_FULL_SPEED 1
#else
#define AT_FULL_SPEED 0
#endif

static void check_forced(struct bench *b)
{
	const struct backend_fault none = { 0 }, broken = { .backend = b->backend->name };
	const struct backend_fault later = { .backend = b->backend->name, .spare_selftest = true };

	assert_ptr_equal(backend_choose(b->algo, b->backend->name, &none), b->backend);
	assert_null(backend_choose(b->algo, b->backend->name, &broken));
	assert_ptr_equal(backend_choose(b->algo, b->backend->name, &later), b->backend);
	assert_int_not_equal(backend_fault_mask(&later, b->backend, false), 0);
	assert_int_equal(backend_fault_mask(&none, b->backend, false), 0);
	b->facts++;
}

static void forced_backend_that_fails_is_refused(void **state)
{
	(void)state;
	each_backend(check_forced);
}

static void forced_backend_that_is_not_there_is_refused(void **state)
{
	(void)state;
	for (const struct backend *const *b = backends; *b; b++)
		if (!(*b)->supported())
			assert_null(backend_choose(algos[0], (*b)->name, &(struct backend_fault){ 0 }));
	assert_null(backend_choose(algos[0], "abacus", &(struct backend_fault){ 0 }));
}

static void a_user_may_name_what_this_machine_can_use(void **state)
{
	(void)state;
	for (const struct algo *const *algo = algos; *algo; algo++) {
		for (const struct backend *const *b = backends; *b; b++) {
			const bool supported = (*b)->supported(), has_kernel = backend_kernel(*b, *algo);

			assert_int_equal(backend_may_be_named((*b)->name, *algo), supported && has_kernel ? 0 : -1);
			assert_int_equal(backend_may_be_named((*b)->name, NULL), supported ? 0 : -1);
		}
	}
	assert_int_equal(backend_may_be_named("abacus", NULL), -1);
}

/* The first in list order that is supported, has a kernel, and comes after `after` (NULL: any). */
static const struct backend *expected_choice(const struct algo *algo, const struct backend *after)
{
	for (const struct backend *const *b = backends; *b; b++) {
		if (after)
			after = *b == after ? NULL : after;
		else if ((*b)->supported() && backend_kernel(*b, algo))
			return *b;
	}
	return NULL;
}

static void choice_falls_through_a_failing_backend(void **state)
{
	(void)state;
	for (const struct algo *const *algo = algos; *algo; algo++) {
		const struct backend *best = expected_choice(*algo, NULL);

		assert_ptr_equal(backend_choose(*algo, NULL, &(struct backend_fault){ 0 }), best);
		assert_ptr_equal(backend_choose(*algo, NULL, &(struct backend_fault){ .backend = best->name }),
				 expected_choice(*algo, best));
	}
}

/* Is `name` a whole word of the part of the text that begins with `from`? */
static bool names(const char *text, const char *from, const char *name)
{
	char list[256], *rest = list;
	const char *part = strstr(text, from);

	if (!part)
		return false;
	snprintf(list, sizeof list, "%s", part + strlen(from));
	for (char *word; (word = strsep(&rest, ", ")); )
		if (strcmp(word, name) == 0)
			return true;
	return false;
}

static void the_others_that_are_named_pass_their_self_test(void **state)
{
	(void)state;
	for (const struct algo *const *algo = algos; *algo; algo++) {
		const struct backend *best = expected_choice(*algo, NULL);
		const struct backend *chosen = expected_choice(*algo, best);
		char text[256];

		if (!chosen)
			continue;
		backend_describe_choice(text, sizeof text, *algo, chosen, &(struct backend_fault){ .backend = best->name });
		assert_false(names(text, "; also ", best->name));
		backend_describe_choice(text, sizeof text, *algo, chosen, &(struct backend_fault){ 0 });
		assert_true(names(text, "; also ", best->name));
	}
}

/* What a backend must not be without, and how --cpu takes that away. */
static const struct need {
	const char *backend;
	const char *mask;
} needs[] = {
	{ "sha-ni", "-sha" }, { "sha-ni", "-sse4.1" }, { "avx512", "-avx512" }, { "avx512", "-avx2" }, { "avx2", "-avx2" },
	{ "sse2", "-sse2" },
	{ "armv8-sha2", "-sha2" }, { "neon", "-neon" },
};

static void no_backend_is_supported_without_its_feature(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
		const struct backend *backend = backend_find(needs[i].backend);
		int status;

		if (!backend)
			continue;
		pid_t child = fork();	/* a mask cannot be taken back */
		if (child == 0)
			_exit(cpu_mask(needs[i].mask) < 0 || backend->supported());
		assert_true(child > 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status != 0)
			fail_msg("%s is supported under %s", needs[i].backend, needs[i].mask);
	}
}

/* The quick form of all of them, one after the other. */
static double quick_self_tests_seconds(void)
{
	const double start = clock_thread_cpu();

	for (const struct algo *const *algo = algos; *algo; algo++) {
		for (const struct backend *const *b = backends; *b; b++) {
			char why[BACKEND_WHY];

			if ((*b)->supported() && backend_kernel(*b, *algo))
				assert_int_equal(backend_self_test(*algo, *b, &(struct backend_fault){ 0 }, why), 0);
		}
	}
	return clock_thread_cpu() - start;
}

/* In CPU time, which a busy machine does not stretch, and the best of several tries: its neighbours do. */
static void the_quick_self_tests_take_less_than_50_ms_in_all(void **state)
{
	(void)state;
	if (!AT_FULL_SPEED)
		skip();		/* a sanitizer or an emulator takes many times as long */
	for (int i = 0; i < TRIES; i++)
		if (quick_self_tests_seconds() < 0.05)
			return;
	fail_msg("more in each of %d tries", TRIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forced_backend_that_fails_is_refused),
		cmocka_unit_test(forced_backend_that_is_not_there_is_refused),
		cmocka_unit_test(a_user_may_name_what_this_machine_can_use),
		cmocka_unit_test(the_others_that_are_named_pass_their_self_test),
		cmocka_unit_test(choice_falls_through_a_failing_backend),
		cmocka_unit_test(no_backend_is_supported_without_its_feature),
		cmocka_unit_test(the_quick_self_tests_take_less_than_50_ms_in_all),
	};

	return run_masked(tests);
}
