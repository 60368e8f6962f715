"""Promo: money that the house gives towards wagers, tokens and vouchers, which can be staked and not withdrawn (FL-5.1).

It is staked first, and what a wager gives back comes back in the proportion of its stake.  So promotional money stays what it is,
won or returned, until somebody who may redeems it, and nobody can play it into cash by wagers that cancel each other out.
"""

from typing import assert_never

from services.wallet.domain.persons import job_for
from services.wallet.domain.posting import check_holds, given_back, movement, transfer
from services.wallet.domain.state import Ledger, Stake
from shared.contracts.accounts import HOUSE_PROMO, Posting, promo_account
from shared.contracts.cage import MovementRefused
from shared.contracts.promo import (
    CancelPromo,
    GrantPromo,
    PromoCancelled,
    PromoCommand,
    PromoEvent,
    PromoGranted,
    PromoRedeemed,
    RedeemPromo,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.subjects import BadSubject, token
from shared.contracts.wallet import LedgerEvent
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
    """Return the movement of promotional money that a person asks for; a refusal is written down, but for what cannot be meant."""
    try:
        return [_moved(command, ledger, envelope)]
    except Refused as why:
        if why.code == Reason.BAD_REQUEST:
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
            _check_voucher(voucher, envelope.id)
            postings = _granted(command, ledger)
            return PromoGranted(player=player, currency=currency, minor=minor, by=by, job=job, postings=postings, voucher=voucher)
        case RedeemPromo():
            postings = _redeemed(command, ledger, held_minor=account.minor)
            return PromoRedeemed(player=player, currency=currency, minor=minor, by=by, job=job, postings=postings)
        case CancelPromo():
            postings = _cancelled(command, ledger)
            return PromoCancelled(player=player, currency=currency, minor=minor, by=by, job=job, postings=postings)
        case _:
            assert_never(command)


def _granted(command: GrantPromo, ledger: Ledger) -> tuple[Posting, ...]:
    check_holds(ledger.promo(command.player, command.currency) + command.minor)
    return transfer(command.minor, source=HOUSE_PROMO, target=promo_account(command.player))


def _redeemed(command: RedeemPromo, ledger: Ledger, *, held_minor: int) -> tuple[Posting, ...]:
    """What the player owes is paid first."""
    _check_there(command, ledger)
    check_holds(held_minor + command.minor)
    owed = ledger.owed(command.player, command.currency)
    mine = given_back(command.player, command.minor, held_minor=held_minor, owed_minor=owed)
    return movement({promo_account(command.player): -command.minor, **mine})


def _cancelled(command: CancelPromo, ledger: Ledger) -> tuple[Posting, ...]:
    _check_there(command, ledger)
    return transfer(command.minor, source=promo_account(command.player), target=HOUSE_PROMO)


def _check_there(command: RedeemPromo | CancelPromo, ledger: Ledger) -> None:
    if ledger.promo(command.player, command.currency) < command.minor:
        raise refused(Reason.INSUFFICIENT_FUNDS)


def _check_voucher(voucher: str, id: str) -> None:
    """A voucher is taken once because its request has an id of its own, and an id is never used twice."""
    if not voucher:
        return
    try:
        token(voucher)
    except BadSubject as error:
        raise refused(Reason.BAD_REQUEST, str(error)) from error
    if id != f"voucher-{voucher}":
        raise refused(Reason.BAD_REQUEST, f"the request that takes this voucher has the id voucher-{voucher}.")
