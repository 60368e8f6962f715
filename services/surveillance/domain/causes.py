"""Causes: whether what a decision names as its cause is in the log.

A reaction names the event that it follows from, by stream and revision.  So the effects of an entry that was cut off the
end of a stream still say that it was there.
"""

from dataclasses import dataclass, field

from services.surveillance.domain.findings import Code, Finding, finding
from services.surveillance.domain.heard import Heard, Where
from shared.contracts.subjects import BadSubject, log_of


@dataclass
class Causes:
    """The highest revision of each stream that something was said to follow from, and where that was said."""

    wanted: dict[str, tuple[int, Where]] = field(default_factory=dict)

    def hear(self, heard: Heard) -> None:
        """Note the causes of an entry's decisions."""
        for decision in heard.entry.decisions:
            cause = decision.cause
            if cause is not None and cause.revision > self.wanted.get(cause.stream, (0, None))[0]:
                self.wanted[cause.stream] = (cause.revision, heard.where)

    def left(self, revisions: dict[str, int], *, logs: set[str]) -> list[Finding]:
        """Return what is missing of streams that reach as far as `revisions` say; of other logs than `logs` nothing is known."""
        found = []
        for stream, (revision, where) in self.wanted.items():
            there = revisions.get(stream, 0)
            log = _log(stream)
            if there < revision and (log in logs or not log):
                message = (
                    f"revision {revision} is named as a cause at revision {where.revision} of {where.stream}; the stream ends at {there}"
                )
                found.append(finding(Code.CAUSE_MISSING, message, log=log, stream=stream, revision=there + 1))
        return found

    def over(self, stream: str, revision: int) -> None:
        """Let go of a stream that is over and reaches as far as `revision`."""
        if self.wanted.get(stream, (revision + 1, None))[0] <= revision:
            del self.wanted[stream]

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.wanted = {stream: wanted for stream, wanted in self.wanted.items() if f".{day}." not in stream}


def _log(stream: str) -> str:
    """Return the log of a stream, or nothing where there can be no such stream."""
    try:
        return log_of(stream)
    except BadSubject:
        return ""
