"""What the wallet service says and hears: one ledger for each gaming day (and shard), double entry in minor units.

Every movement is a set of postings to accounts (`accounts`) that sum to zero, in one currency, which the event names.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from shared.contracts.cage import (
    AccountBlocked,
    AccountUnblocked,
    AdjustmentCap,
    AdjustmentDeclined,
    AdjustmentProposed,
    AdjustmentReason,
    ApproveAdjustment,
    BlockAccount,
    CageCommand,
    CancelPromo,
    CarriedBlock,
    DeclineAdjustment,
    GrantPromo,
    ProposeAdjustment,
    RedeemPromo,
    UnblockAccount,
)
from shared.contracts.staff import Job
from shared.kernel.messages import Answer, Command, Event


class Posting(Struct, frozen=True, gc=False, kw_only=True):
    """One leg of a movement: what comes to an account, negative for what leaves it."""

    account: str
    minor: int


class CarriedAccount(Struct, frozen=True, gc=False, kw_only=True):
    """A balance carried over from the day before."""

    account: str
    operator: str
    currency: str
    minor: int


class CarriedStake(Struct, frozen=True, gc=False, kw_only=True):
    """A stake that is still set aside when the book is closed."""

    wager: str
    round: str
    player: str
    currency: str
    minor: int
    promo_minor: int | UnsetType = UNSET


class CarriedId(Struct, frozen=True, gc=False, kw_only=True):
    """The id of a request of the book before, with what it stands for: asked again it gets the same answer."""

    id: str
    fingerprint: str
    answer: Answer


class TrialRow(Struct, frozen=True, gc=False, kw_only=True):
    """What lies in all accounts of a kind in one currency; the kinds of a currency come to nothing."""

    currency: str
    kind: str
    minor: int


class CarryForward(Command, frozen=True, kw_only=True, tag="wallet.CarryForward.v1"):
    """Take over a part of the closed book of the day before; parts are bounded."""

    from_day: str
    follows: str
    accounts: tuple[CarriedAccount, ...] = ()
    stakes: tuple[CarriedStake, ...] = ()
    ids: tuple[CarriedId, ...] = ()
    blocked: tuple[CarriedBlock, ...] | UnsetType = UNSET
    """Players who may place no stakes; left out where there are none."""


class OpenBook(Command, frozen=True, kw_only=True, tag="wallet.OpenBook.v1"):
    """Open the day's book, after everything is carried forward."""

    day: str
    shard: int = 0
    shards: int = 1
    follows: str = ""
    caps: tuple[AdjustmentCap, ...] | UnsetType = UNSET
    """How much one adjustment may move; left out, the book takes none."""
    balances: str | UnsetType = UNSET
    """The digest of the balances with which the book before was closed: this one begins with the same, or not at all."""


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


class ReserveStake(Command, frozen=True, kw_only=True, tag="wallet.ReserveStake.v1"):
    """Set a stake aside."""

    wager: str
    round: str
    player: str
    currency: str
    minor: int
    promotional: bool | UnsetType = UNSET
    """Promotional money is staked first (FL-5.1); left out where chips alone are wagers."""


class ReleaseStake(Command, frozen=True, kw_only=True, tag="wallet.ReleaseStake.v1"):
    """Give a stake back, if it was set aside."""

    round: str
    wager: str


class SettledStake(Struct, frozen=True, gc=False, kw_only=True):
    """What a wager gives back, stake included."""

    wager: str
    player: str
    stake_minor: int
    returned_minor: int
    rounding_minor: int | UnsetType = UNSET
    """How much of that chips had to round up (FL-5.9); it is the house's cost and not its loss."""


class SettleStakes(Command, frozen=True, kw_only=True, tag="wallet.SettleStakes.v1"):
    """Move stakes by their outcome."""

    round: str
    currency: str
    lines: tuple[SettledStake, ...]


class BookRound(Command, frozen=True, kw_only=True, tag="wallet.BookRound.v1"):
    """The round is over: its escrow must be empty."""

    round: str
    outcome: Literal["settled", "void"]


class CorrectedStake(Struct, frozen=True, gc=False, kw_only=True):
    """What a wager gave back until now, and what it gives back."""

    wager: str
    player: str
    settled_minor: int
    returned_minor: int
    settled_rounding_minor: int | UnsetType = UNSET
    rounding_minor: int | UnsetType = UNSET


class CorrectStakes(Command, frozen=True, kw_only=True, tag="wallet.CorrectStakes.v1"):
    """Move the differences between what wagers were settled with and what they give back."""

    round: str
    number: int
    """Of the correction in its round, from 1."""
    currency: str
    lines: tuple[CorrectedStake, ...]


class NoteTable(Command, frozen=True, kw_only=True, tag="wallet.NoteTable.v1"):
    """A table plays on this day: the book stays open until it has closed its own."""

    table: str


class NoteDayClosed(Command, frozen=True, kw_only=True, tag="wallet.NoteDayClosed.v1"):
    """A table has closed its day."""

    table: str
    next_day: str


class CloseBook(Command, frozen=True, kw_only=True, tag="wallet.CloseBook.v1"):
    """Close the day's book; the service fills in the day that follows."""

    next_day: str = ""


class CarriedForward(Event, frozen=True, kw_only=True, tag="wallet.CarriedForward.v1"):
    """A part of the book before was taken over."""

    from_day: str
    accounts: tuple[CarriedAccount, ...] = ()
    stakes: tuple[CarriedStake, ...] = ()
    ids: tuple[CarriedId, ...] = ()
    blocked: tuple[CarriedBlock, ...] | UnsetType = UNSET
    """Players who may place no stakes; left out where there are none."""

    def older_answers(self) -> tuple[tuple[str, str, Answer], ...]:
        """The ids of the book before get the same answers in this one."""
        return tuple((row.id, row.fingerprint, row.answer) for row in self.ids)


class BookOpened(Event, frozen=True, kw_only=True, tag="wallet.BookOpened.v1"):
    """The day's book is open; how many shards it has is a fact of the book."""

    day: str
    semantics: int
    shard: int
    shards: int
    follows: str = ""
    caps: tuple[AdjustmentCap, ...] | UnsetType = UNSET
    """How much one adjustment may move in this book; left out, it takes none."""
    balances: str | UnsetType = UNSET
    """The digest of the balances that it begins with, which is that of the book before."""


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


class StakeReserved(Event, frozen=True, kw_only=True, tag="wallet.StakeReserved.v1"):
    """A stake is set aside."""

    wager: str
    round: str
    player: str
    currency: str
    minor: int
    postings: tuple[Posting, ...]
    promo_minor: int | UnsetType = UNSET
    """How much of it is promotional money; left out where it is nothing."""


class StakeRefused(Event, frozen=True, kw_only=True, tag="wallet.StakeRefused.v1"):
    """A stake cannot be set aside."""

    wager: str
    round: str
    code: str
    message: str


class StakeForgone(Event, frozen=True, kw_only=True, tag="wallet.StakeForgone.v1"):
    """A stake was given back before it was ever asked for: whoever asks for it later finds that it is over."""

    wager: str
    round: str


class StakeReleased(Event, frozen=True, kw_only=True, tag="wallet.StakeReleased.v1"):
    """A stake went back to its player."""

    wager: str
    round: str
    player: str
    currency: str
    minor: int
    postings: tuple[Posting, ...]


class StakesSettled(Event, frozen=True, kw_only=True, tag="wallet.StakesSettled.v1"):
    """Stakes moved by their outcome."""

    round: str
    currency: str
    lines: tuple[SettledStake, ...]
    postings: tuple[Posting, ...]


class StakesCorrected(Event, frozen=True, kw_only=True, tag="wallet.StakesCorrected.v1"):
    """The differences of a correction moved; what a player could not pay back is owed, at `player/<player>/owed`."""

    round: str
    number: int
    currency: str
    lines: tuple[CorrectedStake, ...]
    postings: tuple[Posting, ...]


class RoundBooked(Event, frozen=True, kw_only=True, tag="wallet.RoundBooked.v1"):
    """Nothing of the round is left in escrow."""

    round: str
    outcome: Literal["settled", "void"]


class TableNoted(Event, frozen=True, kw_only=True, tag="wallet.TableNoted.v1"):
    """A table plays on this day."""

    table: str


class DayClosedNoted(Event, frozen=True, kw_only=True, tag="wallet.DayClosedNoted.v1"):
    """A table has closed its day."""

    table: str
    next_day: str


class PromoGranted(Event, frozen=True, kw_only=True, omit_defaults=True, tag="wallet.PromoGranted.v1"):
    """A player has promotional money, at `player/<player>/promo`."""

    player: str
    currency: str
    minor: int
    by: str
    job: Job
    postings: tuple[Posting, ...]
    voucher: str = ""


class PromoRedeemed(Event, frozen=True, kw_only=True, tag="wallet.PromoRedeemed.v1"):
    """Promotional money became money that can be withdrawn."""

    player: str
    currency: str
    minor: int
    by: str
    job: Job
    postings: tuple[Posting, ...]


class PromoCancelled(Event, frozen=True, kw_only=True, tag="wallet.PromoCancelled.v1"):
    """Promotional money went back to the house."""

    player: str
    currency: str
    minor: int
    by: str
    job: Job
    postings: tuple[Posting, ...]


class BookClosed(Event, frozen=True, kw_only=True, tag="wallet.BookClosed.v1"):
    """The day's book is closed: nothing follows in this stream."""

    day: str
    next_day: str
    accounts: int
    stakes: int
    movements: int | UnsetType = UNSET
    """How many events of the book moved money."""
    trial: tuple[TrialRow, ...] | UnsetType = UNSET
    """What lies in each kind of account."""
    balances: str | UnsetType = UNSET
    """The SHA-256 of a line `CURRENCY ACCOUNT MINOR` for each account in which something lies, sorted byte by byte."""


LedgerCommand = (
    CarryForward
    | OpenBook
    | OpenAccount
    | Deposit
    | Withdraw
    | ReserveStake
    | ReleaseStake
    | SettleStakes
    | CorrectStakes
    | BookRound
    | NoteTable
    | NoteDayClosed
    | CloseBook
    | ProposeAdjustment
    | ApproveAdjustment
    | DeclineAdjustment
    | BlockAccount
    | UnblockAccount
    | GrantPromo
    | RedeemPromo
    | CancelPromo
)
LedgerEvent = (
    CarriedForward
    | BookOpened
    | AccountOpened
    | Deposited
    | Withdrawn
    | MovementRefused
    | StakeReserved
    | StakeRefused
    | StakeForgone
    | StakeReleased
    | StakesSettled
    | StakesCorrected
    | RoundBooked
    | TableNoted
    | DayClosedNoted
    | PromoGranted
    | PromoRedeemed
    | PromoCancelled
    | BookClosed
    | AdjustmentProposed
    | AdjustmentMade
    | AdjustmentDeclined
    | AccountBlocked
    | AccountUnblocked
)

StaffCommand = OpenAccount | Deposit | Withdraw | CageCommand
"""What the cage may ask of the ledger."""
