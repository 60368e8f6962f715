"""The keepers: which streams stay in memory."""

import asyncio
import itertools

import pytest

from services.table.domain.round import ROUND
from shared.contracts.wagers import PlaceWager
from shared.kernel.folded import Asked
from shared.kernel.messages import HOUSE, Actor
from shared.runtime.clock import ManualClock
from shared.runtime.event_store import DayClosed
from shared.runtime.keepers import Keepers, Noun
from shared.runtime.memory_store import MemoryStore
from tests.rounds import opening

ANN = Actor("player", "ann")


def keepers(*, over: bool = False) -> Keepers:
    """Return the keepers of a table service that has the log of one day; with `over` every stream is finished."""
    store = MemoryStore(itertools.count(1).__next__)
    store.make_log("LOG_TABLE_20261130")
    return Keepers(store, ManualClock(), "table-a", "test", lambda stream: Noun(ROUND, over=lambda state: over))


def wager(day: str, number: int) -> tuple[str, Asked]:
    """Return a round's stream, and a wager in it."""
    round = f"T7.{day}-{number:06d}"
    return f"log.table.{day}.T7.round.{number:06d}", Asked("a", PlaceWager(round=round, box=1, stake_minor=1), ANN, 1)


async def test_stream_that_never_was_is_let_go():
    """Anybody may ask for rounds that nobody opened, as many as they like: none of them stays in memory."""
    kept = keepers()
    answers = [await kept.ask(*wager("20261130", number)) for number in range(1, 50)]
    await asyncio.sleep(0)

    assert ({answer.code for answer in answers}, kept.open()) == ({"unknown_round"}, [])


async def test_stream_of_a_day_that_never_was_is_let_go():
    """So it is where not even the day's log exists."""
    kept = keepers()
    with pytest.raises(DayClosed):
        await kept.ask(*wager("20991231", 1))
    await asyncio.sleep(0)

    assert kept.open() == []


async def test_stream_of_which_only_strays_are_seen_is_let_go():
    """Whoever dirties a log makes messages, and no streams that anybody keeps."""
    store = MemoryStore(itertools.count(1).__next__)
    store.make_log("LOG_TABLE_20261130")
    kept = Keepers(store, ManualClock(), "table-a", "test", lambda stream: Noun(ROUND))
    for number in range(1, 50):
        store.stray(f"log.table.20261130.T7.round.{number:06d}", b"{}")
    for stored in store.log("LOG_TABLE_20261130").entries:
        assert stored is not None
        await kept.see(stored)

    assert kept.open() == []


async def test_stream_that_is_over_is_mended_too():
    """A person may mend what could not be read after the end of a stream as well."""
    kept = keepers(over=True)
    stream = "log.table.20261130.T7.round.000001"
    await kept.ask(stream, Asked("open", opening("ontario"), HOUSE, 1))
    over = kept.get(stream)
    over.unreadable = "spoiled"
    kept.mend(stream)

    assert (kept.open(), over.unreadable) == ([], "")
