"""The cage: where money comes in and goes out, what else staff may ask of the ledger, who may, and what takes two persons.

An adjustment moves money by nothing but a person's word, so it is never one person's: one proposes it, another one, with a
job that this table names, lets it happen.  How much one adjustment may move is a fact of the book in which it is made.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from shared.contracts.accounts import Posting
from shared.contracts.promo import CancelPromo, GrantPromo, PromoCommand, PromoEvent
from shared.contracts.rulings import IN_CHARGE
from shared.contracts.staff import Job
from shared.kernel.messages import Answer, Command, Event

AdjustmentReason = Literal[
    "round_correction", "cage_error", "payment_reversed", "goodwill", "debt_written_off", "decided_dispute", "promo_redeemed", "other"
]
"""Why money is moved: a round of a closed day was wrong (it is named), the cage counted or typed wrong, a payment was taken
back by whoever made it, the house is generous, it gives a debt up, a dispute was decided, promotional money becomes cash, or as the note
says."""

BlockReason = Literal["self_exclusion", "barred", "identity", "suspicion", "debt", "by_order"]
"""Why a player may place no stakes: at the player's own wish, barred by the house, until it is known who that is, because
something looks wrong, because of a debt, or by order of an authority."""

UnblockReason = Literal["term_over", "cleared", "mistake", "by_order"]
"""Why a block ends: the time is over, what was open is cleared up, it was a mistake, or by order of an authority."""

REDEEMED: AdjustmentReason = "promo_redeemed"
"""The one reason for which it is not the house that the money comes from, but the player's own promotional money."""
ADJUSTMENT_REASONS: tuple[AdjustmentReason, ...] = get_args(AdjustmentReason)
BLOCK_REASONS: tuple[BlockReason, ...] = get_args(BlockReason)
UNBLOCK_REASONS: tuple[UnblockReason, ...] = get_args(UnblockReason)

RESERVED_NAMES = ("dealer", "house")
"""Names that no player may have, in whichever case: an account of theirs would hold the dealer's stakes (ON-3.6), or look like the
house's own."""


class CarriedBlock(Struct, frozen=True, gc=False, kw_only=True):
    """A block in force when the book is closed, and therefore in the next one."""

    player: str
    reason: BlockReason


class OpenAccount(Command, frozen=True, kw_only=True, tag="wallet.OpenAccount.v1"):
    """Open a player's account with an operator."""

    player: str
    operator: str
    currency: str


class Deposit(Command, frozen=True, kw_only=True, tag="wallet.Deposit.v1"):
    """Bring money in for a player."""

    player: str
    currency: str
    minor: int


class Withdraw(Command, frozen=True, kw_only=True, tag="wallet.Withdraw.v1"):
    """Pay money out to a player."""

    player: str
    currency: str
    minor: int


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


class AccountOpened(Event, frozen=True, kw_only=True, tag="wallet.AccountOpened.v1"):
    """A player has an account with an operator."""

    player: str
    operator: str
    currency: str


class Deposited(Event, frozen=True, kw_only=True, tag="wallet.Deposited.v1"):
    """Money came in."""

    player: str
    currency: str
    minor: int
    postings: tuple[Posting, ...]


class Withdrawn(Event, frozen=True, kw_only=True, tag="wallet.Withdrawn.v1"):
    """Money was paid out."""

    player: str
    currency: str
    minor: int
    postings: tuple[Posting, ...]


class MovementRefused(Event, frozen=True, kw_only=True, tag="wallet.MovementRefused.v1"):
    """A request for a movement was refused; written down, because a dispute could turn on it."""

    code: str
    message: str

    def answer(self) -> tuple[str, Answer] | None:
        """The refusal is final."""
        return "", Answer("refused", self.code, self.message)


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


class AdjustmentMade(Event, frozen=True, kw_only=True, tag="wallet.AdjustmentMade.v1"):
    """What one person proposed and another one approved was moved; what the player lacks is owed."""

    adjustment: str
    player: str
    currency: str
    minor: int
    """To the player, below zero from the player."""
    reason: AdjustmentReason
    round: str
    """The round of an earlier day that it is about, empty if it is about none."""
    proposed_by: str
    by: str
    job: Job
    postings: tuple[Posting, ...]


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


CageCommand = ProposeAdjustment | ApproveAdjustment | DeclineAdjustment | BlockAccount | UnblockAccount | PromoCommand
"""What takes a job that may, by `MAY`."""
StaffCommand = OpenAccount | Deposit | Withdraw | CageCommand
"""What the cage may ask of the ledger."""
CageEvent = (
    AccountOpened
    | Deposited
    | Withdrawn
    | MovementRefused
    | AdjustmentProposed
    | AdjustmentMade
    | AdjustmentDeclined
    | AccountBlocked
    | AccountUnblocked
    | PromoEvent
)

ANSWERABLE: tuple[Job, ...] = ("casino_supervisor", "duty_manager", "pit_boss", "designated_representative")
"""Who answers for other people's money: whoever is in charge of more than one table."""

MAY: Mapping[type[CageCommand], tuple[Job, ...]] = {
    ProposeAdjustment: (*IN_CHARGE, "support"),
    ApproveAdjustment: ANSWERABLE,
    DeclineAdjustment: ANSWERABLE,
    BlockAccount: (*IN_CHARGE, "support"),
    UnblockAccount: ANSWERABLE,
    GrantPromo: (*IN_CHARGE, "support"),
    CancelPromo: (*IN_CHARGE, "support"),
}
"""Which jobs may ask for what.  No rule book names anybody for it; who deals may not, nor who inspects."""
