"""The closed books: an id of any past day keeps its answer, long after the open book has forgotten it."""

from pathlib import Path

import pytest

from services.wallet.app.closed_books import ClosedBooks
from services.wallet.domain.ledger import LEDGER
from shared.contracts.cage import Deposit, OpenAccount, Withdraw
from shared.contracts.subjects import ledger_stream, log_name
from shared.contracts.wallet import OpenBook
from shared.kernel.folded import Asked, Pen, draft, empty, fingerprint
from shared.kernel.messages import HOUSE, Actor
from shared.runtime.memory_store import MemoryStore
from shared.runtime.sql import EntriesMissing

CAGE = Actor("staff", "cage")
DEPOSIT = Deposit(player="ann", currency="CAD", minor=500)
LONG_AGO, TODAY = "20261101", "20261130"


async def a_day_long_ago() -> MemoryStore:
    """Return a store with the ledger of one past day: an account, a deposit, and a withdrawal that was refused."""
    store = MemoryStore(lambda: 1_000)
    store.make_log(log_name("wallet", LONG_AGO))
    stream = ledger_stream(LONG_AGO)
    asked = [
        Asked("open", OpenBook(day=LONG_AGO), HOUSE, 1_000),
        Asked("account", OpenAccount(player="ann", operator="north", currency="CAD"), CAGE, 1_000),
        Asked("deposit", DEPOSIT, CAGE, 1_000),
        Asked("withdrawal", Withdraw(player="ann", currency="CAD", minor=900), CAGE, 1_000),
    ]
    drafted = draft(LEDGER, empty(LEDGER, stream), asked, Pen("test", 1, "test"), now_ms=1_000)
    await store.append(stream, drafted.data, fence=0)
    return store


async def learned(path: Path, store: MemoryStore) -> ClosedBooks:
    """Return what the books before today have answered."""
    books = ClosedBooks(path)
    await books.learn(store, before=TODAY)
    return books


@pytest.mark.parametrize(("id", "status"), [("deposit", "accepted"), ("withdrawal", "refused")])
async def test_id_of_a_closed_book_keeps_its_answer(tmp_path, id, status):
    """Log page, ids: open and previous book in memory, older ones in an index of closed books."""
    recorded = await (await learned(tmp_path / "ids.sqlite", await a_day_long_ago())).recorded(id)

    assert recorded is not None and recorded.answer.status == status


async def test_id_of_a_closed_book_stands_for_its_content(tmp_path):
    """Log page, ids: the same id with other content is told apart by its fingerprint."""
    recorded = await (await learned(tmp_path / "ids.sqlite", await a_day_long_ago())).recorded("deposit")

    assert recorded is not None and recorded.fingerprint == fingerprint(DEPOSIT, CAGE)


async def test_id_that_was_never_used_stands_for_nothing(tmp_path):
    """A new request is new."""
    assert await (await learned(tmp_path / "ids.sqlite", await a_day_long_ago())).recorded("another") is None


async def test_book_of_today_is_not_among_the_closed_ones(tmp_path):
    """The open book answers for itself."""
    books = ClosedBooks(tmp_path / "ids.sqlite")
    await books.learn(await a_day_long_ago(), before=LONG_AGO)

    assert await books.recorded("deposit") is None


async def test_lost_end_of_a_closed_book_is_noticed(tmp_path):
    """A book that holds less than was seen of it has lost acknowledged entries."""
    await learned(tmp_path / "ids.sqlite", await a_day_long_ago())
    emptied = MemoryStore(lambda: 1_000)
    emptied.make_log(log_name("wallet", LONG_AGO))

    with pytest.raises(EntriesMissing):
        await learned(tmp_path / "ids.sqlite", emptied)
