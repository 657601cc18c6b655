/* See retry.h. */
#include "fpga/retry.h"

#include "base/clock.h"

void retry_started(struct retry *retry)
{
	retry->started_at = clock_now();
}

void retry_worked(struct retry *retry)
{
	if (clock_now() - retry->started_at > RETRY_FORGET_S)
		retry->pause_s = RETRY_S;
}

double retry_pause(const struct retry *retry)
{
	return retry->pause_s > RETRY_S ? retry->pause_s : RETRY_S;
}

bool retry_wait(struct retry *retry, struct board *board)
{
	const double pause = retry_pause(retry);

	if (board_wait_closed(board, pause))
		return false;
	retry->pause_s = 2 * pause < RETRY_MAX_S ? 2 * pause : RETRY_MAX_S;
	return true;
}
