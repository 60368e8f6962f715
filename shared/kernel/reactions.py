"""Reactions and timers: what must follow, as data.

A reaction's id is worked out from the event that it follows from, so that hearing the event twice asks for the same thing
twice under the same id, and nothing happens twice.
"""

from typing import Any

import msgspec

from shared.kernel.identity import derived_id
from shared.kernel.messages import Cause


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where an event was heard: its log and stream, its places in them, when it was decided, and its entry's digest."""

    log: str
    stream: str
    sequence: int
    revision: int
    decision: int
    event: int
    at_ms: int
    digest: str

    @property
    def cause(self) -> Cause:
        """The event as a decision names it."""
        return Cause(self.stream, self.revision, self.decision, self.event)


class Reaction(msgspec.Struct, frozen=True):
    """A command that must follow, and the stream that decides it.  `name` tells an event's reactions from one another."""

    stream: str
    command: Any
    name: str

    def id_after(self, source: Source) -> str:
        """Return the command's id, the same each time the event is heard."""
        return derived_id("reaction", source.stream, source.revision, source.decision, source.event, self.name)


class Timer(msgspec.Struct, frozen=True):
    """A command that falls due.  `name` is the same as long as it is the same obligation.

    `patient` timers concern a person's time: they wait while the house has been away, and are extended, not fired.
    `until` is what falls due in its place once its own time has come: by then this one is too late to mean anything.
    """

    at_ms: int
    command: Any
    name: str
    patient: bool = False
    until: "Timer | None" = None

    def due(self, now_ms: int) -> "Timer":
        """Return what is to be asked at a time: this, or what has taken its place meanwhile."""
        return self if self.until is None or now_ms < self.until.at_ms else self.until.due(now_ms)

    def id_for(self, stream: str) -> str:
        """Return the command's id."""
        return derived_id("timer", stream, self.name)
