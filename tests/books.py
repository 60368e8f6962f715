"""Stored entries as the reading half of an event store, for what only reads."""

from collections.abc import AsyncIterator, Iterable

from shared.contracts.subjects import log_day
from shared.kernel.entry import Stored
from tests.house_log import matches


class Books:
    """Logs that do not grow any more."""

    def __init__(self, messages: Iterable[Stored]) -> None:
        self.messages = list(messages)

    async def logs(self, service: str) -> list[str]:
        """Return the logs of a service."""
        return sorted({each.log for each in self.messages if log_day(each.log)[0] == service})

    async def open_logs(self, service: str) -> list[str]:
        """Return the logs of a service: none of them is sealed."""
        return await self.logs(service)

    async def end(self, log: str) -> int:
        """Return the sequence of a log's last entry."""
        return max((each.sequence for each in self.messages if each.log == log), default=0)

    async def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the entries of a log, of the streams that match."""
        for each in self.messages:
            fits = each.log == log and (pattern is None or matches(pattern, each.stream))
            if fits and after < each.sequence <= (each.sequence if upto is None else upto):
                yield each
