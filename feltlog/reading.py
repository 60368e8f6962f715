"""Reading: what the commands that only look need from the logs.

All of it goes through the port that the services append through, so a reading command sees the stored bytes, their
places and when the server stored them, and nothing that somebody remembered on the side.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from msgspec import Struct

from feltlog.trouble import Trouble
from shared.contracts.language import read_entry
from shared.contracts.shoe import ShoeShuffled
from shared.contracts.subjects import BadSubject, RoundName, log_day, log_name, log_of, round_of, shoe_stream
from shared.kernel.entry import Decision, Entry, Stored, Stray, Unreadable
from shared.kernel.identity import digest


class Logs(Protocol):
    """The reading half of the event store."""

    def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the messages of a log, of the streams that match, in the order of their places."""

    async def logs(self, service: str) -> list[str]:
        """Return the logs of a service that are kept."""


class Page(Struct, frozen=True, kw_only=True):
    """An entry as it lies in its log."""

    entry: Entry[Any, Any]
    sequence: int
    stored_at_ms: int
    digest: str

    @property
    def stream(self) -> str:
        """The stream that the entry stands in."""
        return self.entry.stream


class Told(Struct, frozen=True, kw_only=True):
    """One event, with the entry and the decision that it belongs to; `place` counts the round's events from 1."""

    page: Page
    decision: Decision[Any, Any]
    event: Any
    place: int


class Damaged(Trouble):
    """An entry that cannot be read any more."""


def page(stored: Stored) -> Page:
    """Return the entry that a message holds.

    Raise `Damaged` if it cannot be read any more, and `Stray` if the message has no place in its stream.
    """
    try:
        entry = read_entry(stored.stream, stored.data, claimed=stored.claimed)
    except (Unreadable, BadSubject) as error:
        where = f"The entry at sequence {stored.sequence} of {stored.stream} cannot be read"
        raise Damaged(f"{where}: {error}. `feltlog verify --all` says more.") from error
    return Page(entry=entry, sequence=stored.sequence, stored_at_ms=stored.stored_at_ms, digest=digest(stored.data))


def told(pages: Iterable[Page]) -> list[Told]:
    """Return all events of some entries, in the order in which they happened."""
    found: list[Told] = []
    for each in pages:
        for decision in each.entry.decisions:
            for event in decision.events:
                found.append(Told(page=each, decision=decision, event=event, place=len(found) + 1))
    return found


def chain_break(pages: Sequence[Page]) -> str:
    """Return where a stream's entries do not follow one another, or nothing if they all do."""
    for before, after in zip([None, *pages], pages, strict=False):
        expected = before.entry.revision + 1 if before else 1
        if after.entry.revision != expected:
            return f"In {after.stream} revision {after.entry.revision} stands where revision {expected} belongs."
        if before and after.entry.prev != before.digest:
            return f"In {after.stream} revision {after.entry.revision} does not follow the bytes of revision {before.entry.revision}."
    return ""


async def stream_pages(store: Logs, stream: str) -> list[Page]:
    """Return all entries of one stream, none if its day is not kept here."""
    log = log_of(stream)
    if log not in await store.logs(log_day(log)[0]):
        return []
    pages: list[Page] = []
    async for stored in store.read(log, pattern=stream):
        with suppress(Stray):
            pages.append(page(stored))
    return pages


async def round_pages(store: Logs, name: RoundName) -> list[Page]:
    """Return all entries of a round; raise `Trouble` if there is no such round."""
    pages = await stream_pages(store, name.stream)
    if not pages:
        raise Trouble(f"There is no round {name.id} in these logs. `feltlog rounds` lists those that there are.")
    return pages


async def shoe_pages(store: Logs, shoe: str, day: str = "") -> tuple[str, list[Page]]:
    """Return a shoe's entries and its day, the latest that has a shoe of that name if none is given; raise `Trouble` if there is none."""
    try:
        streams = [(each, shoe_stream(each, shoe)) for each in ([day] if day else reversed(await days(store, "shoe")))]
    except BadSubject as error:
        raise Trouble(f"{error}.") from error
    for each, stream in streams:
        pages = await stream_pages(store, stream)
        if pages and isinstance(told(pages)[0].event, ShoeShuffled):
            return each, pages
    raise Trouble(f"There is no shoe {shoe!r} in these logs{f' of {day}' if day else ''}. `feltlog replay ROUND` names those of a round.")


async def days(store: Logs, service: str = "table") -> list[str]:
    """Return the gaming days of which a service's log is kept, the oldest first."""
    return sorted(log_day(log)[1] for log in await store.logs(service))


async def rounds_of_day(store: Logs, day: str, table: str = "", *, damage: list[Damaged]) -> dict[RoundName, list[Page]]:
    """Return the entries of each round of a gaming day, in the order of their opening, of one table or of all.

    What cannot be read is left out and added to `damage`.
    """
    rounds: dict[RoundName, list[Page]] = {}
    log = log_name("table", day)
    pattern = f"log.table.{day}.{table}.round.*" if table else f"log.table.{day}.*.round.*"
    async for stored in store.read(log, pattern=pattern):
        name = round_of(stored.stream)
        try:
            if name is not None:
                rounds.setdefault(name, []).append(page(stored))
        except Stray:
            continue
        except Damaged as damaged:
            damage.append(damaged)
    return {name: pages for name, pages in rounds.items() if pages}


async def ledger_entries(store: Logs) -> AsyncIterator[Entry[Any, Any]]:
    """Yield the entries of all ledgers that are kept, day after day."""
    for day in await days(store, "wallet"):
        log = log_name("wallet", day)
        async for stored in store.read(log, pattern=f"log.wallet.{day}.ledger.*"):
            with suppress(Stray):
                yield page(stored).entry
