"""The composition watch: what each doubt needs, and how seldom chance gives rise to one."""

import random

import pytest

from services.shoe.domain.composition import Doubted, of_emptied, of_opened
from shared.kernel.cards import DECK, cards

SHOES = 300


def doubted(text: str, *, decks: int = 1, without: str = "", former: str = "", opened: int = -1) -> list[Doubted]:
    """Return what is doubted when the last of some cards is opened; `..` is one that is hidden."""
    faces = ["" if word == ".." else word for word in text.split()]
    return list(of_opened(faces, [opened % len(faces)], decks=decks, without=cards(without), former=former.split()))


@pytest.mark.parametrize(
    ("text", "decks", "doubt"),
    [
        ("8H 6D 8H", 1, "card_too_many"),
        ("8H 6D 8H", 2, None),
        ("8H 8H 8H", 2, "card_too_many"),
    ],
)
def test_card_comes_as_often_as_the_decks_have_it(text: str, decks: int, doubt: str | None):
    """One copy more cannot be."""
    assert [each.doubt for each in doubted(text, decks=decks)] == ([doubt] if doubt else [])


def test_card_that_is_left_out_cannot_come():
    """Discards do not hold what lies on the layout."""
    assert doubted("6D 8H", without="8H") == [Doubted("impossible_card", ("8H",), 1)]


@pytest.mark.parametrize(
    ("text", "is_doubted"),
    [
        ("2S 3S 4S 5S 6S 7S", True),
        ("7S 6S 5S 4S 3S 2S", True),
        ("JD QD KD AD 2D 3D", True),
        ("2S 3S 4S 5S 6S", False),
        ("2S 3S 4S 5S 6S 7H", False),
        ("2S 3S 4S 3S 4S 5S", False),
        ("2S 3S 4S .. 6S 7S", False),
        ("2S 4S 6S 8S TS QS", False),
    ],
)
def test_new_deck_order_is_six_of_a_suit_in_one_direction(text: str, is_doubted: bool):
    """Up or down, an ace beside king and two; a card that is hidden breaks it, for nothing may be told of it."""
    assert [each.doubt for each in doubted(text, decks=8)] == ["new_deck_order"] * is_doubted


def test_hidden_card_that_is_opened_later_completes_a_run():
    """What was not known when its neighbours were opened is seen then."""
    assert [each.index for each in doubted("9H 2S 3S 4S 5S 6S 7S", decks=8, opened=3)] == [1]


@pytest.mark.parametrize(
    ("text", "is_doubted"),
    [
        ("8H 6D 5S TD 2C 9H KC 4D", True),
        ("AS 8H 6D 5S TD 2C 9H KC 4D", True),
        ("8H 6D 5S TD 2C 9H KC", False),
        ("8H 6D 5S TD 2C 9H KC 4C", False),
        ("6D 8H 5S TD 2C 9H KC 4D", False),
    ],
)
def test_former_order_is_eight_cards_side_by_side_as_before(text: str, is_doubted: bool):
    """Wherever they lie, for a cut only moves them."""
    former = "QH 8H 6D 5S TD 2C 9H KC 4D 3S"

    assert [each.doubt for each in doubted(text, former=former)] == ["former_order"] * is_doubted


def test_hidden_cards_of_the_shoe_before_say_nothing():
    """Two runs of unseen cards are not the same."""
    hidden = ["", *["8H"] * 3, *[""] * 8]

    assert list(of_opened(["8H"] * 3, [2], decks=8, without=(), former=hidden)) == []


@pytest.mark.parametrize(
    ("faces", "without", "missing"),
    [
        (DECK, (), ()),
        (DECK[1:], (), ("2S",)),
        (("", *DECK[1:]), (), ()),
        (("", *DECK[2:]), (), ("2S", "3S")),
        (DECK[1:], ("2S",), ()),
        (DECK[1:], ("",), ()),
    ],
)
def test_missing_cards_are_those_that_no_unread_one_can_be(faces: tuple[str, ...], without: tuple[str, ...], missing: tuple[str, ...]):
    """Of an empty shoe; what was left out is not missing, whether it could be read or not."""
    assert [each.cards for each in of_emptied(faces, decks=1, without=without)] == ([missing] if missing else [])


def test_shuffled_shoes_are_not_doubted():
    """Three hundred shoes of eight decks, each after the one before: the thresholds promise one doubt in a million shoes or so."""
    chance = random.Random(20261130)
    shoes = [chance.sample(DECK * 8, 416) for _ in range(SHOES)]
    found = [
        each
        for former, shoe in zip([[], *shoes], shoes, strict=False)
        for each in of_opened(shoe, range(416), decks=8, without=(), former=former)
    ]

    assert found == []
