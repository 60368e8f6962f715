"""Hearing: every entry of a log exactly in order, whatever the deliveries look like.

A durable consumer remembers what its service has worked off, but it promises no order: it delivers again after a crash,
splits its deliveries between two processes, and loses sight of what a dead process held.  So deliveries are only taken as
news; whatever they skip is fetched by a plain read, and whatever they repeat is acknowledged and dropped.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Protocol, Self, TypeVar

import msgspec

from shared.kernel.entry import Stored
from shared.runtime.event_store import EventStore, StoreRefusal, StoreUnavailable

WATCH_S = 5.0
BREATH_S = 0.25
UNDONE_MAX = 4096

Answer = TypeVar("Answer")


class LogGap(StoreRefusal):
    """An entry that should be there is gone from the log."""

    code = "log_gap"

    def __init__(self, log: str, sequence: int) -> None:
        super().__init__(f"{log} lacks the entry {sequence}, which must exist: stop, and verify the log")
        self.log = log
        self.sequence = sequence


class ConsumerMissing(StoreRefusal):
    """The durable consumer does not exist; the provisioner makes consumers, nobody else."""

    code = "consumer_missing"

    def __init__(self, log: str, durable: str) -> None:
        super().__init__(f"{log} has no consumer {durable}: is the provisioner running?")
        self.log = log
        self.durable = durable


class Delivery(msgspec.Struct, frozen=True):
    """One delivery of an entry by a durable, the address of its acknowledgement, and the headers that it was stored with."""

    stored: Stored
    acknowledge_at: str
    headers: dict[str, str] = {}


class Standing(msgspec.Struct, frozen=True):
    """How far a durable has come: `delivered` to whomever, and acknowledged without a gap up to `acked`."""

    delivered: int
    acked: int


class Durable(Protocol):
    """One process's line to a durable consumer, open within `async with`."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    async def standing(self) -> Standing:
        """Return how far the durable has come; raise `ConsumerMissing` or `StoreUnavailable`."""
        ...

    async def next(self, wait_s: float) -> Delivery | None:
        """Return the next delivery, or None after `wait_s` or whenever it is wise to look at the standing."""
        ...

    async def acknowledge(self, delivery: Delivery) -> None:
        """Tell the durable that this delivery's entry is worked off; a lost acknowledgement only costs a redelivery."""
        ...


class Audible(EventStore, Protocol):
    """An event store whose logs can be heard."""

    def durable(self, log: str, name: str) -> Durable:
        """Return a line, not yet open, to the durable `name` of `log`."""
        ...


class Heard:
    """An entry in its turn, to be declared done when everything that it caused is stored."""

    def __init__(self, stored: Stored, undone: "Undone", delivery: Delivery | None) -> None:
        self.stored = stored
        self.delivery = delivery
        self.is_done = False
        self._undone = undone

    def done(self) -> None:
        """Declare the entry worked off; it is acknowledged as soon as all entries before it are done too."""
        self.is_done = True
        self._undone.settle()


class Undone:
    """What has been handed out and is not worked off, in order."""

    def __init__(self, line: Durable) -> None:
        self._line = line
        self._waiting: dict[int, Heard] = {}
        self._room = asyncio.Event()
        self._to_acknowledge: deque[Delivery] = deque()
        self._sender: asyncio.Task[None] | None = None

    async def hand_out(self, stored: Stored, delivery: Delivery | None = None) -> Heard:
        """Return `stored` as heard, as soon as fewer than `UNDONE_MAX` entries wait to be done."""
        while len(self._waiting) >= UNDONE_MAX:
            self._room.clear()
            await self._room.wait()
        heard = self._waiting[stored.sequence] = Heard(stored, self, delivery)
        return heard

    def repeated(self, delivery: Delivery) -> None:
        """Acknowledge the delivery at once if its entry is worked off, else when it will be."""
        waiting = self._waiting.get(delivery.stored.sequence)
        if waiting is None:
            self._acknowledge(delivery)
        else:
            waiting.delivery = delivery

    def settle(self) -> None:
        """Acknowledge what is done from the front on, up to the first entry that is not."""
        while self._waiting:
            first = next(iter(self._waiting.values()))
            if not first.is_done:
                break
            del self._waiting[first.stored.sequence]
            # What came by a plain read has no delivery yet; it is acknowledged when its delivery comes.
            if first.delivery is not None:
                self._acknowledge(first.delivery)
        self._room.set()

    async def sent(self) -> None:
        """Return when every acknowledgement that is due has left."""
        if self._sender is not None:
            await self._sender

    def _acknowledge(self, delivery: Delivery) -> None:
        self._to_acknowledge.append(delivery)
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send(), name="acknowledgements")

    async def _send(self) -> None:
        while self._to_acknowledge:
            await self._line.acknowledge(self._to_acknowledge.popleft())


async def hear(
    store: Audible,
    log: str,
    durable: str,
    after: int | None = None,
    *,
    watch_s: float = WATCH_S,
    missing: Callable[[ConsumerMissing], Awaitable[None]] | None = None,
) -> AsyncGenerator[Heard, None]:
    """Yield every entry of `log` behind `after` in order, for ever, across outages; close it with `aclosing`.

    A service that keeps its own position gives it as `after`; else hearing starts behind the durable's acknowledged floor.
    Raises `LogGap` when an entry is gone.  When the durable is gone, `missing` is told, each time before it is looked for
    again; without it `ConsumerMissing` is raised.  After every `watch_s` seconds of silence the durable's standing is compared
    with ours, because what another process was given is news for us too.
    """
    async with store.durable(log, durable) as line:
        undone = Undone(line)
        standing = await _standing(line, missing)
        position = standing.acked if after is None else after
        await _refuse_lost_end(store, log, position)
        known = standing.delivered
        try:
            while True:
                async for stored in _between(store, log, position, known):
                    position = stored.sequence
                    yield await undone.hand_out(stored)
                delivery = await line.next(watch_s)
                if delivery is None:
                    await _refuse_lost_end(store, log, position)
                    # One that was made again delivers from the first entry on: what we had is acknowledged as a repetition.
                    known = (await _standing(line, missing)).delivered
                elif delivery.stored.sequence <= position:
                    undone.repeated(delivery)
                else:
                    # Whatever lies between was given to somebody else.
                    async for stored in _between(store, log, position, delivery.stored.sequence - 1):
                        position = stored.sequence
                        yield await undone.hand_out(stored)
                    position = delivery.stored.sequence
                    yield await undone.hand_out(delivery.stored, delivery)
        finally:
            await undone.sent()


async def _standing(line: Durable, missing: Callable[[ConsumerMissing], Awaitable[None]] | None) -> Standing:
    """Return how far the durable has come, as soon as it is there."""
    while True:
        try:
            return await persistently(line.standing)
        except ConsumerMissing as gone:
            if missing is None:
                raise
            await missing(gone)


async def _between(store: EventStore, log: str, position: int, upto: int) -> AsyncIterator[Stored]:
    """Yield each entry behind `position` up to `upto`; raise `LogGap` at the first that is gone."""
    while position < upto:
        try:
            async for stored in store.read(log, after=position, upto=upto):
                if stored.sequence != position + 1:
                    raise LogGap(log, position + 1)
                position += 1
                yield stored
            if position < upto:
                raise LogGap(log, position + 1)
        except StoreUnavailable:
            await asyncio.sleep(BREATH_S)


async def _refuse_lost_end(store: EventStore, log: str, position: int) -> None:
    """Raise `LogGap` if the log ends before what was already heard: its tail was lost and would be written over."""
    end = await persistently(lambda: store.end(log))
    if end < position:
        raise LogGap(log, end + 1)


async def persistently(question: Callable[[], Awaitable[Answer]], *, again_s: float = BREATH_S) -> Answer:
    """Return the answer, asking again as long as the store is away: an outage is waited out, the connection reports it."""
    while True:
        try:
            return await question()
        except StoreUnavailable:
            await asyncio.sleep(again_s)
