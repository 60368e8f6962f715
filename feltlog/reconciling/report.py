"""The report: every gaming day that is kept, or one of them, reconciled from its logs alone."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct

from feltlog.auditing import Books, Cut, cut_now, heard
from feltlog.reading import Damaged, days, page
from feltlog.reconciling.comparing import compared
from feltlog.reconciling.ledger import Account, Book
from feltlog.reconciling.links import Links
from feltlog.reconciling.place import Difference
from feltlog.reconciling.rounds import Round
from feltlog.trouble import Trouble
from shared.contracts.subjects import log_day, log_name, round_of, stream_kind
from shared.kernel.entry import Entry, Stored, Stray

Told = Callable[[int], None]
"""Is told how many further entries were read."""


class Balance(Struct, frozen=True, kw_only=True):
    """What lies in all accounts of one kind, at the end of a day or now."""

    day: str
    currency: str
    kind: str
    minor: int


class DayReport(Struct, frozen=True, kw_only=True):
    """What was reconciled of a gaming day."""

    day: str
    closed: bool
    """Whether the book is closed."""
    digest: str
    """SHA-256 of its balances, as the book says at its end; empty while it is open."""
    movements: int
    wagers: int
    rounds: int
    open_rounds: int
    """Rounds that are not booked."""
    trial_balance: tuple[Balance, ...]
    differences: tuple[Difference, ...]
    stream: str
    revision: int
    """The last entry of the ledger that was read."""


class Reconciliation(Struct, frozen=True, kw_only=True):
    """All days that were reconciled."""

    days: tuple[DayReport, ...]

    @property
    def differences(self) -> list[Difference]:
        """Everything that does not fit, the earliest first."""
        return [found for day in self.days for found in day.differences]


async def reconciled(store: Books, day: str, told: Told = lambda count: None) -> Reconciliation:
    """Return what comes of holding the ledger against itself and against the rounds; raise `Trouble` if there is no such day.

    A house that plays is read up to one moment on the server's clock, so that no log is ahead of another.
    """
    known = sorted({*await days(store, "wallet"), *await days(store, "table")})
    if day and day not in known:
        raise Trouble(f"There is no gaming day {day} in these logs{f', which hold {known[0]} to {known[-1]}' if known else ''}.")
    wanted = [day] if day else known
    kept = {*await store.logs("wallet"), *await store.logs("table")}
    cut = await cut_now(store, [log for each in wanted for log in logs_of(each) if log in kept])
    reports: list[DayReport] = []
    before: Mapping[Account, int] | None = None
    unclosed = follows = ""
    for each in wanted:
        if not any(cut.ends.get(log) for log in logs_of(each)):
            # Tomorrow's logs are made a day ahead.
            continue
        book = Book(day=each, before=before, unclosed=unclosed, follows=follows)
        reports.append(await _day(store, book, Cut({log: cut.ends[log] for log in logs_of(each) if log in cut.ends}, cut.at_ms), told))
        before, unclosed, follows = (book.standing(), "", book.ends_with) if book.closed else (None, each, "")
    if not reports:
        raise Trouble(f"There is no entry {f'of the gaming day {day}' if day else 'at all'} in these logs yet: nothing can be added up.")
    return Reconciliation(days=tuple(reports))


def logs_of(day: str) -> tuple[str, str]:
    """Return the logs of a gaming day that are held against one another."""
    return log_name("wallet", day), log_name("table", day)


async def entries_of(store: Books, day: str) -> int:
    """Return how many messages the logs of a day hold, or those of all days if none is named."""
    logs = [*await store.logs("wallet"), *await store.logs("table")]
    return sum([await store.end(log) for log in logs if not day or log_day(log)[1] == day])


async def _day(store: Books, book: Book, cut: Cut, told: Told) -> DayReport:
    rounds: dict[str, Round] = {}
    damaged: list[Difference] = []
    links = Links(book.follows)
    async for stored in heard(store, cut):
        told(1)
        try:
            with suppress(Stray):
                damaged += links.hear(stored, *_hear(book, rounds, stored))
        except Damaged as error:
            damaged.append(Difference(code="unreadable", message=str(error), stream=stored.stream))
            links.lose(stored)
    book.ends_with = links.end_of(book.end.stream) if book.end else ""
    differences = [*damaged, *book.differences, *compared(book, rounds)]
    trial = [Balance(day=book.day, currency=money, kind=kind, minor=minor) for (money, kind), minor in book.trial_balance().items()]
    return DayReport(
        day=book.day,
        closed=book.closed,
        digest=book.digest,
        movements=book.movements,
        wagers=sum(len(round_.wagers) for round_ in rounds.values()),
        rounds=len(rounds),
        open_rounds=sum(id_ not in book.booked for id_ in rounds),
        trial_balance=tuple(trial),
        differences=tuple(in_order(differences)),
        stream=book.end.stream if book.end else "",
        revision=book.end.revision if book.end else 0,
    )


def _hear(book: Book, rounds: dict[str, Round], stored: Stored) -> list[Entry[Any, Any]]:
    """Take in a message, and return its entry if it is one of those that are added up."""
    name = round_of(stored.stream)
    if name is None and stream_kind(stored.stream) != "ledger":
        return []
    entry = page(stored).entry
    if name is not None:
        rounds.setdefault(name.id, Round(name.id)).hear(stored, entry)
    else:
        book.hear(stored, entry)
    return [entry]


def in_order(differences: Iterable[Difference]) -> list[Difference]:
    """Return differences by the moment of the entry in which they show, the earliest first."""
    return sorted(differences, key=lambda each: (each.at_ms, each.stream, each.revision, each.decision, each.event, each.code))
