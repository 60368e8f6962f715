"""The hand: cards, what they are worth, and the stake that they play for.

Points are kept as cards come, so that nobody counts the same hand twice.
"""

from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.decisions import HandEnd
from shared.kernel.cards import POINTS

HARD_POINTS = {card: 1 if points == 11 else points for card, points in POINTS.items()}
"""Points of a card, an ace counted one."""


class Hand(Struct, frozen=True, gc=False):
    """Cards played as one.  The dealer's is hand 1 of box 0, nobody's and without a stake."""

    box: int
    number: int
    player: str
    stake_minor: int
    """Of the hand's own wager: the main one, or the one that made the split."""
    cards: tuple[str, ...] = ()
    hard: int = 0
    """Points with every ace counted one."""
    ace: bool = False
    split: bool = False
    doubled: bool = False
    end: HandEnd | None = None
    down: tuple[int, ...] = ()
    """Cards that lie face down, as indices of the round's first shoe; their faces are nowhere (FL-3.5)."""

    @property
    def size(self) -> int:
        """How many cards lie here, open or not."""
        return len(self.cards) + len(self.down)

    @property
    def points(self) -> int:
        """The total, an ace counted eleven unless that exceeds 21 (ON-2.3)."""
        return self.hard + 10 if self.ace and self.hard <= 11 else self.hard

    @property
    def soft(self) -> bool:
        """Whether an ace is counted eleven."""
        return self.ace and self.hard <= 11

    @property
    def is_blackjack(self) -> bool:
        """Whether these are an ace and a ten-value as the first two cards of an unsplit hand (LV-1.1, LV-2.7)."""
        return self.ace and self.hard == 11 and len(self.cards) == 2 and not self.split

    @property
    def is_pair(self) -> bool:
        """Whether these are two cards of equal value; a king with a ten counts (ON-9.1)."""
        return len(self.cards) == 2 and HARD_POINTS[self.cards[0]] == HARD_POINTS[self.cards[1]]

    @property
    def is_split_ace(self) -> bool:
        """Whether the hand began with an ace of a split."""
        return self.split and self.cards[0][0] == "A"

    @property
    def stands_against_dealer(self) -> bool:
        """Whether the dealer's total decides about this hand: neither bust nor blackjack, paid or dead already (decisions 1, 5)."""
        return self.end not in ("bust", "blackjack", "even_money", "dead")


def with_card(hand: Hand, card: str) -> Hand:
    """Return the hand with one card more."""
    points = HARD_POINTS[card]
    return replace(hand, cards=hand.cards + (card,), hard=hand.hard + points, ace=hand.ace or points == 1)


def face_down(hand: Hand, index: int) -> Hand:
    """Return the hand with one card more that lies face down."""
    return replace(hand, down=hand.down + (index,))


def opened(hand: Hand, cards: tuple[str, ...]) -> Hand:
    """Return the hand with what lay face down turned up."""
    hand = replace(hand, down=())
    for card in cards:
        hand = with_card(hand, card)
    return hand


def hand_of(*cards: str, split: bool = False) -> Hand:
    """Return nobody's hand with these cards.

    >>> hand_of("AS", "6D").points, hand_of("AS", "6D").soft
    (17, True)
    """
    hand = Hand(0, 1, "", 0, split=split)
    for card in cards:
        hand = with_card(hand, card)
    return hand
