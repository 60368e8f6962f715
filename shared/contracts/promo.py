"""Promo: money that the house gives towards wagers, tokens and what vouchers are worth, which can be staked and not withdrawn (FL-5.1).

It becomes cash by an adjustment alone, which takes two persons.
"""

from shared.contracts.accounts import Posting
from shared.contracts.staff import Job
from shared.kernel.messages import Command, Event

VOUCHER = "voucher-"
"""How the id of a request begins that takes a voucher; what stands on the voucher follows, and no other id begins so."""


class GrantPromo(Command, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.GrantPromo.v1"):
    """Give a player promotional money, tokens or what a voucher is worth, that can be staked and not withdrawn (FL-5.1)."""

    player: str
    currency: str
    minor: int
    voucher: str = ""
    """A voucher is taken once: the request's id must be `voucher-` and this."""


class CancelPromo(Command, frozen=True, kw_only=True, tag="wallet.CancelPromo.v1"):
    """Take promotional money back that a player has not staked, as when it runs out."""

    player: str
    currency: str
    minor: int


class PromoGranted(Event, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.PromoGranted.v1"):
    """A player has promotional money, at `player/<player>/promo`."""

    player: str
    currency: str
    minor: int
    by: str
    job: Job
    postings: tuple[Posting, ...]
    voucher: str = ""


class PromoCancelled(Event, frozen=True, kw_only=True, tag="wallet.PromoCancelled.v1"):
    """Promotional money went back to the house."""

    player: str
    currency: str
    minor: int
    by: str
    job: Job
    postings: tuple[Posting, ...]


PromoCommand = GrantPromo | CancelPromo
PromoEvent = PromoGranted | PromoCancelled
