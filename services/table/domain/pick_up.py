"""The pick-up: in which order the cards of a round leave the layout for the discard rack, and how they are laid out again.

Every book wants hands that can be backed up in a dispute, so the order is part of the round's log.  Both directions end
with the dealer's cards beneath: a book that takes them first picks the others up with them, one that takes them last puts
them under the rest (decision 26).
"""

from collections.abc import Iterable

from msgspec import Struct

from services.table.domain.course import Course
from services.table.domain.hand import Hand
from services.table.domain.order import DEALER, Place
from shared.contracts.table import (
    Astray,
    CardDealt,
    CardDiscarded,
    CardsPickedUp,
    FaceDownCardDealt,
    HandExposed,
    HandSplit,
    HoleCardDealt,
    HoleCardTurned,
    ReshuffleCalled,
    RoundEvent,
)


class Laid(Struct, frozen=True, gc=False):
    """A card as it left the shoe; one that was never turned has no face."""

    shoe: str
    index: int
    card: str = ""


class Racked(Struct, frozen=True, gc=False):
    """A card in the discard rack: `position` counts the cards of this round from the lowest, which is 1."""

    position: int
    box: int
    hand: int
    """0 for a card that was nobody's, on box 0 like the dealer's."""
    laid: Laid
    why: Astray | None = None
    """Why a card was nobody's."""


def pick_up(course: Course) -> None:
    """Write down in which order the cards are picked up, where the book says one and there are any (ON-6.6, LV-3.7)."""
    playing = course.playing
    order = playing.opened.profile.pick_up
    if order == "unrecorded":
        return
    boxes = from_right_to_left(playing.hands)
    dealer = (DEALER,) if playing.dealer.cards else ()
    picked = boxes + dealer if order == "boxes_first" else dealer + boxes
    if picked:
        course.add(CardsPickedUp(hands=picked))


def from_right_to_left(hands: Iterable[Hand]) -> tuple[Place, ...]:
    """Return the hands that have cards, from the dealer's right; of a box that was split the highest number first (ON-9.7)."""
    return tuple(sorted(((hand.box, hand.number) for hand in hands if hand.size), reverse=True))


def rack(events: Iterable[RoundEvent]) -> tuple[Racked, ...]:
    """Return the cards of a round as they lie in the discard rack, the lowest first; nothing if none was picked up.

    A card that was nobody's (burned, or found face up) went there when it left the shoe, so it lies below the hands.
    """
    on: dict[Place, list[Laid]] = {}
    aside: list[CardDiscarded] = []
    for event in events:
        match event:
            case CardDealt():
                on.setdefault((event.box, event.hand), []).append(Laid(event.shoe, event.index, event.card))
            case HoleCardDealt():
                on.setdefault(DEALER, []).append(Laid(event.shoe, event.index))
            case FaceDownCardDealt():
                on.setdefault((event.box, event.hand), []).append(Laid(event.shoe, event.index))
            case HoleCardTurned():
                on[DEALER] = [_turned(laid, event.shoe, {event.index: event.card}) for laid in on[DEALER]]
            case HandExposed():
                faces = dict(zip(event.indices, event.cards, strict=True))
                on[event.box, event.hand] = [_turned(laid, event.shoe, faces) for laid in on[event.box, event.hand]]
            case HandSplit():
                on = _split(on, event)
            case CardDiscarded():
                aside.append(event)
            case ReshuffleCalled():
                # The rack was emptied into the shuffle; only the layout was left out of it (ON-11.5).
                aside.clear()
            case CardsPickedUp():
                return _stacked(aside, event.hands, on)
            case _:
                pass
    return ()


def backed_up(racked: Iterable[Racked]) -> tuple[tuple[Place, tuple[str, ...]], ...]:
    """Return the hands as they come off the top of the rack, each with its cards in the order in which they were dealt.

    Reading backwards meets a hand's last card first; box 1 comes before box 2, and the dealer's hand last.  Cards that were
    nobody's are no hand.
    """
    hands: dict[Place, tuple[str, ...]] = {}
    for each in sorted((each for each in racked if each.why is None), key=lambda each: each.position, reverse=True):
        place = (each.box, each.hand)
        hands[place] = (each.laid.card, *hands.get(place, ()))
    return tuple(hands.items())


def _stacked(aside: list[CardDiscarded], picked: tuple[Place, ...], on: dict[Place, list[Laid]]) -> tuple[Racked, ...]:
    side = [Racked(at, 0, 0, Laid(gone.shoe, gone.index, gone.card), gone.astray) for at, gone in enumerate(aside, start=1)]
    # The dealer's cards lie beneath the others, whether they were picked up first or last.
    stack = sorted(picked, key=lambda place: place != DEALER)
    cards = [(place, laid) for place in stack for laid in on[place]]
    return (*side, *(Racked(at, box, hand, laid) for at, ((box, hand), laid) in enumerate(cards, start=len(side) + 1)))


def _split(on: dict[Place, list[Laid]], event: HandSplit) -> dict[Place, list[Laid]]:
    """The second card begins the next hand, and higher numbers of the box move up."""
    moved = {(box, hand + 1 if box == event.box and hand > event.hand else hand): laid for (box, hand), laid in on.items()}
    first, second = moved[event.box, event.hand]
    return {**moved, (event.box, event.hand): [first], (event.box, event.hand + 1): [second]}


def _turned(laid: Laid, shoe: str, faces: dict[int, str]) -> Laid:
    """Return a card with its face, if it is one of those that were turned up."""
    return Laid(shoe, laid.index, faces[laid.index]) if laid.shoe == shoe and laid.index in faces else laid
