"""The read side: rows that follow the ledger, and whatever happens to them, happen to nothing else."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.rebuilding import open_index, state_of
from services.wallet.app.read_side import ReadSide
from services.wallet.views import Standing
from shared.contracts.cage import Deposited
from shared.runtime.event_store import StoreUnavailable
from tests.books import Books
from tests.forgery import forged
from tests.houses import WholeHouse, little_house
from tests.integration.patience import until

TODAY = "log.wallet.20261130.ledger.0"


@pytest.fixture(scope="module")
def house() -> WholeHouse:
    """Two tables, three rounds on each, and the day's end."""
    house = little_house(7)
    house.end_day()
    return house


class Alarms(list[tuple[str, str]]):
    """What was alarmed: the kind, and the sentence."""

    async def __call__(self, kind: str, **facts: Any) -> None:
        """Hear an alarm."""
        self.append((kind, facts["what"]))


@asynccontextmanager
async def following(path: Path, store: Any, alarms: Alarms) -> AsyncIterator[ReadSide]:
    """Let a read side follow the logs for as long as the test needs it."""
    side = ReadSide(path, store, alarms)
    task = asyncio.create_task(side.follow())
    try:
        yield side
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def reached(side: ReadSide, condition: Callable[[Standing], bool]) -> Standing:
    """Return what the read side says of itself as soon as that is as wanted."""

    async def as_wanted() -> Standing | None:
        standing = await side.standing()
        return standing if condition(standing) else None

    found: Standing = await until(as_wanted)
    return found


def up_to_date(standing: Standing) -> bool:
    """Return whether nothing is missing from the rows."""
    return standing.state == "follows" and standing.behind == 0


def digest_of(path: Path) -> str:
    """Return the digest of the rows in a file."""
    with closing(open_index(path)) as index, index.snapshot() as rows:
        return state_of(rows).digest


async def test_rows_follow_the_logs_and_go_on_where_they_stopped(tmp_path, house):
    """Half of the logs, a stop, and the rest: the same rows as in one go, each movement once."""
    store, half = Books(house.stored[:40]), tmp_path / "half.sqlite"
    async with following(half, store, Alarms()) as side:
        first = await reached(side, up_to_date)
    store.messages = house.stored
    async with following(half, store, Alarms()) as side:
        last = await reached(side, up_to_date)
    async with following(tmp_path / "whole.sqlite", store, Alarms()) as side:
        await reached(side, up_to_date)

    assert digest_of(half) == digest_of(tmp_path / "whole.sqlite")
    assert (first.stream, last.stream) == (TODAY, "log.wallet.20261201.ledger.0")


async def test_two_at_once_write_nothing_twice(tmp_path, house):
    """A wallet that was replaced may write on for a moment: whoever comes second finds that the position has moved on."""
    store = Books(house.stored[:30])
    async with following(tmp_path / "two.sqlite", store, Alarms()) as one, following(tmp_path / "two.sqlite", store, Alarms()) as other:
        store.messages = house.stored
        await reached(one, up_to_date)
        await reached(other, up_to_date)
    async with following(tmp_path / "one.sqlite", store, Alarms()) as side:
        await reached(side, up_to_date)

    assert digest_of(tmp_path / "two.sqlite") == digest_of(tmp_path / "one.sqlite")


async def test_a_file_that_is_no_database_stops_the_rows_with_an_alarm_and_a_sentence(tmp_path, house):
    """The wallet goes on; an operator reads what is wrong and what to do."""
    (tmp_path / "books.sqlite").write_text("no database, and long enough to be looked at")
    alarms = Alarms()
    async with following(tmp_path / "books.sqlite", Books(house.stored), alarms) as side:
        standing = await reached(side, lambda standing: standing.state == "stopped")

    assert ("file is not a database" in standing.why, alarms) == (True, [("rows_stopped", standing.why)])


async def test_a_database_that_is_away_is_waited_for(tmp_path, house, monkeypatch):
    """A disk that comes back, a server that starts later: the rows catch up."""
    monkeypatch.setattr("services.wallet.app.read_side.AGAIN_S", 0.05)
    alarms, path = Alarms(), tmp_path / "not there" / "books.sqlite"
    async with following(path, Books(house.stored), alarms) as side:
        waiting = await reached(side, lambda standing: standing.state == "waits")
        path.parent.mkdir()
        await reached(side, up_to_date)

    assert ("unable to open database file" in waiting.why, [kind for kind, _ in alarms]) == (True, ["rows_wait"])


class Restless(Books):
    """A store that does not answer at first."""

    refusals = 2

    async def logs(self, service: str) -> list[str]:
        """Return the logs of a service, later."""
        if self.refusals:
            self.refusals -= 1
            raise StoreUnavailable("the server is away")
        return await super().logs(service)


async def test_a_store_that_is_away_is_waited_for_without_a_word(tmp_path, house, monkeypatch):
    """The wallet itself says that its server is away."""
    monkeypatch.setattr("services.wallet.app.read_side.AGAIN_S", 0.05)
    alarms = Alarms()
    async with following(tmp_path / "books.sqlite", Restless(house.stored), alarms) as side:
        standing = await reached(side, up_to_date)

    assert (standing.why, alarms) == ("", [])


async def test_rows_that_are_ahead_of_their_log_stop_with_an_alarm(tmp_path, house):
    """An older copy was put back: entries that were acknowledged are missing."""
    alarms, path = Alarms(), tmp_path / "books.sqlite"
    async with following(path, Books(house.stored), alarms) as side:
        await reached(side, up_to_date)
    before = digest_of(path)
    older = Books(house.stored[:40])
    async with following(path, older, alarms) as side:
        standing = await reached(side, lambda standing: standing.state == "stopped")

    assert ([kind for kind, _ in alarms], "Acknowledged entries are missing" in standing.why) == (["entries_missing"], True)
    assert digest_of(path) == before


async def test_rows_whose_log_has_grown_again_from_an_older_copy_stop_as_well(tmp_path, house):
    """As many entries as before, but not those that the rows were made from."""
    alarms, path = Alarms(), tmp_path / "books.sqlite"
    async with following(path, Books(house.stored), alarms) as side:
        await reached(side, up_to_date)
    other = forged(house.stored, Deposited, lambda event: [replace(event, minor=event.minor)], stream=TODAY)
    grown = [replace(one, data=one.data + b" ") if one.stream.endswith("ledger.0") else one for one in other]
    async with following(path, Books(grown), alarms) as side:
        standing = await reached(side, lambda standing: standing.state == "stopped")

    assert ([kind for kind, _ in alarms], "does not go on" in standing.why) == (["entries_missing"], True)
