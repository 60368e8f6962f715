"""The dealer: the hole card, and drawing by rule once every player's hand is complete (LV-0.7)."""

from services.table.domain import exposing
from services.table.domain.course import Course
from services.table.domain.hand import HARD_POINTS, Hand
from services.table.domain.settlement import finish, settle_insurance
from services.table.domain.state import Peek, Playing, Turn
from shared.contracts.dealing import CardsCalled, Face, HoleCardTurned, PeekCalled, PeekTaken, TakePeek, TurnCalled, TurnHole
from shared.contracts.rounds import RoundEvent
from shared.kernel.messages import Envelope
from shared.kernel.profile import Profile


def must_draw(dealer: Hand, profile: Profile) -> bool:
    """Return whether the dealer draws: to 16, and on a soft 17 as the house chooses (ON-10.2, LV-4.4)."""
    points = dealer.points
    return points < 17 or (points == 17 and dealer.soft and profile.dealer.hits_soft_17)


def play(course: Course) -> None:
    """Take the dealer's next step: turn, draw or settle (ON-6.4, LV-4.4, decision 6)."""
    playing = course.playing
    if playing.hole is not None:
        call_turn(course)
        return
    if len(playing.dealer.cards) == 1:
        if needs_second_card(playing):
            course.call_cards("up")
        else:
            settle(course)
        return
    settle_insurance(course, blackjack=playing.dealer.is_blackjack)
    draws = must_draw(playing.dealer, playing.opened.profile)
    if draws and is_contested(playing):
        course.call_cards("up")
    elif playing.overdrawn and not draws:
        _overdraw(course)
    else:
        settle(course)


def settle(course: Course) -> None:
    """Turn up what still lies face down on the boxes, then settle (decision 25)."""
    if exposing.lies_face_down(course.playing):
        exposing.call_all(course)
    else:
        finish(course)


def _overdraw(course: Course) -> None:
    """Take the card that the dealer draws too much; in the live game three burns follow it (ON-11.4, LV-3.5, decision 22)."""
    playing = course.playing
    faces: tuple[Face, ...] = ("up", "down", "down", "down") if playing.opened.profile.book == "LV" else ("up",)
    course.add(CardsCalled(call_no=playing.call_no + 1, shoe=playing.shoe, faces=faces, astray="overdraw"))


def is_contested(playing: Playing) -> bool:
    """Whether a further card of the dealer can change what a hand gets."""
    for hand in playing.hands:
        if hand.stands_against_dealer:
            return True
    return False


def needs_second_card(playing: Playing) -> bool:
    """Decisions 5 and 6: not when nothing is open, nor for blackjacks that no second card can match."""
    if is_contested(playing):
        return True
    if any(wager.kind == "insurance" for wager in playing.wagers):
        return True
    can_match_blackjack = HARD_POINTS[playing.dealer.cards[0]] in (1, 10)
    return can_match_blackjack and any(hand.end == "blackjack" for hand in playing.hands)


def call_peek(course: Course) -> None:
    """Ask the shoe whether the hole card under the ace makes a blackjack (LV-3.8)."""
    hole = course.playing.hole
    assert hole is not None, "the hole card lies face down"
    course.add(PeekCalled(shoe=hole.shoe, index=hole.index))


def call_turn(course: Course) -> None:
    """Ask the shoe to open the hole card."""
    hole = course.playing.hole
    assert hole is not None, "the hole card lies face down"
    course.add(TurnCalled(shoe=hole.shoe, index=hole.index))


def turn(command: TurnHole, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the hole card is open, and what follows; it must be what the look at it said."""
    hole = playing.hole
    if not isinstance(playing.awaiting, Turn) or hole is None:
        return []
    assert command.index == hole.index, f"the hole card is card {hole.index}"
    assert command.card in HARD_POINTS, f"{command.card!r} is not a card"
    if playing.peeked is not None:
        assert playing.peeked == (HARD_POINTS[command.card] == 10), "the hole card must be what the look at it said"
    course = Course(playing, envelope.at_ms)
    course.add(HoleCardTurned(card=command.card, shoe=hole.shoe, index=hole.index))
    play(course)
    return course


def take_peek(command: TakePeek, playing: Playing, envelope: Envelope) -> Course | None:
    """Return the course after the look at the hole card, insurance settled; None if no look is awaited.

    A blackjack ends the round before any decision (decision 6): the hole card is turned at once.
    """
    if not isinstance(playing.awaiting, Peek):
        return None
    course = Course(playing, envelope.at_ms)
    course.add(PeekTaken(blackjack=command.blackjack))
    settle_insurance(course, blackjack=command.blackjack)
    if command.blackjack:
        call_turn(course)
    return course
