"""The battery judges rightly: exact moments, a fair shuffle that passes and wrong ones that do not."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from services.shoe.domain.shuffle import order
from shared.kernel.cards import DECK
from tests.battery.examination import Examination, all_hold, rows_of
from tests.battery.measures import Interplay, Neighbours, Runs
from tests.battery.shuffles import GOOD, WRONG, seed_of


@pytest.mark.parametrize("decks", [1, 8])
def test_the_houses_shuffle_passes(decks):
    """At 99 %, on fixed seeds; `make shuffle-tests` takes many more."""
    assert Examination("ours", GOOD, decks).examine(2_000).passed


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_shuffle_is_rejected(name):
    """What the battery cannot see it cannot vouch for."""
    assert not Examination(name, WRONG[name], 1).examine(10_000).passed


def test_an_order_dealt_twice_is_noticed():
    """Two shoes of one order agree everywhere (a shuffler that sorts, packets that were never shuffled)."""
    interplay = Interplay(52)
    interplay.take(rows_of([order(seed_of("x", 1), "T1-S1", 1)] * 2))
    assert interplay.verdict().p < 1e-12


def test_agreement_too_good_is_rejected():
    """Counts that all equal what is expected are no chance either."""
    examination = Examination("rotated", lambda seed, shoe, decks: DECK, 1)
    turned = np.array([np.roll(np.arange(52, dtype=np.uint8), by) for by in range(52)] * 20)
    examination.positions.take(turned)
    assert examination.positions.verdict().p < 0.01


def test_holm_judges_together():
    """One of five may be below 1 % if it is not below 0.2 %."""
    assert [all_hold(iter([0.005, 0.5, 0.5, 0.5, 0.5])), all_hold(iter([0.001, 0.5, 0.5, 0.5, 0.5]))] == [True, False]


@pytest.mark.parametrize("measure", [Neighbours, Interplay])
def test_moments_are_exact_for_small_shoes(measure, monkeypatch):
    """Mean and variance over all orders of a shoe of eight cards with two of each face are those of the formula."""
    monkeypatch.setattr("tests.battery.measures.FACES", 4)
    monkeypatch.setattr("tests.battery.measures.RANKS", 4)
    cards = np.array([0, 1, 2, 3] * 2, np.uint8)
    values = []
    for ordered in set(permutations(cards.tolist())):
        row = np.array([ordered], np.uint8)
        counted = measure(8)
        if isinstance(counted, Interplay):
            counted.compare(cards[None, :], row)
        else:
            counted.take(row)
        values.append(counted.sum)
    mean, variance = float(np.mean(values)), float(np.var(values))
    told = measure(8)
    told.sum, told.shuffles, told.pairs = round(mean * 1e6) + 1000, 1_000_000, 1_000_000
    expected = (told.sum - mean * 1e6) / (variance * 1e6) ** 0.5
    assert told.verdict().statistic == pytest.approx(expected, abs=1e-6)


def test_the_distribution_of_runs_is_exact():
    """Of all ways to lay three red and three black cards, so many have so many runs."""
    counted = [0] * 7
    ways = set(permutations("RRRBBB"))
    for way in ways:
        counted[1 + sum(one != other for one, other in pairwise(way))] += 1
    runs = Runs(6)
    runs.shuffles = len(ways)
    assert runs.expected.round(9).tolist() == counted
