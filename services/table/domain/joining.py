"""Joining: the others on a box answer a double or a split of whoever decides for it (decision 16).

Each puts up the own wager on the hand once more, or goes without; the card is drawn when all have answered.  Who has no
money, or says nothing, does not join, and stops nobody else (decision 17).
"""

from services.table.domain.course import Course
from services.table.domain.state import Joining, Playing, Wager
from shared.contracts.decisions import (
    CloseJoining,
    Double,
    HandDoubled,
    HandSplit,
    JoiningClosed,
    JoiningDeclined,
    JoiningOpened,
    Split,
    Stand,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import RoundEvent
from shared.contracts.wagers import Kind, WagerLapsed, WagerPlaced, WagerRefused
from shared.kernel.messages import Envelope


def is_asked(command: Stand | Double | Split, playing: Playing, envelope: Envelope) -> bool:
    """Return whether a command is the answer of somebody who is asked to join; raise `Refused` if it comes too late."""
    asked = playing.awaiting
    if type(asked) is not Joining or (command.box, command.hand) != (asked.box, asked.hand):
        return False
    if command.round != playing.opened.round or envelope.actor.id not in asked.waiting:
        return False
    if envelope.received_at_ms > asked.until_ms:
        raise refused(Reason.TOO_LATE)
    return True


def own_stake_minor(command: Double | Split, playing: Playing, envelope: Envelope) -> int:
    """Return what a player has on the hand; raise `Refused` for another word than the one that was asked about."""
    asked = _asked(playing)
    if (asked.kind == "double") != isinstance(command, Double):
        raise refused(Reason.NOT_ALLOWED)
    return next(wager.stake_minor for wager in _on_hand(asked.box, asked.hand, playing) if wager.player == envelope.actor.id)


def join(kind: Kind, stake_minor: int, playing: Playing, envelope: Envelope) -> RoundEvent:
    """Return the pending wager of a player who joins."""
    asked, settings = _asked(playing), playing.opened.settings
    return WagerPlaced(
        wager=envelope.id,
        player=envelope.actor.id,
        box=asked.box,
        hand=asked.hand,
        kind=kind,
        stake_minor=stake_minor,
        currency=settings.currency,
        reserve_by_ms=envelope.at_ms + settings.reserve_ms,
        promotional=playing.opened.profile.promotional,
    )


def decline(playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that a player does not join, and what follows."""
    course = Course(playing, envelope.at_ms)
    course.add(JoiningDeclined(player=envelope.actor.id))
    _take_effect(course)
    return course


def drop(gone: WagerRefused | WagerLapsed, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that a player who wanted to join is not paid for, and what follows."""
    course = Course(playing, envelope.at_ms)
    course.add(gone)
    _take_effect(course)
    return course


def close(command: CloseJoining, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the time to join is over: whoever did not answer goes without."""
    asked = playing.awaiting
    if not isinstance(asked, Joining) or asked.wager != command.wager or not asked.waiting:
        return []
    if envelope.at_ms < asked.until_ms:
        raise refused(Reason.TOO_EARLY)
    course = Course(playing, envelope.at_ms)
    course.add(JoiningClosed())
    _take_effect(course)
    return course


def go_on(course: Course, wager: Wager) -> None:
    """Ask the others on the hand once its own double or split is paid for; draw the card when nobody is left to ask."""
    playing = course.playing
    if not isinstance(playing.awaiting, Joining):
        _ask(course, wager)
    else:
        _take_effect(course)


def _ask(course: Course, wager: Wager) -> None:
    playing = course.playing
    players = tuple(other.player for other in _on_hand(wager.box, wager.hand, playing) if other.player != wager.player)
    if not players:
        _draw(course, wager.kind, wager.box, wager.hand, wager.id, ())
        return
    until_ms = course.at_ms + playing.opened.settings.decision_ms
    course.add(JoiningOpened(box=wager.box, hand=wager.hand, kind=wager.kind, wager=wager.id, players=players, until_ms=until_ms))


def _take_effect(course: Course) -> None:
    """Draw the card of a double or split about which everybody has answered, the wallets too."""
    playing = course.playing
    asked = _asked(playing)
    if not asked.waiting and not playing.pending:
        _draw(course, asked.kind, asked.box, asked.hand, asked.wager, asked.joined)


def _draw(course: Course, kind: Kind, box: int, hand: int, wager: str, joined: tuple[str, ...]) -> None:
    event = HandDoubled if kind == "double" else HandSplit
    course.add(event(box=box, hand=hand, wager=wager, joined=joined))
    course.call_cards("up")


def _asked(playing: Playing) -> Joining:
    assert isinstance(playing.awaiting, Joining), "somebody was asked"
    return playing.awaiting


def _on_hand(box: int, hand: int, playing: Playing) -> tuple[Wager, ...]:
    """Return the wagers that play for a hand, in the order in which their players' main wagers lie."""
    on_hand = [wager for wager in playing.wagers if (wager.box, wager.hand) == (box, hand) and wager.kind in ("main", "split")]
    if len(on_hand) < 2:
        return tuple(on_hand)
    # Of a box whose first hand is dead the main wagers have gone back already, in the order in which they lay.
    lying = [line.player for line in playing.lines if line.box == box and line.kind == "main"]
    lying += [wager.player for wager in playing.wagers if wager.box == box and wager.kind == "main"]
    return tuple(sorted(on_hand, key=lambda wager: lying.index(wager.player)))
