"""Cards: two letters each, rank and suit, and what a set of them is worth.

A card is a plain text such as `8H` or `TD`: it is what stands in a log, what a pit boss reads, and the fastest thing to compare.
"""

from collections.abc import Sequence

RANKS = "23456789TJQKA"
SUITS = "SHDC"
DECK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards in new-deck order; no jokers (decision 8)."""

POINTS: dict[str, int] = {card: 11 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in DECK}
"""Points of a card, an ace counted eleven (ON-2.3)."""


class BadCard(ValueError):
    """A text that is no card."""


def cards(text: str) -> tuple[str, ...]:
    """Return the cards that a text names, separated by blanks; raise `BadCard` for anything else.

    >>> cards("8H TD")
    ('8H', 'TD')
    """
    found = tuple(text.split())
    for card in found:
        if card not in POINTS:
            raise BadCard(f"{card!r} is not a card: write rank 2-9 T J Q K A and suit S H D C, such as TD")
    return found


def total(hand: Sequence[str]) -> tuple[int, bool]:
    """Return the points of a hand and whether they are soft, that is, with an ace counted eleven (ON-2.3, LV-1.1).

    >>> total(("AS", "6D")), total(("AS", "AH", "9C")), total(("AS", "6D", "TH"))
    ((17, True), (21, True), (17, False))
    """
    points = 0
    aces = 0
    for card in hand:
        value = POINTS[card]
        points += value
        if value == 11:
            aces += 1
    while points > 21 and aces:
        points -= 10
        aces -= 1
    return points, aces > 0
