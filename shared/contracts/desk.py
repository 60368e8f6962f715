"""The desk: what every service writes down about sources that it cannot hear.

An entry that cannot be decoded holds up its own subject alone, and one that a stream of ours cannot take holds up its
subject for that stream alone; the other tables play on.  A person lifts the quarantine, and what was held is heard again.
"""

from shared.kernel.messages import Command, Event


class QuarantineSource(Command, frozen=True, kw_only=True, tag="desk.QuarantineSource.v1"):
    """Hold what comes from a subject, from this entry on; with a `target`, only what follows from it in that stream."""

    service: str
    log: str
    subject: str
    sequence: int
    reason: str
    target: str = ""


class LiftQuarantine(Command, frozen=True, kw_only=True, tag="desk.LiftQuarantine.v1"):
    """Hear a subject again, from the first entry that was held; or let a stream take again what was held from it."""

    subject: str


class CarryQuarantines(Command, frozen=True, kw_only=True, tag="desk.CarryQuarantines.v1"):
    """Take over the quarantines that were open when the day before ended."""

    open: tuple["SourceQuarantined", ...]


class SourceQuarantined(Event, frozen=True, kw_only=True, tag="desk.SourceQuarantined.v1"):
    """A subject is held from this entry on; with a `target`, only what follows from it in that stream."""

    service: str
    log: str
    subject: str
    sequence: int
    reason: str
    target: str = ""

    def concerns(self, stream: str) -> bool:
        """Return whether `stream` is what is held, or what it is held from."""
        return stream in (self.subject, self.target)


class QuarantineLifted(Event, frozen=True, kw_only=True, tag="desk.QuarantineLifted.v1"):
    """A subject is heard again."""

    log: str
    subject: str
    sequence: int
    target: str = ""


DeskCommand = QuarantineSource | LiftQuarantine | CarryQuarantines
DeskEvent = SourceQuarantined | QuarantineLifted
