"""A log in memory: what one JetStream stream and its durables would hold."""

import asyncio
from collections import deque

from shared.kernel.entry import Stored
from shared.kernel.identity import digest
from shared.runtime.event_store import Appended, Conflict, DayClosed, LogFull
from shared.runtime.hearing import ConsumerMissing, Standing


class MemoryConsumer:
    """What is known of one durable: how far it delivered, what is not acknowledged, what must come again."""

    def __init__(self) -> None:
        self.delivered = 0
        self.pending: set[int] = set()
        self.again: deque[int] = deque()

    def standing(self) -> Standing:
        """Return how far the durable has come."""
        return Standing(self.delivered, min(self.pending, default=self.delivered + 1) - 1)


class MemoryLog:
    """Entries by sequence (None where one is gone), the last sequence of each stream, and the durables."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: list[Stored | None] = []
        self.last: dict[str, int] = {}
        self.is_sealed = False
        self.is_full = False
        self.consumers: dict[str, MemoryConsumer] = {}
        self.news = asyncio.Event()

    def append(self, stream: str, data: bytes, *, fence: int, now_ms: int) -> Appended | Conflict:
        """Store `data` behind `fence`; raise `DayClosed` or `LogFull`."""
        if (place := self._place(stream, data, fence)) is not None:
            return Appended(place)
        if self.is_sealed:
            raise DayClosed(self.name, "it is sealed")
        if self.last.get(stream, 0) != fence:
            return Conflict()
        if self.is_full:
            raise LogFull(self.name)
        sequence = len(self.entries) + 1
        self.entries.append(Stored(log=self.name, stream=stream, sequence=sequence, stored_at_ms=now_ms, data=data, claimed=digest(data)))
        self.last[stream] = sequence
        self.tell()
        return Appended(sequence)

    def stray(self, stream: str, data: bytes, *, now_ms: int) -> None:
        """Let a message stand on a stream, stored under no digest."""
        sequence = len(self.entries) + 1
        self.entries.append(Stored(log=self.name, stream=stream, sequence=sequence, stored_at_ms=now_ms, data=data))
        self.last[stream] = sequence
        self.tell()

    def at(self, sequence: int) -> Stored | None:
        """Return the entry at `sequence`, None if it is gone or not there yet."""
        return self.entries[sequence - 1] if 0 < sequence <= len(self.entries) else None

    def consumer(self, name: str) -> MemoryConsumer:
        """Return the durable `name`; raise `ConsumerMissing`."""
        if name not in self.consumers:
            raise ConsumerMissing(self.name, name)
        return self.consumers[name]

    def delivered(self, name: str) -> Stored | None:
        """Return what the durable `name` delivers now, None if it has nothing."""
        consumer = self.consumer(name)
        while consumer.again:
            sequence = consumer.again.popleft()
            if sequence in consumer.pending:
                return self.at(sequence)
        while consumer.delivered < len(self.entries):
            consumer.delivered += 1
            stored = self.at(consumer.delivered)
            if stored is not None:
                consumer.pending.add(stored.sequence)
                return stored
        return None

    def tell(self) -> None:
        """Wake everybody who waits for news of this log."""
        self.news.set()
        self.news = asyncio.Event()

    def _place(self, stream: str, data: bytes, fence: int) -> int | None:
        if self.last.get(stream, 0) <= fence:
            return None
        behind = (stored for stored in self.entries[fence:] if stored is not None)
        return next((stored.sequence for stored in behind if (stored.stream, stored.data) == (stream, data)), None)
