"""An examination: one shuffle under all measures, over as many shuffles as are asked for.

A shuffle passes if it would be wrongly rejected in fewer than one case of a hundred: the verdicts are judged together
(Holm's method), because five tests at 99 % each would reject a fair shuffle in five cases of a hundred.
"""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
from msgspec import Struct

from shared.kernel.cards import DECK
from tests.battery.measures import FACES, Interplay, Measure, Neighbours, Pairs, Positions, Rows, Runs, Verdict
from tests.battery.shuffles import Shuffle, seed_of

LEVEL = 0.01
BLOCK = 500
_FACE = {card: number for number, card in enumerate(DECK)}


class Report(Struct, frozen=True, kw_only=True):
    """How a shuffle stood."""

    shuffle: str
    decks: int
    shuffles: int
    run: str
    """Part of every seed: the same run gives the same figures."""
    verdicts: tuple[Verdict, ...]
    passed: bool


class Examination:
    """One shuffle, examined."""

    def __init__(self, name: str, shuffle: Shuffle, decks: int, *, run: str = "1") -> None:
        self.name, self.decks, self.run = name, decks, run
        self._shuffle = shuffle
        cards = decks * FACES
        self.positions, self.runs = Positions(cards), Runs(cards)
        self._twins = Interplay(cards, "one seed, two shoes")
        self._measures: tuple[Measure, ...] = (self.positions, Pairs(cards), Neighbours(cards), self.runs, Interplay(cards))

    def examine(self, shuffles: int, told: Callable[[int], object] = lambda done: None) -> Report:
        """Shuffle so often and return what was found; `told` hears after each block how many it had."""
        starts = [*range(0, shuffles, BLOCK), shuffles]
        with ProcessPoolExecutor(os.cpu_count(), initializer=_leave_ctrl_c) as pool:
            blocks = pool.map(partial(block, self._shuffle, self.decks, self.run), *zip(*pairwise(starts), strict=True))
            for rows, twins in blocks:
                for measure in self._measures:
                    measure.take(rows)
                self._twins.compare(rows[:1], twins)
                told(len(rows))
        verdicts = (*(measure.verdict() for measure in self._measures), self._twins.verdict())
        return Report(
            shuffle=self.name, decks=self.decks, shuffles=shuffles, run=self.run, verdicts=verdicts, passed=all_hold(v.p for v in verdicts)
        )


def block(shuffle: Shuffle, decks: int, run: str, first: int, last: int) -> tuple[Rows, Rows]:
    """Return some shuffles, and the first of them once more for a shoe of another name."""
    rows = rows_of(shuffle(seed_of(run, number), f"B1-S{number}", decks) for number in range(first, last))
    return rows, rows_of([shuffle(seed_of(run, first), f"B2-S{first}", decks)])


def rows_of(orders: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> Rows:
    """Return orders of cards as rows of faces."""
    return np.array([[_FACE[card] for card in cards] for cards in orders], np.uint8)


def _leave_ctrl_c() -> None:
    """Leave Ctrl-C to the process that asked, or every other would print where it was."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def all_hold(probabilities: Iterator[float], level: float = LEVEL) -> bool:
    """Return whether none of these is so small that all together are rejected at `level` (Holm 1979, its first step)."""
    each = list(probabilities)
    return min(each) * len(each) >= level


def deck_count(decks: int) -> str:
    """Return how many decks these are, in words.

    >>> deck_count(1), deck_count(8)
    ('1 deck', '8 decks')
    """
    return "1 deck" if decks == 1 else f"{decks} decks"
