"""The book's opening and closing: it begins with what the one before ended with, and ends when every table has ended.

Which tables play on the day is noted as they open, and that they have closed their day; so no book is closed while a table
could still ask for something.
"""

from services.wallet.domain.posting import may_be_overdrawn
from services.wallet.domain.state import NO_ACCOUNTS, Ledger
from shared.contracts.refusals import Reason, refused
from shared.contracts.subjects import BadSubject, day_token
from shared.contracts.table import SEMANTICS
from shared.contracts.wallet import (
    BookClosed,
    BookOpened,
    CarriedForward,
    CarryForward,
    CloseBook,
    DayClosedNoted,
    LedgerEvent,
    NoteDayClosed,
    NoteTable,
    OpenBook,
    TableNoted,
)


def carry_forward(command: CarryForward, ledger: Ledger) -> list[LedgerEvent]:
    """Return a part of the book before, each row of which is carried once."""
    if ledger.phase != "carrying":
        raise refused(Reason.BAD_REQUEST, "the book of this day is open, so nothing can be carried into it any more")
    for row in command.accounts:
        assert row.account not in ledger.accounts.get(row.currency, NO_ACCOUNTS), "an account must be carried forward once"
        assert row.minor >= 0 or may_be_overdrawn(row.account), "a player must not owe anything"
    for stake in command.stakes:
        assert (stake.round, stake.wager) not in ledger.stakes, "a stake must be carried forward once"
    for block in command.blocked or ():
        assert block.reason not in ledger.blocks.get(block.player, ()), "a block must be carried forward once"
    return [
        CarriedForward(
            from_day=command.from_day, accounts=command.accounts, stakes=command.stakes, ids=command.ids, blocked=command.blocked
        )
    ]


def open_book(command: OpenBook, ledger: Ledger) -> list[LedgerEvent]:
    """Return the opening, or nothing if this day's book is open."""
    if ledger.phase == "open":
        if command.day == ledger.day:
            return []
        raise refused(Reason.BAD_REQUEST, f"this is the book of {ledger.day}")
    _check_day(command.day)
    for currency in ledger.accounts:
        assert ledger.total(currency) == 0, f"what is carried forward in {currency} must balance"
    return [
        BookOpened(
            day=command.day,
            semantics=SEMANTICS,
            shard=command.shard,
            shards=command.shards,
            follows=command.follows,
            caps=command.caps,
        )
    ]


def note_table(command: NoteTable, ledger: Ledger) -> list[LedgerEvent]:
    """Return that a table plays on this day, once."""
    return [] if command.table in ledger.tables else [TableNoted(table=command.table)]


def note_day_closed(command: NoteDayClosed, ledger: Ledger) -> list[LedgerEvent]:
    """Return that a table has closed its day, once."""
    known = ledger.tables.get(command.table) is False
    return [] if known else [DayClosedNoted(table=command.table, next_day=command.next_day)]


def close_book(command: CloseBook, ledger: Ledger) -> list[LedgerEvent]:
    """Return the closing, once every table of the day has closed."""
    if ledger.tables_open:
        raise refused(Reason.TOO_EARLY)
    _check_day(command.next_day)
    if command.next_day <= ledger.day:
        raise refused(Reason.BAD_REQUEST, f"{command.next_day} does not follow {ledger.day}")
    accounts = sum(len(accounts) for accounts in ledger.accounts.values())
    return [BookClosed(day=ledger.day, next_day=command.next_day, accounts=accounts, stakes=len(ledger.stakes))]


def _check_day(day: str) -> None:
    try:
        day_token(day)
    except BadSubject as error:
        raise refused(Reason.BAD_REQUEST, str(error)) from error
