"""The table: one felt for one gaming day, which shoe lies on it, which rounds there were and how each of them ended.

It plays round after round and waits for nobody but its shoe and the day's book; two rounds without an answer from the
ledger stop it.  The next shoe is called as soon as one is in use, and no shoe's order is opened before the next one is
committed; what players do towards its cut is `coming.py`.  A table closes, and closes its day, between rounds: with nothing
unanswered and every shoe's order open.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from services.table.domain import approval, restrictions
from services.table.domain.approval import NONE, Proposal, Proposals
from services.table.domain.coming import Called, Coming, Cut, Revealing, Sealing, call_cut, close_sealing, reveal_cut, seal_cut
from services.table.domain.coming import evolve as evolve_coming
from services.table.domain.correcting import cards_of
from services.table.domain.restrictions import Restrictions
from services.table.domain.settings import check_settings
from shared.contracts.refusals import Reason, refused
from shared.contracts.restrictions import GivenBox, InForce, InForceTold, Restriction
from shared.contracts.rulings import WHEN_OVER, kind_of
from shared.contracts.subjects import BadSubject, RoundName, round_name
from shared.contracts.table import (
    SEMANTICS,
    Agreed,
    ApproveRuling,
    BookingNoted,
    BookNoted,
    CallCut,
    CallRound,
    CloseTable,
    CorrectionCalled,
    CorrectionNoted,
    CutCalled,
    CutCommand,
    CutRevealed,
    CutSealed,
    DayClosed,
    DayEnded,
    DeclineRuling,
    EndDay,
    MountShoe,
    NoteBook,
    NoteBooking,
    NoteCorrection,
    NoteOrder,
    NoteRetirement,
    OpenTable,
    OrderNoted,
    ProposeRuling,
    RecordRound,
    RetirementNoted,
    RetirementReason,
    RevealCut,
    RoundCalled,
    RoundRecorded,
    RulingApproved,
    RulingDeclined,
    RulingProposed,
    RulingWithdrawn,
    SealCut,
    SealingClosed,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    ShoeSetAside,
    StaffCommand,
    TableClosed,
    TableClosing,
    TableCommand,
    TableEvent,
    TableOpened,
    WithdrawRuling,
)
from shared.kernel.cards import DECK
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope
from shared.kernel.money import Ratio

UNBOOKED_MAX = 2
"""Recorded rounds that the ledger may still owe an answer for when the next one is called."""
CORRECTING_MAX = 16
"""Corrections under way at a time."""


class Correcting(Struct, frozen=True):
    """A correction under way.  Its round and the ledger answer in either order."""

    round: str
    correction: str
    number: int = 0
    """In its round, once that has answered."""
    booked: int = 0
    """The last correction of the round that the ledger has answered for meanwhile."""


class Table(Struct, frozen=True):
    """A table and its gaming day."""

    opened: TableOpened | None = None
    phase: Literal["open", "closing", "closed"] = "closed"
    ended: DayEnded | None = None
    day_closed: bool = False
    book: bool = False
    """Whether the day's ledger is known to be open."""
    shoes: int = 0
    """Shoes called on this day."""
    coming: Coming | None = None
    """The shoe that comes next."""
    mounted: ShoeMounted | None = None
    aside: tuple[str, ...] = ()
    """Shoes that are played out and stay closed until the next one is committed."""
    retiring: tuple[str, ...] = ()
    rounds: int = 0
    """Rounds called on this day."""
    round: str = ""
    """The latest round."""
    running: bool = False
    unbooked: tuple[str, ...] = ()
    """Rounds that the ledger has not answered for, the running one among them."""
    next_from_ms: int = 0
    """Before this no further round is called by the clock."""
    ruled: Restrictions = Restrictions()
    given_told: tuple[GivenBox, ...] = ()
    """Boxes given up that the latest round knows of: a box is given up between rounds (FL-5.8)."""
    correcting: tuple[Correcting, ...] = ()
    """Corrections that their rounds or the ledger have not answered for."""
    proposals: Proposals = NONE
    """Rulings about rounds that are over."""

    @property
    def idle(self) -> bool:
        """Whether nothing of this table is unanswered: no round, no booking, no shoe, no correction."""
        return not (self.running or self.unbooked or self.coming or self.mounted or self.aside or self.retiring or self.correcting)

    @property
    def plays_on(self) -> bool:
        """Whether further rounds may follow today."""
        return self.phase == "open" and self.ended is None


def evolve(table: Table, event: TableEvent) -> Table:
    """Return the table after `event`."""
    match event:
        case RoundCalled():
            unbooked = (*table.unbooked, event.round)
            given_told = () if event.in_force is None else event.in_force.given
            return replace(table, rounds=event.number, round=event.round, running=True, unbooked=unbooked, given_told=given_told)
        case RoundRecorded():
            ruled = restrictions.after_round(table.ruled, event.places)
            return replace(table, running=False, next_from_ms=event.next_from_ms, ruled=ruled)
        case BookingNoted(number=0):
            return replace(table, unbooked=_without(table.unbooked, event.round))
        case BookingNoted():
            return _corrected(table, event.round, booked=event.number)
        case CorrectionCalled():
            return replace(table, correcting=(*table.correcting, Correcting(event.round, event.correction)))
        case CorrectionNoted(code=""):
            return _corrected(table, event.round, number=event.number)
        case CorrectionNoted():
            return replace(table, correcting=tuple(other for other in table.correcting if other.round != event.round))
        case TableOpened():
            held = (*table.ruled.held, *(each for each in event.held if each not in table.ruled.held))
            return replace(table, opened=event, phase="open", ruled=replace(table.ruled, held=held))
        case ShoeCalled():
            return replace(table, shoes=table.shoes + 1, coming=evolve_coming(table.coming, event))
        case OrderNoted() | CutSealed() | SealingClosed() | CutRevealed() | CutCalled():
            return replace(table, coming=evolve_coming(table.coming, event))
        case BookNoted():
            return replace(table, book=True)
        case ShoeMounted():
            return replace(table, coming=None, mounted=event)
        case ShoeSetAside():
            return replace(_put_down(table, event.shoe), aside=(*table.aside, event.shoe))
        case ShoeRetirementCalled():
            return replace(_put_down(table, event.shoe), retiring=(*table.retiring, event.shoe))
        case RetirementNoted():
            return replace(table, retiring=_without(table.retiring, event.shoe))
        case TableClosing():
            return replace(table, phase="closing")
        case TableClosed():
            return replace(table, phase="closed")
        case DayEnded():
            return replace(table, ended=event)
        case DayClosed():
            return replace(table, day_closed=True)
        case InForceTold():
            return replace(table, given_told=event.in_force.given)
        case RulingProposed() | RulingApproved() | RulingDeclined() | RulingWithdrawn():
            return replace(table, proposals=approval.remembered(table.proposals, event))
        case _:
            return replace(table, ruled=restrictions.remember(table.ruled, event))


def _corrected(table: Table, round_id: str, **answered: int) -> Table:
    """Return the table after an answer about a correction; what both have answered for is over."""
    moved = [replace(each, **answered) if each.round == round_id else each for each in table.correcting]
    return replace(table, correcting=tuple(each for each in moved if not 0 < each.number <= each.booked))


def _put_down(table: Table, shoe: str) -> Table:
    """Return the table without a shoe, wherever it stood."""
    is_mounted = table.mounted is not None and table.mounted.shoe == shoe
    return replace(
        table,
        mounted=None if is_mounted else table.mounted,
        coming=None if table.coming is not None and table.coming.shoe == shoe else table.coming,
        aside=_without(table.aside, shoe),
        ruled=restrictions.after_shoe(table.ruled) if is_mounted else table.ruled,
    )


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)


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
            waiting = any(each.round == command.round and each.booked < command.number for each in table.correcting)
            return [BookingNoted(round=command.round, number=command.number)] if waiting else []
        case ProposeRuling():
            return _propose(command, table, envelope)
        case ApproveRuling():
            return _approve(command, table, opened, envelope)
        case DeclineRuling():
            _check_proposal(command, table)
            return [approval.decline(command, table.proposals, envelope, book=opened.profile.book)]
        case WithdrawRuling():
            _check_proposal(command, table)
            return [approval.withdraw(command, table.proposals, envelope)]
        case NoteCorrection():
            return _note_correction(command, table)
        case NoteBook():
            return [] if table.book else [BookNoted()]
        case NoteOrder():
            return _note_order(command, table, opened, envelope)
        case SealCut():
            return [seal_cut(command, table.coming, envelope.actor.id)]
        case RevealCut():
            return reveal_cut(command, table.coming, envelope.actor.id)
        case CallCut():
            return _call_cut(command, table, envelope)
        case MountShoe():
            return _mount(command, table, opened)
        case NoteRetirement():
            return [RetirementNoted(shoe=command.shoe)] if command.shoe in table.retiring else []
        case CloseTable():
            if table.phase != "open":
                raise refused(Reason.NOT_OPEN)
            return [TableClosing(), *_put_away(table, "table_closed")]
        case EndDay():
            return _end_day(command, table, opened, envelope)
        case OpenTable():
            return []
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
    )
    return [opened, _call_shoe(table, opened)]


def _call_shoe(table: Table, opened: TableOpened) -> ShoeCalled:
    """Call a shoe of whole decks; where it may be cut and marked are numbers of cards from here on (ON-5.4, ON-5.6, FL-4.4, LV-3.3)."""
    profile = opened.profile
    cards = profile.decks * len(DECK)
    return ShoeCalled(
        shoe=f"{opened.table}-S{table.shoes + 1}",
        table=opened.table,
        decks=profile.decks,
        burns=profile.shoe.burns_after_shuffle,
        cut=_bounds(profile.shoe.cut, cards),
        cutting_card=_bounds(profile.shoe.cutting_card, cards),
    )


def _bounds(fractions: tuple[Ratio, Ratio], cards: int) -> tuple[int, int]:
    """Return the least and the most cards that lie within two fractions of the stack."""
    low, high = fractions
    least, most = -(-cards * low.won // low.staked), cards * high.won // high.staked
    return min(least, most), max(least, most)


def _call_round(table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    why_not = obstacle(table)
    if why_not is None and envelope.at_ms >= opened.day_ends_at_ms:
        why_not = Reason.DAY_CLOSED
    if why_not is None and envelope.actor.role == "house" and envelope.at_ms < table.next_from_ms:
        why_not = Reason.TOO_EARLY
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
        return Reason.NO_SHOE
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
        )
    ]
    ran_out = len(command.shoes) > 1
    if table.plays_on and not command.cutting_card_out and not ran_out:
        return events
    mounted = () if table.mounted is None else (table.mounted.shoe,)
    played_out = tuple(dict.fromkeys((*mounted, *command.shoes)))
    if not table.plays_on:
        return events + _retire(played_out, _why(table))
    if isinstance(table.coming, Sealing):
        return events + _change(table.coming, played_out, opened, envelope)
    return events + [ShoeSetAside(shoe=shoe) for shoe in played_out]


def _propose(command: ProposeRuling, table: Table, envelope: Envelope) -> list[TableEvent]:
    """Return the proposal to correct a round of this day that is over."""
    _check_over(command.round, table)
    if not isinstance(command.ruling, WHEN_OVER):
        raise refused(Reason.NOT_POSSIBLE_NOW, f"the round is over, and {kind_of(command.ruling)} is for one that is played.")
    proposed = replace(approval.propose(command, table.proposals, envelope), round=command.round)
    # A correction without cards makes a round void: nobody proposes that under another name.
    cards_of(command.ruling)
    return [proposed]


def _approve(command: ApproveRuling, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return that a second person agrees, and call for the correction; the day stays open for it.

    One correction of a round comes after the other, because each is decided on how the round was settled last.
    """
    _check_proposal(command, table)
    proposal, event = approval.approved(command, table.proposals, envelope, book=opened.profile.book)
    if any(each.round == command.round for each in table.correcting):
        raise refused(Reason.CORRECTION_RUNNING)
    if len(table.correcting) >= CORRECTING_MAX:
        raise refused(Reason.BUSY)
    called = CorrectionCalled(correction=envelope.id, round=command.round, cards=cards_of(proposal.ruling), agreed=_agreed(proposal, event))
    return [event, called]


def _agreed(proposal: Proposal, approved: RulingApproved) -> Agreed:
    return Agreed(
        by=proposal.by,
        job=proposal.job,
        approved_by=approved.by,
        approved_job=approved.job,
        reason=proposal.note or kind_of(proposal.ruling),
    )


def _check_proposal(command: ApproveRuling | DeclineRuling | WithdrawRuling, table: Table) -> None:
    """Raise `Refused` if the proposal of that number is about another round than whoever speaks of it means."""
    if any(each.number == command.proposal and each.round != command.round for each in table.proposals.open):
        raise refused(Reason.NO_SUCH_PROPOSAL)


def _check_over(round_id: str, table: Table) -> None:
    if not has_played(table, round_id):
        raise refused(Reason.UNKNOWN_ROUND)
    if not rules_on(table, round_id):
        raise refused(Reason.ROUND_NOT_OVER)


def has_played(table: Table, round_id: str) -> bool:
    """Return whether a round is one of this table and day."""
    return table.opened is not None and 0 < _number_of(round_id, table.opened) <= table.rounds


def rules_on(table: Table, round_id: str) -> bool:
    """Return whether rulings about a round are the table's to take: those of one that is played are the round's own."""
    return not (table.running and table.round == round_id)


def _number_of(round_id: str, opened: TableOpened) -> int:
    """Return the number of a round of this table and day, 0 for any other."""
    try:
        name = round_name(round_id)
    except BadSubject:
        return 0
    return name.number if (name.table, name.day) == (opened.table, opened.day) else 0


def _note_correction(command: NoteCorrection, table: Table) -> list[TableEvent]:
    if not any((each.round, each.correction) == (command.round, command.correction) and not each.number for each in table.correcting):
        return []
    return [
        CorrectionNoted(
            round=command.round,
            correction=command.correction,
            revision=command.revision,
            digest=command.digest,
            number=command.number,
            code=command.code,
            message=command.message,
        )
    ]


def _change(coming: Sealing, played_out: tuple[str, ...], opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Open the orders that are played out, now that the next one is committed, and have that one cut."""
    until_ms = envelope.at_ms + opened.settings.reveal_ms
    return [*_retire(played_out, "replaced", coming), close_sealing(coming, until_ms=until_ms)]


def _retire(shoes: tuple[str, ...], reason: RetirementReason, coming: Sealing | None = None) -> list[TableEvent]:
    following = {} if coming is None else {"next_shoe": coming.shoe, "next_root": coming.root}
    return [ShoeRetirementCalled(shoe=shoe, reason=reason, **following) for shoe in shoes]


def _why(table: Table) -> RetirementReason:
    return "day_ended" if table.ended is not None else "table_closed"


def _note_order(command: NoteOrder, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Take note that the next shoe is committed; if it is waited for it is cut, and if nobody needs it any more it is opened."""
    if not isinstance(table.coming, Called) or command.shoe != table.coming.shoe:
        return []
    noted = OrderNoted(shoe=command.shoe, root=command.root)
    if not table.plays_on:
        return [noted, *_retire((command.shoe,), _why(table))]
    if table.mounted is not None:
        return [noted]
    return [noted, *_change(Sealing(command.shoe, command.root), table.aside, opened, envelope)]


def _call_cut(command: CallCut, table: Table, envelope: Envelope) -> list[TableEvent]:
    """Wait no longer for the secrets of those who are gone."""
    if not isinstance(table.coming, Revealing) or command.shoe != table.coming.shoe:
        return []
    if envelope.at_ms < table.coming.until_ms:
        raise refused(Reason.TOO_EARLY)
    return [call_cut(table.coming)]


def _mount(command: MountShoe, table: Table, opened: TableOpened) -> list[TableEvent]:
    """Take the shoe that was cut, and call the next one; a table that plays no more opens its order at once."""
    if not isinstance(table.coming, Cut) or command.shoe != table.coming.shoe:
        return []
    mounted = ShoeMounted(shoe=command.shoe, root=command.root, cards=command.cards)
    return [mounted, _call_shoe(table, opened)] if table.plays_on else [mounted, *_retire((command.shoe,), _why(table))]


def _put_away(table: Table, reason: RetirementReason) -> list[TableEvent]:
    """Retire every shoe that is not in play and that the shoe service has nothing to say of any more."""
    mounted = () if table.running or table.mounted is None else (table.mounted.shoe,)
    coming = (table.coming.shoe,) if isinstance(table.coming, Sealing | Revealing) else ()
    return _retire((*table.aside, *mounted, *coming), reason)


def _end_day(command: EndDay, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    if table.ended is not None:
        return []
    if envelope.at_ms < opened.day_ends_at_ms:
        raise refused(Reason.TOO_EARLY)
    if command.next_day <= opened.day:
        raise refused(Reason.BAD_REQUEST, "the day that follows is not named.")
    ended = DayEnded(next_day=command.next_day, next_day_ends_at_ms=command.next_day_ends_at_ms)
    return [ended, *_put_away(table, "day_ended")] if table.phase == "open" else [ended]


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
