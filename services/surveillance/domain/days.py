"""Days: whether the books of following days hang together, and nothing is written into a closed one.

The first entry of a table's or the ledger's day names the digest of the entry that closed the day before.
"""

from dataclasses import dataclass, field

from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from shared.contracts.subjects import stream_day
from shared.contracts.table import DayClosed
from shared.contracts.wallet import BookClosed

Name = tuple[str, str]
"""What goes on from day to day: a service and the last part of its stream, such as `("table", "T7.table")`."""


@dataclass
class Days:
    """The openings and closings of each book that goes on from day to day."""

    opened: dict[tuple[Name, str], tuple[str, Where]] = field(default_factory=dict)
    """By name and day: the digest that the first entry follows."""
    closed: dict[tuple[Name, str], tuple[str, Where, bool]] = field(default_factory=dict)
    """By name and the day that follows: the digest of the closing entry, and whether the book goes on."""
    over: dict[str, int] = field(default_factory=dict)
    """The closing revision of each closed stream."""
    last: dict[Name, dict[str, Where]] = field(default_factory=dict)
    """By name and day: the last entry that was heard."""

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry; return whether it comes after its day's end."""
        _, service, day, rest = heard.stream.split(".", 3)
        name = (service, rest)
        self.last.setdefault(name, {})[day] = heard.where
        if heard.entry.revision == 1:
            self.opened[name, day] = (heard.entry.prev, heard.where)
        for fact in heard.facts():
            if isinstance(fact.event, DayClosed | BookClosed):
                goes_on = isinstance(fact.event, BookClosed) or fact.event.reopens
                self.closed[name, fact.event.next_day] = (heard.digest, heard.where, goes_on)
                self.over.setdefault(heard.stream, heard.entry.revision)
        closing = self.over.get(heard.stream)
        if closing is None or heard.entry.revision <= closing:
            return []
        return [heard.where.found(Code.AFTER_CLOSE, f"the book was closed at revision {closing}")]

    def forget(self, day: str) -> None:
        """Let go of a gaming day, but not of what the day after it must follow."""
        self.opened = {key: opening for key, opening in self.opened.items() if key[1] != day}
        self.closed = {key: closing for key, closing in self.closed.items() if key[1] != day}
        self.over = {stream: revision for stream, revision in self.over.items() if stream_day(stream) != day}
        for days in self.last.values():
            days.pop(day, None)

    def left(self) -> list[Finding]:
        """Return where a day does not follow the one before, as far as both were heard."""
        found = []
        for (name, day), (prev, where) in self.opened.items():
            closing = self.closed.get((name, day))
            before = max((other for other in self.last[name] if other < day), default="")
            if closing is not None and prev != closing[0] and (prev or closing[2]):
                message = f"the book of {day} follows {prev[:16] or 'nothing'}; the day before was closed with {closing[0][:16]}"
                # Whichever of the two was changed: both are named.
                found += [place.found(Code.DAY_CHAIN_BROKEN, message) for place in (where, closing[1])]
            elif closing is None and prev and before:
                message = f"the book of {day} follows {prev[:16]}; the day before has no closing entry"
                found += [place.found(Code.DAY_CHAIN_BROKEN, message) for place in (where, self.last[name][before])]
        return found
