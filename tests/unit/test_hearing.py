"""Hearing in memory: its bound, and an outage in the middle of a gap."""

import asyncio
import itertools
from contextlib import aclosing

from shared.runtime.hearing import UNDONE_MAX, hear
from shared.runtime.memory_store import MemoryStore

LOG = "LOG_TABLE_20261130"
TABLE = "log.table.20261130.T7.table"


async def filled(count: int) -> MemoryStore:
    """Return a store with `count` entries in one log and a durable on it."""
    store = MemoryStore(itertools.count(1).__next__)
    store.make_log(LOG)
    store.make_consumer(LOG, "wallet")
    for number in range(count):
        await store.append(TABLE, b"entry %d" % number, fence=number)
    return store


async def test_no_more_entries_are_handed_out_than_may_wait_to_be_done():
    """A listener that is never done does not fill the memory: the next entry comes when the first is done."""
    store = await filled(UNDONE_MAX + 1)
    async with aclosing(hear(store, LOG, "wallet")) as hearing:
        first = await anext(hearing)
        for _ in range(UNDONE_MAX - 1):
            await anext(hearing)
        one_more = asyncio.ensure_future(anext(hearing))
        await asyncio.wait({one_more}, timeout=0.05)
        waits = not one_more.done()
        first.done()

        assert (waits, (await one_more).stored.sequence) == (True, UNDONE_MAX + 1)


async def test_outage_is_waited_out():
    """Hearing that begins during an outage goes on when the store is back."""
    store = await filled(3)
    store.is_away = True
    async with aclosing(hear(store, LOG, "wallet")) as hearing:
        first = asyncio.ensure_future(anext(hearing))
        await asyncio.wait({first}, timeout=0.05)
        waits = not first.done()
        store.is_away = False

        assert (waits, (await first).stored.sequence) == (True, 1)


async def test_done_twice_is_done_once():
    """Declaring an entry done again changes nothing."""
    store = await filled(1)
    async with aclosing(hear(store, LOG, "wallet")) as hearing:
        heard = await anext(hearing)
        heard.done()
        heard.done()
    async with store.durable(LOG, "wallet") as line:
        standing = await line.standing()

    assert standing.acked == 1
