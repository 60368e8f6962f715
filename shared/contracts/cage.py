"""The cage: what staff may ask of the ledger beside money that comes in and goes out, who may, and what takes two persons.

An adjustment moves money by nothing but a person's word, so it is never one person's: one proposes it, another one, with a
job that this table names, lets it happen.  How much one adjustment may move is a fact of the book in which it is made.
"""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from shared.contracts.rulings import IN_CHARGE
from shared.contracts.staff import Job
from shared.kernel.messages import Answer, Command, Event
from shared.kernel.money import EXPONENTS, MINOR_MAX

AdjustmentReason = Literal["round_correction", "cage_error", "payment_reversed", "goodwill", "debt_written_off", "decided_dispute", "other"]
"""Why money is moved: a round of a closed day was wrong (it is named), the cage counted or typed wrong, a payment was taken
back by whoever made it, the house is generous, it gives a debt up, a dispute was decided, or as the note says."""

BlockReason = Literal["self_exclusion", "barred", "identity", "suspicion", "debt", "by_order"]
"""Why a player may place no stakes: at the player's own wish, barred by the house, until it is known who that is, because
something looks wrong, because of a debt, or by order of an authority."""

UnblockReason = Literal["term_over", "cleared", "mistake", "by_order"]
"""Why a block ends: the time is over, what was open is cleared up, it was a mistake, or by order of an authority."""

ADJUSTMENT_REASONS: tuple[AdjustmentReason, ...] = get_args(AdjustmentReason)
BLOCK_REASONS: tuple[BlockReason, ...] = get_args(BlockReason)
UNBLOCK_REASONS: tuple[UnblockReason, ...] = get_args(UnblockReason)

CAP_MINOR = 100_000
"""What one adjustment may move where the house has not said otherwise: so many of a currency's smallest unit."""

RESERVED_NAMES = ("dealer", "house")
"""Names that no player may have, in whichever case: an account of theirs would hold the dealer's stakes (ON-3.6), or look like the
house's own."""


class AdjustmentCap(Struct, frozen=True, gc=False, kw_only=True):
    """How much one adjustment may move in a currency, to the player or from the player."""

    currency: str
    minor: int


class CarriedBlock(Struct, frozen=True, gc=False, kw_only=True):
    """A block in force when the book is closed, and therefore in the next one."""

    player: str
    reason: BlockReason


class ProposeAdjustment(Command, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.ProposeAdjustment.v1"):
    """Propose that money is moved between the house and a player, `minor` below zero from the player."""

    player: str
    currency: str
    minor: int
    reason: AdjustmentReason
    round: str = ""
    """A round of an earlier day that it is about; one of the book's own day is put right by a ruling."""
    note: str = ""


class ApproveAdjustment(Command, frozen=True, kw_only=True, tag="wallet.ApproveAdjustment.v1"):
    """Let a proposed adjustment happen, as another person."""

    adjustment: str
    """Its name, the book's day and the number there: `20261130-3`."""


class DeclineAdjustment(Command, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.DeclineAdjustment.v1"):
    """Let nothing come of a proposed adjustment, as another person; whoever proposed it may take it back so."""

    adjustment: str
    note: str = ""


class BlockAccount(Command, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.BlockAccount.v1"):
    """Let a player place no stakes any more, in any currency."""

    player: str
    reason: BlockReason
    note: str = ""


class UnblockAccount(Command, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.UnblockAccount.v1"):
    """End a block; a player may place stakes again when no other is left."""

    player: str
    reason: BlockReason
    """Of the block that ends."""
    because: UnblockReason
    note: str = ""


class GrantPromo(Command, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.GrantPromo.v1"):
    """Give a player promotional money, tokens or what a voucher is worth, that can be staked and not withdrawn (FL-5.1)."""

    player: str
    currency: str
    minor: int
    voucher: str = ""
    """A voucher is taken once: the request's id must be `voucher-` and this."""


class RedeemPromo(Command, frozen=True, kw_only=True, tag="wallet.RedeemPromo.v1"):
    """Turn a player's promotional money into money that can be withdrawn."""

    player: str
    currency: str
    minor: int


class CancelPromo(Command, frozen=True, kw_only=True, tag="wallet.CancelPromo.v1"):
    """Take promotional money back that a player has not staked, as when it runs out."""

    player: str
    currency: str
    minor: int


class AdjustmentProposed(Event, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.AdjustmentProposed.v1"):
    """An adjustment waits for a second person, for as long as the book is open."""

    adjustment: str
    player: str
    currency: str
    minor: int
    reason: AdjustmentReason
    by: str
    job: Job
    round: str = ""
    note: str = ""

    def answer(self) -> tuple[str, Answer] | None:
        """The asker is told the name, and is told it again whenever the request is repeated."""
        return "", Answer("accepted", message=f"It is proposed as {self.adjustment} and waits for another person.")


class AdjustmentDeclined(Event, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.AdjustmentDeclined.v1"):
    """Nothing comes of a proposed adjustment."""

    adjustment: str
    by: str
    job: Job
    note: str = ""


class AccountBlocked(Event, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.AccountBlocked.v1"):
    """A player places no stakes from here on; what is set aside plays on, and money comes in and goes out."""

    player: str
    reason: BlockReason
    by: str
    job: Job
    note: str = ""


class AccountUnblocked(Event, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.AccountUnblocked.v1"):
    """A block is over; a player may place stakes again when no other is left."""

    player: str
    reason: BlockReason
    """Of the block that is over."""
    because: UnblockReason
    by: str
    job: Job
    note: str = ""


PromoCommand = GrantPromo | RedeemPromo | CancelPromo
CageCommand = ProposeAdjustment | ApproveAdjustment | DeclineAdjustment | BlockAccount | UnblockAccount | PromoCommand

ANSWERABLE: tuple[Job, ...] = ("casino_supervisor", "duty_manager", "pit_boss", "designated_representative")
"""Who answers for other people's money: whoever is in charge of more than one table."""

MAY: Mapping[type[CageCommand], tuple[Job, ...]] = {
    ProposeAdjustment: (*IN_CHARGE, "support"),
    ApproveAdjustment: ANSWERABLE,
    DeclineAdjustment: ANSWERABLE,
    BlockAccount: (*IN_CHARGE, "support"),
    UnblockAccount: ANSWERABLE,
    GrantPromo: (*IN_CHARGE, "support"),
    RedeemPromo: ANSWERABLE,
    CancelPromo: (*IN_CHARGE, "support"),
}
"""Which jobs may ask for what.  No rule book names anybody for it; who deals may not, nor who inspects."""


class BadCaps(ValueError):
    """A list of caps that says nothing: what is wrong with it."""


def caps_line(caps: Mapping[str, int]) -> str:
    """Return caps, in minor units by currency, as they stand in a process's environment.

    >>> caps_line({"JPY": 50000, "CAD": 20000})
    'CAD=20000,JPY=50000'
    """
    return ",".join(f"{currency}={minor}" for currency, minor in sorted(caps.items()))


def caps_of(line: str) -> dict[str, int]:
    """Return the caps of a line; raise `BadCaps` for anything that `caps_line` does not write.

    >>> caps_of("CAD=20000,JPY=50000")
    {'CAD': 20000, 'JPY': 50000}
    """
    caps: dict[str, int] = {}
    for each in filter(None, line.split(",")):
        found = re.fullmatch(r"([A-Z]{3})=([0-9]{1,16})", each)
        if found is None or found[1] not in EXPONENTS or found[1] in caps or int(found[2]) > MINOR_MAX:
            raise BadCaps(f"{each!r} is not CURRENCY=MINOR_UNITS, each currency once")
        caps[found[1]] = int(found[2])
    return caps


def all_caps(caps: Mapping[str, int]) -> tuple[AdjustmentCap, ...]:
    """Return the cap of every currency, those that are not named by the default, as a book says them."""
    return tuple(AdjustmentCap(currency=currency, minor=caps.get(currency, CAP_MINOR)) for currency in sorted(EXPONENTS))
