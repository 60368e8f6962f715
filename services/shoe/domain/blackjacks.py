"""What a look at hidden cards may say: whether they make a blackjack, and nothing else (LV-1.1)."""

from collections.abc import Sequence

from shared.contracts.shoe import CardsExposed, ExposeCards
from shared.kernel.cards import POINTS

TEN, ACE = 10, 11


def makes_blackjack(card: str) -> bool:
    """Return whether a hole card makes a blackjack under an ace (LV-1.1)."""
    return POINTS[card] == TEN


def are_blackjack(cards: Sequence[str]) -> bool:
    """Return whether first two cards of a box make a blackjack (LV-1.1)."""
    return sorted(POINTS[card] for card in cards) == [TEN, ACE]


def check_told(card: str, told: bool | None) -> None:
    """Break an assertion if a hole card is not what a look at it said, where somebody has looked."""
    assert told is None or told == makes_blackjack(card), "the look at the hole card must tell what it is"


def exposed(command: ExposeCards) -> CardsExposed:
    """Return what is open of the hands that are named, all of them or the blackjacks alone (FL-3.5); nothing is proved here."""
    opened = {opening.index: opening for opening in command.openings}
    closed = tuple(hand for hand in command.hands if not any(index in opened for index in hand.indices))
    assert command.blackjacks_only or not closed, "every card that is named is opened"
    wanted = [index for hand in command.hands if hand not in closed for index in hand.indices]
    assert [opening.index for opening in command.openings] == wanted, f"cards {wanted} are opened, in this order"
    for hand in command.hands:
        cards = [opened[index].card for index in hand.indices if index in opened]
        assert not command.blackjacks_only or not cards or are_blackjack(cards), "of all others nothing is opened after the deal"
    return CardsExposed(round=command.round, openings=command.openings, closed=closed)
