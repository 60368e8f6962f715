"""Rulings about rounds that are over: proposed and approved at the table, carried out by the round.

One correction of a round comes after the other, because each is decided on how the round was settled last.
"""

from msgspec.structs import replace

from services.table.domain import approval
from services.table.domain.approval import Proposal
from services.table.domain.correcting import cards_of
from services.table.domain.table_state import Table
from shared.contracts.refusals import Reason, refused
from shared.contracts.rulings import WHEN_OVER, Agreed, ApproveRuling, DeclineRuling, ProposeRuling, RulingApproved, WithdrawRuling, kind_of
from shared.contracts.subjects import BadSubject, round_name
from shared.contracts.table import BookingNoted, CorrectionCalled, CorrectionNoted, NoteBooking, NoteCorrection, TableEvent, TableOpened
from shared.kernel.messages import Envelope

CORRECTING_MAX = 16
"""Corrections under way at a time."""


def propose(command: ProposeRuling, table: Table, envelope: Envelope) -> list[TableEvent]:
    """Return the proposal to correct a round of this day that is over."""
    _check_over(command.round, table)
    if not isinstance(command.ruling, WHEN_OVER):
        raise refused(Reason.NOT_POSSIBLE_NOW, f"the round is over, and {kind_of(command.ruling)} is for one that is played.")
    proposed = replace(approval.propose(command, table.proposals, envelope), round=command.round)
    # A correction without cards makes a round void: nobody proposes that under another name.
    cards_of(command.ruling)
    return [proposed]


def approve(command: ApproveRuling, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return that a second person agrees, and call for the correction; the day stays open for it."""
    _check_proposal(command, table)
    proposal, event = approval.approved(command, table.proposals, envelope, book=opened.profile.book)
    if any(each.round == command.round for each in table.correcting):
        raise refused(Reason.CORRECTION_RUNNING)
    if len(table.correcting) >= CORRECTING_MAX:
        raise refused(Reason.BUSY)
    called = CorrectionCalled(correction=envelope.id, round=command.round, cards=cards_of(proposal.ruling), agreed=_agreed(proposal, event))
    return [event, called]


def decline(command: DeclineRuling, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return that a second person does not agree."""
    _check_proposal(command, table)
    return [approval.decline(command, table.proposals, envelope, book=opened.profile.book)]


def withdraw(command: WithdrawRuling, table: Table, envelope: Envelope) -> list[TableEvent]:
    """Return that whoever proposed it takes it back."""
    _check_proposal(command, table)
    return [approval.withdraw(command, table.proposals, envelope)]


def note_booking(command: NoteBooking, table: Table) -> list[TableEvent]:
    """Return that the ledger has booked a correction that waits for it."""
    waiting = any(each.round == command.round and each.booked < command.number for each in table.correcting)
    return [BookingNoted(round=command.round, number=command.number)] if waiting else []


def note_correction(command: NoteCorrection, table: Table) -> list[TableEvent]:
    """Return how the round answered a correction that waits for it."""
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
