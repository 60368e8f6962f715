"""Dealing: the shoe answers a call, and every card comes to rest where it belongs.

One call is outstanding at a time, so a card's place follows from the round alone.  A shoe that runs out inside the round is
followed by its shuffled discards, and the rest of the call comes from there (ON-11.5, decision 20).
"""

from collections.abc import Sequence

from services.table.domain import dealer, exposing, insurance
from services.table.domain import playing as hands
from services.table.domain.course import Course
from services.table.domain.dead import bury
from services.table.domain.evolve import place_of
from services.table.domain.hand import HARD_POINTS
from services.table.domain.order import Place, deal_order
from services.table.domain.settlement import finish, give_back
from services.table.domain.state import SEEN, Cards, Decision, Exposure, Laying, NewShoe, Playing
from shared.contracts.dealing import (
    Astray,
    CardDealt,
    CardDiscarded,
    CardExposed,
    CardsCalled,
    ChangeShoe,
    CuttingCardReached,
    DealCard,
    DealCards,
    DealtCard,
    Face,
    FaceDownCardDealt,
    HoleCardDealt,
    NoteCuttingCard,
    ReshuffleCalled,
    ShoeChanged,
    TakeExposure,
)
from shared.contracts.decisions import ClockResumed
from shared.contracts.rounds import RoundEvent
from shared.kernel.cards import DECK
from shared.kernel.messages import Envelope


def deal(command: DealCards, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return where the cards of the outstanding call came to rest, and what follows; nothing for any other call."""
    awaiting = playing.awaiting
    if not isinstance(awaiting, Cards) or command.call_no != playing.call_no:
        return []
    _check_cards(command, awaiting, playing)
    course = Course(playing, envelope.at_ms)
    places = _places_of_first_deal(playing)
    _lay(command.cards, places or (playing.drawing,), command.shoe, course)
    if command.cutting_card_out and not playing.cutting_card_out:
        course.add(CuttingCardReached(shoe=command.shoe, marker=command.marker))
    _go_on(course, first_deal=bool(places), exhausted=command.exhausted)
    return course


def deal_one(command: DealCard, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return where one card of the outstanding call came to rest, and after its last one what follows."""
    awaiting = playing.awaiting
    if not isinstance(awaiting, Cards) or command.call_no != playing.call_no:
        return []
    assert command.shoe == playing.shoe, f"the round plays from shoe {playing.shoe}, not from {command.shoe}"
    course = Course(playing, envelope.at_ms)
    places = _places_of_first_deal(playing)
    _lay((command.dealt,), places or (playing.drawing,), command.shoe, course)
    if len(awaiting.asked) == 1:
        _go_on(course, first_deal=bool(places), exhausted=False)
    return course


def note_cutting_card(command: NoteCuttingCard, playing: Playing, _: Envelope) -> list[RoundEvent]:
    """Return that the cutting card of a scanned shoe came out: behind a card of this round, so it is that shoe's last (ON-5.7, FL-4.1)."""
    if playing.cutting_card_out or command.shoe != playing.shoe:
        return []
    return [CuttingCardReached(shoe=command.shoe)]


def _lay(cards: Sequence[DealtCard], places: Sequence[Place], shoe: str, course: Course) -> None:
    """Let cards come to rest: those that are nobody's first, then each at its place."""
    awaiting, astray = course.playing.awaiting, course.playing.astray
    assert isinstance(awaiting, Cards), "cards come for a call"
    if astray:
        for dealt, why in zip(cards, astray, strict=False):
            _lay_aside(dealt, why, shoe, course)
        cards = cards[len(astray) :]
    lying: list[Laying] = []
    for dealt, face, (box, hand) in zip(cards, awaiting.faces, places):  # noqa: B905 - where a shoe ends there are fewer cards
        card, index = dealt.card, dealt.index
        if face == "up":
            assert card in HARD_POINTS, f"card {index} was called face up"
            lying.append(CardDealt(box=box, hand=hand, card=card, shoe=shoe, index=index))
            continue
        assert not card, f"card {index} was called face down"
        lying.append(FaceDownCardDealt(box=box, hand=hand, shoe=shoe, index=index) if box else HoleCardDealt(shoe=shoe, index=index))
    course.lay(lying)


def _lay_aside(dealt: DealtCard, astray: Astray, shoe: str, course: Course) -> None:
    """Put a card that is nobody's where it belongs: beside the hands if it is the next one, else into the rack (ON-11.1, ON-11.3)."""
    assert dealt.card in ("", *HARD_POINTS), f"{dealt.card!r} is not a card"
    if astray == "exposed":
        course.add(CardExposed(card=dealt.card, shoe=shoe, index=dealt.index))
    else:
        course.add(CardDiscarded(astray=astray, shoe=shoe, index=dealt.index, card=dealt.card))


def _check_cards(command: DealCards, awaiting: Cards, playing: Playing) -> None:
    """The shoe gives what was called, in order, or less if it is exhausted; anything else is the house's own fault."""
    missing = len(awaiting.asked) - len(command.cards)
    assert command.shoe == playing.shoe, f"the round plays from shoe {playing.shoe}, not from {command.shoe}"
    assert missing >= 0, f"call {playing.call_no} is for {len(awaiting.asked)} cards"
    assert missing == 0 or command.exhausted, "only an exhausted shoe gives less than was called"


def _places_of_first_deal(playing: Playing) -> tuple[Place, ...]:
    """Return where the cards go until everybody has two; nowhere once somebody was asked to decide, or all of them lie there."""
    if playing.decisions:
        return ()
    boxes: tuple[int, ...] = ()
    lying = len(playing.dealer.cards) + (playing.hole is not None)
    for hand in playing.hands:
        boxes += (hand.box,)
        lying += hand.size
    order = deal_order(boxes, playing.missed, hole_card=playing.opened.profile.dealer.hole_card)
    return order[lying:]


def _go_on(course: Course, *, first_deal: bool, exhausted: bool) -> None:
    playing = course.playing
    if type(playing.awaiting) is Cards or playing.astray:
        if exhausted:
            replenish(course)
        else:
            _call_again(course)
    elif playing.interrupted is not None:
        course.add(ClockResumed(until_ms=course.at_ms + playing.interrupted.rest_ms))
    elif first_deal:
        bury(course)
        if exposing.lies_face_down(playing):
            exposing.call_blackjacks(course)
        else:
            insurance.after_deal(course)
    else:
        go_on(course)


def go_on(course: Course) -> None:
    """Ask for what comes next once a card lies where it belongs: the next hand, or the dealer.

    A dealer with two open cards has ended the players' turns, also where a blackjack has left them without one (decision 6).
    """
    if len(course.playing.dealer.cards) < 2:
        hands.next_hand(course)
    else:
        dealer.play(course)


def _call_again(course: Course) -> None:
    """Call for what is missing because cards of the call were nobody's."""
    playing = course.playing
    faces = playing.awaiting.faces if isinstance(playing.awaiting, Cards) else ()
    course.add(CardsCalled(call_no=playing.call_no + 1, shoe=playing.shoe, faces=_owed(playing, faces)))


def _owed(playing: Playing, faces: tuple[Face, ...]) -> tuple[Face, ...]:
    """Return what the shoe is to give: first what is nobody's, then what is still to come to hands."""
    return (*(SEEN[astray] for astray in playing.astray), *faces)


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
    layout = (
        *(card for hand in playing.hands for card in hand.cards),
        *playing.dealer.cards,
        *(exposed.card for exposed in playing.exposed),
    )
    if len(layout) + (playing.hole is not None) >= profile.decks * len(DECK):
        # Every card lies on the layout: there are no discards.
        give_back(course, "no_cards_left")
        return
    # Another whole shoe may have been loaded for the round already, and have ended as well before it gave one.
    none_came = isinstance(playing.awaiting, Cards) and not playing.awaiting.begun and not layout and playing.hole is None
    course.add(
        ReshuffleCalled(
            shoe=playing.shoe,
            next_shoe=f"{playing.shoe}b",
            table=playing.opened.table,
            decks=profile.decks,
            layout=layout,
            hole=None if playing.hole is None else playing.hole.index,
            burns=0 if profile.shoe.device == "shuffling_device" else profile.shoe.burns_after_shuffle,
            device=profile.shoe.device,
            # FL-4.1, decision 21: before the first card of the round all cards are shuffled, and dealt from as long as they last.
            whole=profile.shoe.device == "scanned" and none_came,
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
    faces = _owed(playing, awaiting.faces if awaiting.whole else _still_to_come(awaiting.faces, playing))
    course.add(CardsCalled(call_no=playing.call_no + 1, shoe=command.shoe, faces=faces))
    return course


def _still_to_come(faces: tuple[Face, ...], playing: Playing) -> tuple[Face, ...]:
    """A deal that lay face down when its shoe ended goes on face up; the dealer's hole card, which comes last, stays one."""
    hole = bool(faces) and playing.opened.profile.dealer.hole_card and playing.hole is None and len(playing.dealer.cards) < 2
    boxes = len(faces) - hole
    up: tuple[Face, ...] = ("up",)
    return up * boxes + faces[boxes:]
