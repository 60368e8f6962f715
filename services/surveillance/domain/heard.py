"""What was heard: an entry that stands in its stream as it should, with its place in the log.

The checks between logs remember places, so that a finding can say where the other half of a pair was seen.
"""

from typing import Any

import msgspec

from services.surveillance.domain.facts import Fact, facts
from services.surveillance.domain.findings import Code, Finding, finding
from shared.contracts.subjects import stream_day
from shared.kernel.entry import Entry, Place


class Where(msgspec.Struct, frozen=True):
    """A place where a person can look."""

    log: str
    stream: str
    revision: int
    sequence: int

    def found(self, code: Code, message: str, *, clause: str = "") -> Finding:
        """Return a finding at this place."""
        return finding(code, message, log=self.log, stream=self.stream, revision=self.revision, sequence=self.sequence, clause=clause)

    def broken(self, clause: str, said: str) -> Finding:
        """Return that a rule is broken at this place."""
        return self.found(Code.RULES, f"{clause}: {said}", clause=clause)


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """An entry and where it stands."""

    log: str
    sequence: int
    digest: str
    entry: Entry[Any, Any]

    @property
    def stream(self) -> str:
        """The stream that the entry stands in."""
        return self.entry.stream

    @property
    def day(self) -> str:
        """The gaming day of the stream."""
        return stream_day(self.stream)

    @property
    def where(self) -> Where:
        """The entry's place."""
        return Where(self.log, self.stream, self.entry.revision, self.sequence)

    def facts(self) -> list[Fact]:
        """Return the entry's events, in order."""
        return facts([self.entry])

    def place(self, fact: Fact) -> Place:
        """Return where in the log one of the entry's events stands."""
        return (self.sequence, *fact.place)
