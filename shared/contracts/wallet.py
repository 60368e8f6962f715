"""What the wallet service says and hears: one ledger for each gaming day (and shard), double entry in minor units.

Every movement is a set of postings to accounts (`accounts`) that sum to zero, in one currency, which the event names.  What moves
money lies in modules of its own, by who asks: `cage` and `promo` for staff, `stakes` for tables; here are the book's beginning
and end, and the language as a whole.
"""

from msgspec import UNSET, Struct, UnsetType

from shared.contracts.cage import CageEvent, CarriedBlock, StaffCommand
from shared.contracts.caps import AdjustmentCap
from shared.contracts.stakes import StakeCommand, StakeEvent
from shared.kernel.messages import Answer, Command, Event


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


class TableNoted(Event, frozen=True, kw_only=True, tag="wallet.TableNoted.v1"):
    """A table plays on this day."""

    table: str


class DayClosedNoted(Event, frozen=True, kw_only=True, tag="wallet.DayClosedNoted.v1"):
    """A table has closed its day."""

    table: str
    next_day: str


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


LedgerCommand = CarryForward | OpenBook | NoteTable | NoteDayClosed | CloseBook | StaffCommand | StakeCommand
LedgerEvent = CarriedForward | BookOpened | TableNoted | DayClosedNoted | BookClosed | CageEvent | StakeEvent
