"""Adjusting: what the ledger does when persons speak of an adjustment.

Who tried to move money by one and may not stands in the book: `MovementRefused` is written down for it, as for a refused
deposit.  What cannot be meant, or would only fill the book, is refused and forgotten.
"""

from typing import assert_never

from services.wallet.domain import adjustments
from services.wallet.domain.persons import job_for
from services.wallet.domain.posting import given_back, movement
from services.wallet.domain.state import Ledger
from shared.contracts.accounts import HOUSE_WIN
from shared.contracts.cage import AdjustmentProposed, ApproveAdjustment, DeclineAdjustment, ProposeAdjustment
from shared.contracts.refusals import Reason, refused
from shared.contracts.wallet import AdjustmentMade, LedgerEvent, MovementRefused
from shared.kernel.messages import Envelope, Refused
from shared.kernel.money import MINOR_MAX

FORGOTTEN = (Reason.BAD_REQUEST, Reason.TOO_MANY_PROPOSALS)


def adjust(command: ProposeAdjustment | ApproveAdjustment | DeclineAdjustment, ledger: Ledger, envelope: Envelope) -> list[LedgerEvent]:
    """Return what follows from a person's word about an adjustment; a refusal is written down."""
    try:
        match command:
            case ProposeAdjustment():
                return [_propose(command, ledger, envelope)]
            case ApproveAdjustment():
                return [_make(command, ledger, envelope)]
            case DeclineAdjustment():
                return [adjustments.decline(command, ledger.adjustments, envelope, ledger.day)]
            case _:
                assert_never(command)
    except Refused as why:
        if why.code in FORGOTTEN:
            raise
        return [MovementRefused(code=why.code, message=why.message)]


def _propose(command: ProposeAdjustment, ledger: Ledger, envelope: Envelope) -> AdjustmentProposed:
    job_for(command, envelope)
    if ledger.account(command.player, command.currency) is None:
        raise refused(Reason.UNKNOWN_ACCOUNT)
    return adjustments.propose(command, ledger.adjustments, envelope, ledger.day)


def _make(command: ApproveAdjustment, ledger: Ledger, envelope: Envelope) -> AdjustmentMade:
    """Return the movement between the house and the player, never refused for funds: what the player lacks is owed."""
    proposal, job = adjustments.approved(command, ledger.adjustments, envelope, ledger.day)
    account = ledger.account(proposal.player, proposal.currency)
    assert account is not None, "an account that was proposed to be adjusted is there as long as its book"
    if account.minor + proposal.minor > MINOR_MAX:
        raise refused(Reason.BAD_REQUEST, "the account would hold more than this house can write down")
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
        postings=movement({HOUSE_WIN: -proposal.minor, **mine}),
    )
