/* Which fault is on: see fault.h. */
#include "tests/devpool/fault.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"

#define FAULT_ROW(id, name, usual, most, unit, text) [FAULT_##id] = { name, usual, most, unit, text },
const struct fault_row fault_rows[FAULT_COUNT] = { FAULTS(FAULT_ROW) };

static bool has_unit(enum fault fault, const char *unit)
{
	return strcmp(fault_rows[fault].unit, unit) == 0;
}

enum fault fault_find(const char *name)
{
	int fault = 0;

	while (fault < FAULT_COUNT && strcmp(fault_rows[fault].name, name) != 0)
		fault++;
	return (enum fault)fault;
}

void faults_init(struct faults *faults, const struct fault_choice *choice, double now)
{
	*faults = (struct faults){
		.choice = choice, .started = now, .now = now, .in_turn = FAULT_COUNT, .random = choice->seed,
	};
}

bool faults_any(const struct faults *faults)
{
	bool any = faults->choice->turn > 0;

	for (int f = 0; f < FAULT_COUNT; f++)
		any |= faults->choice->on[f];
	return any;
}

/* The fault whose turn number `turn` is: those that are always on have none. */
static enum fault whose_turn(const struct faults *faults, unsigned turn)
{
	enum fault others[FAULT_COUNT];
	unsigned count = 0;

	for (int f = 0; f < FAULT_COUNT; f++)
		if (!faults->choice->on[f])
			others[count++] = (enum fault)f;
	return count > 0 ? others[(turn - 1) % count] : FAULT_COUNT;
}

void faults_step(struct faults *faults, double now)
{
	double turn_s = faults->choice->turn;

	faults->now = now;
	if (turn_s == 0)
		return;

	unsigned turn = 1 + (unsigned)((now - faults->started) / turn_s);

	if (turn == faults->turn)
		return;
	faults->turn = turn;
	faults->in_turn = whose_turn(faults, turn);
	faults->used = false;
	if (faults->in_turn != FAULT_COUNT)
		log_info("devpool: fault %s for %g s", fault_rows[faults->in_turn].name, turn_s);
}

bool fault_on(const struct faults *faults, enum fault fault)
{
	return faults->choice->on[fault] || faults->in_turn == fault;
}

double fault_argument(const struct faults *faults, enum fault fault)
{
	double argument = faults->choice->argument[fault];

	if (faults->in_turn == fault && has_unit(fault, "SEC"))
		return fmin(argument, faults->choice->turn / 2);
	return argument;
}

/* Splitmix64: a counter, stirred. The constants are its author's (Steele, Lea, Flood, OOPSLA 2014). */
double fault_random(struct faults *faults)
{
	uint64_t z = faults->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return ldexp((double)(z >> 11), -53);
}

bool fault_strikes(struct faults *faults, enum fault fault)
{
	bool certain = !has_unit(fault, "%") || (faults->in_turn == fault && !faults->used);

	if (!fault_on(faults, fault))
		return false;
	if (!certain && fault_random(faults) * 100 >= faults->choice->argument[fault])
		return false;
	faults->used |= faults->in_turn == fault;
	faults->struck[fault]++;
	return true;
}
