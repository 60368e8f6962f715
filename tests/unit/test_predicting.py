"""Nobody predicts a card from what is published, and whoever could would be noticed here."""

from collections import Counter

import pytest

from services.shoe.domain.shuffle import leaves, order, salts
from shared.contracts.shoe import Opening
from shared.kernel.cards import DECK
from shared.kernel.commitment import Tree
from tests.predicting import Published, score
from tests.shoes import exported

SEED, SHOE = bytes(range(32)), "T7-S1"


def planted(salted: tuple[str, ...], decks: int = 1) -> Published:
    """Return a whole shoe, dealt face up from a cut at 20, whose house salts its cards like this."""
    cards = order(SEED, SHOE, decks)
    tree = Tree(leaves(SHOE, cards, salted))
    places = [(index + 20) % len(cards) for index in range(len(cards))]
    openings = tuple(Opening(index=at, card=cards[place], salt=salted[place], path=tree.path(place)) for at, place in enumerate(places))
    return Published(SHOE, len(cards), Counter(DECK * decks), 20, openings)


@pytest.mark.parametrize("shoe", ["T1-S1", "T1-S2"])
def test_no_card_is_predicted_better_than_by_chance(shoe: str):
    """ADR 0018: everything that is published before a card is dealt says nothing about it."""
    file = exported(shoe)
    assert file.cut_at is not None
    shown = tuple(Opening(index=card.index, card=card.card, salt=card.salt, path=card.path) for card in file.drawn if card.card)

    assert not score(Published(file.shoe, file.cards, Counter(DECK), file.cut_at, shown)).is_better_than_chance


@pytest.mark.parametrize("decks", [1, 2])
def test_no_card_of_a_whole_shoe_is_predicted_better_than_by_chance(decks: int):
    """With the house's salts, down to the last card."""
    assert not score(planted(salts(SEED, SHOE, 52 * decks), decks)).is_better_than_chance


@pytest.mark.parametrize("salt", ["0" * 32, ""])
def test_shoe_without_salts_is_predicted(salt: str):
    """What recognises nothing would prove nothing: half of the cards lie beside one that was dealt before."""
    scored = score(planted((salt,) * 52))

    assert (scored.is_better_than_chance, scored.right > 20) == (True, True)


def test_shoe_with_one_salt_for_all_is_predicted():
    """The first card that is opened gives the salt away."""
    assert score(planted(("ab" * 16,) * 52)).is_better_than_chance
