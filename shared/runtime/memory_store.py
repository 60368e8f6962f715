"""The event store in memory: the twin that tests and the simulator drive, with switches for what goes wrong.

It has no clock, and its reads and appends never really wait, so a simulator can step them without an event loop.
"""

import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from enum import Enum, auto

from shared.contracts.subjects import log_of
from shared.kernel.entry import Stored
from shared.runtime.event_store import Appended, Conflict, DayClosed, StoreRefusal, StoreUnavailable, Unknown, checked_size
from shared.runtime.hearing import ConsumerMissing
from shared.runtime.memory_durable import MemoryDurable
from shared.runtime.memory_log import MemoryConsumer, MemoryLog


class Fault(Enum):
    """What becomes of the next append; the caller is told `Unknown` each time."""

    ANSWER_LOST = auto()
    DROPPED = auto()
    GHOST = auto()


class MemoryStore:
    """An `EventStore` that forgets everything with its process; `now_ms` says when an entry was stored."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self.is_away = False
        self.happened: Counter[str] = Counter()
        """How often each fault came true, and `ghost_stored` how often what came late was still taken."""
        self._now_ms = now_ms
        self._logs: dict[str, MemoryLog] = {}
        self._fault: Fault | None = None
        self._ghosts: list[tuple[str, bytes, int]] = []

    async def append(self, stream: str, data: bytes, *, fence: int, types: str = "") -> Appended | Conflict | Unknown:
        """Store `data` behind `fence`, as the port promises, unless a fault is due."""
        checked_size(stream, data)
        if self.is_away:
            return Unknown("the store is away")
        fault, self._fault = self._fault, None
        if fault is not None:
            self.happened[fault.name.lower()] += 1
        match fault:
            case None:
                return self._store(stream, data, fence)
            case Fault.ANSWER_LOST:
                self._store_unseen(stream, data, fence)
            case Fault.GHOST:
                self._ghosts.append((stream, data, fence))
            case Fault.DROPPED:
                pass
        return Unknown("the append was not confirmed")

    async def last(self, stream: str) -> Stored | None:
        """Return the last entry of `stream`."""
        log = self.log(log_of(stream))
        return log.at(log.last.get(stream, 0))

    async def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the wanted entries that stand in the log now."""
        for stored in self.log(log).entries[after:upto]:
            if stored is not None and (pattern is None or matches(pattern, stored.stream)):
                yield stored

    async def logs(self, service: str | None = None) -> list[str]:
        """Return the names of the existing logs."""
        self._refuse_away()
        prefix = f"LOG_{service.upper()}_" if service else "LOG_"
        return sorted(name for name in self._logs if name.startswith(prefix))

    async def open_logs(self, service: str | None = None) -> list[str]:
        """Return the names of those logs that are not sealed."""
        return [name for name in await self.logs(service) if not self._logs[name].is_sealed]

    async def end(self, log: str) -> int:
        """Return the sequence of the last entry of `log`."""
        return len(self.log(log).entries)

    async def time_ms(self, log: str) -> int:
        """Return the time that entries are stored under."""
        return self._now_ms()

    async def alive(self) -> bool:
        """Return whether the store is there."""
        return not self.is_away

    def durable(self, log: str, name: str) -> MemoryDurable:
        """Return a line to the durable `name` of `log`; raise `ConsumerMissing` if there is not even a log."""
        if log not in self._logs:
            raise ConsumerMissing(log, name)
        return MemoryDurable(self._logs[log], name)

    def log(self, name: str) -> MemoryLog:
        """Return the log itself; raise `DayClosed` if there is none, `StoreUnavailable` while the store is away."""
        self._refuse_away()
        if name not in self._logs:
            raise DayClosed(name, "there is no such log")
        return self._logs[name]

    def make_log(self, name: str) -> None:
        """Make an empty log."""
        self._logs[name] = MemoryLog(name)

    def seal(self, log: str) -> None:
        """Close the log for ever."""
        self.log(log).is_sealed = True

    def fill(self, log: str) -> None:
        """Let the log be full from now on."""
        self.log(log).is_full = True

    def erase(self, log: str, sequence: int) -> None:
        """Let an entry be gone, as only a break-in or a broken disk can do it."""
        self.log(log).entries[sequence - 1] = None

    def stray(self, stream: str, data: bytes) -> None:
        """Let a message stand on a stream that nobody stored who writes it, as an answer of JetStream's own API can."""
        self.log(log_of(stream)).stray(stream, data, now_ms=self._now_ms())

    def make_consumer(self, log: str, name: str) -> None:
        """Make the durable `name` of `log`."""
        self.log(log).consumers[name] = MemoryConsumer()

    def remove_consumer(self, log: str, name: str) -> None:
        """Let the durable be gone."""
        del self.log(log).consumers[name]
        self.log(log).tell()

    def redeliver(self, log: str, name: str) -> None:
        """Let the time for acknowledgements run out: what is not acknowledged is delivered again."""
        consumer = self.log(log).consumer(name)
        consumer.again = deque(sorted(consumer.pending))
        self.log(log).tell()

    def lose_answer_next(self) -> None:
        """Let the next append be stored and answered `Unknown`."""
        self._fault = Fault.ANSWER_LOST

    def drop_next(self) -> None:
        """Let the next append be lost and answered `Unknown`."""
        self._fault = Fault.DROPPED

    def ghost_next(self) -> None:
        """Let the next append be answered `Unknown` and arrive only with `deliver_ghosts`."""
        self._fault = Fault.GHOST

    def clear(self) -> None:
        """Let the next append be an ordinary one again."""
        self._fault = None

    def deliver_ghosts(self) -> None:
        """Let everything arrive that was on its way; the fence decides what is still stored."""
        ghosts, self._ghosts = self._ghosts, []
        for stream, data, fence in ghosts:
            self.happened["ghost_stored"] += self._store_unseen(stream, data, fence)

    def _store(self, stream: str, data: bytes, fence: int) -> Appended | Conflict:
        return self.log(log_of(stream)).append(stream, data, fence=fence, now_ms=self._now_ms())

    def _store_unseen(self, stream: str, data: bytes, fence: int) -> bool:
        """Store without an answer; return whether there is a new entry."""
        # A refusal is lost together with the answer.
        with contextlib.suppress(StoreRefusal):
            log = self.log(log_of(stream))
            before = len(log.entries)
            self._store(stream, data, fence)
            return len(log.entries) > before
        return False

    def _refuse_away(self) -> None:
        if self.is_away:
            raise StoreUnavailable("the store is away")


def matches(pattern: str, subject: str) -> bool:
    """Return whether `subject` falls under `pattern`, by NATS's rules.

    >>> matches("log.table.*.T7.>", "log.table.20261130.T7.round.000001")
    True
    """
    wanted, tokens = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        wanted = wanted[:-1]
        if len(tokens) <= len(wanted):
            return False
        tokens = tokens[: len(wanted)]
    return len(wanted) == len(tokens) and all(want in ("*", token) for want, token in zip(wanted, tokens, strict=True))
