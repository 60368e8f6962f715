"""What the demonstration's clients decide."""

import pytest

from feltlog.styles import STYLES, Turn, basic, cautious, doubler, dreamer, splitter

FIRST_TWO = ("hit", "stand", "double")


def turn(cards: str, dealer: str, options: tuple[str, ...] = FIRST_TWO, number: int = 1) -> Turn:
    """Return what a player sees."""
    held = tuple(cards.split())
    return Turn(cards=held, dealer=dealer, options=options, number=number)


def pair(cards: str, dealer: str) -> Turn:
    """Return what a player with a pair sees."""
    return turn(cards, dealer, options=(*FIRST_TWO, "split"))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (turn("TH 6C", "7S"), "hit"),
        (turn("TH 6C", "6S"), "stand"),
        (turn("TH 2C", "3S"), "hit"),
        (turn("6H 5C", "AS"), "double"),
        (turn("AH 7C", "9S"), "hit"),
        (turn("AH 7C", "2S"), "stand"),
        (pair("9H 9C", "7S"), "stand"),
        (pair("AH AC", "TS"), "split"),
        (pair("5H 5C", "6S"), "double"),
        (pair("TH KC", "6S"), "stand"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value.cards) + " against " + value.dealer,
)
def test_basic_strategy_is_the_usual_table(seen, expected):
    """Some well known squares of the table for several decks."""

    assert expected == basic(seen)


@pytest.mark.parametrize("decide", [basic, cautious, doubler, splitter], ids=lambda decide: decide.__name__)
def test_a_style_that_may_only_stand_stands(decide):
    """Split aces that may not be drawn to leave nothing but to stand."""

    assert decide(turn("AH 4C", "9S", options=("stand",))) == "stand"


def test_dreamer_says_nothing_at_every_fifth_decision():
    """So a clock runs out now and then."""

    assert [dreamer(turn("TH 9C", "6S", number=number)) for number in range(1, 6)] == ["stand"] * 4 + [""]


def test_seven_clients_sit_at_three_tables():
    """Each client of the evening has a name of its own, and no table stays empty."""

    assert (len({style.name for style in STYLES}), {style.table for style in STYLES}) == (7, {"T1", "T2", "T3"})
