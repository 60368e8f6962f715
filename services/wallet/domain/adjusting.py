"""Adjusting: money that moves because two persons say so.

One proposes, another one approves or declines, each with a job that allows it; how much one of them may move is said by the
book.  Who tried to move money by one and may not stands in the book: `MovementRefused` is written down for it, as for a refused
deposit.  What cannot be meant, or would only fill the book, is refused and forgotten.
"""

from typing import assert_never

from services.wallet.domain.persons import check_note, job_for
from services.wallet.domain.posting import check_holds, given_back, movement
from services.wallet.domain.promo import check_there
from services.wallet.domain.state import Ledger
from shared.contracts.accounts import HOUSE_WIN, promo_account
from shared.contracts.cage import (
    REDEEMED,
    AdjustmentDeclined,
    AdjustmentMade,
    AdjustmentProposed,
    ApproveAdjustment,
    DeclineAdjustment,
    MovementRefused,
    ProposeAdjustment,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.subjects import BadSubject, round_name
from shared.contracts.wallet import LedgerEvent
from shared.kernel.messages import Envelope, Refused

OPEN_MAX = 16
"""Proposals of one person that may wait together."""
FORGOTTEN = (Reason.BAD_REQUEST, Reason.TOO_MANY_PROPOSALS)


def adjust(command: ProposeAdjustment | ApproveAdjustment | DeclineAdjustment, ledger: Ledger, envelope: Envelope) -> list[LedgerEvent]:
    """Return what follows from a person's word about an adjustment; a refusal is written down."""
    try:
        match command:
            case ProposeAdjustment():
                return [_proposed(command, ledger, envelope)]
            case ApproveAdjustment():
                return [_made(command, ledger, envelope)]
            case DeclineAdjustment():
                return [_declined(command, ledger, envelope)]
            case _:
                assert_never(command)
    except Refused as why:
        if why.code in FORGOTTEN:
            raise
        return [MovementRefused(code=why.code, message=why.message)]


def _proposed(command: ProposeAdjustment, ledger: Ledger, envelope: Envelope) -> AdjustmentProposed:
    """Return the proposal, with the next name of the open book."""
    job = job_for(command, envelope)
    if ledger.account(command.player, command.currency) is None:
        raise refused(Reason.UNKNOWN_ACCOUNT)
    check_note(command.note)
    if command.reason == "other" and not command.note:
        raise refused(Reason.BAD_REQUEST, "where the reason is another one, the note says which.")
    if not command.minor:
        raise refused(Reason.NOTHING_TO_CORRECT)
    if command.reason == REDEEMED:
        if command.minor < 0:
            raise refused(Reason.NOT_POSITIVE)
        check_there(command, ledger)
    ledger.adjustments.check_cap(command.currency, command.minor)
    _check_round(command, ledger.day)
    if sum(each.by == envelope.actor.id for each in ledger.adjustments.open.values()) >= OPEN_MAX:
        raise refused(Reason.TOO_MANY_PROPOSALS)
    return AdjustmentProposed(
        adjustment=f"{ledger.day}-{ledger.adjustments.made + 1}",
        player=command.player,
        currency=command.currency,
        minor=command.minor,
        reason=command.reason,
        by=envelope.actor.id,
        job=job,
        round=command.round,
        note=command.note,
    )


def _made(command: ApproveAdjustment, ledger: Ledger, envelope: Envelope) -> AdjustmentMade:
    """Return the movement between the house and the player, never refused for funds: what the player lacks is owed.

    Promotional money that becomes cash is the player's already, so it has to be there still.
    """
    proposal = _waiting(command.adjustment, ledger)
    if proposal.by == envelope.actor.id:
        raise refused(Reason.OWN_PROPOSAL)
    job = job_for(command, envelope)
    account = ledger.account(proposal.player, proposal.currency)
    assert account is not None, "an account that was proposed to be adjusted is there as long as its book"
    source = HOUSE_WIN
    if proposal.reason == REDEEMED:
        check_there(proposal, ledger)
        source = promo_account(proposal.player)
    check_holds(account.minor + proposal.minor)
    owed = ledger.owed(proposal.player, proposal.currency)
    mine = given_back(proposal.player, proposal.minor, held_minor=account.minor, owed_minor=owed)
    return AdjustmentMade(
        adjustment=proposal.adjustment,
        player=proposal.player,
        currency=proposal.currency,
        minor=proposal.minor,
        reason=proposal.reason,
        round=proposal.round,
        proposed_by=proposal.by,
        by=envelope.actor.id,
        job=job,
        postings=movement({source: -proposal.minor, **mine}),
    )


def _declined(command: DeclineAdjustment, ledger: Ledger, envelope: Envelope) -> AdjustmentDeclined:
    """Return that a proposal comes to nothing; whoever might have approved it may say so, and whoever made it."""
    check_note(command.note)
    proposal = _waiting(command.adjustment, ledger)
    job = proposal.job if proposal.by == envelope.actor.id else job_for(command, envelope)
    return AdjustmentDeclined(adjustment=proposal.adjustment, by=envelope.actor.id, job=job, note=command.note)


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


def _waiting(adjustment: str, ledger: Ledger) -> AdjustmentProposed:
    """Return the proposal of that name; raise `Refused` if it was decided about, ended with its book, or never was."""
    proposals, day = ledger.adjustments, ledger.day
    if adjustment in proposals.open:
        return proposals.open[adjustment]
    of, _, number = adjustment.partition("-")
    if of == day and number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= proposals.made:
        raise refused(Reason.ALREADY_DECIDED)
    if of < day and len(of) == len(day) and of.isascii() and of.isdecimal():
        raise refused(Reason.PROPOSAL_EXPIRED, of)
    raise refused(Reason.NO_SUCH_PROPOSAL)
