"""The event store: one fenced append with three answers, and plain reads.

The store knows bytes, never what an entry says.  An append answers `Appended`, `Conflict` or `Unknown`, because a
time-out is not a "no": the server may have stored what it could not confirm, or may store it a second later.  After
`Unknown` the same bytes are sent again until the answer is one of the other two; a read that lacks the entry proves nothing.
"""

from collections.abc import AsyncIterator
from typing import ClassVar, Protocol

import msgspec

from shared.kernel.entry import ENTRY_BYTES_MAX, Stored


class Appended(msgspec.Struct, frozen=True):
    """The entry stands in the log at `sequence`, by this append or by an earlier one of the same bytes."""

    sequence: int


class Conflict(msgspec.Struct, frozen=True):
    """Another entry took the place behind the fence: these bytes are not in the stream and cannot come into it."""


class Unknown(msgspec.Struct, frozen=True):
    """The entry may be stored, may be stored later, or never: only the same bytes may be sent again."""

    reason: str


Outcome = Appended | Conflict | Unknown
"""What an attempt to append brings, unless the store refuses."""


class StoreRefusal(Exception):
    """Something that the store cannot do: a sentence for people and a stable `code` for programs."""

    code: ClassVar[str] = "store_refusal"


class LogFull(StoreRefusal):
    """The log has reached its size limit; nothing of the entry was stored."""

    code = "log_full"

    def __init__(self, log: str) -> None:
        super().__init__(f"{log} is full and nothing was stored; raise its max_bytes")


class EntryTooLarge(StoreRefusal):
    """The entry exceeds `ENTRY_BYTES_MAX`; it was not sent."""

    code = "entry_too_large"

    def __init__(self, stream: str, size: int) -> None:
        super().__init__(f"an entry of {size} bytes for {stream} exceeds the limit of {ENTRY_BYTES_MAX} bytes and was not sent")


class DayClosed(StoreRefusal):
    """The log is sealed, or there is no such log."""

    code = "day_closed"

    def __init__(self, log: str, why: str) -> None:
        super().__init__(f"{log} takes no entries: {why}")


class StoreUnavailable(StoreRefusal):
    """The store did not answer a question in time; asking again later is right."""

    code = "store_unavailable"


class LogMisconfigured(StoreRefusal):
    """The server's settings are not those that the log's promises rest on."""

    code = "log_misconfigured"


class EventStore(Protocol):
    """Where entries are kept.  Two twins, in memory and on JetStream, pass the same suite."""

    async def append(self, stream: str, data: bytes, *, fence: int, types: str = "") -> Appended | Conflict | Unknown:
        """Store `data` on `stream` if its last entry there has the sequence `fence` (0: if the stream is empty).

        `types` names the events inside, for tools that only see headers.  Bytes that already stand behind the fence are
        answered `Appended` with their old place.  Raises `EntryTooLarge`, `LogFull`, `DayClosed` or `LogMisconfigured`;
        after any of them nothing was stored.
        """
        ...

    async def last(self, stream: str) -> Stored | None:
        """Return the last entry of `stream` as its leader knows it, None if there is none; raise `StoreUnavailable`."""
        ...

    def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the entries of `log` behind the sequence `after`, in order, as far as the log reached when reading began.

        `pattern` is a subject, wildcards allowed; `upto` is the last sequence wanted.  Raises `StoreUnavailable`.
        """
        ...

    async def logs(self, service: str | None = None) -> list[str]:
        """Return the names of the existing logs, of one service or of all, sorted; raise `StoreUnavailable`."""
        ...

    async def open_logs(self, service: str | None = None) -> list[str]:
        """Return the names of those logs that are not sealed, sorted; raise `StoreUnavailable`."""
        ...

    async def end(self, log: str) -> int:
        """Return the sequence of the last entry of `log`, 0 if it is empty; raise `DayClosed` if there is no such log."""
        ...

    async def alive(self) -> bool:
        """Return whether the server answers within a second."""
        ...


def checked_size(stream: str, data: bytes) -> bytes:
    """Return `data`; raise `EntryTooLarge` if no store may take it."""
    if len(data) > ENTRY_BYTES_MAX:
        raise EntryTooLarge(stream, len(data))
    return data
