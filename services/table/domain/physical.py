"""The physical cards: what lies on the layout, card by card, and what lies there once one that was read wrong is read right.

A scanner may be mistaken, the cards are not: where a reading and a card differ, the card counts.  What is kept of a round is
how its cards came to lie where they are, so that each is found by its place in the shoe and nothing is counted twice.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from services.table.domain.hand import HARD_POINTS, Hand, hand_of, with_card
from services.table.domain.order import DEALER, Place
from services.table.domain.state import Laid
from shared.contracts.dealing import CardDealt, CorrectedCard, HandExposed, HoleCardTurned
from shared.contracts.decisions import HandSplit
from shared.contracts.refusals import Reason, refused
from shared.contracts.rulings import ReadAnew

Anything = TypeVar("Anything")

FIRST_CARDS = 3
"""As many cards of a box as a side bet may look at."""


class Lying(Struct, frozen=True, gc=False):
    """An open card, and its place in its shoe."""

    shoe: str
    index: int
    card: str


def opened_by(event: Laid) -> tuple[Place, tuple[Lying, ...]]:
    """Return the cards that an event laid open, and the hand that they came to."""
    match event:
        case CardDealt():
            return (event.box, event.hand), (Lying(event.shoe, event.index, event.card),)
        case HoleCardTurned():
            return DEALER, (Lying(event.shoe, event.index, event.card),)
        case HandExposed():
            cards = zip(event.indices, event.cards, strict=True)
            return (event.box, event.hand), tuple(Lying(event.shoe, index, card) for index, card in cards)
        case HandSplit():
            return (event.box, event.hand), ()


def layout(laid: Iterable[Laid]) -> dict[Place, list[Lying]]:
    """Return what lies on each hand, in the order in which it was opened there."""
    lying: dict[Place, list[Lying]] = {}
    for event in laid:
        if isinstance(event, HandSplit):
            lying = parted(lying, event)
        else:
            place, cards = opened_by(event)
            lying.setdefault(place, []).extend(cards)
    return lying


def parted(lying: Mapping[Place, list[Anything]], event: HandSplit) -> dict[Place, list[Anything]]:
    """Return what lies on each hand after a split: the second card begins the next hand, and higher numbers of the box move up."""
    after: dict[Place, list[Anything]] = {}
    for (box, hand), cards in lying.items():
        if (box, hand) == (event.box, event.hand):
            after[box, hand], after[box, hand + 1] = cards[:1], cards[1:]
        else:
            after[box, hand + (box == event.box and hand > event.hand)] = cards
    return after


def open_cards(laid: Iterable[Laid]) -> Iterator[Lying]:
    """Give every open card, in the order in which they were opened."""
    for event in laid:
        yield from opened_by(event)[1]


def read_anew(laid: Iterable[Laid], cards: Iterable[CorrectedCard]) -> tuple[Laid, ...]:
    """Return how the cards lie with these ones read right."""
    right = {(card.shoe, card.index): card.card for card in cards}
    return tuple(_read(event, right) for event in laid)


def _read(event: Laid, right: Mapping[tuple[str, int], str]) -> Laid:
    match event:
        case HandSplit():
            return event
        case HandExposed():
            cards = tuple(right.get((event.shoe, index), card) for index, card in zip(event.indices, event.cards, strict=True))
            return replace(event, cards=cards)
        case _:
            return replace(event, card=right.get((event.shoe, event.index), event.card))


def located(laid: Sequence[Laid], cards: Sequence[ReadAnew], *, shoe: str, decks: int) -> tuple[CorrectedCard, ...]:
    """Return where the cards lie that were read wrong, with what was read; raise `Refused` for what cannot be.

    `shoe` is meant where none is named.
    """
    found = {
        (there.shoe, there.index): CorrectedCard(
            shoe=there.shoe, index=there.index, box=box, hand=hand, place=place, read=there.card, card=there.card
        )
        for (box, hand), lying in layout(laid).items()
        for place, there in enumerate(lying, 1)
    }
    corrected = []
    for card in cards:
        there = found.pop((card.shoe or shoe, card.index), None)
        if there is None:
            raise refused(Reason.NO_SUCH_CARD)
        if card.card not in HARD_POINTS:
            raise refused(Reason.IMPOSSIBLE_CARD, f"{card.card} is no card.")
        if card.card == there.read:
            raise refused(Reason.NOTHING_TO_CORRECT)
        corrected.append(replace(there, card=card.card))
    _check_decks(read_anew(laid, corrected), decks)
    return tuple(corrected)


def _check_decks(laid: Iterable[Laid], decks: int) -> None:
    for card, times in Counter(lying.card for lying in open_cards(laid)).items():
        if times > decks:
            raise refused(Reason.IMPOSSIBLE_CARD, f"{card} would lie there {times} times; {decks} decks hold {decks} of them.")


def hands_on(laid: Iterable[Laid], hands: Iterable[Hand]) -> tuple[Hand, ...]:
    """Return the hands with the cards that lie on them; how each was played stays as it was."""
    lying = layout(laid)
    return tuple(_with_cards(hand, lying.get((hand.box, hand.number), ())) for hand in hands)


def _with_cards(hand: Hand, lying: Iterable[Lying]) -> Hand:
    filled = replace(hand, cards=(), hard=0, ace=False)
    for there in lying:
        filled = with_card(filled, there.card)
    return filled


def dealer_on(laid: Iterable[Laid]) -> Hand:
    """Return the dealer's hand with every open card that lies on it."""
    return hand_of(*(there.card for there in layout(laid).get(DEALER, ())))


def first_cards(laid: Iterable[Laid]) -> dict[int, tuple[str, ...]]:
    """Return the first cards of each box, whatever hand they lie on now."""
    firsts: dict[int, tuple[str, ...]] = {}
    for event in laid:
        (box, _), cards = opened_by(event)
        if cards and box:
            firsts[box] = (*firsts.get(box, ()), *(there.card for there in cards))[:FIRST_CARDS]
    return firsts
