/* Publishing and claiming of work: see board.h. */
#include "work/board.h"

#include <time.h>

void board_init(struct board *board, board_next_fn *next, void *next_ctx)
{
	pthread_condattr_t monotonic;

	*board = (struct board){ .nonce_end = UINT64_C(1) << 32, .next = next, .next_ctx = next_ctx };
	pthread_mutex_init(&board->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&board->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void board_destroy(struct board *board)
{
	pthread_cond_destroy(&board->changed);
	pthread_mutex_destroy(&board->lock);
}

void board_publish(struct board *board, struct work *work)
{
	pthread_mutex_lock(&board->lock);
	work->generation = board->generation + 1;
	board->work = *work;
	board->next_nonce = 0;
	board->returned_count = 0;
	board->has_work = true;
	board->generation = work->generation;
	pthread_cond_broadcast(&board->changed);
	pthread_mutex_unlock(&board->lock);
}

void board_clear(struct board *board)
{
	pthread_mutex_lock(&board->lock);
	board->has_work = false;
	board->returned_count = 0;
	board->generation++;
	pthread_mutex_unlock(&board->lock);
}

void board_close(struct board *board)
{
	pthread_mutex_lock(&board->lock);
	board->closed = true;
	board->generation++;
	pthread_cond_broadcast(&board->changed);
	pthread_mutex_unlock(&board->lock);
}

/* The latest chunk given back, or its first `want` nonces. */
static void take_returned(struct board *board, uint64_t want, struct work *work, uint64_t *first, uint64_t *end)
{
	struct board_chunk *chunk = &board->returned[board->returned_count - 1];
	uint64_t left = chunk->end - chunk->first;

	*work = chunk->work;
	*first = chunk->first;
	*end = *first + (want < left ? want : left);
	chunk->first = *end;
	if (chunk->first == chunk->end)
		board->returned_count--;
}

/* With the board locked: take a chunk, if there is one. */
static bool take(struct board *board, uint64_t want, struct work *work, uint64_t *first, uint64_t *end)
{
	if (board->returned_count > 0) {
		take_returned(board, want, work, first, end);
		return true;
	}
	if (board->has_work && board->next_nonce == board->nonce_end) {
		board->has_work = board->next && board->next(board->next_ctx, &board->work);
		board->next_nonce = 0;
	}
	if (!board->has_work)
		return false;

	uint64_t left = board->nonce_end - board->next_nonce;

	*work = board->work;
	*first = board->next_nonce;
	*end = *first + (want < left ? want : left);
	board->next_nonce = *end;
	return true;
}

bool board_claim(struct board *board, uint64_t want, struct work *work, uint64_t *first, uint64_t *end)
{
	bool taken = false;

	pthread_mutex_lock(&board->lock);
	while (!board->closed && !(taken = take(board, want, work, first, end)))
		pthread_cond_wait(&board->changed, &board->lock);
	pthread_mutex_unlock(&board->lock);
	return taken;
}

bool board_try_claim(struct board *board, uint64_t want, struct work *work, uint64_t *first, uint64_t *end)
{
	pthread_mutex_lock(&board->lock);
	bool taken = !board->closed && take(board, want, work, first, end);
	pthread_mutex_unlock(&board->lock);
	return taken;
}

void board_give_back(struct board *board, const struct work *work, uint64_t first, uint64_t end)
{
	pthread_mutex_lock(&board->lock);
	if (first < end && !board_is_stale(board, work) && board->returned_count < BOARD_RETURNED_MAX) {
		board->returned[board->returned_count++] = (struct board_chunk){ .work = *work, .first = first, .end = end };
		pthread_cond_broadcast(&board->changed);
	}
	pthread_mutex_unlock(&board->lock);
}

bool board_wait_closed(struct board *board, double seconds)
{
	struct timespec until;
	int error = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)seconds;
	until.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_mutex_lock(&board->lock);
	while (!board->closed && error == 0)
		error = pthread_cond_timedwait(&board->changed, &board->lock, &until);
	bool closed = board->closed;
	pthread_mutex_unlock(&board->lock);
	return closed;
}
