"""The links: each entry of a stream names the bytes of the one before it, so what was taken out or put in leaves a break.

Money that came in and went out again has no other side than its own two entries: if both are gone every sum is as before.
"""

from collections.abc import Iterator
from typing import Any

from feltlog.reconciling.place import Difference
from shared.contracts.subjects import stream_kind
from shared.kernel.entry import Entry, Stored
from shared.kernel.identity import digest


class Links:
    """How far each stream was heard; `follows` is the digest of the last entry of the book before, if that is known."""

    def __init__(self, follows: str) -> None:
        self._follows = follows
        self._ends: dict[str, tuple[int, str]] = {}

    def end_of(self, stream: str) -> str:
        """Return the digest of the last entry of a stream."""
        return self._ends.get(stream, (0, ""))[1]

    def lose(self, stored: Stored) -> None:
        """Take in a message that cannot be read: it has a place, and whatever follows names its bytes."""
        self._ends[stored.stream] = (self._ends.get(stored.stream, (0, ""))[0] + 1, digest(stored.data))

    def hear(self, stored: Stored, *entries: Entry[Any, Any]) -> Iterator[Difference]:
        """Yield where an entry does not follow the one before it."""
        for entry in entries:
            revision, end = self._ends.get(entry.stream, (0, ""))
            for message in self._apart(entry, revision, end):
                yield Difference(code="not_following", message=message, stream=entry.stream, revision=entry.revision, at_ms=entry.at_ms)
            if entry.revision > revision:
                self._ends[entry.stream] = (entry.revision, digest(stored.data))

    def _apart(self, entry: Entry[Any, Any], revision: int, end: str) -> Iterator[str]:
        if entry.revision <= revision:
            yield f"revision {entry.revision} stands behind revision {revision}"
        elif entry.revision > revision + 1:
            yield f"revision {revision + 1} is not there"
        elif revision:
            if entry.prev != end:
                yield f"the entry does not follow the bytes of revision {revision}"
        elif stream_kind(entry.stream) == "ledger" and self._follows and entry.prev != self._follows:
            yield "the book does not follow the last entry of the book before"
