"""Approval: a ruling takes two persons, one who proposes it and another one who approves it, each with a job that allows it.

Nothing here knows what a ruling does.  A stream that takes rulings keeps `Proposals` in its state, and lets a ruling take
effect when `approved` has returned it; who said what stands in events of their own, with the job that each had.
"""

from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.refusals import Reason, refused
from shared.contracts.rulings import (
    NOTE_MAX,
    RULES,
    AnyRuling,
    ApproveRuling,
    DeclineRuling,
    ProposeRuling,
    RulingApproved,
    RulingDeclined,
    RulingEvent,
    RulingProposed,
    RulingWithdrawn,
    WithdrawRuling,
    kind_of,
)
from shared.contracts.staff import JOBS, Job, job_in_words
from shared.kernel.messages import Envelope

OPEN_MAX = 8
"""Proposals of one person in one stream that may wait for an answer together."""
MADE_MAX = 64
"""Proposals of one person in one stream; others can still speak, so that nobody keeps a round from being made void."""


class Proposal(Struct, frozen=True, gc=False):
    """A ruling that waits for a second person."""

    number: int
    ruling: AnyRuling
    by: str
    job: Job
    note: str = ""
    round: str = ""
    """The round that it is about, in a table's stream."""


class Proposals(Struct, frozen=True, gc=False):
    """What was proposed in a stream: how many, and those that nobody has decided about."""

    made: int = 0
    open: tuple[Proposal, ...] = ()
    made_by: dict[str, int] = {}
    """How many each person made; never changed in place."""


NONE = Proposals()


def propose(command: ProposeRuling, proposals: Proposals, envelope: Envelope) -> RulingProposed:
    """Return the proposal; raise `Refused` if the asker's job may not make it."""
    job = _job(envelope)
    if job not in RULES[type(command.ruling)].propose:
        raise _not_for(job, "propose", command.ruling)
    check_note(command.note)
    waiting = sum(each.by == envelope.actor.id for each in proposals.open)
    if waiting >= OPEN_MAX or proposals.made_by.get(envelope.actor.id, 0) >= MADE_MAX:
        raise refused(Reason.TOO_MANY_PROPOSALS)
    return RulingProposed(proposal=proposals.made + 1, ruling=command.ruling, by=envelope.actor.id, job=job, note=command.note)


def approved(command: ApproveRuling, proposals: Proposals, envelope: Envelope, *, book: str) -> tuple[Proposal, RulingApproved]:
    """Return what is approved, and by whom; raise `Refused` unless a second person with an allowed job says so."""
    proposal, job = _second(command, proposals, envelope, book=book)
    return proposal, RulingApproved(proposal=proposal.number, by=envelope.actor.id, job=job)


def decline(command: DeclineRuling, proposals: Proposals, envelope: Envelope, *, book: str) -> RulingDeclined:
    """Return that a proposal comes to nothing; whoever might have approved it may say so."""
    check_note(command.note)
    proposal, job = _second(command, proposals, envelope, book=book)
    return RulingDeclined(proposal=proposal.number, by=envelope.actor.id, job=job, note=command.note)


def withdraw(command: WithdrawRuling, proposals: Proposals, envelope: Envelope) -> RulingWithdrawn:
    """Return that whoever made a proposal takes it back; nobody else may."""
    proposal = _open(command.proposal, proposals)
    if proposal.by != envelope.actor.id:
        raise refused(Reason.NOT_YOUR_PROPOSAL)
    return RulingWithdrawn(proposal=proposal.number, by=envelope.actor.id, job=_job(envelope))


def remembered(proposals: Proposals, event: RulingEvent) -> Proposals:
    """Return the proposals after one was made or decided about."""
    if isinstance(event, RulingProposed):
        made = Proposal(event.proposal, event.ruling, event.by, event.job, event.note, event.round)
        made_by = {**proposals.made_by, event.by: proposals.made_by.get(event.by, 0) + 1}
        return Proposals(event.proposal, (*proposals.open, made), made_by)
    return replace(proposals, open=tuple(proposal for proposal in proposals.open if proposal.number != event.proposal))


def _second(command: ApproveRuling | DeclineRuling, proposals: Proposals, envelope: Envelope, *, book: str) -> tuple[Proposal, Job]:
    """Return the proposal and the job of the second person; raise `Refused` for the first one, and for a job that may not."""
    proposal, job = _open(command.proposal, proposals), _job(envelope)
    if proposal.by == envelope.actor.id:
        raise refused(Reason.OWN_PROPOSAL)
    if job not in RULES[type(proposal.ruling)].approvers(book):
        raise _not_for(job, "approve", proposal.ruling, book)
    return proposal, job


def check_note(note: str) -> None:
    """Raise `Refused` for what would not lie in one line on the felt and in a replay: nothing written may look like the house's own."""
    if len(note) > NOTE_MAX or not note.isprintable():
        raise refused(Reason.BAD_REQUEST, f"a note is one line of at most {NOTE_MAX} characters that can be printed.")


def _open(number: int, proposals: Proposals) -> Proposal:
    for proposal in proposals.open:
        if proposal.number == number:
            return proposal
    raise refused(Reason.ALREADY_DECIDED if 1 <= number <= proposals.made else Reason.NO_SUCH_PROPOSAL)


def _job(envelope: Envelope) -> Job:
    """Return the asker's job, as the house filled it in; raise `Refused` for staff without one."""
    for job in JOBS:
        if job == envelope.actor.job:
            return job
    raise refused(Reason.JOB_NOT_ALLOWED, f"{envelope.actor.id} has no job here.")


def _not_for(job: Job, what: str, ruling: AnyRuling, book: str = "") -> Exception:
    rule = RULES[type(ruling)]
    jobs = rule.propose if what == "propose" else rule.approvers(book)
    listed = ", ".join(map(job_in_words, jobs))
    return refused(
        Reason.JOB_NOT_ALLOWED, f"who is {job_in_words(job)} may not {what} {kind_of(ruling)}; these may: {listed} ({rule.source})."
    )
