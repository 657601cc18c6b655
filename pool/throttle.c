/* At most PER_SECOND lines of a kind: see throttle.h. */
#include "pool/throttle.h"

#include <stdio.h>

#include "base/clock.h"

#define PER_SECOND 10

bool throttle_pass(struct throttle *throttle, char note[THROTTLE_NOTE_MAX])
{
	double now = clock_now();

	if (now - throttle->second_began >= 1) {
		throttle->second_began = now;
		throttle->passed = 0;
	}
	if (throttle->passed == PER_SECOND) {
		throttle->held++;
		return false;
	}
	throttle->passed++;
	note[0] = '\0';
	if (throttle->held > 0)
		snprintf(note, THROTTLE_NOTE_MAX, " (%lu more not shown)", throttle->held);
	throttle->held = 0;
	return true;
}
