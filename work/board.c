/* Publishing and claiming of work: see board.h. */
#include "work/board.h"

void board_init(struct board *board, board_next_fn *next, void *next_ctx)
{
	*board = (struct board){ .nonce_end = UINT64_C(1) << 32, .next = next, .next_ctx = next_ctx };
	pthread_mutex_init(&board->lock, NULL);
	pthread_cond_init(&board->changed, NULL);
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
	board->has_work = true;
	board->generation = work->generation;
	pthread_cond_broadcast(&board->changed);
	pthread_mutex_unlock(&board->lock);
}

void board_clear(struct board *board)
{
	pthread_mutex_lock(&board->lock);
	board->has_work = false;
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

bool board_claim(struct board *board, uint64_t want, struct work *work, uint64_t *first, uint64_t *end)
{
	pthread_mutex_lock(&board->lock);
	while (!board->closed) {
		if (board->has_work && board->next_nonce == board->nonce_end) {
			board->has_work = board->next && board->next(board->next_ctx, &board->work);
			board->next_nonce = 0;
		}
		if (board->has_work)
			break;
		pthread_cond_wait(&board->changed, &board->lock);
	}
	bool open = !board->closed;
	if (open) {
		uint64_t left = board->nonce_end - board->next_nonce;

		*work = board->work;
		*first = board->next_nonce;
		*end = *first + (want < left ? want : left);
		board->next_nonce = *end;
	}
	pthread_mutex_unlock(&board->lock);
	return open;
}
