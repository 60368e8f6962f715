"""The dealer: when a card is taken, when the hole card is turned, and what a dealer blackjack takes."""

import pytest

from feltlog.rehearsal.round import Choice
from services.table.domain.dealer import must_draw
from services.table.domain.hand import hand_of
from services.table.domain.round import ROUND
from shared.contracts.dealing import TurnHole
from shared.kernel.cards import cards
from shared.runtime.shelf import profile
from tests.given import given
from tests.rounds import begun, dealer_cards, names, play, results, returned, then_say


@pytest.mark.parametrize(
    ("book", "shoe", "draws"),
    [
        ("ontario", "TS 6D", True),
        ("ontario", "TS 7D", False),
        ("ontario", "AS 6D", True),
        ("ontario", "AS 7D", False),
        ("live", "AS 6D", False),
        ("floor", "AS 6D", False),
        ("live", "AS 5D", True),
        ("live", "AS 6D TC", False),
    ],
)
def test_dealer_draws_by_rule(book, shoe, draws):
    """ON-10.2, LV-4.4, decisions 2 and 7: to 16; on a soft 17 in Ontario alone."""
    assert must_draw(hand_of(*cards(shoe)), profile(book)) is draws


def test_dealer_draws_after_all_players():
    """LV-0.7, ON-6.4: the dealer takes cards only when all players' hands are complete."""
    rehearsal = play("ontario", "TS 9S 6D TH 9H TC 9D", "stand", "stand", bets=(("ann", 1, 400), ("ben", 2, 400)))

    assert dealer_cards(rehearsal) == ("6D", "TC", "9D")


def test_blackjack_against_a_low_card_needs_no_dealer_card():
    """Decision 5: a blackjack against a 2 to 9 is decided at once."""
    rehearsal = play("ontario", "AS 6D KH")

    assert (dealer_cards(rehearsal), returned(rehearsal)) == (("6D",), [("main", 400, 1000)])


def test_blackjack_against_a_ten_needs_one_dealer_card():
    """Decision 6: the second card is taken, and no more is drawn, when only blackjacks are open."""
    rehearsal = play("ontario", "AS TD KH 6C")

    assert (dealer_cards(rehearsal), returned(rehearsal)) == (("TD", "6C"), [("main", 400, 1000)])


def test_insurance_on_a_bust_hand_needs_one_dealer_card():
    """Decision 6: the second card is taken, and no more is drawn, when only insurance is open."""
    rehearsal = play("ontario", "TS AD 9H 5C 2C", "insure", "hit")

    assert (dealer_cards(rehearsal), returned(rehearsal)) == (("AD", "2C"), [("insurance", 200, 0), ("main", 400, 0)])


def test_live_hole_card_is_always_turned():
    """Decision 6, LV-4.4: turned when the round ends; no draw when only busts are left."""
    rehearsal = play("live", "TS 6D 9H TC 5C", "hit")

    assert dealer_cards(rehearsal) == ("6D", "TC")


def test_live_dealer_draws_nothing_against_a_blackjack():
    """LV-4.4, decision 6: no open hand can be affected."""
    rehearsal = play("live", "AS 6D KH TC")

    assert (dealer_cards(rehearsal), returned(rehearsal)) == (("6D", "TC"), [("main", 400, 1000)])


def test_live_does_not_look_under_a_ten():
    """LV-3.8: the hole card is seen by nobody until the players are done, unless the up card is an ace."""
    rehearsal = play("live", "TS TD 9H AC", "stand")

    assert ("PeekCalled" in names(rehearsal), returned(rehearsal)) == (False, [("main", 400, 0)])


@pytest.mark.parametrize(
    ("book", "shoe", "lines"),
    [
        ("ontario", "5S TD 6H 9C AC", [("main", 400, 0), ("double", 400, 0)]),
        ("live", "5S TD 6H AC 9C", [("main", 400, 0), ("double", 400, 400)]),
        ("floor", "5S TD 6H 9C AC", [("main", 400, 0), ("double", 400, 400)]),
    ],
)
def test_dealer_blackjack_against_a_double(book, shoe, lines):
    """ON-8.2, LV-2.6, decision 3: all in Ontario, the original only elsewhere."""
    assert returned(play(book, shoe, "double")) == lines


@pytest.mark.parametrize(
    ("book", "shoe", "lines"),
    [
        ("ontario", "8S TD 8H TC TS AC", [("main", 400, 0), ("split", 400, 0)]),
        ("live", "8S TD 8H AC TC TS", [("main", 400, 0), ("split", 400, 0)]),
        ("floor", "8S TD 8H TC TS AC", [("main", 400, 0), ("split", 400, 400)]),
    ],
)
def test_dealer_blackjack_against_a_split(book, shoe, lines):
    """ON-9.5, decisions 3 and 4: the wagers of the other hands go back on the floor alone."""
    assert returned(play(book, shoe, "split", "stand", "stand")) == lines


def test_busted_split_hand_is_not_spared():
    """Decisions 1 and 4: a hand that busted has lost before the dealer's blackjack is shown."""
    rehearsal = play("floor", "8S TD 8H TC 6S TH AC", "split", "stand", "hit")

    assert returned(rehearsal) == [("main", 400, 0), ("split", 400, 0)]


def test_busted_double_is_not_spared():
    """Decision 1: "original only" returns nothing to a hand that busted."""
    rehearsal = play("live", "TS TD 6H AC 9C", "double")

    assert returned(rehearsal) == [("main", 400, 0), ("double", 400, 0)]


def test_dealer_blackjack_beats_twenty_one():
    """ON-3.1, LV-2.2: a 21 of more cards loses to a blackjack."""
    assert results(play("live", "TS TD 5H AC 6C", "hit")) == [(1, 1, "lose")]


def test_two_blackjacks_push():
    """LV-2.2, ON-3.7: the stake goes back."""
    assert returned(play("ontario", "AS TD KH AC")) == [("main", 400, 400)]


def test_dealer_bust_pays_who_did_not():
    """ON-3.1, LV-2.1.1: the dealer busts and the player did not."""
    rehearsal = play("ontario", "TS TH 6D 2H 9H 5C TC TD", "stand", "hit", bets=(("ann", 1, 400), ("ben", 2, 400)))

    assert results(rehearsal) == [(1, 1, "win"), (2, 1, "bust")]


def test_hole_card_must_be_the_one_that_was_dealt():
    """Log page, secrets: a card that contradicts the log breaks an assertion, and the round waits for a person."""
    rehearsal = begun("live", "TS 6D 9H TC")
    rehearsal.ask(lambda _: Choice("stand"))

    with pytest.raises(AssertionError, match="hole card"):
        given(ROUND, *rehearsal.events).when(TurnHole(index=9, card="TC"))


def test_hole_card_turned_twice_changes_nothing():
    """Log page, ids: what is done is followed by nothing."""
    rehearsal = then_say(begun("live", "TS 6D 9H TC 4H 5H"), "stand")

    given(ROUND, *rehearsal.events).when(TurnHole(index=3, card="TC")).then()
