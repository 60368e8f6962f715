"""The simulation: many rounds of basic strategy through the engine, and how sure that makes of the house's edge.

The edge that others have published must lie within the simulation's own interval of 99 in 100.  So few rounds cannot tell
one rule from another; what can is worked out exactly in `expectation`.
"""

from collections.abc import Callable
from math import sqrt
from random import Random

from msgspec import Struct

from shared.kernel.profile_text import changed
from shared.runtime.shelf import profile
from tests.benchmarks.seat import STAKE_MINOR, Shoe, Unlogged, play

SURE = 2.5758
"""Standard deviations on either side that hold 99 of 100."""
ROUNDS = 100_000
SEED = 20261130


class Edge(Struct, frozen=True):
    """What the house kept of each initial wager on average, in percent, and how far that may be off."""

    percent: float
    half_width: float
    rounds: int
    seed: int

    def holds(self, published: str) -> bool:
        """Return whether the published edge lies within the interval."""
        return abs(self.percent - float(published)) <= self.half_width


def edge(name: str, *, rounds: int = ROUNDS, seed: int = SEED, tell: Callable[[int], None] = lambda _: None) -> Edge:
    """Play a book such as `floor, 6 decks`, shuffled for each round, and return the edge; `tell` hears how many rounds were played."""
    book, decks = name.split(", ")
    number = int(decks.split()[0])
    rules = changed(profile(book), {"decks": number}, name)
    shoe = Shoe(number, 0.0, Random(seed))
    total = squares = 0
    for count in range(1, rounds + 1):
        settled = play(Unlogged(count), shoe, count, rules)
        kept = settled.staked_minor - settled.returned_minor
        total += kept
        squares += kept * kept
        if count % 1_000 == 0:
            tell(1_000)
    mean = total / rounds
    deviation = sqrt(max(squares / rounds - mean * mean, 0.0))
    return Edge(100 * mean / STAKE_MINOR, 100 * SURE * deviation / STAKE_MINOR / sqrt(rounds), rounds, seed)
