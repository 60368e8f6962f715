"""The round: from the first wager to the last settlement.

Pure: cards, the wallet's answers and time arrive in commands.  People are judged by when their command came in, clocks by
when they are decided.  A refused request for money at risk is written down, because a dispute could turn on it.
"""

from collections.abc import Callable
from typing import Any, get_args

from services.table.domain import betting, correcting, dealer, dealing, insurance, irregularities, joining, playing, side_bets
from services.table.domain.course import Course
from services.table.domain.evolve import evolve, named
from services.table.domain.settlement import give_back
from services.table.domain.state import Betting, Over, Playing, Round, Running, Unopened, Wager, clock
from shared.contracts.dealing import ChangeShoe, DealCard, DealCards, NoteCuttingCard, TakeExposure, TakePeek, TurnHole
from shared.contracts.decisions import (
    ClockExtended,
    CloseInsurance,
    CloseJoining,
    DeclineInsurance,
    Double,
    ExposeHand,
    ExtendClock,
    Hit,
    Insure,
    Split,
    Stand,
    TakeEvenMoney,
    TimeOutDecision,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.restrictions import InForceNoted, NoteInForce
from shared.contracts.rounds import CorrectRound, OpenRound, RoundCommand, RoundEvent, RoundOpened, VoidRound
from shared.contracts.rulings import ApproveRuling, DeclineRuling, ProposeRuling, RulingCommand, WithdrawRuling
from shared.contracts.table import SEMANTICS
from shared.contracts.wagers import (
    AcceptWager,
    CloseBetting,
    CommandRefused,
    LapseWagers,
    PlaceSideBet,
    PlaceWager,
    RefuseWager,
    TimeOutReserve,
    WagerLapsed,
    WagerRefused,
)
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope, Refused, Role

REFUSALS_MAX = 16
"""Refused requests for money at risk, by the rules or the wallet, after which a player has to wait for the next round."""

PLAYERS = (PlaceWager, PlaceSideBet, Double, Split, Insure, ExposeHand, Hit, Stand, DeclineInsurance, TakeEvenMoney)
RULINGS: tuple[type, ...] = get_args(RulingCommand)
COMMANDS: tuple[type, ...] = get_args(RoundCommand)
SPEAKERS: dict[type, tuple[Role, ...]] = {
    **dict.fromkeys(COMMANDS, ("house",)),
    CloseBetting: ("house", "staff"),
    **dict.fromkeys(RULINGS, ("staff",)),
    **dict.fromkeys(PLAYERS, ("player",)),
}
"""Players speak for players, the dealer ends betting, two members of staff make a ruling, all else is the house's own."""

Decide = Callable[[Any, Any, Envelope], list[RoundEvent]]


def decide(command: RoundCommand, round_: Round, envelope: Envelope) -> list[RoundEvent]:
    """Return what follows from `command`; raise `Refused` if the rules forbid it.

    What the house says to itself and finds already done, or too late to matter, is followed by nothing.
    """
    kind = type(command)
    if envelope.actor.role not in SPEAKERS[kind]:
        raise refused(Reason.NOT_ALLOWED_FOR_ROLE)
    events = DECIDED[type(round_)][kind](command, round_, envelope)
    if type(events) is Course:
        while type(events.state) is Playing and events.playing.awaiting is None:
            # A card that lay open was the next one, or a hand that was awaited is dead: nobody else will say what follows.
            dealing.go_on(events)
    return events


def _nothing(_: RoundCommand, __: Round, ___: Envelope) -> list[RoundEvent]:
    return []


def _no(reason: Reason) -> Decide:
    """Refuse, whatever else is the case."""

    def refuse(_: RoundCommand, __: Round, ___: Envelope) -> list[RoundEvent]:
        raise refused(reason)

    return refuse


def _no_to_people(reason: Reason) -> Decide:
    """Refuse people; the house has come too late, and nothing follows."""

    def refuse(_: RoundCommand, __: Round, envelope: Envelope) -> list[RoundEvent]:
        if envelope.actor.role == "house":
            return []
        raise refused(reason)

    return refuse


def _at_stake(decide: Decide) -> Decide:
    """Decide about money at risk: a refusal is written down, until there are so many that nothing is."""

    def decide_at_stake(command: RoundCommand, round_: Running, envelope: Envelope) -> list[RoundEvent]:
        player = envelope.actor.id
        if round_.refusals.get(player, 0) >= REFUSALS_MAX:
            raise refused(Reason.TOO_MANY_REFUSALS)
        try:
            return decide(command, round_, envelope)
        except Refused as why:
            return [CommandRefused(code=why.code, message=why.message, player=player)]

    return decide_at_stake


def _open(command: OpenRound, _: Unopened, envelope: Envelope) -> list[RoundEvent]:
    return [
        RoundOpened(
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
            in_force=command.in_force,
        )
    ]


def _note_in_force(command: NoteInForce, betting: Betting, _: Envelope) -> list[RoundEvent]:
    """Return what holds for the wagers from here on (decision 24)."""
    return [] if command.in_force == betting.in_force else [InForceNoted(in_force=command.in_force)]


def _void(command: VoidRound, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    course = Course(round_, envelope.at_ms)
    give_back(course, command.reason)
    return course


def _accept(command: AcceptWager, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return what follows from the wallet's yes; nothing if the wager is not pending any more."""
    wager = named(round_.pending, command.wager)
    if wager is None:
        return []
    if isinstance(round_, Betting):
        return betting.accept(wager, round_, envelope)
    if wager.kind == "insurance":
        return insurance.accept(wager, round_, envelope)
    return playing.accept(wager, round_, envelope)


def _refuse(command: RefuseWager, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return what follows from the wallet's no; nothing if the wager is not pending any more."""
    wager = named(round_.pending, command.wager)
    if wager is None:
        return []
    if isinstance(round_, Betting):
        return betting.refuse(wager, command.code, command.message, round_, envelope)
    return _go_without(WagerRefused(wager=wager.id, code=command.code, message=command.message), wager, round_, envelope)


def _lapse(command: TimeOutReserve, playing_: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return what follows from the wallet's silence; nothing if the wager is not pending any more."""
    wager = named(playing_.pending, command.wager)
    if wager is None:
        return []
    if envelope.at_ms < wager.reserve_by_ms:
        raise refused(Reason.TOO_EARLY)
    return _go_without(WagerLapsed(wager=wager.id), wager, playing_, envelope)


def _go_without(gone: WagerRefused | WagerLapsed, wager: Wager, playing_: Playing, envelope: Envelope) -> list[RoundEvent]:
    if wager.kind == "insurance":
        return insurance.drop(gone, playing_, envelope)
    return playing.reopen(gone, wager, playing_, envelope)


def _extend(command: ExtendClock, playing_: Playing, _: Envelope) -> list[RoundEvent]:
    """Return that the awaited player has longer; a clock is never shortened."""
    until_ms = clock(playing_.awaiting)
    if until_ms is None or command.until_ms <= until_ms:
        return []
    return [ClockExtended(until_ms=command.until_ms, reason=command.reason)]


_RULED: dict[type, Decide] = {
    ProposeRuling: irregularities.propose,
    ApproveRuling: irregularities.approve,
    DeclineRuling: irregularities.decline,
    WithdrawRuling: irregularities.withdraw,
}
_BETTING: dict[type, Decide] = {
    OpenRound: _nothing,
    PlaceWager: _at_stake(betting.place),
    PlaceSideBet: _at_stake(side_bets.place),
    CloseBetting: betting.close,
    LapseWagers: betting.lapse,
    AcceptWager: _accept,
    RefuseWager: _refuse,
    TimeOutReserve: _nothing,
    VoidRound: _void,
    ExposeHand: _no(Reason.NOT_YOUR_TURN),
    Hit: _no(Reason.NOT_YOUR_TURN),
    Stand: _no(Reason.NOT_YOUR_TURN),
    Double: _at_stake(_no(Reason.NOT_YOUR_TURN)),
    Split: _at_stake(_no(Reason.NOT_YOUR_TURN)),
    TimeOutDecision: _nothing,
    CloseJoining: _nothing,
    Insure: _at_stake(_no(Reason.INSURANCE_CLOSED)),
    DeclineInsurance: _no(Reason.INSURANCE_CLOSED),
    TakeEvenMoney: _no(Reason.INSURANCE_CLOSED),
    CloseInsurance: _nothing,
    DealCards: _nothing,
    TakePeek: _nothing,
    TurnHole: _nothing,
    TakeExposure: _nothing,
    ChangeShoe: _nothing,
    ExtendClock: _nothing,
    DealCard: _nothing,
    **_RULED,
    NoteInForce: _note_in_force,
    NoteCuttingCard: _nothing,
    CorrectRound: _no(Reason.ROUND_NOT_OVER),
}
_PLAYING: dict[type, Decide] = {
    OpenRound: _nothing,
    PlaceWager: _at_stake(_no(Reason.BETTING_CLOSED)),
    PlaceSideBet: _at_stake(_no(Reason.BETTING_CLOSED)),
    CloseBetting: _no_to_people(Reason.BETTING_CLOSED),
    LapseWagers: _nothing,
    AcceptWager: _accept,
    RefuseWager: _refuse,
    TimeOutReserve: _lapse,
    VoidRound: _void,
    ExposeHand: playing.expose,
    Hit: playing.hit,
    Stand: playing.stand,
    Double: _at_stake(playing.double),
    Split: _at_stake(playing.split),
    TimeOutDecision: playing.time_out,
    CloseJoining: joining.close,
    Insure: _at_stake(insurance.insure),
    DeclineInsurance: insurance.decline,
    TakeEvenMoney: insurance.take_even_money,
    CloseInsurance: insurance.close,
    DealCards: dealing.deal,
    TakePeek: insurance.take_peek,
    TurnHole: dealer.turn,
    TakeExposure: dealing.take_exposure,
    ChangeShoe: dealing.change_shoe,
    ExtendClock: _extend,
    DealCard: dealing.deal_one,
    NoteCuttingCard: dealing.note_cutting_card,
    **_RULED,
    NoteInForce: _nothing,
    CorrectRound: _no(Reason.ROUND_NOT_OVER),
}
DECIDED: dict[type, dict[type, Decide]] = {
    Unopened: dict.fromkeys(COMMANDS, _no(Reason.UNKNOWN_ROUND)) | {OpenRound: _open},
    Betting: _BETTING,
    Playing: _PLAYING,
    Over: dict.fromkeys(COMMANDS, _no_to_people(Reason.ROUND_OVER)) | {CorrectRound: correcting.correct},
}
"""What decides about each command, by phase: whoever adds a command says for each phase what it means there."""


ROUND: Decider[Round, RoundCommand, RoundEvent] = Decider(
    name="round",
    initial=Unopened(),
    decide=decide,
    evolve=evolve,
    command_type=RoundCommand,
    event_type=RoundEvent,
)
"""The round's decider; its streams are `log.table.<day>.<table>.round.<number>`."""
