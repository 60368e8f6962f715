"""Whole rounds of the plain game, from cards and choices to the lines of money."""

import pytest

from tests.rounds import names, play, returned, settled


@pytest.mark.parametrize(
    ("book", "shoe", "words", "lines"),
    [
        ("ontario", "TS 6H 9D TC 7D", ("stand",), [("main", 400, 800)]),
        ("live", "TS 6H 9D TC TD", ("stand",), [("main", 400, 800)]),
        ("ontario", "TS 9H 6D 5S TD", ("hit",), [("main", 400, 800)]),
        ("live", "TS 9H 6D TD KH", ("hit",), [("main", 400, 0)]),
        ("ontario", "5S 6H 6D TH TC 5H", ("double",), [("main", 400, 400), ("double", 400, 400)]),
        ("live", "AS 6H KD TC", (), [("main", 400, 1000)]),
        ("ontario", "AS TH KD AC", (), [("main", 400, 400)]),
    ],
)
def test_round_settles_by_the_book(book, shoe, words, lines):
    """ON-3.1, LV-2.1.1, LV-2.2: higher totals win, ties push, a bust loses, a blackjack pays three to two."""
    assert returned(play(book, shoe, *words)) == lines


def test_round_tells_what_happened_in_order():
    """ON-6.3, ON-6.4: wager, cards, decision, dealer, outcome, money, end."""
    rehearsal = play("ontario", "TS 6H 9D TC 7D", "stand")

    assert names(rehearsal) == [
        "RoundOpened",
        "WagerPlaced",
        "WagerAccepted",
        "BettingClosed",
        "CardsCalled",
        "CardDealt",
        "CardDealt",
        "CardDealt",
        "DecisionAwaited",
        "HandCompleted",
        "CardsCalled",
        "CardDealt",
        "CardsCalled",
        "CardDealt",
        "HandsDecided",
        "WagersSettled",
        "CardsPickedUp",
        "RoundSettled",
    ]


def test_round_sums_what_was_staked_and_returned():
    """ON-3.5: every accepted wager stands in the round's sums."""
    end = settled(play("ontario", "5S 6H 6D TH TC 5H", "double"))

    assert (end.staked_minor, end.returned_minor) == (800, 800)
