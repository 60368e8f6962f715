"""The round: from the first wager to the last settlement.

Pure: cards, the wallet's answers and time arrive in commands.  People are judged by when their command came in, clocks by
when they are decided.  A refused request for money at risk is written down, because a dispute could turn on it.
"""

from typing import assert_never

from services.table.domain import betting, dealer, dealing, insurance, playing
from services.table.domain.course import Course
from services.table.domain.evolve import evolve, named
from services.table.domain.settlement import give_back
from services.table.domain.state import Betting, Decision, Insurance, Over, Playing, Round, Running, Unopened
from shared.contracts.refusals import Reason, refused
from shared.contracts.table import (
    SEMANTICS,
    AcceptWager,
    ChangeShoe,
    ClockExtended,
    CloseBetting,
    CloseInsurance,
    CommandRefused,
    DealCards,
    DeclineInsurance,
    Double,
    ExtendClock,
    Hit,
    Insure,
    LapseWagers,
    OpenRound,
    PlaceWager,
    RefuseWager,
    RoundCommand,
    RoundEvent,
    RoundOpened,
    Split,
    Stand,
    TakeEvenMoney,
    TakePeek,
    TimeOutDecision,
    TimeOutReserve,
    TurnHole,
    VoidRound,
    WagerLapsed,
    WagerRefused,
)
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope, Refused, Role

REFUSALS_MAX = 16
"""Refused requests for money at risk, by the rules or the wallet, after which a player has to wait for the next round."""

AT_STAKE = (PlaceWager, Double, Split, Insure)
"""What puts money at risk."""
PLAYERS = frozenset[type]((*AT_STAKE, Hit, Stand, DeclineInsurance, TakeEvenMoney))
STAFF = frozenset[type]((CloseBetting, VoidRound))


def decide(command: RoundCommand, round_: Round, envelope: Envelope) -> list[RoundEvent]:
    """Return what follows from `command`; raise `Refused` if the rules forbid it.

    What the house says to itself and finds already done, or too late to matter, is followed by nothing.
    """
    _check_role(command, envelope.actor.role)
    if isinstance(round_, Unopened):
        if isinstance(command, OpenRound):
            return [_open(command, envelope)]
        raise refused(Reason.UNKNOWN_ROUND)
    if isinstance(round_, Over):
        if envelope.actor.role == "house":
            return []
        raise refused(Reason.ROUND_OVER)
    if isinstance(command, AT_STAKE):
        return _decide_at_stake(command, round_, envelope)
    return _decide(command, round_, envelope)


def _check_role(command: RoundCommand, role: Role) -> None:
    """Players speak for players, the dealer ends betting and a supervisor a round, all else is the house's own."""
    kind = type(command)
    if (kind in PLAYERS) != (role == "player") or (role == "staff" and kind not in STAFF):
        raise refused(Reason.NOT_ALLOWED_FOR_ROLE)


def _decide_at_stake(command: PlaceWager | Double | Split | Insure, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return what follows from a request for money at risk, be it that it is refused; after many refusals nothing does."""
    player = envelope.actor.id
    if round_.refusals.get(player, 0) >= REFUSALS_MAX:
        raise refused(Reason.TOO_MANY_REFUSALS)
    try:
        return _decide(command, round_, envelope)
    except Refused as why:
        return [CommandRefused(code=why.code, message=why.message, player=player)]


def _open(command: OpenRound, envelope: Envelope) -> RoundEvent:
    return RoundOpened(
        round=command.round,
        number=command.number,
        table=command.table,
        day=command.day,
        semantics=SEMANTICS,
        profile=command.profile,
        settings=command.settings,
        shoe=command.shoe,
        root=command.root,
        betting_until_ms=envelope.at_ms + command.settings.betting_window_ms,
    )


def _decide(command: RoundCommand, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    match command:
        case AcceptWager() | RefuseWager() | TimeOutReserve():
            return _answer(command, round_, envelope)
        case VoidRound():
            course = Course(round_, envelope.at_ms)
            give_back(course, command.reason)
            return course.events
        case OpenRound():
            return []
        case _ if isinstance(round_, Betting):
            return _decide_betting(command, round_, envelope)
        case _:
            return _decide_playing(command, round_, envelope)


def _decide_betting(command: RoundCommand, round_: Betting, envelope: Envelope) -> list[RoundEvent]:
    match command:
        case PlaceWager():
            return betting.place(command, round_, envelope)
        case CloseBetting():
            return betting.close(command, round_, envelope)
        case LapseWagers():
            return betting.lapse(command, round_, envelope)
        case Hit() | Stand() | Double() | Split():
            raise refused(Reason.NOT_YOUR_TURN)
        case Insure() | DeclineInsurance() | TakeEvenMoney():
            raise refused(Reason.INSURANCE_CLOSED)
        case _:
            return []


def _decide_playing(command: RoundCommand, round_: Playing, envelope: Envelope) -> list[RoundEvent]:
    match command:
        case DealCards():
            return dealing.deal(command, round_, envelope)
        case Stand():
            return playing.stand(command, round_, envelope)
        case Hit():
            return playing.hit(command, round_, envelope)
        case TurnHole():
            return dealer.turn(command, round_, envelope)
        case Double():
            return playing.double(command, round_, envelope)
        case Split():
            return playing.split(command, round_, envelope)
        case Insure():
            return insurance.insure(command, round_, envelope)
        case DeclineInsurance():
            return insurance.decline(command, round_, envelope)
        case TakeEvenMoney():
            return insurance.take_even_money(command, round_, envelope)
        case CloseInsurance():
            return insurance.close(command, round_, envelope)
        case TakePeek():
            return insurance.take_peek(command, round_, envelope)
        case TimeOutDecision():
            return playing.time_out(command, round_, envelope)
        case ExtendClock():
            return _extend(command, round_)
        case ChangeShoe():
            return dealing.change_shoe(command, round_, envelope)
        case PlaceWager():
            raise refused(Reason.BETTING_CLOSED)
        case CloseBetting():
            if envelope.actor.role == "house":
                return []
            raise refused(Reason.BETTING_CLOSED)
        case OpenRound() | LapseWagers() | AcceptWager() | RefuseWager() | TimeOutReserve() | VoidRound():
            return []
        case _:
            assert_never(command)


def _answer(command: AcceptWager | RefuseWager | TimeOutReserve, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return what follows from the wallet's answer, or from its silence; nothing if the wager is not pending any more."""
    wager = named(round_.pending, command.wager)
    if wager is None:
        return []
    if isinstance(command, AcceptWager):
        if isinstance(round_, Betting):
            return betting.accept(wager, round_, envelope)
        if wager.kind == "insurance":
            return insurance.accept(wager, round_, envelope)
        return playing.accept(wager, round_, envelope)
    if isinstance(round_, Betting):
        if isinstance(command, TimeOutReserve):
            return []
        return betting.refuse(wager, command.code, command.message, round_, envelope)
    if isinstance(command, TimeOutReserve) and envelope.at_ms < wager.reserve_by_ms:
        raise refused(Reason.TOO_EARLY)
    gone = (
        WagerRefused(wager=wager.id, code=command.code, message=command.message)
        if isinstance(command, RefuseWager)
        else WagerLapsed(wager=wager.id)
    )
    if wager.kind == "insurance":
        return insurance.drop(gone, round_, envelope)
    return playing.reopen(gone, wager, round_, envelope)


def _extend(command: ExtendClock, round_: Playing) -> list[RoundEvent]:
    """Return that the awaited player has longer; a clock is never shortened."""
    match round_.awaiting:
        case Decision(until_ms=until_ms) | Insurance(until_ms=until_ms, closed=False) if command.until_ms > until_ms:
            return [ClockExtended(until_ms=command.until_ms, reason=command.reason)]
        case _:
            return []


ROUND: Decider[Round, RoundCommand, RoundEvent] = Decider(
    name="round",
    initial=Unopened(),
    decide=decide,
    evolve=evolve,
    command_type=RoundCommand,
    event_type=RoundEvent,
)
"""The round's decider; its streams are `log.table.<day>.<table>.round.<number>`."""
