"""Looks at cards of a scanned shoe that lie face down: at the hole card, when it is turned, and when a box's cards are exposed."""

from msgspec.structs import replace

from services.shoe.domain.blackjacks import check_told, exposed
from services.shoe.domain.scanned_course import Course, face_missing, prove, require
from services.shoe.domain.scanned_state import Look, Scanned, unread
from shared.contracts.shoe import (
    CardTurned,
    ExposeCards,
    HolePeeked,
    PeekHole,
    ShoeEvent,
    TurnCard,
)


def look(command: Look, shoe: Scanned) -> list[ShoeEvent]:
    """Return what a look at cards that lie face down says, or their openings; a card that nobody could read is asked for first."""
    indices = _looked_at(command)
    require(all(shoe.down.get(index) == command.round for index in indices), f"cards {indices} do not lie face down in {command.round}")
    nameless = next((index for index in indices if unread(shoe, index)), None)
    if nameless is not None:
        return [face_missing(shoe, command.round, nameless, replace(command, opening=None) if isinstance(command, TurnCard) else command)]
    assert len(set(indices)) == len(indices), "a card lies in one hand"
    course = Course(shoe)
    match command:
        case PeekHole():
            require(command.index not in shoe.peeked, f"card {command.index} was looked at")
            assert command.blackjack is not None, f"nobody looked at card {command.index}"
            course.add(HolePeeked(round=command.round, index=command.index, blackjack=command.blackjack))
        case TurnCard():
            _turn(command, course)
        case ExposeCards():
            _expose(command, course)
    return course


def _turn(command: TurnCard, course: Course) -> None:
    assert command.opening is not None and command.opening.index == command.index, f"nobody turned card {command.index}"
    prove(command.opening, course.shoe)
    check_told(command.opening.card, course.shoe.peeked.get(command.index))
    course.add(CardTurned(round=command.round, opening=command.opening))


def _expose(command: ExposeCards, course: Course) -> None:
    exposed_now = exposed(command)
    for opening in command.openings:
        prove(opening, course.shoe)
    course.add(exposed_now)


def _looked_at(command: Look) -> tuple[int, ...]:
    if isinstance(command, ExposeCards):
        return tuple(index for hand in command.hands for index in hand.indices)
    return (command.index,)
