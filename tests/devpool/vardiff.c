/* Variable difficulty: see vardiff.h. */
#include "tests/devpool/vardiff.h"

#define ENOUGH		8	/* shares, come or expected: the chance error is then about a third */
#define DEAD_BAND	1.5	/* a change smaller than this may well be chance */
#define STEP_MAX	16.0

void vardiff_start(struct vardiff *v, double now)
{
	*v = (struct vardiff){ .since = now };
}

void vardiff_share(struct vardiff *v, double difficulty)
{
	v->sum += difficulty;
	v->shares++;
}

double vardiff_next(struct vardiff *v, double difficulty, double rate, double now)
{
	double expected = rate * (now - v->since);

	if (expected < ENOUGH && v->shares < ENOUGH)
		return difficulty;

	double aim = difficulty * STEP_MAX;

	if (v->sum < aim * expected)
		aim = v->sum / expected;
	if (aim < difficulty / STEP_MAX)
		aim = difficulty / STEP_MAX;
	vardiff_start(v, now);
	return aim > difficulty * DEAD_BAND || aim < difficulty / DEAD_BAND ? aim : difficulty;
}
