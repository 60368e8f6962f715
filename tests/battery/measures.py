"""The measures: what must be so in many fair shuffles, and how surprising it is that it is not.

Each measure counts over all shuffles and compares with what follows exactly from the fact that every order is as likely as
any other; nothing is estimated from the data.  A verdict is a two-sided probability: agreement that is too good is as
suspicious as none (Knuth, The Art of Computer Programming, 3.3.1).

A shuffle is a row of faces, 0 to 51 as in new-deck order: suit times 13 plus rank.
"""

from math import comb, sqrt
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.stats import chi2, norm

FACES, RANKS, SUITS = 52, 13, 4
EXPECTED_MIN = 10.0
"""Bins of a chi-square test that expect fewer are taken together."""

Rows = NDArray[np.uint8]
"""Shuffles, one a row."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What a measure found: `p` is the probability of something at least as surprising, were every order equally likely."""

    measure: str
    statistic: float
    """Chi-square where `freedom` is given, otherwise standard deviations from the mean."""
    freedom: int | None = None
    p: float


class Measure(Protocol):
    """Counts over shuffles of one size, in blocks as they come."""

    def take(self, rows: Rows) -> None:
        """Count some more."""

    def verdict(self) -> Verdict:
        """Return how surprising all of it is."""


class Positions:
    """Which card lies where: every face equally often at every place.

    The counts of a face at a place have fixed sums by row and by column in each single shuffle, so chi-square is scaled by
    (cards - 1) / cards and has (places - 1)(faces - 1) degrees of freedom.
    """

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.counts = np.zeros((cards, FACES), np.int64)
        self.shuffles = 0

    def take(self, rows: Rows) -> None:
        """Count some more."""
        cells = rows.astype(np.int64) + np.arange(self.cards) * FACES
        self.counts += np.bincount(cells.ravel(), minlength=self.counts.size).reshape(self.counts.shape)
        self.shuffles += len(rows)

    @property
    def deviations(self) -> NDArray[np.float64]:
        """How far each count is from what is expected, by place and face, in standard deviations."""
        expected = self.shuffles / FACES
        return np.asarray((self.counts - expected) / sqrt(expected * (1 - 1 / FACES)), np.float64)

    def verdict(self) -> Verdict:
        """Return how surprising all of it is."""
        expected = self.shuffles / FACES
        statistic = float(((self.counts - expected) ** 2).sum() / expected) * (self.cards - 1) / self.cards
        return _chi_square("card by position", statistic, (self.cards - 1) * (FACES - 1))


class Pairs:
    """Which card follows which: one pair of neighbours of each shuffle, its place moving on from shuffle to shuffle.

    One pair only, because pairs of one shuffle are not independent of each other.
    """

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.counts = np.zeros((FACES, FACES), np.int64)
        self.shuffles = 0

    def take(self, rows: Rows) -> None:
        """Count some more."""
        number = np.arange(self.shuffles, self.shuffles + len(rows))
        place = number % (self.cards - 1)
        row = np.arange(len(rows))
        np.add.at(self.counts, (rows[row, place], rows[row, place + 1]), 1)
        self.shuffles += len(rows)

    def verdict(self) -> Verdict:
        """Return how surprising all of it is."""
        copies = self.cards // FACES
        ways = np.full((FACES, FACES), copies * copies, np.float64)
        np.fill_diagonal(ways, copies * (copies - 1))
        expected = self.shuffles * ways / (self.cards * (self.cards - 1))
        possible = expected > 0
        assert not self.counts[~possible].any(), "a card was followed by itself, of which there is one"
        statistic = float(((self.counts - expected)[possible] ** 2 / expected[possible]).sum())
        return _chi_square("serial pairs", statistic, int(possible.sum()) - 1)


class Neighbours:
    """How many neighbours of a shuffle are of one rank, all of them counted; mean and variance are exact."""

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.sum = 0
        self.shuffles = 0

    def take(self, rows: Rows) -> None:
        """Count some more."""
        ranks = rows % RANKS
        self.sum += int((ranks[:, 1:] == ranks[:, :-1]).sum())
        self.shuffles += len(rows)

    def verdict(self) -> Verdict:
        """Return how surprising all of it is."""
        n, m = self.cards, self.cards // RANKS
        one = (m - 1) / (n - 1)
        overlapping = (m - 1) * (m - 2) / ((n - 1) * (n - 2))
        apart = one * ((m - 2) * (m - 3) + (RANKS - 1) * m * (m - 1)) / ((n - 2) * (n - 3))
        mean = (n - 1) * one
        variance = mean + 2 * (n - 2) * overlapping + (n - 2) * (n - 3) * apart - mean * mean
        return _normal("neighbours of one rank", self.sum, self.shuffles, mean, variance)


class Runs:
    """How many runs of one colour a shuffle has, against the exact distribution (Wald and Wolfowitz, 1940)."""

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.counts = np.zeros(cards + 1, np.int64)
        self.shuffles = 0

    def take(self, rows: Rows) -> None:
        """Count some more."""
        # Spades, hearts, diamonds, clubs: the two in the middle are red.
        suits = rows // RANKS
        red = (suits == 1) | (suits == 2)
        runs = 1 + (red[:, 1:] != red[:, :-1]).sum(axis=1)
        self.counts += np.bincount(runs, minlength=len(self.counts))
        self.shuffles += len(rows)

    @property
    def expected(self) -> NDArray[np.float64]:
        """How often each number of runs is expected."""
        half = self.cards // 2
        ways = [0] * (self.cards + 1)
        for pairs in range(1, half + 1):
            ways[2 * pairs] = 2 * comb(half - 1, pairs - 1) ** 2
            if 2 * pairs + 1 <= self.cards:
                ways[2 * pairs + 1] = 2 * comb(half - 1, pairs) * comb(half - 1, pairs - 1)
        total = comb(self.cards, half)
        return np.array([self.shuffles * (each / total) for each in ways])

    def verdict(self) -> Verdict:
        """Return how surprising all of it is."""
        counts, expected = _pooled(self.counts, self.expected)
        statistic = float(((counts - expected) ** 2 / expected).sum())
        return _chi_square("runs of one colour", statistic, len(counts) - 1)


class Interplay:
    """How often a shoe has the card at a place that the shoe before it had there; mean and variance are exact."""

    def __init__(self, cards: int, name: str = "interplay between shoes") -> None:
        self.cards = cards
        self.name = name
        self.sum = 0
        self.pairs = 0
        self._last: Rows | None = None

    def take(self, rows: Rows) -> None:
        """Count some more."""
        joined = rows if self._last is None else np.concatenate([self._last, rows])
        self.compare(joined[:-1], joined[1:])
        self._last = rows[-1:]

    def compare(self, before: Rows, after: Rows) -> None:
        """Count for pairs of shoes."""
        self.sum += int((before == after).sum())
        self.pairs += len(before)

    def verdict(self) -> Verdict:
        """Return how surprising all of it is."""
        n, m = self.cards, self.cards // FACES
        mean = n / FACES
        alike = n * (m - 1) * (m * (m - 1)) / (n * (n - 1))
        unlike = n * (n - m) * (m * m) / (n * (n - 1))
        return _normal(self.name, self.sum, self.pairs, mean, mean + alike + unlike - mean * mean)


def _chi_square(measure: str, statistic: float, freedom: int) -> Verdict:
    upper, lower = float(chi2.sf(statistic, freedom)), float(chi2.cdf(statistic, freedom))
    return Verdict(measure=measure, statistic=statistic, freedom=freedom, p=min(1.0, 2 * min(upper, lower)))


def _normal(measure: str, total: int, count: int, mean: float, variance: float) -> Verdict:
    """Judge a sum over many independent shuffles, which is as good as normal."""
    away = (total - count * mean) / sqrt(count * variance)
    return Verdict(measure=measure, statistic=away, p=float(2 * norm.sf(abs(away))))


def _pooled(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both with the thin ends taken together."""
    thick = np.flatnonzero(expected >= EXPECTED_MIN)
    first, last = int(thick[0]), int(thick[-1])

    def pool(of: NDArray[np.float64]) -> NDArray[np.float64]:
        middle = of[first : last + 1].copy()
        middle[0] += of[:first].sum()
        middle[-1] += of[last + 1 :].sum()
        return middle

    return pool(counts.astype(np.float64)), pool(expected)
