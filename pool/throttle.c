/* At most PER_WINDOW lines of a kind: see throttle.h. */
#include "pool/throttle.h"

#include <stdio.h>

#include "base/clock.h"

#define PER_WINDOW 10

bool throttle_pass(struct throttle *throttle, char note[THROTTLE_NOTE_MAX])
{
	double now = clock_now();

	if (now - throttle->window_began >= (throttle->window_s > 0 ? throttle->window_s : 1)) {
		throttle->window_began = now;
		throttle->passed = 0;
	}
	if (throttle->passed == PER_WINDOW) {
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
