"""Promo: money that the house gives towards wagers, tokens and vouchers, which can be staked and not withdrawn (FL-5.1).

It is staked first, and what a wager gives back comes back in the proportion of its stake.  So promotional money stays what it is,
won or returned, until somebody who may redeems it, and nobody can play it into cash by wagers that cancel each other out.
"""

from services.wallet.domain.persons import job_for
from services.wallet.domain.posting import HOUSE_PROMO, given_back, movement, promo_account, transfer
from services.wallet.domain.state import Ledger, Stake
from shared.contracts.cage import CancelPromo, GrantPromo, PromoCommand, RedeemPromo
from shared.contracts.refusals import Reason, refused
from shared.contracts.subjects import BadSubject, token
from shared.contracts.wallet import LedgerCommand, LedgerEvent, MovementRefused, PromoCancelled, PromoGranted, PromoRedeemed
from shared.kernel.messages import Envelope, Refused
from shared.kernel.money import MINOR_MAX, decimal

VOUCHER = "voucher-"


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


def _moved(command: PromoCommand, ledger: Ledger, envelope: Envelope) -> PromoGranted | PromoRedeemed | PromoCancelled:
    job = job_for(command, envelope)
    account = ledger.account(command.player, command.currency)
    if account is None:
        raise refused(Reason.UNKNOWN_ACCOUNT)
    if command.minor <= 0:
        raise refused(Reason.NOT_POSITIVE)
    cap = ledger.adjustments.caps.get(command.currency, 0)
    if command.minor > cap:
        raise refused(Reason.ABOVE_CAP, f"{decimal(cap, command.currency)} {command.currency}")
    player, currency, minor, promo = command.player, command.currency, command.minor, promo_account(command.player)
    held = ledger.promo(player, currency)
    if isinstance(command, GrantPromo):
        if held + minor > MINOR_MAX:
            raise refused(Reason.BAD_REQUEST, "the account would hold more than this house can write down")
        postings = transfer(minor, source=HOUSE_PROMO, target=promo)
        return PromoGranted(
            player=player, currency=currency, minor=minor, by=envelope.actor.id, job=job, postings=postings, voucher=command.voucher
        )
    if held < minor:
        raise refused(Reason.INSUFFICIENT_FUNDS)
    if isinstance(command, RedeemPromo):
        if account.minor + minor > MINOR_MAX:
            raise refused(Reason.BAD_REQUEST, "the account would hold more than this house can write down")
        mine = given_back(player, minor, held_minor=account.minor, owed_minor=ledger.owed(player, currency))
        postings = movement({promo: -minor, **mine})
        return PromoRedeemed(player=player, currency=currency, minor=minor, by=envelope.actor.id, job=job, postings=postings)
    assert isinstance(command, CancelPromo), "a command about promotional money grants, redeems or cancels"
    postings = transfer(minor, source=promo, target=HOUSE_PROMO)
    return PromoCancelled(player=player, currency=currency, minor=minor, by=envelope.actor.id, job=job, postings=postings)


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
