"""`feltlog rebuild`: the rows made anew, and held against those that stand there."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from feltlog.commands.rebuild import Rebuilt, rebuilt, where_for
from feltlog.house import House
from feltlog.rebuilding import open_index
from feltlog.trouble import Trouble
from services.wallet.rows import BalanceRow, MovementRow, PostingRow
from shared.contracts.cage import Deposited
from shared.kernel.entry import Stored
from shared.runtime.sql import shown
from tests.books import Books
from tests.forgery import forged
from tests.houses import WholeHouse, little_house

LEDGER = "log.wallet.20261130.ledger.0"


@pytest.fixture(scope="module")
def house() -> WholeHouse:
    """Two tables, three rounds on each, and the day's end."""
    house = little_house(7)
    house.end_day()
    return house


async def rebuild(path: Path, stored: Sequence[Stored], *, replace: bool = False) -> Rebuilt:
    """Return what comes of rebuilding rows in a file from logs."""
    index = open_index(path)
    try:
        return await rebuilt(Books(stored), index, replace=replace)
    finally:
        index.close()


async def test_rows_are_written_where_there_are_none_and_compared_where_there_are(tmp_path, house):
    """Both times the same digest."""
    first = await rebuild(tmp_path / "books.sqlite", house.stored)
    again = await rebuild(tmp_path / "books.sqlite", house.stored)

    assert (first.outcome, again.outcome, again.anew) == ("built", "same", first.anew)


async def test_rows_that_lag_behind_are_compared_as_far_as_they_are(tmp_path, house):
    """A house that plays on is no difference."""
    await rebuild(tmp_path / "books.sqlite", house.stored[:40])
    found = await rebuild(tmp_path / "books.sqlite", house.stored)

    assert (found.outcome, found.anew) == ("same", found.standing)


async def test_rows_made_in_one_go_are_those_made_bit_by_bit(tmp_path, house, monkeypatch):
    """What a crash or a batch ends in makes no difference."""
    whole = await rebuild(tmp_path / "whole.sqlite", house.stored)
    monkeypatch.setattr("feltlog.rebuilding.ENTRIES_AT_ONCE", 1)
    bits = await rebuild(tmp_path / "bits.sqlite", house.stored)

    assert bits.anew == whole.anew


def change(path: Path, name: str, kind: type[Any], changed: dict[str, Any]) -> None:
    """Change the first row of a kind behind everybody's back."""
    with closing(open_index(path)) as index:
        index.write({name: [msgspec.structs.replace(index.rows(name, kind)[0], **changed)]}, {})


@pytest.mark.parametrize(
    ("name", "kind", "changed", "expected"),
    [
        ("movements", MovementRow, {"tag": "wallet.Withdrawn.v1"}, "of movements stream log.wallet.20261130.ledger.0, revision "),
        ("postings", PostingRow, {"minor": 7}, "of postings stream log.wallet.20261130.ledger.0, revision "),
        ("postings", PostingRow, {"leg": 9}, "of postings this row does not come from the logs: stream log.wallet.20261130.ledger.0"),
        ("balances", BalanceRow, {"minor": 7}, "of balances currency CAD, account player/ann/cash, minor "),
        ("balances", BalanceRow, {"account": "player/zoe/cash"}, "of balances this row does not come from the logs: currency CAD, "),
    ],
)
async def test_a_row_that_was_changed_is_found_and_replaced(tmp_path, house, name, kind, changed, expected):
    """The first that differs is named; the rows made anew take the place of all."""
    path = tmp_path / "books.sqlite"
    built = await rebuild(path, house.stored)
    change(path, name, kind, changed)
    found = await rebuild(path, house.stored)
    mended = await rebuild(path, house.stored, replace=True)
    after = await rebuild(path, house.stored)

    assert (found.outcome, mended.outcome, after.outcome, after.standing) == ("differs", "replaced", "same", built.anew)
    assert found.difference.startswith(expected), found.difference


async def test_rows_that_know_more_than_the_logs_are_missing_entries(tmp_path, house):
    """They are left as they are: they may be all that is left of what was acknowledged."""
    built = await rebuild(tmp_path / "books.sqlite", house.stored)
    found = await rebuild(
        tmp_path / "books.sqlite", [one for one in house.stored if "20261201" in one.log or one.sequence < 20], replace=True
    )

    assert (found.outcome, found.standing, found.difference[:33]) == ("missing", built.anew, "Acknowledged entries are missing:")


async def test_rows_whose_log_has_grown_again_are_evidence_as_well(tmp_path, house):
    """As many entries as before, but not those that the rows rest on: nothing is replaced."""
    built = await rebuild(tmp_path / "books.sqlite", house.of(LEDGER))
    other = forged(house.of(LEDGER), Deposited, lambda event: [replace(event, minor=event.minor + 1)])
    found = await rebuild(tmp_path / "books.sqlite", other, replace=True)

    assert (found.outcome, found.standing, "is not the entry that the rows rest on" in found.difference) == ("missing", built.anew, True)


async def test_rows_of_a_day_that_is_not_kept_here_are_left_alone(tmp_path, house):
    """They cannot be made anew, and nothing says that they are wrong."""
    await rebuild(tmp_path / "books.sqlite", house.stored)
    with pytest.raises(Trouble, match="The rows know LOG_WALLET_20261130, which is not kept here"):
        await rebuild(tmp_path / "books.sqlite", [one for one in house.stored if "20261201" in one.log])


@pytest.mark.parametrize(
    ("said", "environment", "tables", "expected"),
    [
        ("", {}, "", "books.sqlite"),
        ("", {}, '[wallet]\ndatabase = "rows.sqlite"\n', "rows.sqlite"),
        ("", {"FELTLOG_WALLET_DATABASE": "there.sqlite"}, '[wallet]\ndatabase = "rows.sqlite"\n', "there.sqlite"),
        ("/here.sqlite", {"FELTLOG_WALLET_DATABASE": "there.sqlite"}, "", "/here.sqlite"),
    ],
)
def test_the_rows_are_where_they_were_said_to_be(tmp_path, said, environment, tables, expected):
    """On the command line, in the environment, in the house's settings, beside its logs: in that order."""
    (tmp_path / "tables.toml").write_text(f'[house]\noperator = "north"\nday_starts = "06:00"\nzone = "UTC"\n{tables}')

    assert shown(where_for(House(tmp_path), said, environment)) == str(tmp_path / expected)


def spoil(path: Path, *statements: str) -> None:
    """Do to rows what somebody with an SQL prompt does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, f"{statement} meets no row"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "UPDATE positions SET sequence = 9 WHERE log LIKE '%20261130'",
            "the rows contradict themselves: positions has LOG_WALLET_20261130 at sequence 9",
        ),
        ("DELETE FROM positions", "the rows contradict themselves: positions has LOG_WALLET_20261130 at sequence 0"),
        ("UPDATE heads SET revision = 4, sequence = 4 WHERE stream LIKE '%20261130%'", "missing"),
        (
            "DELETE FROM heads WHERE stream LIKE '%20261130%'",
            "of heads this row is missing: stream log.wallet.20261130.ledger.0, revision ",
        ),
        ("UPDATE heads SET stream = 'x' WHERE stream LIKE '%20261130%'", "the rows contradict themselves: positions has x at sequence 0"),
        ("DELETE FROM movements WHERE revision = 7", "of movements this row is missing: stream log.wallet.20261130.ledger.0, revision 7"),
        ("UPDATE postings SET minor = 'many' WHERE revision = 7", "of postings the row stream log.wallet.20261130.ledger.0, revision 7"),
        ("UPDATE postings SET minor = 0.5 WHERE revision = 7", "of postings the row stream log.wallet.20261130.ledger.0, revision 7"),
        (
            "UPDATE balances SET minor = x'00' WHERE account = 'player/bob/cash'",
            "of balances the row currency CAD, account player/bob/cash holds what",
        ),
    ],
)
async def test_what_a_hand_does_to_rows_is_told_and_mended(tmp_path, house, statement, expected):
    """The row is named, and nobody is told that the log has lost entries which it holds."""
    path = tmp_path / "books.sqlite"
    built = await rebuild(path, house.stored)
    spoil(path, statement)
    found = await rebuild(path, house.stored)
    if expected == "missing":
        # The digest in it is that of no entry at that place: which of the two was changed is not to be known.
        assert found.outcome == "missing"
        return
    mended = await rebuild(path, house.stored, replace=True)
    after = await rebuild(path, house.stored)

    assert found.difference.startswith(expected), found.difference
    assert (found.outcome, mended.outcome, after.outcome, after.standing) == ("differs", "replaced", "same", built.anew)


async def test_rows_that_were_passed_over_are_no_missing_entries(tmp_path, house):
    """A position that was moved forward leaves out rows; the log still holds what they are made of."""
    path = tmp_path / "books.sqlite"
    await rebuild(path, house.stored[:40])
    end = await Books(house.stored).end("LOG_WALLET_20261130")
    spoil(path, f"UPDATE positions SET sequence = {end}")
    found = await rebuild(path, house.stored, replace=True)

    assert (found.outcome, found.difference[:33]) == ("replaced", "of movements this row is missing:")


async def test_an_interrupted_rebuild_leaves_nothing_behind(tmp_path, house, monkeypatch):
    """Half of the rows with their position would stand there as if they were all."""
    path = tmp_path / "books.sqlite"
    monkeypatch.setattr("feltlog.rebuilding.ENTRIES_AT_ONCE", 1)
    with pytest.raises(KeyboardInterrupt), closing(open_index(path)) as index:
        await rebuilt(Interrupted(house.stored), index, replace=False)
    found = await rebuild(path, house.stored)

    assert (found.outcome, found.behind) == ("built", 0)


class Interrupted(Books):
    """Logs whose reader is stopped by Ctrl-C in the middle."""

    async def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield some entries."""
        async for stored in super().read(log, pattern=pattern, after=after, upto=upto):
            if stored.sequence > 20:
                raise KeyboardInterrupt
            yield stored


async def test_rows_that_a_wallet_begins_meanwhile_are_not_overwritten(tmp_path, house):
    """Whoever rebuilds what was empty a moment ago asks again."""
    path = tmp_path / "books.sqlite"
    with closing(open_index(path)) as index, pytest.raises(Trouble, match="written by a wallet that runs"):
        await rebuilt(Meanwhile(house.stored, lambda: index.write({}, {"LOG_WALLET_20261130": 1})), index, replace=False)


class Meanwhile(Books):
    """Logs during whose reading something happens."""

    def __init__(self, messages: Sequence[Stored], happens: Callable[[], None]) -> None:
        super().__init__(messages)
        self.happens = happens

    async def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the entries, after it has happened."""
        self.happens()
        async for stored in super().read(log, pattern=pattern, after=after, upto=upto):
            yield stored
