"""Adjustments: money that moves because two persons say so.

One proposes, another one approves or declines, each with a job that allows it; how much one of them may move is said by the
book.  A proposal lives as long as its book: its name begins with the book's day, so that nobody approves another day's.
"""

from collections.abc import Mapping

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from services.wallet.domain.persons import check_note, job_for
from shared.contracts.cage import (
    AdjustmentDeclined,
    AdjustmentProposed,
    ApproveAdjustment,
    DeclineAdjustment,
    ProposeAdjustment,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.staff import Job
from shared.contracts.subjects import BadSubject, round_name
from shared.kernel.messages import Envelope
from shared.kernel.money import decimal

OPEN_MAX = 16
"""Proposals of one person that may wait together."""


class Adjustments(Struct, frozen=True, gc=False):
    """What was proposed in a book: how many, and those that nobody has decided about, by name; and how much one may move."""

    made: int = 0
    open: Map[str, AdjustmentProposed] = Map()
    caps: Mapping[str, int] = {}
    """In minor units by currency; a currency that is not there cannot be adjusted."""


NONE = Adjustments()


def propose(command: ProposeAdjustment, adjustments: Adjustments, envelope: Envelope, day: str) -> AdjustmentProposed:
    """Return the proposal in the book of `day`; raise `Refused` if the asker may not make it, or the book does not allow so much."""
    job = job_for(command, envelope)
    check_note(command.note)
    if command.reason == "other" and not command.note:
        raise refused(Reason.BAD_REQUEST, "where the reason is another one, the note says which.")
    if not command.minor:
        raise refused(Reason.NOTHING_TO_CORRECT)
    cap = adjustments.caps.get(command.currency, 0)
    if abs(command.minor) > cap:
        raise refused(Reason.ABOVE_CAP, f"{decimal(cap, command.currency)} {command.currency}")
    _check_round(command, day)
    if sum(each.by == envelope.actor.id for each in adjustments.open.values()) >= OPEN_MAX:
        raise refused(Reason.TOO_MANY_PROPOSALS)
    return AdjustmentProposed(
        adjustment=f"{day}-{adjustments.made + 1}",
        player=command.player,
        currency=command.currency,
        minor=command.minor,
        reason=command.reason,
        by=envelope.actor.id,
        job=job,
        round=command.round,
        note=command.note,
    )


def approved(command: ApproveAdjustment, adjustments: Adjustments, envelope: Envelope, day: str) -> tuple[AdjustmentProposed, Job]:
    """Return what is approved, and the job of whoever does; raise `Refused` unless that is a second person who may."""
    proposal = _waiting(command.adjustment, adjustments, day)
    if proposal.by == envelope.actor.id:
        raise refused(Reason.OWN_PROPOSAL)
    return proposal, job_for(command, envelope)


def decline(command: DeclineAdjustment, adjustments: Adjustments, envelope: Envelope, day: str) -> AdjustmentDeclined:
    """Return that a proposal comes to nothing; whoever might have approved it may say so, and whoever made it."""
    check_note(command.note)
    proposal = _waiting(command.adjustment, adjustments, day)
    job = proposal.job if proposal.by == envelope.actor.id else job_for(command, envelope)
    return AdjustmentDeclined(adjustment=proposal.adjustment, by=envelope.actor.id, job=job, note=command.note)


def proposed(adjustments: Adjustments, event: AdjustmentProposed) -> Adjustments:
    """Return the adjustments after one was proposed."""
    return replace(adjustments, made=adjustments.made + 1, open=adjustments.open.set(event.adjustment, event))


def decided(adjustments: Adjustments, adjustment: str) -> Adjustments:
    """Return the adjustments after one was made or declined."""
    return replace(adjustments, open=adjustments.open.delete(adjustment))


def _check_round(command: ProposeAdjustment, day: str) -> None:
    """A round of a day that is open is put right by a ruling; only a closed one needs an adjustment."""
    if not command.round:
        if command.reason == "round_correction":
            raise refused(Reason.BAD_REQUEST, "the correction of a round names the round.")
        return
    try:
        name = round_name(command.round)
    except BadSubject as error:
        raise refused(Reason.BAD_REQUEST, f"{error}.") from error
    if name.day >= day:
        raise refused(Reason.ROUND_OF_OPEN_DAY)


def _waiting(adjustment: str, adjustments: Adjustments, day: str) -> AdjustmentProposed:
    """Return the proposal of that name; raise `Refused` if it was decided about, ended with its book, or never was."""
    if adjustment in adjustments.open:
        return adjustments.open[adjustment]
    of, _, number = adjustment.partition("-")
    if of == day and number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= adjustments.made:
        raise refused(Reason.ALREADY_DECIDED)
    if of < day and len(of) == len(day) and of.isascii() and of.isdecimal():
        raise refused(Reason.PROPOSAL_EXPIRED, of)
    raise refused(Reason.NO_SUCH_PROPOSAL)
