"""The layout: what lies on the felt after each event of a round, as far as somebody who reads along wants to know.

It decides nothing and checks nothing; the referee does that.  It remembers cards, wagers and who plays which box, so
that a story can say "ann has hard 13".
"""

from typing import Any

import msgspec
from msgspec import Struct

from shared.contracts.dealing import CardDealt, CardsCorrected, CorrectedCard, HandExposed, HoleCardDealt, HoleCardTurned
from shared.contracts.decisions import HandSplit
from shared.contracts.rounds import RoundCorrected, RoundOpened
from shared.contracts.rulings import RulingProposed
from shared.contracts.wagers import WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused

Place = tuple[int, int]
"""Box and hand; box 0 is the dealer's."""


class Layout(Struct, frozen=True, kw_only=True):
    """The felt of one round."""

    opened: RoundOpened | None = None
    dealer: tuple[str, ...] = ()
    hole: bool = False
    """A card of the dealer lies face down."""
    hands: dict[Place, tuple[str, ...]] = {}
    wagers: dict[str, WagerPlaced] = {}
    """All that were placed, by id."""
    accepted: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    """Wagers that did not come into the round."""
    proposed: dict[int, RulingProposed] = {}
    """Rulings that were proposed, by number."""
    split: tuple[int, ...] = ()
    """Boxes that were split."""

    @property
    def currency(self) -> str:
        """The round's currency."""
        return self.opened.settings.currency if self.opened else ""

    def players(self, box: int) -> list[str]:
        """Return who has a main wager on a box that was not turned away, in the order in which they came."""
        mains = (wager for wager in self.wagers.values() if wager.kind == "main" and wager.wager not in self.gone)
        return [wager.player for wager in mains if wager.box == box]

    def owner(self, box: int, hand: int) -> str:
        """Return how people call a hand: `ann, box 2` or, once the box is split, `ann, box 2, hand 1`."""
        if box == 0:
            return "The dealer"
        names = " and ".join(self.players(box)) or "nobody"
        return f"{names}, box {box}" + (f", hand {hand}" if box in self.split else "")


def laid(layout: Layout, event: Any) -> Layout:
    """Return the layout after an event of its round."""
    match event:
        case RoundOpened():
            return msgspec.structs.replace(layout, opened=event)
        case WagerPlaced():
            return msgspec.structs.replace(layout, wagers={**layout.wagers, event.wager: event})
        case WagerAccepted():
            return msgspec.structs.replace(layout, accepted=(*layout.accepted, event.wager))
        case WagerRefused() | WagerLapsed():
            return msgspec.structs.replace(layout, gone=(*layout.gone, event.wager))
        case CardDealt(box=0):
            return msgspec.structs.replace(layout, dealer=(*layout.dealer, event.card))
        case CardDealt():
            place = (event.box, event.hand)
            return msgspec.structs.replace(layout, hands={**layout.hands, place: (*layout.hands.get(place, ()), event.card)})
        case HandExposed():
            place = (event.box, event.hand)
            return msgspec.structs.replace(layout, hands={**layout.hands, place: (*layout.hands.get(place, ()), *event.cards)})
        case HoleCardDealt():
            return msgspec.structs.replace(layout, hole=True)
        case HoleCardTurned():
            return msgspec.structs.replace(layout, hole=False, dealer=(*layout.dealer, event.card))
        case HandSplit():
            return msgspec.structs.replace(layout, hands=parted(layout.hands, event), split=(*layout.split, event.box))
        case RulingProposed():
            return msgspec.structs.replace(layout, proposed={**layout.proposed, event.proposal: event})
        case CardsCorrected() | RoundCorrected():
            return read_anew(layout, event.cards)
        case _:
            return layout


def read_anew(layout: Layout, cards: tuple[CorrectedCard, ...]) -> Layout:
    """Return the layout with cards read right; what lies nowhere, because a log may say anything, changes nothing."""
    hands = {(0, 1): layout.dealer, **layout.hands}
    for card in cards:
        lying = hands.get((card.box, card.hand), ())
        hands[card.box, card.hand] = tuple(card.card if at == card.place else there for at, there in enumerate(lying, 1))
    dealer = hands.pop((0, 1))
    return msgspec.structs.replace(layout, dealer=dealer, hands={place: lying for place, lying in hands.items() if place in layout.hands})


def parted(hands: dict[Place, tuple[str, ...]], event: HandSplit) -> dict[Place, tuple[str, ...]]:
    """Return the hands after a split: the new hand stands right behind the old one, and higher numbers move up."""
    after: dict[Place, tuple[str, ...]] = {}
    for (box, hand), cards in hands.items():
        if (box, hand) == (event.box, event.hand):
            after[box, hand], after[box, hand + 1] = cards[:1], cards[1:]
        else:
            after[box, hand + (box == event.box and hand > event.hand)] = cards
    return after
