"""Decks as counts of ranks, finite or endless, with exact probabilities.

Tens, jacks, queens and kings are one rank here: no rule of the main game tells them apart.
"""

from collections.abc import Iterator
from fractions import Fraction

VALUES = "A23456789T"
Deck = tuple[int, ...]
"""How many cards of each of `VALUES` are left; counts of the endless deck stay as they are."""

ENDLESS: Deck = (1,) * 9 + (4,)


def decks(number: int) -> Deck:
    """Return so many whole decks.

    >>> sum(decks(6))
    312
    """
    return (4 * number,) * 9 + (16 * number,)


def draws(deck: Deck) -> Iterator[tuple[str, Fraction, Deck]]:
    """Yield each card that may come, how likely it is, and the deck after it."""
    total = sum(deck)
    for at, count in enumerate(deck):
        if count:
            rest = deck if deck == ENDLESS else (*deck[:at], count - 1, *deck[at + 1 :])
            yield f"{VALUES[at]}S", Fraction(count, total), rest


def without(deck: Deck, value: str) -> Deck:
    """Return the deck after a card of a value has left it."""
    at = VALUES.index(value)
    assert deck[at] > 0, "only a card that is there can leave"
    return deck if deck == ENDLESS else (*deck[:at], deck[at] - 1, *deck[at + 1 :])
