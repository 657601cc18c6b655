/*
 * The OpenCL kernels on a real device (PoCL in CI), both forms of each, against the plain
 * cores; programs from source, cache and file. Skipped where there is no device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/log.h"
#include "fpga/opencl.h"
#include "offload/device.h"
#include "sha3/sha256.h"

#define ITEMS_MAX	5000
#define SKIPPED		77	/* automake's */

static char folder[] = "/tmp/check_opencl.XXXXXX";

static void random_bytes(void *out, size_t len)
{
	for (uint8_t *byte = out; len-- > 0; )
		*byte++ = (uint8_t)(rand() >> 7);
}

static void every_core_agrees_with_its_plain_form(void **state)
{
	static const char *const forms[] = { "range", "pipeline" };
	static uint8_t in[64 * ITEMS_MAX], out[64 * ITEMS_MAX], plain[64 * ITEMS_MAX];
	static const size_t counts[] = { 1, 2, 255, 256, 257, 1000, ITEMS_MAX };

	(void)state;
	for (unsigned form = 0; form < 2; form++) {
		const struct device_settings settings = { .opencl_form = forms[form] };
		const struct device_want want = { .kind = &device_opencl, .settings = &settings };

		for (const struct core *core = cores; core->name; core++) {
			struct device device;

			if (!device_opencl.offers(core)) {
				assert_string_equal(core->name, "secp256k1");
				continue;
			}
			assert_int_equal(device_open(&device, &want, core), 0);
			assert_true(device.spent.setup > 0);
			for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
				struct core_params params;
				struct batch batch = { core, &params, 0, counts[i], in, out };

				random_bytes(&params, sizeof params);
				params.operation = FIELD_ADD;
				random_bytes(&batch.first, sizeof batch.first);
				if (core->items_max > 0)
					batch.first %= core->items_max - ITEMS_MAX;
				core_example(core, in, batch.items);
				struct spent before = device.spent;
				assert_int_equal(device_run(&device, &batch), 0);
				assert_true(device.spent.kernel > before.kernel);
				batch.out = plain;
				core->plain(&batch);
				if (memcmp(out, plain, batch.items * core->item_out) != 0)
					fail_msg("%s by %s: %zu items", core->name, forms[form], batch.items);
			}
			device_close(&device);
		}
	}
}

/* All nonces of a range whose top digest word is at most the target's, by the plain hash. */
static unsigned search(const uint8_t header[80], uint64_t first, uint64_t items, uint32_t top, uint32_t *hits)
{
	unsigned count = 0;

	for (uint64_t nonce = first; nonce < first + items; nonce++) {
		uint8_t copy[80], digest[32];

		memcpy(copy, header, 80);
		store_le32(copy + 76, (uint32_t)nonce);
		sha256(digest, copy, 80);
		sha256(digest, digest, 32);
		if (load_le32(digest + 28) <= top)
			hits[count++] = (uint32_t)nonce;
	}
	return count;
}

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void the_search_finds_each_nonce_and_no_other(void **state)
{
	static const struct { uint64_t first, items; uint32_t top; } rows[] = {
		{ 0, 10000, 0x00ffffff }, { 0xffffffffu - 5000, 5001, 0x01ffffff }, { 12345, 1, 0xffffffff }, { 7, 100, 0xffffffff },
		{ 99, 3000, 0 }, { 2083236893u - 1000, 2000, 0 },	/* the last: the first block's */
	};
	uint8_t header[80];
	uint32_t genesis_tail[] = { 0x4b1e5e4a, 0x29ab5f49, 0xffff001d };

	(void)state;
	random_bytes(header, sizeof header);
	for (unsigned form = 0; form < 2; form++) {
		struct opencl *cl = opencl_open(&(struct opencl_config){ .program = "sha256d", .form = form ? OPENCL_PIPELINE : OPENCL_RANGE });

		assert_non_null(cl);
		for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			uint32_t params[12], out[256] = { 0 }, right[10000];

			if (i == 5) {
				memset(header, 0, sizeof header);
				header[0] = 1;
				for (unsigned j = 0; j < 8; j++)
					store_be32(header + 36 + 4 * j, (const uint32_t[]){ 0x3ba3edfd, 0x7a7b12b2, 0x7ac72c3e, 0x67768f61,
						   0x7fc81bc3, 0x888a5132, 0x3a9fb8aa, 0 }[j]);
				store_be32(header + 64, genesis_tail[0]);
				store_be32(header + 68, genesis_tail[1]);
				store_be32(header + 72, genesis_tail[2]);
			}
			memcpy(params, sha256_iv, 32);
			sha256_compress(params, header);
			for (unsigned j = 0; j < 3; j++)
				params[8 + j] = load_be32(header + 64 + 4 * j);
			params[11] = rows[i].top;
			assert_int_equal(opencl_run(cl, &(struct opencl_call){ .kernel = "sha256d_search", .params = params, .param_words = 12,
				.first = rows[i].first, .items = rows[i].items, .out = out, .out_size = sizeof out, .out_is_input = true }), 0);
			unsigned count = search(header, rows[i].first, rows[i].items, rows[i].top, right);
			assert_int_equal(out[0], count);
			unsigned shown = count < 255 ? count : 255;
			qsort(out + 1, shown, 4, compare_words);
			for (unsigned j = 0; j < shown && count <= 255; j++)
				assert_int_equal(out[1 + j], right[j]);
			if (i == 5)
				assert_true(count == 1 && out[1] == 2083236893u);
		}
		opencl_close(cl);
	}
}

/* The one file of the cache whose name is not in `seen`; names are cut to their first letters. */
static unsigned cached(char path[300])
{
	char adit[200];
	unsigned count = 0;

	snprintf(adit, sizeof adit, "%s/adit", folder);
	DIR *dir = opendir(adit);
	for (struct dirent *entry; dir && (entry = readdir(dir)); )
		if (strstr(entry->d_name, ".clbin")) {
			snprintf(path, 300, "%.150s/%.100s", adit, entry->d_name);
			count++;
		}
	if (dir)
		closedir(dir);
	return count;
}

static void clear_cache(void)
{
	char path[300];

	while (cached(path) > 0)
		assert_int_equal(unlink(path), 0);
}

static int open_and_close(const char *program, const char *binary)
{
	struct opencl *cl = opencl_open(&(struct opencl_config){ .program = program, .binary = binary });

	if (!cl)
		return -1;
	opencl_close(cl);
	return 0;
}

static void a_built_program_is_kept_and_taken_again(void **state)
{
	char path[300];
	struct stat first, again;

	(void)state;
	clear_cache();
	assert_int_equal(open_and_close("chacha20", NULL), 0);
	assert_int_equal(cached(path), 1);
	assert_int_equal(stat(path, &first), 0);
	assert_int_equal(open_and_close("chacha20", NULL), 0);
	assert_int_equal(stat(path, &again), 0);
	assert_true(first.st_ino == again.st_ino);		/* it was not written again */
	assert_int_equal(open_and_close("cubehash256", NULL), 0);	/* another source, another file */
	assert_int_equal(cached(path), 2);

	/* one that was damaged is built anew */
	clear_cache();
	assert_int_equal(open_and_close("chacha20", NULL), 0);
	assert_int_equal(cached(path), 1);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(open_and_close("chacha20", NULL), 0);
	assert_int_equal(stat(path, &again), 0);
	assert_true(again.st_size > 100);
}

static void a_program_may_come_from_a_file(void **state)
{
	static const struct { const char *bytes; size_t len; } foreign[] = {
		{ "xclbin2\0 and more", 17 }, { "\177ELF and more", 13 }, { "neither", 7 }, { "", 0 },
	};
	char path[300], other[300];

	(void)state;
	clear_cache();
	assert_int_equal(open_and_close("chacha20", NULL), 0);
	assert_int_equal(cached(path), 1);
	snprintf(other, sizeof other, "%s/program", folder);
	assert_int_equal(rename(path, other), 0);
	struct stat kept;
	assert_int_equal(stat(other, &kept), 0);
	assert_int_equal(truncate(other, kept.st_size - 32), 0);	/* the program without the cache's own digest */
	assert_int_equal(open_and_close("chacha20", other), 0);
	assert_int_equal(cached(path), 0);			/* so it was not built */

	for (unsigned i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
		FILE *file = fopen(other, "wb");

		assert_int_equal(fwrite(foreign[i].bytes, 1, foreign[i].len, file), foreign[i].len);
		fclose(file);
		assert_int_equal(open_and_close("chacha20", other), -1);
	}
	assert_int_equal(open_and_close("chacha20", "/nowhere"), -1);
	assert_int_equal(open_and_close("chacha20", folder), -1);
	unlink(other);
}

static void what_is_not_there_is_refused(void **state)
{
	char name[OPENCL_NAME];

	(void)state;
	assert_null(opencl_open(&(struct opencl_config){ .index = opencl_count(), .program = "chacha20" }));
	assert_null(opencl_open(&(struct opencl_config){ .program = "rot13" }));
	assert_int_equal(opencl_describe(name, opencl_count()), -1);
	assert_int_equal(opencl_describe(name, 0), 0);
	assert_true(strlen(name) > 5);
	struct opencl *cl = opencl_open(&(struct opencl_config){ .program = "chacha20" });
	assert_int_equal(opencl_run(cl, &(struct opencl_call){ .kernel = "rot13", .params = (uint32_t[]){ 0 }, .param_words = 1, .items = 1 }), -1);
	opencl_close(cl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_core_agrees_with_its_plain_form),
		cmocka_unit_test(the_search_finds_each_nonce_and_no_other),
		cmocka_unit_test(a_built_program_is_kept_and_taken_again),
		cmocka_unit_test(a_program_may_come_from_a_file),
		cmocka_unit_test(what_is_not_there_is_refused),
	};

	if (opencl_count() == 0) {
		printf("skipped: there is no OpenCL device; PoCL is one (Debian: pocl-opencl-icd)\n");
		return SKIPPED;
	}
	if (!mkdtemp(folder))
		return 1;
	setenv("XDG_CACHE_HOME", folder, 1);
	log_setup(LOG_ERROR, false);
	int failed = cmocka_run_group_tests_name("opencl", tests, NULL, NULL);
	clear_cache();
	char adit[200];
	snprintf(adit, sizeof adit, "%s/adit", folder);
	rmdir(adit);
	rmdir(folder);
	return failed;
}
