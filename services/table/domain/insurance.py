"""Insurance and even money: one answer for each main wager while the dealer shows an ace (ON-7, LV-2.5, decisions 12 to 14)."""

from services.table.domain import dealer
from services.table.domain.course import Course
from services.table.domain.evolve import place_of
from services.table.domain.playing import next_hand
from services.table.domain.settlement import pay_even_money
from services.table.domain.stakes import check_grid, in_words, unit_minor
from services.table.domain.state import Insurance, Playing, Wager
from shared.contracts.dealing import TakePeek
from shared.contracts.decisions import (
    CloseInsurance,
    DeclineInsurance,
    EvenMoneyTaken,
    HandCompleted,
    InsuranceClosed,
    InsuranceDeclined,
    InsuranceOpened,
    Insure,
    TakeEvenMoney,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import RoundEvent
from shared.contracts.wagers import WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused
from shared.kernel.messages import Envelope


def after_deal(course: Course) -> None:
    """Offer insurance under an ace, else begin with the first decision (ON-7.1, ON-7.2, LV-2.5.2)."""
    playing = course.playing
    if playing.dealer.ace and playing.wagers:
        course.add(InsuranceOpened(until_ms=course.at_ms + playing.opened.settings.decision_ms))
    else:
        next_hand(course)


def bounds(wager: Wager, playing: Playing) -> tuple[int, int]:
    """Return the least and the most that a main wager may be insured for; the most is 0 where it cannot be (decision 12)."""
    rules = playing.opened.profile.insurance
    unit = unit_minor(playing.opened.profile, playing.opened.settings.currency)
    match rules.amount:
        case "exactly_half":
            assert wager.stake_minor % 2 == 0, "a stake whose half is not whole was refused"
            return wager.stake_minor // 2, wager.stake_minor // 2
        case "up_to_half":
            return unit, wager.stake_minor // (2 * unit) * unit
        case "up_to_half_rounded_up":
            return unit, -(-wager.stake_minor // (2 * unit)) * unit


def insure(command: Insure, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return the pending insurance of a main wager."""
    wager, insurance = _offered(command, playing, envelope)
    least, most = bounds(wager, playing)
    if wager.id in insurance.barred or most < least:
        raise refused(Reason.NOT_ALLOWED)
    settings = playing.opened.settings
    stake_minor = most if command.stake_minor is None else command.stake_minor
    if stake_minor < least:
        raise refused(Reason.BELOW_MINIMUM, in_words(least, settings.currency))
    if stake_minor > most:
        raise refused(Reason.ABOVE_MAXIMUM, in_words(most, settings.currency))
    check_grid(stake_minor, unit_minor(playing.opened.profile, settings.currency), settings.currency)
    return [
        WagerPlaced(
            wager=envelope.id,
            player=wager.player,
            box=wager.box,
            hand=1,
            kind="insurance",
            stake_minor=stake_minor,
            currency=settings.currency,
            reserve_by_ms=envelope.at_ms + settings.reserve_ms,
            promotional=playing.opened.profile.promotional,
        )
    ]


def decline(command: DeclineInsurance, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that a main wager goes without insurance, and what follows."""
    wager, _ = _offered(command, playing, envelope)
    course = Course(playing, envelope.at_ms)
    course.add(InsuranceDeclined(wager=wager.id))
    go_on(course)
    return course


def take_even_money(command: TakeEvenMoney, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that a blackjack is paid one to one at once and leaves the round (ON-7.5, decision 13)."""
    wager, _ = _offered(command, playing, envelope)
    if not may_take_even_money(wager.box, playing):
        raise refused(Reason.NOT_ALLOWED)
    course = Course(playing, envelope.at_ms)
    course.add(EvenMoneyTaken(wager=wager.id))
    if not _others(wager, playing):
        course.add(HandCompleted(box=wager.box, hand=1, how="even_money"))
    pay_even_money(course, wager)
    go_on(course)
    return course


def _others(wager: Wager, playing: Playing) -> bool:
    """Whether other main wagers play for the same hand."""
    return any(other.box == wager.box and other.kind == "main" and other.id != wager.id for other in playing.wagers)


def may_take_even_money(box: int, playing: Playing) -> bool:
    """Return whether the hand on this box may be paid one to one at once."""
    return playing.opened.profile.insurance.even_money and playing.hands[place_of(playing.hands, box, 1)].is_blackjack


def options(main: Wager, playing: Playing, insurance: Insurance) -> tuple[str, ...]:
    """Return which answers a main wager may still have, in the order insure, decline, even_money (LV-0.3)."""
    if main.id in insurance.answered:
        return ()
    least, most = bounds(main, playing)
    found = ["insure"] if main.id not in insurance.barred and least <= most else []
    found.append("decline")
    if may_take_even_money(main.box, playing):
        found.append("even_money")
    return tuple(found)


def _offered(command: Insure | DeclineInsurance | TakeEvenMoney, playing: Playing, envelope: Envelope) -> tuple[Wager, Insurance]:
    """Return the asker's main wager on a box and the offer; raise `Refused` unless its answer is still open."""
    box, insurance, asker = command.box, playing.awaiting, envelope.actor.id
    if command.round != playing.opened.round:
        raise refused(Reason.UNKNOWN_ROUND)
    if not isinstance(insurance, Insurance) or insurance.closed or envelope.received_at_ms > insurance.until_ms:
        raise refused(Reason.INSURANCE_CLOSED)
    for wager in playing.wagers:
        if wager.box == box and wager.kind == "main" and wager.player == asker:
            if wager.id in insurance.answered:
                raise refused(Reason.ALREADY_ANSWERED)
            return wager, insurance
    took_even_money = any(line.box == box and line.player == asker for line in playing.lines)
    raise refused(Reason.ALREADY_ANSWERED if took_even_money else Reason.NO_SUCH_BOX)


def accept(wager: Wager, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that an insurance is in the round, and what follows."""
    course = Course(playing, envelope.at_ms)
    course.add(WagerAccepted(wager=wager.id))
    go_on(course)
    return course


def drop(gone: WagerRefused | WagerLapsed, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that an insurance is not paid for: as long as the offer stands the wager may have another answer."""
    course = Course(playing, envelope.at_ms)
    course.add(gone)
    go_on(course)
    return course


def close(_: CloseInsurance, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the window's time is over: whoever did not answer has no insurance (decision 14)."""
    insurance = playing.awaiting
    if not isinstance(insurance, Insurance) or insurance.closed:
        return []
    if envelope.at_ms < insurance.until_ms:
        raise refused(Reason.TOO_EARLY)
    course = Course(playing, envelope.at_ms)
    course.add(InsuranceClosed())
    go_on(course)
    return course


def take_peek(command: TakePeek, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return what the look at the hole card said, and what follows: the end, or the first decision (LV-3.8)."""
    course = dealer.take_peek(command, playing, envelope)
    if course is None:
        return []
    if not command.blackjack:
        next_hand(course)
    return course


def go_on(course: Course) -> None:
    """Close an offer that everybody answered; once it is closed and every wallet has answered, look or play on."""
    playing = course.playing
    insurance = playing.awaiting
    if isinstance(insurance, Insurance):
        if playing.pending:
            return
        if not insurance.closed:
            if any(wager.kind == "main" and wager.id not in insurance.answered for wager in playing.wagers):
                return
            course.add(InsuranceClosed())
    if playing.opened.profile.dealer.peeks_under_ace:
        dealer.call_peek(course)
    else:
        next_hand(course)
