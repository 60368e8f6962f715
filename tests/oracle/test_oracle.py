"""The fast part of the oracle; `make oracle` holds the engine against all of its numbers."""

import pytest

from shared.kernel.profile_text import changed
from shared.runtime.shelf import profile
from tests.oracle.checks import dealer_checks, same
from tests.oracle.expectation import against
from tests.oracle.odds import blackjack, insurance
from tests.oracle.published import BLACKJACK, INSURANCE, ONTARIO_BY_UP_CARD
from tests.oracle.simulation import edge


@pytest.mark.parametrize("name", ["endless, stands on all 17", "endless, hits soft 17"])
def test_dealer_ends_as_published(name):
    """ON-10.2, LV-4.4: the dealer's final totals by up card, to every printed digit."""
    assert [check for check in dealer_checks(name) if not check.holds] == []


@pytest.mark.parametrize("up", ["6", "T"])
def test_game_is_worth_what_others_worked_out(up):
    """The engine's own settlement, best play by totals, endless deck."""
    worth = against(up, profile("ontario"))

    assert same(worth * 100, ONTARIO_BY_UP_CARD[up])


def test_dealer_rule_is_felt():
    """The check can fail: the other rule on soft 17 gives another number."""
    other = changed(profile("ontario"), {"dealer.hits_soft_17": False}, "a test")

    assert not same(against("6", other) * 100, ONTARIO_BY_UP_CARD["6"])


def test_simulation_is_the_same_for_the_same_seed():
    """Seeds are recorded so that a figure can be had again."""
    assert edge("floor, 6 decks", rounds=50, seed=7) == edge("floor, 6 decks", rounds=50, seed=7)


@pytest.mark.parametrize("decks", BLACKJACK)
def test_odds_are_the_exact_fractions(decks):
    """LV-1.1, ON-7.3: a blackjack, and the average of an insurance."""
    assert (blackjack(decks), insurance(decks, profile("live"))) == (BLACKJACK[decks], INSURANCE[decks])
