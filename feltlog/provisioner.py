"""The provisioner: makes the logs of each gaming day a day ahead, and closes them when their books are closed.

Nobody else may make or change a log.  It keeps running: it makes again what somebody deleted, refuses to go on with what
somebody changed, and seals a past day as soon as its last ledger entry closes the book, its tables have closed it too, and
every listener is done with it.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import msgspec

from shared.contracts.subjects import SERVICES, Addressed, ledger_stream, log_day, log_name, log_of
from shared.kernel.entry import Stored
from shared.runtime.clock import Clock, SystemClock, days_to_keep, gaming_day
from shared.runtime.connection import Endpoint, Outages, close, connect, while_open
from shared.runtime.event_store import EventStore, StoreUnavailable
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.log_making import LogMaker
from shared.runtime.log_settings import LOG_BYTES_MAX
from shared.runtime.main import run
from shared.runtime.questions import questions
from shared.runtime.settings import ServiceSettings
from shared.runtime.settings_check import check_payload, check_server

NAME = "provisioner"
ROUND_S = 2.0
AGAIN_S = 0.5
"""How long after an outage stopped it the provisioner tries again."""
BOOK_CLOSED = "wallet.BookClosed.v1"
DAY_CLOSED = "table.DayClosed.v1"

log = logging.getLogger(__name__)


class _Event(msgspec.Struct):
    type: str


class _Decision(msgspec.Struct):
    events: list[_Event]


class _Entry(msgspec.Struct):
    stream: str
    decisions: list[_Decision]

    @property
    def closes_a_book(self) -> bool:
        """Whether its last decision closes its book."""
        return any(event.type == BOOK_CLOSED for event in self.decisions[-1].events)

    @property
    def closes_a_day(self) -> bool:
        """Whether a table has closed its day with it."""
        return any(event.type == DAY_CLOSED for decision in self.decisions for event in decision.events)


class Provisioner:
    """Keeps the logs of the house in order; `look_after` is one round of it."""

    def __init__(self, store: EventStore, maker: LogMaker, clock: Clock, *, day_starts: str, zone: str) -> None:
        self._store = store
        self._maker = maker
        self._clock = clock
        self._day_starts = day_starts
        self._zone = zone

    def today(self) -> str:
        """Return the gaming day that it is now."""
        return gaming_day(self._clock.now_ms(), self._day_starts, self._zone)

    async def look_after(self) -> None:
        """Close what is over, make the logs that are due, make again what is missing, and room where more is wanted."""
        await self._close_past_days()
        known = {log_day(name)[1] for name in await self._store.logs()}
        for day in days_to_keep(known, self.today()):
            for service in SERVICES:
                name = log_name(service, day)
                if await self._maker.make(name):
                    log.info("made %s", name)
                    await self._maker.mend(name)
        for name in await self._open_logs():
            for durable in await self._maker.mend(name):
                log.warning("%s had no consumer %s: made it", name, durable)
            if await self._maker.grow(name):
                log.info("%s may grow further", name)

    async def _close_past_days(self) -> None:
        """Seal the logs of past days, oldest first, up to the first day that is not over yet."""
        for day in sorted({log_day(name)[1] for name in await self._open_logs()}):
            if day >= self.today() or not await self._is_over(day):
                return
            for name in await self._open_logs():
                if log_day(name)[1] == day:
                    await self._maker.seal(name)
                    log.info("sealed %s", name)

    async def _is_over(self, day: str) -> bool:
        """Return whether nothing can follow in the day's logs: books and tables are closed, and everything in them is worked off."""
        logs = [name for name in await self._store.logs() if log_day(name)[1] == day]
        if not await self._books_are_closed(day):
            return False
        return all([await self._maker.is_worked_off(name) for name in logs]) and await self._tables_are_closed(day)

    async def _books_are_closed(self, day: str) -> bool:
        """Return whether every ledger of the day ends with its closing; a day without one is over when a later day has one."""
        ledgers = await self._ledger_ends(day)
        if not ledgers:
            wallet_days = [log_day(name)[1] for name in await self._store.logs("wallet")]
            return any([await self._ledger_ends(later) for later in wallet_days if later > day])
        return all(entry.closes_a_book for entry in ledgers)

    async def _tables_are_closed(self, day: str) -> bool:
        """Return whether every table that was open on a day has closed it, also one of which no ledger has heard."""
        closed: dict[str, bool] = {}
        async for stored in self._store.read(log_name("table", day), pattern=f"log.table.{day}.*.table"):
            entry = _entry(stored)
            if entry is not None:
                closed[stored.stream] = entry.closes_a_day or closed.get(stored.stream, False)
        return all(closed.values())

    async def _ledger_ends(self, day: str) -> list[_Entry]:
        """Return the last entry of each ledger of the day; shards are numbered from 0 without a gap."""
        ends: list[_Entry] = []
        while (last := await self._last_entry(ledger_stream(day, len(ends)))) is not None:
            ends.append(last)
        return ends

    async def _last_entry(self, stream: str) -> _Entry | None:
        """Return the last entry of a stream, whatever stands behind it that is none."""
        last = await self._store.last(stream)
        found = None if last is None else _entry(last)
        if last is not None and found is None:
            async for stored in self._store.read(log_of(stream), pattern=stream):
                found = _entry(stored) or found
        return found

    async def _open_logs(self) -> list[str]:
        """Return the daily logs that are not sealed."""
        return [name for service in SERVICES for name in await self._store.open_logs(service)]


def _entry(stored: Stored) -> _Entry | None:
    """Return the entry that a message holds, None if it holds none of its stream."""
    try:
        entry = msgspec.json.decode(stored.data, type=_Entry)
    except (msgspec.DecodeError, RecursionError):
        return None
    return entry if entry.stream == stored.stream and entry.decisions else None


async def provide(settings: ServiceSettings, clock: Clock | None = None) -> None:
    """Look after the logs for ever, every `ROUND_S` seconds, and answer `query.provisioner.>` as soon as they are ready."""
    endpoint = Endpoint(url=settings.nats_url, credentials=settings.credentials, name=NAME)
    outages = Outages()
    client = await connect(endpoint, outages, patience_s=None)
    broker = questions(endpoint, NAME, _health)
    try:
        await _patiently(lambda: check_server(settings.monitor_url, allow_volatile=settings.allow_volatile))
        check_payload(client)
        maker = LogMaker(client, bytes_max=int(os.environ.get("FELTLOG_LOG_BYTES_MAX", LOG_BYTES_MAX)))
        provisioner = Provisioner(JetStreamStore(client), maker, clock or SystemClock(), day_starts=settings.day_starts, zone=settings.zone)
        await while_open(outages, _keep(provisioner, broker.start))
    finally:
        await broker.stop()
        await close(client)


async def _keep(provisioner: Provisioner, open_door: Callable[[], Awaitable[None]]) -> NoReturn:
    await _patiently(provisioner.look_after)
    await open_door()
    log.info("the logs of %s are ready", provisioner.today())
    while True:
        await asyncio.sleep(ROUND_S)
        await _patiently(provisioner.look_after)


async def _patiently(work: Callable[[], Awaitable[None]]) -> None:
    """Do something, again and again as long as the store is away."""
    while True:
        try:
            return await work()
        except StoreUnavailable as error:
            log.warning("%s", error)
            await asyncio.sleep(AGAIN_S)


async def _health(to: Addressed) -> dict[str, Any]:
    return {"service": NAME, "ready": True, "pid": os.getpid()}


if __name__ == "__main__":
    run(provide)
