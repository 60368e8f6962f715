"""The pick-up: in which order the cards of a round leave the layout for the discard rack, and how they are laid out again.

Every book wants hands that can be backed up in a dispute, so the order is part of the round's log.  Both directions end
with the dealer's cards beneath: a book that takes them first picks the others up with them, one that takes them last puts
them under the rest (decision 26).
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from services.table.domain.course import Course
from services.table.domain.hand import Hand
from services.table.domain.order import DEALER, Place
from services.table.domain.physical import parted
from shared.contracts.dealing import (
    Astray,
    CardDealt,
    CardDiscarded,
    CardsCorrected,
    CardsPickedUp,
    FaceDownCardDealt,
    HandExposed,
    HoleCardDealt,
    HoleCardTurned,
    ReshuffleCalled,
)
from shared.contracts.decisions import HandSplit
from shared.contracts.rounds import RoundCorrected, RoundEvent

Mark = tuple[str, int]
"""A card by its shoe and its index there."""


class Racked(Struct, frozen=True, gc=False):
    """A card in the discard rack: `position` counts the cards of this round from the lowest, which is 1."""

    position: int
    box: int
    hand: int
    """0 for a card that was nobody's, on box 0 like the dealer's."""
    card: str
    """Empty if nobody ever saw it."""
    shoe: str
    index: int
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


def from_right_to_left(hands: Sequence[Hand]) -> tuple[Place, ...]:
    """Return the hands that have cards, from the dealer's right; of a box that was split the highest number first (ON-9.7).

    `hands` are in the order of play.
    """
    return tuple([(hand.box, hand.number) for hand in hands[::-1] if hand.cards or hand.down])


def rack(events: Iterable[RoundEvent]) -> tuple[Racked, ...]:
    """Return the cards of a round as they lie in the discard rack, the lowest first; nothing if none was picked up.

    A card that was nobody's (burned, or found face up) went there when it left the shoe, so it lies below the hands.  A card
    that was read wrong has the face that it was corrected to.
    """
    on: dict[Place, list[Mark]] = {}
    faces: dict[Mark, str] = {}
    aside: list[CardDiscarded] = []
    picked: tuple[Place, ...] = ()
    for event in events:
        faces.update(_seen(event))
        match event:
            case CardDealt() | FaceDownCardDealt():
                on.setdefault((event.box, event.hand), []).append((event.shoe, event.index))
            case HoleCardDealt():
                on.setdefault(DEALER, []).append((event.shoe, event.index))
            case HandSplit():
                on = parted(on, event)
            case CardDiscarded():
                aside.append(event)
            case ReshuffleCalled():
                # The rack was emptied into the shuffle; only the layout was left out of it (ON-11.5).
                aside.clear()
            case CardsPickedUp():
                picked = event.hands
            case _:
                pass
    return _stacked(aside, picked, on, faces) if picked else ()


def _seen(event: RoundEvent) -> dict[Mark, str]:
    """Return the faces that an event tells."""
    match event:
        case CardDealt() | HoleCardTurned() | CardDiscarded():
            return {(event.shoe, event.index): event.card}
        case HandExposed():
            return {(event.shoe, index): card for index, card in zip(event.indices, event.cards, strict=True)}
        case CardsCorrected() | RoundCorrected():
            return {(each.shoe, each.index): each.card for each in event.cards}
        case _:
            return {}


def backed_up(racked: Iterable[Racked]) -> tuple[tuple[Place, tuple[str, ...]], ...]:
    """Return the hands as they come off the top of the rack, each with its cards in the order in which they were dealt.

    Reading backwards meets a hand's last card first; box 1 comes before box 2, and the dealer's hand last.  Cards that were
    nobody's are no hand.
    """
    hands: dict[Place, tuple[str, ...]] = {}
    for each in sorted((each for each in racked if each.why is None), key=lambda each: each.position, reverse=True):
        place = (each.box, each.hand)
        hands[place] = (each.card, *hands.get(place, ()))
    return tuple(hands.items())


def _stacked(
    aside: list[CardDiscarded], picked: tuple[Place, ...], on: dict[Place, list[Mark]], faces: dict[Mark, str]
) -> tuple[Racked, ...]:
    # The dealer's cards lie beneath the others, whether they were picked up first or last.
    stack = sorted(picked, key=lambda place: place != DEALER)
    rows: list[tuple[Place, Mark, Astray | None]] = [((0, 0), (gone.shoe, gone.index), gone.astray) for gone in aside]
    rows += [(place, mark, None) for place in stack for mark in on[place]]
    return tuple(
        Racked(position, box, hand, faces.get(mark, ""), *mark, why) for position, ((box, hand), mark, why) in enumerate(rows, start=1)
    )
