"""Exposing: the first two cards of a box that were dealt face down, and when they are turned up (FL-3.5, decision 25).

Their faces are known to the shoe and, through it, to the players of the box; the round knows an index until the shoe opens
it.  A blackjack is turned up at once, a hand that wants a third card or a split before that, everything else at the
settlement.  The dealer's hole card has nothing to do with it.
"""

from collections.abc import Iterable

from services.table.domain.course import Course
from services.table.domain.evolve import place_of
from services.table.domain.hand import HARD_POINTS, Hand
from services.table.domain.state import Cards, Exposure, Playing
from shared.contracts.dealing import DownHand, ExposureCalled, HandExposed, TakeExposure


def lies_face_down(playing: Playing) -> bool:
    """Return whether cards of a box lie face down."""
    return playing.opened.profile.players_cards == "down" and any(hand.down for hand in playing.hands)


def call_blackjacks(course: Course) -> None:
    """Ask the shoe to open the blackjacks after the deal, and tell it who may look at the others."""
    _call(course, course.playing.hands, blackjacks_only=True)


def call_all(course: Course) -> None:
    """Ask the shoe to open whatever lies face down."""
    _call(course, course.playing.hands)


def call_hand(course: Course, hand: Hand, left_ms: int) -> None:
    """Ask the shoe to open one hand, whose player had so much time left."""
    _call(course, (hand,), left_ms=left_ms)


def _call(course: Course, hands: Iterable[Hand], *, blackjacks_only: bool = False, left_ms: int = 0) -> None:
    playing = course.playing
    down = tuple(
        DownHand(
            box=hand.box,
            hand=hand.number,
            indices=hand.down,
            players=tuple(wager.player for wager in playing.wagers if wager.box == hand.box and wager.kind == "main"),
        )
        for hand in hands
        if hand.down
    )
    # Cards lie face down in the round's first shoe alone: what comes from shuffled discards is dealt face up.
    course.add(ExposureCalled(shoe=playing.shoes[0], hands=down, blackjacks_only=blackjacks_only, left_ms=left_ms))


def take(course: Course, command: TakeExposure, exposure: Exposure) -> None:
    """Let the hands be open of which the shoe has opened the cards; what it opens must be what was called."""
    faces = {dealt.index: dealt.card for dealt in command.cards}
    assert command.shoe == course.playing.shoes[0], f"the face-down cards are those of {course.playing.shoes[0]}"
    assert set(faces.values()) <= HARD_POINTS.keys(), "what is opened is a card"
    for hand in course.playing.hands:
        if hand.down and hand.down[0] in faces:
            cards = tuple(faces.pop(index) for index in hand.down)
            course.add(HandExposed(box=hand.box, hand=hand.number, cards=cards, shoe=command.shoe, indices=hand.down))
            opened = course.playing.hands[place_of(course.playing.hands, hand.box, hand.number)]
            if exposure.blackjacks_only:
                assert opened.is_blackjack, "after the deal nothing but blackjacks is opened"
            elif not isinstance(exposure.before, Cards):
                assert not opened.is_blackjack, "the look after the deal must have found every blackjack"
    assert not faces, f"cards {sorted(faces)} do not lie face down"
