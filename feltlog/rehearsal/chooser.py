"""The chooser: the one place where a rehearsal's chance comes from, so that a seed is the whole story."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chooser:
    """Chooses; the same seed chooses the same."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, limit: int) -> int:
        """Return a whole number from 0 on and below `limit`."""
        # Not `randrange`: this is asked several times for each step, and no card depends on how even it is.
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        return low + self.below(high - low + 1)

    def once_in(self, times: int) -> bool:
        """Return whether something happens that happens once in so many times."""
        return self.below(times) == 0

    def pick(self, among: Sequence[T]) -> T:
        """Return one of several."""
        return among[self.below(len(among))]
