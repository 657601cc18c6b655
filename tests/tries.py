"""For tests that bound a time from above: a busy machine may be late, a wrong program always is."""

import functools

TRIES = 6


def holds_once(test):
    """The test holds when one of a few tries does."""
    @functools.wraps(test)
    def tried(*args):
        for left in reversed(range(TRIES)):
            try:
                return test(*args)
            except AssertionError:
                if not left:
                    raise
    return tried
