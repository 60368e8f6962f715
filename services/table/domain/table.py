"""The table: one felt for one gaming day.  It plays round after round and waits for nobody but its shoe and the day's book.

Two rounds without an answer from the ledger stop it.  A table closes, and closes its day, between rounds: with nothing
unanswered and every shoe's order open.
"""

from msgspec.structs import replace

from services.table.domain import finished, procedure, restrictions, shoes, unread
from services.table.domain.coming import extend_reveal, reveal_cut
from services.table.domain.offering import asks, staff_who_cuts
from services.table.domain.restrictions import Restrictions
from services.table.domain.settings import check_settings
from services.table.domain.table_state import Table, evolve
from shared.contracts.asking import ExtendReveal, RefuseCut
from shared.contracts.burns import CardsNote, CardsOrder
from shared.contracts.cutting import CallCut, CutCommand, NoteOrder, RevealCut, SealCut
from shared.contracts.procedure import ProcedureCommand
from shared.contracts.refusals import Reason, refused
from shared.contracts.restrictions import InForce, InForceTold, Restriction
from shared.contracts.rulings import ApproveRuling, DeclineRuling, ProposeRuling, WithdrawRuling
from shared.contracts.subjects import RoundName
from shared.contracts.table import (
    SEMANTICS,
    BookingNoted,
    BookNoted,
    CallRound,
    CloseTable,
    DayClosed,
    DayEnded,
    EndDay,
    MountShoe,
    NoteBook,
    NoteBooking,
    NoteCorrection,
    NoteMissingFace,
    NoteRetirement,
    OpenTable,
    RecordRound,
    RoundCalled,
    RoundRecorded,
    StaffCommand,
    TableClosed,
    TableClosing,
    TableCommand,
    TableEvent,
    TableOpened,
    TellCard,
)
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope

UNBOOKED_MAX = 2
"""Recorded rounds that the ledger may still owe an answer for when the next one is called."""


def decide(command: TableCommand, table: Table, envelope: Envelope) -> list[TableEvent]:
    """Return what follows from `command`; raise `Refused` if the rules forbid it.

    What the house says to itself and finds already done is followed by nothing.
    """
    if not _may_ask(command, envelope):
        raise refused(Reason.NOT_ALLOWED_FOR_ROLE)
    if isinstance(command, OpenTable):
        return _open(command, table, envelope)
    if table.opened is None:
        raise refused(Reason.UNKNOWN_TABLE)
    if table.day_closed:
        if envelope.actor.role == "house":
            return []
        raise refused(Reason.DAY_CLOSED)
    events = _decide(command, table, table.opened, envelope)
    return events + _closing(events, table, table.opened) if events else events


def _may_ask(command: TableCommand, envelope: Envelope) -> bool:
    """Players speak of the cut, staff of the table, its rounds and rulings; everything else the house says to itself."""
    match envelope.actor.role:
        case "player":
            return isinstance(command, CutCommand)
        case "staff":
            return isinstance(command, StaffCommand)
        case "house":
            return not isinstance(command, CutCommand)


def _decide(command: TableCommand, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    match command:
        case CallRound():
            return _call_round(table, opened, envelope)
        case RecordRound():
            return _record(command, table, opened, envelope)
        case NoteBooking(number=0):
            return [BookingNoted(round=command.round)] if command.round in table.unbooked else []
        case NoteBooking():
            return finished.note_booking(command, table)
        case ProposeRuling():
            return finished.propose(command, table, envelope)
        case ApproveRuling():
            return finished.approve(command, table, opened, envelope)
        case DeclineRuling():
            return finished.decline(command, table, opened, envelope)
        case WithdrawRuling():
            return finished.withdraw(command, table, envelope)
        case NoteCorrection():
            return finished.note_correction(command, table)
        case NoteBook():
            return [] if table.book else [BookNoted()]
        case NoteOrder():
            return shoes.note_order(command, table, opened, envelope)
        case SealCut():
            return shoes.take_answer(command, table, opened, envelope)
        case RevealCut():
            return reveal_cut(command, table.coming, envelope.actor.id, staff=staff_who_cuts(opened))
        case RefuseCut():
            if not asks(opened):
                raise refused(Reason.NOT_IN_THIS_BOOK, "nobody at this table is asked to cut.")
            return shoes.take_answer(command, table, opened, envelope)
        case CallCut():
            return shoes.stop_waiting(command, table, opened, envelope)
        case ExtendReveal():
            return extend_reveal(command, table.coming)
        case MountShoe():
            return shoes.mount(command, table, opened)
        case NoteRetirement():
            return shoes.note_retirement(command, table, opened)
        case NoteMissingFace():
            return unread.note_missing_face(command, table)
        case TellCard():
            return unread.tell_card(command, table, envelope)
        case CloseTable():
            if table.phase != "open":
                raise refused(Reason.NOT_OPEN)
            return [TableClosing(), *shoes.put_away(table, "table_closed")]
        case EndDay():
            return _end_day(command, table, opened, envelope)
        case OpenTable():
            return []
        case _ if isinstance(command, CardsOrder):
            return shoes.order_cards(command, table, opened, envelope)
        case _ if isinstance(command, CardsNote):
            return shoes.note_cards(command, table, opened, envelope)
        case _ if isinstance(command, ProcedureCommand):
            return shoes.step(command, table, opened, envelope)
        case _:
            return _rule(command, table, opened, envelope)


def _open(command: OpenTable, table: Table, envelope: Envelope) -> list[TableEvent]:
    """Open the table for its day, or again on the same day; call its first shoe."""
    if table.ended is not None:
        raise refused(Reason.DAY_CLOSED)
    if table.phase != "closed":
        raise refused(Reason.ALREADY_OPEN)
    check_settings(command)
    profile = command.profile
    assert profile is not None, "check_settings asks for a profile"
    if envelope.actor.role == "staff" and envelope.at_ms >= command.day_ends_at_ms:
        # A table that goes on from the day before opens however late it is, and ends the day at once: else it would be lost.
        raise refused(Reason.DAY_CLOSED)
    opened = TableOpened(
        table=command.table,
        day=command.day,
        day_ends_at_ms=command.day_ends_at_ms,
        semantics=SEMANTICS,
        profile=profile,
        settings=command.settings,
        follows=command.follows,
        held=command.held,
        cards=command.cards,
    )
    return [opened, *shoes.call_first(evolve(table, opened), opened)]


def _call_round(table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    why_not = obstacle(table)
    if why_not is None and envelope.at_ms >= opened.day_ends_at_ms:
        why_not = Reason.DAY_CLOSED
    if why_not is None and envelope.actor.role == "house" and envelope.at_ms < table.next_from_ms:
        why_not = Reason.TOO_EARLY
    if why_not is Reason.STEP_MISSING:
        raise shoes.step_missing(table, opened)
    if why_not is not None:
        raise refused(why_not)
    assert table.mounted is not None, "without a shoe there is no round"
    number = table.rounds + 1
    return [
        RoundCalled(
            round=RoundName(opened.table, opened.day, number).id,
            number=number,
            table=opened.table,
            day=opened.day,
            profile=opened.profile,
            settings=opened.settings,
            shoe=table.mounted.shoe,
            root=table.mounted.root,
            in_force=restrictions.in_force(table.ruled) if may_rule(opened) else None,
        )
    ]


def may_rule(opened: TableOpened) -> bool:
    """Return whether the book lets staff rule on who may wager what, or on how cards lie."""
    return opened.profile.restrictions or opened.profile.players_cards == "down"


def _rule(command: Restriction, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return what staff rule, and what a round that is being played is told of it (decision 24)."""
    ruled = restrictions.rule(
        command,
        table.ruled,
        profile=opened.profile,
        boxes=opened.settings.boxes,
        has_shoe=table.mounted is not None,
        actor=envelope.actor,
    )
    told = _to_tell(restrictions.remember(table.ruled, ruled), table)
    if not table.running or told == _to_tell(table.ruled, table):
        return [ruled]
    return [ruled, InForceTold(round=table.round, in_force=told)]


def _to_tell(ruled: Restrictions, table: Table) -> InForce:
    """Return what holds for the wagers of the round that is played: no box was given up since it began."""
    holds = restrictions.in_force(ruled)
    return replace(holds, given=tuple(each for each in holds.given if each in table.given_told))


def obstacle(table: Table) -> Reason | None:
    """Return what stands in the way of a further round, whatever the time."""
    if table.ended is not None:
        return Reason.DAY_CLOSED
    if table.phase != "open":
        return Reason.NOT_OPEN
    if table.running:
        return Reason.ROUND_RUNNING
    if table.opened is not None and table.opened.profile.players_cards == "down" and not table.ruled.face_down_by:
        return Reason.FACE_DOWN_NOT_APPROVED
    if not table.book:
        return Reason.NO_BOOK
    if table.mounted is None:
        return Reason.NO_SHOE if shoes.waits_for(table) is None else Reason.STEP_MISSING
    if table.orders.burning is not None:
        return Reason.BURNING
    return Reason.WALLET_SILENT if len(table.unbooked) >= UNBOOKED_MAX else None


def _record(command: RecordRound, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Write down how the round ended; a shoe whose cutting card came out or that ran out was its last (ON-5.7, LV-3.2)."""
    if not table.running or command.round != table.round:
        return []
    events: list[TableEvent] = [
        RoundRecorded(
            round=command.round,
            outcome=command.outcome,
            revision=command.revision,
            digest=command.digest,
            next_from_ms=envelope.at_ms + opened.settings.pause_ms,
            places=command.places,
            came_out=command.came_out,
            seats=command.seats,
        )
    ]
    return events + shoes.after_round(command, table, opened, envelope)


def _end_day(command: EndDay, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    if table.ended is not None:
        return []
    if envelope.at_ms < opened.day_ends_at_ms:
        raise refused(Reason.TOO_EARLY)
    if command.next_day <= opened.day:
        raise refused(Reason.BAD_REQUEST, "the day that follows is not named.")
    ended = DayEnded(next_day=command.next_day, next_day_ends_at_ms=command.next_day_ends_at_ms)
    return [ended, *shoes.put_away(table, "day_ended")] if table.phase == "open" else [ended]


def _closing(events: list[TableEvent], table: Table, opened: TableOpened) -> list[TableEvent]:
    """Return what follows once nothing is unanswered any more: the table is closed, the day is closed."""
    for event in events:
        table = evolve(table, event)
    if not table.idle:
        return []
    closed: list[TableEvent] = [TableClosed()] if table.phase == "closing" else []
    if table.ended is not None:
        closed.append(
            DayClosed(
                table=opened.table,
                day=opened.day,
                next_day=table.ended.next_day,
                next_day_ends_at_ms=table.ended.next_day_ends_at_ms,
                rounds=table.rounds,
                reopens=table.phase == "open",
                profile=opened.profile,
                settings=opened.settings,
                held=restrictions.carried(table.ruled),
                cards=procedure.carried(table.procedure) if table.phase == "open" else (),
            )
        )
    return closed


TABLE: Decider[Table, TableCommand, TableEvent] = Decider(
    name="table",
    initial=Table(),
    decide=decide,
    evolve=evolve,
    command_type=TableCommand,
    event_type=TableEvent,
)
"""The table's decider; its stream of a day is `log.table.<day>.<table>.table`."""
