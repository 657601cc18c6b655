/* Facts of the board and the workers: every nonce once, nothing for nobody, nothing false to the pool. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/target.h"
#include "work/crew.h"

static void a_claim_covers_each_nonce_once(void **state)
{
	struct board board;
	struct work work = { .header = { 1, 2, 3 } }, copy;
	uint64_t first, end, expected = 0;

	(void)state;
	board_init(&board, NULL, NULL);
	board.nonce_end = 1000;
	board_publish(&board, &work);
	while (expected < 1000) {
		assert_true(board_claim(&board, 300, &copy, &first, &end));
		assert_int_equal(first, expected);
		assert_true(end > first && end - first <= 300 && end <= 1000);
		assert_memory_equal(&copy, &work, sizeof work);
		expected = end;
	}
	board_destroy(&board);
}

static bool count_up(void *ctx, struct work *work)
{
	unsigned *left = ctx;

	if (*left == 0)
		return false;
	(*left)--;
	work->xnonce2[0]++;
	return true;
}

static void a_used_up_work_is_followed_by_the_next_of_its_job(void **state)
{
	struct board board;
	struct work work = { .job = 7 }, copy;
	uint64_t first, end;
	unsigned left = 2;

	(void)state;
	board_init(&board, count_up, &left);
	board.nonce_end = 100;
	board_publish(&board, &work);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(board_claim(&board, 1000, &copy, &first, &end));
		assert_int_equal(first, 0);
		assert_int_equal(end, 100);
		assert_int_equal(copy.xnonce2[0], i);
		assert_int_equal(copy.job, 7);
		assert_false(board_is_stale(&board, &copy));	/* the earlier units' shares still count */
	}
	board_destroy(&board);
}

static void a_publication_and_a_clearing_make_work_stale(void **state)
{
	struct board board;
	struct work work = { 0 }, copy, newer;
	uint64_t first, end;

	(void)state;
	board_init(&board, NULL, NULL);
	board_publish(&board, &work);
	assert_true(board_claim(&board, 1, &copy, &first, &end));
	assert_false(board_is_stale(&board, &copy));
	board_publish(&board, &work);
	assert_true(board_is_stale(&board, &copy));
	assert_true(board_claim(&board, 1, &newer, &first, &end));
	assert_int_equal(first, 0);
	board_clear(&board);
	assert_true(board_is_stale(&board, &newer));
	board_destroy(&board);
}

static void *claim_once(void *arg)
{
	struct work work;
	uint64_t first, end;

	return board_claim(arg, 1, &work, &first, &end) ? arg : NULL;
}

static void a_claim_waits_for_work_and_a_closed_board_turns_it_away(void **state)
{
	struct board board;
	struct work work = { 0 };
	pthread_t thread;
	void *result;

	(void)state;
	board_init(&board, NULL, NULL);
	pthread_create(&thread, NULL, claim_once, &board);
	board_publish(&board, &work);
	pthread_join(thread, &result);
	assert_non_null(result);

	board_clear(&board);
	pthread_create(&thread, NULL, claim_once, &board);
	board_close(&board);
	pthread_join(thread, &result);
	assert_null(result);
	assert_null(claim_once(&board));
	board_destroy(&board);
}

static void what_is_given_back_is_handed_out_once_more(void **state)
{
	struct board board;
	struct work work = { .versions = { 1, 2, 3 }, .version_count = 3 }, copy;
	uint64_t first, end;

	(void)state;
	board_init(&board, NULL, NULL);
	board.nonce_end = 1000;
	board_publish(&board, &work);
	assert_true(board_claim(&board, 600, &copy, &first, &end));
	copy.versions[0] = 3;
	copy.version_count = 1;
	board_give_back(&board, &copy, 100, 400);
	board_give_back(&board, &copy, 600, 600);	/* nothing */

	assert_true(board_claim(&board, 200, &copy, &first, &end));
	assert_true(first == 100 && end == 300 && copy.version_count == 1 && copy.versions[0] == 3);
	assert_true(board_try_claim(&board, 200, &copy, &first, &end));
	assert_true(first == 300 && end == 400 && copy.version_count == 1);
	assert_true(board_try_claim(&board, 1000, &copy, &first, &end));
	assert_true(first == 600 && end == 1000 && copy.version_count == 3);
	assert_false(board_try_claim(&board, 1, &copy, &first, &end));
	board_give_back(&board, &copy, 999, 1000);	/* of a work that has no more to give */
	assert_true(board_try_claim(&board, 1000, &copy, &first, &end));
	assert_true(first == 999 && end == 1000);
	board_destroy(&board);
}

static void what_is_given_back_of_stale_work_is_gone(void **state)
{
	struct board board;
	struct work work = { 0 }, old, copy;
	uint64_t first, end;

	(void)state;
	board_init(&board, NULL, NULL);
	board_publish(&board, &work);
	assert_true(board_claim(&board, 10, &old, &first, &end));
	board_give_back(&board, &old, 0, 5);
	board_publish(&board, &work);
	board_give_back(&board, &old, 5, 10);
	assert_true(board_claim(&board, 20, &copy, &first, &end));
	assert_true(first == 0 && end == 20);
	board_give_back(&board, &copy, 0, 20);
	board_clear(&board);
	assert_false(board_try_claim(&board, 1, &copy, &first, &end));
	board_destroy(&board);
}

static void more_than_the_board_can_keep_is_lost_and_no_more(void **state)
{
	struct board board;
	struct work work = { 0 }, copy;
	uint64_t first, end, nonces = 0;

	(void)state;
	board_init(&board, NULL, NULL);
	board.nonce_end = 1000;
	board_publish(&board, &work);
	assert_true(board_claim(&board, 1000, &copy, &first, &end));
	for (uint64_t i = 0; i < BOARD_RETURNED_MAX + 5; i++)
		board_give_back(&board, &copy, i, i + 1);
	while (board_try_claim(&board, 1000, &copy, &first, &end))
		nonces += end - first;
	assert_int_equal(nonces, BOARD_RETURNED_MAX);
	board_destroy(&board);
}

/* A card holds a job that runs, the next one, and that one's claim under all its other versions. */
static void devices_that_fail_at_once_lose_nothing(void **state)
{
	enum { DEVICES = 3, CHUNKS = VERSIONS_MAX + 1 };
	struct board board;
	struct work work = { .version_count = VERSIONS_MAX }, copy;
	uint64_t first, end, nonces = 0;

	(void)state;
	board_init(&board, NULL, NULL);
	board.nonce_end = DEVICES;
	board_publish(&board, &work);
	for (uint64_t device = 0; device < DEVICES; device++)
		assert_true(board_claim(&board, 1, &copy, &first, &end));
	copy.version_count = 1;
	for (uint64_t device = 0; device < DEVICES; device++)
		for (unsigned chunk = 0; chunk < CHUNKS; chunk++)
			board_give_back(&board, &copy, device, device + 1);
	while (board_try_claim(&board, 1, &copy, &first, &end))
		nonces += end - first;
	assert_int_equal(nonces, DEVICES * CHUNKS);
	board_destroy(&board);
}

static void *wait_closed(void *arg)
{
	return board_wait_closed(arg, 3600) ? arg : NULL;
}

static void a_pause_ends_when_the_board_closes(void **state)
{
	struct board board;
	pthread_t thread;
	void *result;

	(void)state;
	board_init(&board, NULL, NULL);
	assert_false(board_wait_closed(&board, 0.001));
	pthread_create(&thread, NULL, wait_closed, &board);
	board_close(&board);
	pthread_join(thread, &result);
	assert_non_null(result);
	board_destroy(&board);
}

/* A backend that marks every nonce it is given: what the crew searches, and how often. */
#define UNITS 4
#define NONCES 50000

struct marks {
	_Atomic unsigned char seen[UNITS][NONCES];
	struct board *board;
	_Atomic unsigned left;
};

static struct marks marks;	/* a backend's functions have no context of their own */

static bool yes(void)
{
	return true;
}

static int mark_open(struct worker *w)
{
	(void)w;
	return 0;
}

static int64_t mark_scan(struct worker *w, const struct work *work, uint64_t first, uint64_t end)
{
	for (uint64_t nonce = first; nonce < end; nonce++)
		marks.seen[work->xnonce2[0]][nonce]++;
	w->hashes += end - first;
	if (atomic_fetch_sub(&marks.left, (unsigned)(end - first)) == end - first)
		board_close(marks.board);
	return (int64_t)(end - first);
}

static void mark_close(struct worker *w)
{
	(void)w;
}

static int fail_open(struct worker *w)
{
	(void)w;
	return -1;
}

static const struct backend marking = { .name = "marking", .supported = yes, .open = mark_open, .scan = mark_scan, .close = mark_close };
static const struct backend failing = { .name = "failing", .supported = yes, .open = fail_open, .scan = mark_scan, .close = mark_close };

static void ignore(void *ctx, const struct share *share)
{
	(void)ctx, (void)share;
}

static void a_crew_searches_each_nonce_of_each_unit_once(void **state)
{
	struct cpu_list cpus;
	struct crew crew;
	struct board board;
	struct work work = { 0 };
	unsigned left = UNITS - 1;
	struct crew_config config = {
		.algo = algos[0], .backend = &marking, .threads = 7, .cpus = &cpus, .board = &board, .found = ignore,
	};

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	board_init(&board, count_up, &left);
	board.nonce_end = NONCES;
	marks.board = &board;
	marks.left = UNITS * NONCES;
	board_publish(&board, &work);
	assert_int_equal(crew_start(&crew, &config), 0);
	crew_join(&crew);
	assert_int_equal(crew_hashes(&crew), UNITS * NONCES);
	assert_int_equal(crew_alive(&crew), 7);
	crew_free(&crew);
	board_destroy(&board);
	for (unsigned unit = 0; unit < UNITS; unit++)
		for (unsigned nonce = 0; nonce < NONCES; nonce++)
			assert_int_equal(marks.seen[unit][nonce], 1);
}

/* A device's thread is a worker like the others, with its own backend. */
static int device_open(struct worker *w)
{
	*(struct worker **)w->device = w;
	return 0;
}

static const struct backend device = { .name = "device", .supported = yes, .open = device_open, .scan = mark_scan, .close = mark_close };

static void devices_and_threads_search_the_same_work_together(void **state)
{
	struct worker *seen[2] = { 0 };
	const struct crew_device devices[] = { { &device, &seen[0] }, { &device, &seen[1] } };
	struct cpu_list cpus;
	struct crew crew;
	struct board board;
	struct work work = { 0 };
	struct crew_config config = {
		.algo = algos[0], .backend = &marking, .threads = 2, .devices = devices, .device_count = 2, .cpus = &cpus,
		.pin = true, .board = &board, .found = ignore,
	};

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	memset(&marks, 0, sizeof marks);
	for (config.threads = 2; config.threads + 1 > 0; config.threads--) {
		board_init(&board, NULL, NULL);
		board.nonce_end = NONCES;
		marks.board = &board;
		marks.left = NONCES;
		board_publish(&board, &work);
		assert_int_equal(crew_start(&crew, &config), 0);
		crew_join(&crew);
		assert_int_equal(crew.count, config.threads + 2);
		assert_int_equal(crew_hashes(&crew), NONCES);
		assert_ptr_equal(seen[0], &crew.workers[config.threads]);
		assert_ptr_equal(seen[1], &crew.workers[config.threads + 1]);
		assert_int_equal(seen[0]->cpu, -1);
		crew_free(&crew);
		board_destroy(&board);
	}
	for (unsigned nonce = 0; nonce < NONCES; nonce++)
		assert_int_equal(marks.seen[0][nonce], 3);
}

static void a_backend_that_cannot_open_is_seen_as_failed(void **state)
{
	struct cpu_list cpus;
	struct crew crew;
	struct board board;
	struct crew_config config = {
		.algo = algos[0], .backend = &failing, .threads = 2, .cpus = &cpus, .board = &board, .found = ignore,
	};

	(void)state;
	assert_int_equal(cpus_allowed(&cpus), 0);
	board_init(&board, NULL, NULL);
	assert_int_equal(crew_start(&crew, &config), 0);
	crew_join(&crew);
	assert_int_equal(crew_alive(&crew), 0);
	crew_free(&crew);
	board_destroy(&board);
}

static void keep(void *ctx, const struct share *share)
{
	*(struct share *)ctx = *share;
}

/* Bitcoin's first block: a nonce whose difficulty is known, 2536.426. */
static void a_candidate_is_a_share_an_error_or_neither(void **state)
{
	const struct algo *algo = algo_find("sha256d");
	struct share share = { 0 };
	struct worker w = { .algo = algo, .backend = &marking, .found = keep, .found_ctx = &share };
	static const char tail[] = "\x3b\xa3\xed\xfd\x7a\x7b\x12\xb2\x7a\xc7\x2c\x3e\x67\x76\x8f\x61\x7f\xc8\x1b\xc3"
				   "\x88\x8a\x51\x32\x3a\x9f\xb8\xaa\x4b\x1e\x5e\x4a\x29\xab\x5f\x49\xff\xff\x00\x1d";
	struct work work = { .header = { 1 } };

	(void)state;
	memcpy(work.header + 36, tail, 40);
	target_from_difficulty(work.target, 4096);
	worker_candidate(&w, &work, 0x7c2bac1d);	/* a top word of 0, but above the target */
	assert_int_equal(w.hw_errors, 0);
	assert_int_equal(share.nonce, 0);
	worker_candidate(&w, &work, 0xdeadbeef);
	worker_candidate(&w, &work, 0x1dac2b7c);	/* its bytes swapped */
	assert_int_equal(w.hw_errors, 2);
	assert_int_equal(share.nonce, 0);

	target_from_difficulty(work.target, 2536);
	worker_candidate(&w, &work, 0x7c2bac1d);
	assert_int_equal(w.hw_errors, 2);
	assert_int_equal(share.nonce, 0x7c2bac1d);
	assert_true(share.difficulty > 2536.425 && share.difficulty < 2536.427);
	assert_int_equal(load_le32(share.work.header + 76), 0x7c2bac1d);
}

static void a_cpu_mask_names_its_bits(void **state)
{
	struct cpu_list list;

	(void)state;
	assert_int_equal(cpus_from_mask(&list, "5"), 0);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.cpu[1], 2);
	assert_int_equal(cpus_from_mask(&list, "0x8000000000000000F0"), 0);
	assert_int_equal(list.count, 5);
	assert_int_equal(list.cpu[4], 71);
	assert_int_equal(cpus_from_mask(&list, ""), -1);
	assert_int_equal(cpus_from_mask(&list, "0"), -1);
	assert_int_equal(cpus_from_mask(&list, "0x"), -1);
	assert_int_equal(cpus_from_mask(&list, "1g"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_claim_covers_each_nonce_once),
		cmocka_unit_test(a_used_up_work_is_followed_by_the_next_of_its_job),
		cmocka_unit_test(a_publication_and_a_clearing_make_work_stale),
		cmocka_unit_test(a_claim_waits_for_work_and_a_closed_board_turns_it_away),
		cmocka_unit_test(what_is_given_back_is_handed_out_once_more),
		cmocka_unit_test(what_is_given_back_of_stale_work_is_gone),
		cmocka_unit_test(more_than_the_board_can_keep_is_lost_and_no_more),
		cmocka_unit_test(devices_that_fail_at_once_lose_nothing),
		cmocka_unit_test(a_pause_ends_when_the_board_closes),
		cmocka_unit_test(a_crew_searches_each_nonce_of_each_unit_once),
		cmocka_unit_test(devices_and_threads_search_the_same_work_together),
		cmocka_unit_test(a_backend_that_cannot_open_is_seen_as_failed),
		cmocka_unit_test(a_candidate_is_a_share_an_error_or_neither),
		cmocka_unit_test(a_cpu_mask_names_its_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
