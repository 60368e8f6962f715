"""What a look at hidden cards may say: whether they make a blackjack, and nothing else (LV-1.1)."""

from collections.abc import Sequence

from shared.kernel.cards import POINTS

TEN, ACE = 10, 11


def makes_blackjack(card: str) -> bool:
    """Return whether a hole card makes a blackjack under an ace (LV-1.1)."""
    return POINTS[card] == TEN


def are_blackjack(cards: Sequence[str]) -> bool:
    """Return whether first two cards of a box make a blackjack (LV-1.1)."""
    return sorted(POINTS[card] for card in cards) == [TEN, ACE]
