/* The stream of tasks with devices of every temper, and the seal against OpenSSL's whole AEAD. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "base/log.h"
#include "offload/progress.h"
#include "offload/seal.h"
#include "offload/stream.h"
#include "tests/overheard.h"

#define TASK_ITEMS	8
#define DEPTH		5
#define TASKS		200
#define ITEMS		(TASKS * TASK_ITEMS - 3)	/* the last task is short */

/* Devices for the tests: each computes the core, in its own manner. */

static bool any(const struct core *core)
{
	(void)core;
	return true;
}

static int right(struct device *device, const struct batch *batch)
{
	(void)device;
	batch->core->plain(batch);
	return 0;
}

static int slow(struct device *device, const struct batch *batch)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	return right(device, batch);
}

static int by_whim(struct device *device, const struct batch *batch)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)(batch->first * 7919 % 1000000) }, NULL);
	return right(device, batch);
}

static int wrong(struct device *device, const struct batch *batch)
{
	right(device, batch);
	batch->out[batch->items * batch->core->item_out - 1] ^= 1;
	return 0;
}

static _Atomic unsigned broken;

/* Computes nothing before two others broke. */
static int last(struct device *device, const struct batch *batch)
{
	while (broken < 2)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return right(device, batch);
}

/* It passes its proof, and breaks in the middle of the third task, when part of the result is written. */
static int breaks(struct device *device, const struct batch *batch)
{
	unsigned *calls = device->state;

	right(device, batch);
	if (++*calls < 3)
		return 0;
	memset(batch->out, 0xee, batch->items * batch->core->item_out / 2);
	broken++;
	return -1;
}

static int remember(struct device *device)
{
	device->state = calloc(1, sizeof(unsigned));
	return device->state ? 0 : -1;
}

static void forget(struct device *device)
{
	free(device->state);
}

static int fail_to_open(struct device *device)
{
	(void)device;
	return -1;
}

static _Atomic unsigned awake;

/* Takes its time to open. */
static int sleep_long(struct device *device)
{
	(void)device;
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	awake++;
	return 0;
}

static _Atomic bool end_seen;

/* Fails when there is nothing left to be done. */
static int fail_late(struct device *device)
{
	while (!end_seen)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);	/* the stream has closed, too */
	return fail_to_open(device);
}

static const struct device_kind good = { .name = "good", .offers = any, .run = right },
	lame = { .name = "lame", .offers = any, .run = slow },
	patient = { .name = "patient", .offers = any, .run = last }, moody = { .name = "moody", .offers = any, .run = by_whim },
	lying = { .name = "lying", .offers = any, .run = wrong },
	brittle = { .name = "brittle", .offers = any, .open = remember, .run = breaks, .close = forget },
	sleepy = { .name = "sleepy", .offers = any, .open = sleep_long, .run = right },
	dead = { .name = "dead", .offers = any, .open = fail_to_open, .run = right },
	late = { .name = "late", .offers = any, .open = fail_late, .run = right };

/* A stream whose input is numbered bytes, and whose output is compared with the plain form's over the whole. */
struct scene {
	struct stream stream;
	struct stream_result result;
	struct core_params params;
	uint8_t *in, *out, *expected;
	size_t filled, taken;		/* items */
	_Atomic int filling, taking_off;	/* threads that are at it */
	_Atomic bool overlapped;		/* two were */
	unsigned readied;			/* calls */
	size_t fill_fails_at, take_off_fails_at;	/* items; 0: never */
};

static int fill(void *ctx, struct task *task)
{
	struct scene *scene = ctx;
	size_t size = scene->stream.core->item_in, left = ITEMS - scene->filled;

	if (scene->fill_fails_at > 0 && scene->filled >= scene->fill_fails_at)
		return -1;
	scene->overlapped |= ++scene->filling > 1;
	assert_int_equal(task->room, TASK_ITEMS * size);
	task->batch.items = left < TASK_ITEMS ? left : TASK_ITEMS;
	memcpy(task->in, scene->in + scene->filled * size, task->batch.items * size);
	scene->filled += task->batch.items;
	scene->filling--;
	return task->batch.items > 0;
}

static int take_off(void *ctx, struct task *task)
{
	struct scene *scene = ctx;
	size_t size = scene->stream.core->item_out;

	if (scene->take_off_fails_at > 0 && scene->taken >= scene->take_off_fails_at)
		return -1;
	scene->overlapped |= ++scene->taking_off > 1;
	memcpy(scene->out + scene->taken * size, task->out, task->batch.items * size);
	scene->taken += task->batch.items;
	scene->taking_off--;
	return 0;
}

static void open_scene(struct scene *scene, const char *core, bool workers_do_all)
{
	*scene = (struct scene){ .in = calloc(ITEMS, 64), .out = calloc(ITEMS, 64), .expected = calloc(ITEMS, 64) };
	assert_true(scene->in && scene->out && scene->expected);
	scene->params = (struct core_params){ .key = { 9 }, .iv = { 8 } };
	scene->stream = (struct stream){ .core = core_find(core), .params = &scene->params, .first = 1, .task_items = TASK_ITEMS,
					 .depth = DEPTH, .fill = fill, .take_off = take_off, .ctx = scene,
					 .workers_do_all = workers_do_all };
	core_example(scene->stream.core, scene->in, ITEMS);
	scene->stream.core->plain(&(struct batch){ scene->stream.core, &scene->params, 1, ITEMS, scene->in, scene->expected });
}

static void close_scene(struct scene *scene)
{
	free(scene->in);
	free(scene->out);
	free(scene->expected);
}

static int run_with(struct scene *scene, const struct device_want *wants, unsigned count)
{
	scene->stream.wants = wants;
	scene->stream.want_count = count;
	return stream_run(&scene->stream, &scene->result);
}

static void assert_whole(const struct scene *scene)
{
	assert_false(scene->overlapped);
	assert_int_equal(scene->taken, ITEMS);
	assert_memory_equal(scene->out, scene->expected, ITEMS * scene->stream.core->item_out);
}

static void results_come_in_order_whatever_the_speeds(void **state)
{
	static const struct device_want mixes[][4] = {
		{ { .kind = &good, .index = 0 } }, { { .kind = &lame, .index = 0 }, { .kind = &good, .index = 0 } }, { { .kind = &moody, .index = 0 }, { .kind = &moody, .index = 1 }, { .kind = &moody, .index = 2 }, { .kind = &lame, .index = 0 } },
	};
	static const unsigned counts[] = { 1, 2, 4 };

	(void)state;
	for (const struct core *core = cores; core->name; core++) {
		for (unsigned i = 0; i < 6; i++) {
			struct scene scene;
			uint64_t tasks = 0;

			open_scene(&scene, core->name, i >= 3);
			assert_int_equal(run_with(&scene, mixes[i % 3], counts[i % 3]), 0);
			assert_whole(&scene);
			for (unsigned j = 0; j < counts[i % 3]; j++)
				tasks += scene.result.workers[j].tasks;
			assert_int_equal(tasks, TASKS);
			close_scene(&scene);
		}
	}
}

static void a_lost_device_costs_nothing_while_another_is_left(void **state)
{
	static const struct device_want mix[] = { { .kind = &brittle, .index = 0 }, { .kind = &patient, .index = 0 }, { .kind = &dead, .index = 0 }, { .kind = &brittle, .index = 1 }, { .kind = &lying, .index = 0 } };
	struct scene scene;

	(void)state;
	for (unsigned all = 0; all < 2; all++) {
		open_scene(&scene, "chacha20", all);
		broken = 0;
		assert_int_equal(run_with(&scene, mix, 5), 0);
		assert_whole(&scene);
		assert_int_equal(scene.result.workers[0].tasks, 1);	/* and one was its proof */
		for (unsigned i = 0; i < 5; i++)
			assert_int_equal(scene.result.workers[i].lost, i != 1);
		close_scene(&scene);
	}
}

static void a_device_with_wrong_answers_is_not_used(void **state)
{
	(void)state;
	for (const struct core *core = cores; core->name; core++) {
		struct device device;

		assert_int_equal(device_open(&device, &(struct device_want){ .kind = &lying }, core), -1);
		assert_int_equal(device_open(&device, &(struct device_want){ .kind = &good }, core), 0);
		device_close(&device);
	}
}

static void without_any_device_it_ends(void **state)
{
	static const struct device_want mixes[][2] = { { { .kind = &dead, .index = 0 }, { .kind = &dead, .index = 1 } }, { { .kind = &brittle, .index = 0 }, { .kind = &brittle, .index = 1 } },
						       { { .kind = &lying, .index = 0 }, { .kind = &dead, .index = 0 } } };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct scene scene;

		open_scene(&scene, "aes128-ctr", i >= 3);
		assert_int_equal(run_with(&scene, mixes[i % 3], 2), -1);
		assert_true(scene.taken < ITEMS);
		assert_memory_equal(scene.out, scene.expected, scene.taken * 16);
		close_scene(&scene);
	}
}

static int fill_nothing(void *ctx, struct task *task)
{
	(void)ctx;
	(void)task;
	end_seen = true;
	return 0;
}

static void without_any_device_even_nothing_is_refused(void **state)
{
	static const struct device_want mix[] = { { .kind = &late, .index = 0 }, { .kind = &dead, .index = 0 }, { .kind = &good, .index = 0 } };

	(void)state;
	for (unsigned count = 1; count <= 3; count++) {
		struct scene scene;

		open_scene(&scene, "chacha20", false);
		scene.stream.fill = fill_nothing;
		end_seen = false;
		assert_int_equal(run_with(&scene, mix, count), count < 3 ? -1 : 0);
		close_scene(&scene);
	}
}

static void note_ready(void *ctx, const struct task *tasks)
{
	struct scene *scene = ctx;

	assert_int_equal(awake, 2);
	assert_int_equal(scene->filled, 0);
	for (unsigned i = 0; i < DEPTH; i++)
		memset(tasks[i].in, 0, tasks[i].room);
	scene->readied++;
}

static void what_waits_for_all_workers_begins_when_each_is_open_or_lost(void **state)
{
	static const struct device_want mix[] = { { .kind = &good, .index = 0 }, { .kind = &sleepy, .index = 0 },
						  { .kind = &sleepy, .index = 1 }, { .kind = &dead, .index = 0 } };

	(void)state;
	for (unsigned all = 0; all < 2; all++) {
		struct scene scene;

		open_scene(&scene, "chacha20", all);
		scene.stream.ready = note_ready;
		awake = 0;
		assert_int_equal(run_with(&scene, mix, 4), 0);
		assert_int_equal(scene.readied, 1);
		assert_whole(&scene);
		close_scene(&scene);
	}
	struct scene scene;
	open_scene(&scene, "chacha20", false);
	scene.stream.ready = note_ready;
	assert_int_equal(run_with(&scene, &mix[3], 1), -1);
	assert_int_equal(scene.taken, 0);
	close_scene(&scene);
}

static void an_error_at_either_end_ends_it(void **state)
{
	static const struct device_want mix[] = { { .kind = &good, .index = 0 }, { .kind = &moody, .index = 0 } };

	(void)state;
	for (unsigned at = 1; at < ITEMS; at += 97) {
		struct scene scene;

		open_scene(&scene, "sha256d", at % 2);
		scene.fill_fails_at = at;
		assert_int_equal(run_with(&scene, mix, 2), -1);
		close_scene(&scene);
		open_scene(&scene, "sha256d", at % 2);
		scene.take_off_fails_at = at;
		assert_int_equal(run_with(&scene, mix, 2), -1);
		assert_true(scene.taken >= at && scene.taken < at + TASK_ITEMS);
		assert_memory_equal(scene.out, scene.expected, scene.taken * 32);
		close_scene(&scene);
	}
}

static void *ask_for_work(void *ctx)
{
	struct task *task;

	return ring_next(ctx, DUTY_COMPUTE, &task) == DUTY_COMPUTE ? task : NULL;
}

/* Whoever has it may lose its device. */
static void a_worker_waits_for_the_last_task_while_another_computes_it(void **state)
{
	struct ring ring;
	struct task *task, *end;
	pthread_t thread;
	void *got;

	(void)state;
	assert_int_equal(ring_init(&ring, 2, 64, 64), 0);
	ring_join(&ring);
	ring_join(&ring);
	assert_int_equal(ring_next(&ring, DUTY_FILL, &task), DUTY_FILL);
	ring_done(&ring, task);
	assert_int_equal(ring_next(&ring, DUTY_COMPUTE, &task), DUTY_COMPUTE);
	assert_int_equal(ring_next(&ring, DUTY_FILL, &end), DUTY_FILL);
	ring_close(&ring, end);
	assert_int_equal(pthread_create(&thread, NULL, ask_for_work, &ring), 0);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	ring_give_back(&ring, task);
	assert_int_equal(pthread_join(thread, &got), 0);
	assert_ptr_equal(got, task);
	ring_destroy(&ring);
}

/* What is shown to a terminal of so many bytes of 1,000, after a second. */
static void show(char text[200], uint64_t done)
{
	struct progress progress = { .quiet = false };

	overhear();
	progress_begin(&progress, 1000);
	progress.quiet = false;		/* that was no terminal */
	progress.began -= 1;
	progress_show(&progress, done);
	overheard(text, 200);
}

static void progress_of_a_file_that_grew_has_no_end(void **state)
{
	char text[200];

	(void)state;
	show(text, 1000);
	assert_non_null(strstr(text, "[########################################] 100 %, 0 s left"));
	show(text, 1001);
	assert_non_null(strstr(text, "MB/s"));
	assert_null(strchr(text, '%'));
}

static void lists_of_workers_are_read(void **state)
{
	struct device_want wants[DEVICES_MAX];
	char why[DEVICE_WHY];
	static const char *const bad[] = { "", "cpu,", ",cpu", "cpu:", "cpu:0", "cpu:x", "cpu:2x", "cpu:65", "cpu:-1", "cpu:64,null",
					   "gpu", "cpu;plain", "cpu:99999999999999999999", "cpu:+2", "cpu: 2" };

	(void)state;
	assert_int_equal(devices_parse(wants, "cpu:2,null,cpu,plain:1", NULL, why), 5);
	assert_ptr_equal(wants[0].kind, &device_cpu);
	assert_ptr_equal(wants[2].kind, &device_null);
	assert_ptr_equal(wants[3].kind, &device_cpu);
	assert_int_equal(wants[3].index, 2);
	assert_ptr_equal(wants[4].kind, &device_plain);
	assert_int_equal(devices_parse(wants, "cpu:64", NULL, why), 64);
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		why[0] = '\0';
		assert_int_equal(devices_parse(wants, bad[i], NULL, why), -1);
		assert_true(strlen(why) > 0);
	}
}

/* The text encrypted by the core and the tag taken over its parts are together what OpenSSL makes of the whole. */
static void sealed_text_is_openssls(void **state)
{
	static uint8_t text[20000], mine[sizeof text + 64], theirs[sizeof text];

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		size_t len = round < 40 ? round : (size_t)rand() % sizeof text, aad_len = (size_t)rand() % 40;
		uint8_t aad[40], tag[SEAL_TAG], right_tag[SEAL_TAG];
		struct core_params params;
		struct seal seal;
		int part;

		for (size_t i = 0; i < len; i++)
			text[i] = (uint8_t)(rand() >> 5);
		for (size_t i = 0; i < sizeof params; i++)
			((uint8_t *)&params)[i] = (uint8_t)(rand() >> 5);
		memset(aad, (int)round, sizeof aad);

		EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
		assert_int_equal(EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), NULL, params.key, params.iv), 1);
		assert_int_equal(EVP_EncryptUpdate(context, NULL, &part, aad, (int)aad_len), 1);
		assert_int_equal(EVP_EncryptUpdate(context, theirs, &part, text, (int)len), 1);
		assert_int_equal(EVP_EncryptFinal_ex(context, theirs + part, &part), 1);
		assert_int_equal(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, SEAL_TAG, right_tag), 1);
		EVP_CIPHER_CTX_free(context);

		const struct core *core = core_find("chacha20");
		core->plain(&(struct batch){ core, &params, SEAL_FIRST, (len + 63) / 64, text, mine });
		assert_memory_equal(mine, theirs, len);
		assert_int_equal(seal_begin(&seal, &params, aad, aad_len), 0);
		for (size_t at = 0, step; at < len; at += step) {
			step = (size_t)rand() % 500 + 1;
			step = step < len - at ? step : len - at;
			assert_int_equal(seal_add(&seal, mine + at, step), 0);
		}
		assert_int_equal(seal_end(&seal, tag), 0);
		assert_memory_equal(tag, right_tag, SEAL_TAG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_come_in_order_whatever_the_speeds),
		cmocka_unit_test(a_lost_device_costs_nothing_while_another_is_left),
		cmocka_unit_test(a_device_with_wrong_answers_is_not_used),
		cmocka_unit_test(without_any_device_it_ends),
		cmocka_unit_test(without_any_device_even_nothing_is_refused),
		cmocka_unit_test(what_waits_for_all_workers_begins_when_each_is_open_or_lost),
		cmocka_unit_test(an_error_at_either_end_ends_it),
		cmocka_unit_test(a_worker_waits_for_the_last_task_while_another_computes_it),
		cmocka_unit_test(progress_of_a_file_that_grew_has_no_end),
		cmocka_unit_test(lists_of_workers_are_read),
		cmocka_unit_test(sealed_text_is_openssls),
	};

	log_setup(LOG_ERROR, false);
	return cmocka_run_group_tests_name("offload", tests, NULL, NULL);
}
