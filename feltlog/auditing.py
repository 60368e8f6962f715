"""Auditing: the logs given to surveillance's pure checks, whole or as far as one round needs them.

A house that is still playing is heard up to one moment on the server's own clock, so that no log is ahead of another: what
follows from an entry is never heard without the entry.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from feltlog.reading import Logs
from services.surveillance.domain.report import Report
from services.surveillance.domain.watch import Watch
from services.surveillance.redecide import Again
from shared.contracts.subjects import SERVICES, RoundName, log_name, round_of, table_stream
from shared.kernel.entry import Stored

HEARD_BY_A_ROUND = ("table", "shoe", "wallet")


class Books(Logs, Protocol):
    """The reading half of the event store, with how far each log reaches."""

    async def end(self, log: str) -> int:
        """Return the sequence of the last entry of a log, 0 if it is empty."""


class Cut(Struct, frozen=True):
    """One moment in all logs: how far each of them reached then, and the moment by the server's clock."""

    ends: dict[str, int]
    at_ms: int


async def audit_all(store: Books, known: Mapping[str, int] | None = None) -> Report:
    """Return the report over everything that is kept.

    `known` is how far surveillance had seen each log: whatever it saw must still be there.
    """
    logs = [log for service in SERVICES for log in await store.logs(service)]
    cut = await cut_now(store, sorted(logs, key=lambda log: log.rpartition("_")[2]))
    watch = Watch(Again())
    findings = [found async for stored in heard(store, cut) for found in watch.hear(stored)]
    ends = {log: max(cut.ends.get(log, 0), (known or {}).get(log, 0)) for log in cut.ends.keys() | (known or {}).keys()}
    return watch.report([*findings, *watch.left(ends)])


async def audit_round(store: Books, name: RoundName) -> Report:
    """Return the report over one round and whatever concerns it: its table, the shoes of its table, the day's ledger."""
    kept = {log for service in HEARD_BY_A_ROUND for log in await store.logs(service)}
    logs = [log_name(service, name.day) for service in HEARD_BY_A_ROUND]
    cut = await cut_now(store, [log for log in logs if log in kept])
    watch = Watch(Again(), only=frozenset({name.id}), whole=False)
    concerned = (stored async for stored in heard(store, cut) if concerns(stored.stream, name))
    findings = [found async for stored in concerned for found in watch.hear(stored)]
    return watch.report([*findings, *watch.left()])


def concerns(stream: str, name: RoundName) -> bool:
    """Return whether a stream of the round's day may hold something about the round."""
    other_round = round_of(stream)
    if other_round is not None:
        return other_round == name
    match stream.split(".")[1:]:
        case ["table", *_]:
            return stream == table_stream(name.day, name.table)
        case ["shoe", _, shoe]:
            return shoe.rpartition("-")[0] == name.table
        case ["wallet", _, "ledger", _]:
            return True
        case _:
            return False


async def cut_now(store: Books, logs: Iterable[str]) -> Cut:
    """Return how far the logs reach now.  Whatever is stored later than that moment is not heard."""
    ends = {log: await store.end(log) for log in logs}
    at_ms = 0
    for log, end in ends.items():
        async for stored in store.read(log, after=max(end - 1, 0), upto=end):
            at_ms = max(at_ms, stored.stored_at_ms)
    return Cut(ends, at_ms)


async def heard(store: Books, cut: Cut) -> AsyncIterator[Stored]:
    """Yield the entries of all logs up to the cut, log by log."""
    for log in cut.ends:
        async for stored in store.read(log):
            if stored.stored_at_ms > cut.at_ms:
                break
            yield stored
