"""Promo: money that the house gives towards wagers, tokens and vouchers, which can be staked and not withdrawn (FL-5.1).

It is staked first, and what a wager gives back comes back in the proportion of its stake.  So promotional money stays what it is,
won or returned, until two persons make cash of it (an adjustment), and nobody can play it into cash by wagers that cancel each other out.
"""

from typing import assert_never

from services.wallet.domain.persons import job_for
from services.wallet.domain.posting import check_holds, transfer
from services.wallet.domain.state import Ledger, Stake
from shared.contracts.accounts import HOUSE_PROMO, Posting, promo_account
from shared.contracts.cage import AdjustmentProposed, MovementRefused, ProposeAdjustment
from shared.contracts.promo import (
    VOUCHER,
    CancelPromo,
    GrantPromo,
    PromoCancelled,
    PromoCommand,
    PromoEvent,
    PromoGranted,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.subjects import BadSubject, token
from shared.contracts.wallet import LedgerCommand, LedgerEvent
from shared.kernel.messages import Envelope, Refused


def promo_part(stake: Stake, returned_minor: int) -> int:
    """Return how much of what a wager gives back is promotional money: rounded down, so that a part of a cent is the player's own.

    >>> promo_part(Stake("r", "ann", "CAD", 1000, promo_minor=400), 2500)
    1000
    >>> promo_part(Stake("r", "ann", "CAD", 3, promo_minor=1), 5)
    1
    """
    return returned_minor * stake.promo_minor // stake.minor


def move_promo(command: PromoCommand, ledger: Ledger, envelope: Envelope) -> list[LedgerEvent]:
    """Return the movement of promotional money that a person asks for; a refusal is written down.

    What cannot be meant is not, nor is the refusal of a voucher: written down, it would have used the voucher's id up.
    """
    try:
        return [_moved(command, ledger, envelope)]
    except Refused as why:
        if why.code == Reason.BAD_REQUEST or (isinstance(command, GrantPromo) and command.voucher):
            raise
        return [MovementRefused(code=why.code, message=why.message)]


def _moved(command: PromoCommand, ledger: Ledger, envelope: Envelope) -> PromoEvent:
    job = job_for(command, envelope)
    account = ledger.account(command.player, command.currency)
    if account is None:
        raise refused(Reason.UNKNOWN_ACCOUNT)
    if command.minor <= 0:
        raise refused(Reason.NOT_POSITIVE)
    ledger.adjustments.check_cap(command.currency, command.minor)
    player, currency, minor, by = command.player, command.currency, command.minor, envelope.actor.id
    match command:
        case GrantPromo(voucher=voucher):
            postings = _granted(command, ledger)
            return PromoGranted(player=player, currency=currency, minor=minor, by=by, job=job, postings=postings, voucher=voucher)
        case CancelPromo():
            postings = _cancelled(command, ledger)
            return PromoCancelled(player=player, currency=currency, minor=minor, by=by, job=job, postings=postings)
        case _:
            assert_never(command)


def _granted(command: GrantPromo, ledger: Ledger) -> tuple[Posting, ...]:
    check_holds(ledger.promo(command.player, command.currency) + command.minor)
    return transfer(command.minor, source=HOUSE_PROMO, target=promo_account(command.player))


def _cancelled(command: CancelPromo, ledger: Ledger) -> tuple[Posting, ...]:
    check_there(command, ledger)
    return transfer(command.minor, source=promo_account(command.player), target=HOUSE_PROMO)


def check_there(command: CancelPromo | ProposeAdjustment | AdjustmentProposed, ledger: Ledger) -> None:
    """Raise `Refused` unless the player has so much promotional money that is not staked."""
    if ledger.promo(command.player, command.currency) < command.minor:
        raise refused(Reason.INSUFFICIENT_FUNDS)


def check_voucher(command: LedgerCommand, id: str) -> None:
    """Raise `Refused` unless a request has a voucher's id exactly if it takes that voucher.

    A voucher is taken once because its request has an id of its own, and an id is never used twice: not for it, and not, by
    anybody who would spoil it, for anything else.
    """
    voucher = command.voucher if isinstance(command, GrantPromo) else ""
    if voucher:
        try:
            token(voucher)
        except BadSubject as error:
            raise refused(Reason.BAD_REQUEST, str(error)) from error
        if id != f"{VOUCHER}{voucher}":
            raise refused(Reason.BAD_REQUEST, f"the request that takes this voucher has the id {VOUCHER}{voucher}.")
    elif id.startswith(VOUCHER):
        raise refused(Reason.BAD_REQUEST, f"an id that begins with {VOUCHER} is for the request that takes the voucher.")
