"""The desk: what every service writes down about sources that it cannot hear.

An entry that cannot be decoded or reacted to holds up its own subject alone; the other tables play on.  A person lifts
the quarantine, and what was held is heard again.
"""

from shared.kernel.messages import Command, Event


class QuarantineSource(Command, frozen=True, kw_only=True, tag="desk.QuarantineSource.v1"):
    """Hold what comes from a subject, from this entry on."""

    service: str
    log: str
    subject: str
    sequence: int
    reason: str


class LiftQuarantine(Command, frozen=True, kw_only=True, tag="desk.LiftQuarantine.v1"):
    """Hear a subject again, from the first entry that was held."""

    subject: str


class CarryQuarantines(Command, frozen=True, kw_only=True, tag="desk.CarryQuarantines.v1"):
    """Take over the quarantines that were open when the day before ended."""

    open: tuple["SourceQuarantined", ...]


class SourceQuarantined(Event, frozen=True, kw_only=True, tag="desk.SourceQuarantined.v1"):
    """A subject is held from this entry on."""

    service: str
    log: str
    subject: str
    sequence: int
    reason: str


class QuarantineLifted(Event, frozen=True, kw_only=True, tag="desk.QuarantineLifted.v1"):
    """A subject is heard again."""

    log: str
    subject: str
    sequence: int


DeskCommand = QuarantineSource | LiftQuarantine | CarryQuarantines
DeskEvent = SourceQuarantined | QuarantineLifted
