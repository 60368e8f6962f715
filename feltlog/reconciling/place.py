"""Where something stands in a log, and what differs there."""

from typing import Any

from msgspec import Struct

from shared.kernel.entry import Entry, Stored


class Place(Struct, frozen=True, gc=False, kw_only=True):
    """The place of an event: decisions and events are counted from 0 in their entry, as the log itself counts them."""

    stream: str
    revision: int
    decision: int
    event: int
    at_ms: int
    log: str
    sequence: int

    @property
    def heard_at(self) -> tuple[int, int, int]:
        """The place as whoever hears the log remembers how far it has come."""
        return self.sequence, self.decision, self.event


class Difference(Struct, frozen=True, kw_only=True):
    """Something that does not fit, at the event where a person should look."""

    code: str
    message: str
    stream: str
    revision: int = 0
    decision: int = 0
    event: int = 0
    at_ms: int = 0
    round: str = ""
    wager: str = ""


def places(stored: Stored, entry: Entry[Any, Any]) -> list[tuple[Place, Any]]:
    """Return the events of an entry, each with its place."""
    return [
        (
            Place(
                stream=entry.stream,
                revision=entry.revision,
                decision=decision_no,
                event=event_no,
                at_ms=entry.at_ms,
                log=stored.log,
                sequence=stored.sequence,
            ),
            event,
        )
        for decision_no, decision in enumerate(entry.decisions)
        for event_no, event in enumerate(decision.events)
    ]


def differs(place: Place, code: str, message: str, *, round: str = "", wager: str = "") -> Difference:
    """Return a difference at a place."""
    return Difference(
        code=code,
        message=message,
        stream=place.stream,
        revision=place.revision,
        decision=place.decision,
        event=place.event,
        at_ms=place.at_ms,
        round=round,
        wager=wager,
    )
