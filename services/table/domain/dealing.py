"""Dealing: the shoe answers a call, and every card comes to rest where it belongs.

One call is outstanding at a time, so a card's place follows from the round alone.  A shoe that runs out inside the round is
followed by its shuffled discards, and the rest of the call comes from there (ON-11.5, decision 20).
"""

from services.table.domain import dealer, exposing, insurance
from services.table.domain import playing as hands
from services.table.domain.course import Course
from services.table.domain.evolve import place_of
from services.table.domain.hand import HARD_POINTS
from services.table.domain.settlement import finish, give_back
from services.table.domain.state import Cards, Decision, Exposure, NewShoe, Playing
from shared.contracts.table import (
    CardDealt,
    CardsCalled,
    ChangeShoe,
    CuttingCardReached,
    DealCards,
    Face,
    FaceDownCardDealt,
    HoleCardDealt,
    ReshuffleCalled,
    RoundEvent,
    ShoeChanged,
    TakeExposure,
)
from shared.kernel.messages import Envelope

Place = tuple[int, int]
"""A box and a hand; box 0 is the dealer's."""

DEALER: Place = (0, 1)


def deal(command: DealCards, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return where the cards of the outstanding call came to rest, and what follows; nothing for any other call."""
    awaiting = playing.awaiting
    if not isinstance(awaiting, Cards) or command.call_no != playing.call_no:
        return []
    _check_cards(command, awaiting, playing)
    course = Course(playing, envelope.at_ms)
    first_deal = _is_first_deal(playing)
    places = _places_of_first_deal(playing) if first_deal else (_drawing(playing),)
    for (box, hand), dealt, face in zip(places, command.cards, awaiting.faces, strict=False):
        if face == "up":
            course.add(CardDealt(box=box, hand=hand, card=dealt.card, shoe=command.shoe, index=dealt.index))
        elif (box, hand) != DEALER:
            course.add(FaceDownCardDealt(box=box, hand=hand, shoe=command.shoe, index=dealt.index))
        else:
            course.add(HoleCardDealt(shoe=command.shoe, index=dealt.index))
    if command.cutting_card_out and not playing.cutting_card_out:
        course.add(CuttingCardReached(shoe=command.shoe))
    _go_on(course, first_deal=first_deal)
    return course


def _check_cards(command: DealCards, awaiting: Cards, playing: Playing) -> None:
    """The shoe gives what was called, in order, or less if it is exhausted; anything else is the house's own fault."""
    missing = len(awaiting.faces) - len(command.cards)
    assert command.shoe == playing.shoe, f"the round plays from shoe {playing.shoe}, not from {command.shoe}"
    assert missing >= 0, f"call {playing.call_no} is for {len(awaiting.faces)} cards"
    assert missing == 0 or command.exhausted, "only an exhausted shoe gives less than was called"
    for dealt, face in zip(command.cards, awaiting.faces, strict=False):
        assert (dealt.card in HARD_POINTS) if face == "up" else not dealt.card, f"card {dealt.index} was called face {face}"


def _is_first_deal(playing: Playing) -> bool:
    """Whether not everybody has two cards yet; after the first decision a split hand may have one, and that is no deal."""
    if playing.decisions:
        return False
    return playing.hands[-1].size < 2 or (
        playing.opened.profile.dealer.hole_card and playing.hole is None and len(playing.dealer.cards) < 2
    )


def _places_of_first_deal(playing: Playing) -> tuple[Place, ...]:
    """Return where the cards go that are still to come.

    One to each box, one to the dealer, the second to each box, and where there is a hole card the dealer's second (ON-6.3,
    LV-0.1, LV-3.4, decision 9).
    """
    boxes = [(hand.box, hand.number) for hand in playing.hands]
    order = (*boxes, DEALER, *boxes, DEALER) if playing.opened.profile.dealer.hole_card else (*boxes, DEALER, *boxes)
    return order[sum([hand.size for hand in playing.hands]) + len(playing.dealer.cards) :]


def _drawing(playing: Playing) -> Place:
    """Return whose single card was called: the first hand's that is not complete, else the dealer's."""
    hand = playing.acting
    return DEALER if hand is None else (hand.box, hand.number)


def _go_on(course: Course, *, first_deal: bool) -> None:
    playing = course.playing
    if isinstance(playing.awaiting, Cards):
        replenish(course)
    elif first_deal and exposing.lies_face_down(playing):
        exposing.call_blackjacks(course)
    elif first_deal:
        insurance.after_deal(course)
    elif playing.acting is not None:
        hands.next_hand(course)
    else:
        dealer.play(course)


def replenish(course: Course) -> None:
    """Call for the shuffled discards; the round is void when they have run out as well (ON-11.5, decision 20).

    The cards on the layout are left out of them, so those that lie face down are opened first.
    """
    playing = course.playing
    if len(playing.shoes) > 1:
        give_back(course, "no_cards_left")
        return
    if exposing.lies_face_down(playing):
        exposing.call_all(course)
        return
    profile = playing.opened.profile
    course.add(
        ReshuffleCalled(
            shoe=playing.shoe,
            next_shoe=f"{playing.shoe}b",
            table=playing.opened.table,
            decks=profile.decks,
            layout=tuple(card for hand in playing.hands for card in hand.cards) + playing.dealer.cards,
            hole=None if playing.hole is None else playing.hole.index,
            burns=profile.shoe.burns_after_shuffle,
        )
    )


def take_exposure(command: TakeExposure, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that cards of boxes are open which lay face down, and what the round was waiting for meanwhile (FL-3.5)."""
    exposure = playing.awaiting
    if not isinstance(exposure, Exposure):
        return []
    course = Course(playing, envelope.at_ms)
    exposing.take(course, command, exposure)
    match exposure.before:
        case Cards():
            replenish(course)
        case Decision(box=box, hand=number):
            hands_now = course.playing.hands
            hands.await_decision(course, hands_now[place_of(hands_now, box, number)], exposure.left_ms)
        case None if exposure.blackjacks_only:
            insurance.after_deal(course)
        case None:
            finish(course)
    return course


def change_shoe(command: ChangeShoe, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the round goes on from the shuffled discards, and the call for what is missing."""
    awaiting = playing.awaiting
    if not isinstance(awaiting, NewShoe) or command.shoe != awaiting.shoe:
        return []
    course = Course(playing, envelope.at_ms)
    course.add(ShoeChanged(shoe=command.shoe, root=command.root, cards=command.cards))
    course.add(CardsCalled(call_no=playing.call_no + 1, shoe=command.shoe, faces=_still_to_come(awaiting.faces, playing)))
    return course


def _still_to_come(faces: tuple[Face, ...], playing: Playing) -> tuple[Face, ...]:
    """A deal that lay face down when its shoe ended goes on face up; the dealer's hole card, which comes last, stays one."""
    hole = playing.opened.profile.dealer.hole_card and playing.hole is None and len(playing.dealer.cards) < 2
    boxes = len(faces) - hole
    up: tuple[Face, ...] = ("up",)
    return up * boxes + faces[boxes:]
