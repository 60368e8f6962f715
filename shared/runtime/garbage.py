"""Garbage: how often a service looks for it.

What a service throws away goes at once, without anybody looking: states and messages hold nothing that holds them.  Python looks
for the rest, things that hold one another, after every 700 new objects, and reads through all that the service remembers in
doing so.  A ledger of many rounds spent a third of its time on that, and found next to nothing.
"""

import gc

NEW_OBJECTS = 50_000
"""So many more made than thrown away before Python looks: some ten megabytes, should all of them be garbage."""


def look_seldom() -> None:
    """Look for garbage after every `NEW_OBJECTS`, for as long as this process lives."""
    _, *older = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *older)
