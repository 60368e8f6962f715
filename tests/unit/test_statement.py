"""`feltlog statement`: the ledger's own entries, told to a player."""

import io
from zoneinfo import ZoneInfo

import pytest

from feltlog.commands.statement import player_rows
from feltlog.screen import screen
from feltlog.sheet import sheet_of, table_of
from feltlog.trouble import Trouble
from tests.books import Books
from tests.houses import WholeHouse, little_house


@pytest.fixture(scope="module")
def house() -> WholeHouse:
    """Two tables, three rounds on each."""
    return little_house(7)


async def test_a_statement_begins_with_the_account_and_ends_with_its_balance(house):
    """The last balance is what the ledger says."""
    rows, _ = await player_rows(Books(house.stored), "bob")
    ledger = house.streams["log.wallet.20261130.ledger.0"].state

    assert ([row.what for row in rows[:2]], rows[-1].balance_minor) == (["account opened", "deposit"], ledger.account("bob", "CAD").minor)


async def test_a_statement_on_paper_has_a_line_for_each_movement(house):
    """And one for the heading, one under it, and one for what lies there in the end."""
    rows, end = await player_rows(Books(house.stored), "bob")
    console = screen(io.StringIO())
    console.print(table_of(sheet_of("bob", rows, ZoneInfo("America/Toronto"), end=end, day=None, limit=0)))
    assert isinstance(console.file, io.StringIO)

    assert len(console.file.getvalue().splitlines()) == len(rows) + 3


async def test_somebody_without_an_account_is_trouble(house):
    """The sentence says how one is opened."""
    with pytest.raises(Trouble, match="There is no account of 'zoe'"):
        await player_rows(Books(house.stored), "zoe")
