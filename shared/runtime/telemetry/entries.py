"""Entries: from the commands that wait together, through the log, to whoever hears what they became.

Commands of many traces leave as one entry, and each decision goes on in its own trace.  So an entry has one `append` span
in each of them: the first, whose mark the message carries as a whole, links to the askers of the others, and the others
link to it.  What nobody asked for, such as a timer's command, begins a trace of its own that links to the stream's
entry before it.
"""

import time
from collections.abc import Mapping, Sequence
from contextvars import Token
from types import TracebackType
from typing import Any, Self, TypeVar

from opentelemetry.trace import Span

from shared.contracts.subjects import log_day, stream_kind
from shared.kernel.entry import Entry
from shared.kernel.folded import Draft
from shared.runtime.event_store import Appended, StoreRefusal
from shared.runtime.hearing import Heard
from shared.runtime.telemetry import names
from shared.runtime.telemetry.headers import TRACES_MAX, Mark, read_decisions, write
from shared.runtime.telemetry.meters import tag
from shared.runtime.telemetry.trail import Trail, Waiting, Within, come_out, end, go_into, mark_of

TYPES_MAX = 8

A = TypeVar("A")


class Appending:
    """An entry on its way into the log."""

    def __init__(self, trail: Trail, stream: str, drafted: Draft[Any], batch: Waiting) -> None:
        assert drafted.entry is not None, "there is something to append"
        self._trail = trail
        self._entry = drafted.entry
        self._size = len(drafted.data)
        self._about = _about(stream, drafted.entry)
        self._outcome = "unknown"
        self._spans: list[Span] = []
        first, *others = trail.askers(drafted.entry, batch)[: TRACES_MAX + 1] or [{}]
        self._leading = self._begin(first, [next(iter(other.values())) for other in others] if first else trail.latest(stream))
        elsewhere: dict[int, Mark] = {}
        for other in others:
            elsewhere |= dict.fromkeys(other, self._begin(other, [self._leading]))
        self._headers = write(self._leading, elsewhere)
        self._token: Token[Within | None]
        self._tried_s = time.perf_counter()

    def __enter__(self) -> Self:
        self._token = go_into(Within(self._leading, self._headers))
        return self

    def brought(self, answer: A) -> A:
        """Take note of what an attempt brought, and return it."""
        self._attempted("appended" if isinstance(answer, Appended) else type(answer).__name__.lower())
        return answer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        come_out(self._token)
        if isinstance(error, StoreRefusal):
            self._attempted(error.code)
        if self._outcome == "appended":
            self._trail.stored(self._entry.stream, self._leading)
            self._trail.meters.entry(self._entry, self._size)
        for span in self._spans:
            end(span, {names.APPEND_OUTCOME.name: self._outcome}, failed=self._outcome not in ("appended", "conflict"))

    def _begin(self, askers: Mapping[int, Mark], links: Sequence[Mark]) -> Mark:
        """Begin the entry's span in one trace, behind the first asker there and linked to all others."""
        after, *same = dict.fromkeys(askers.values()) or [None]
        linked = [*filter(None, same), *links]
        span = self._trail.begin(names.APPEND, stream_kind(self._entry.stream), self._about, after=after, links=linked)
        self._spans.append(span)
        return mark_of(span)

    def _attempted(self, outcome: str) -> None:
        self._outcome = outcome
        now_s = time.perf_counter()
        self._trail.meters.attempt(self._entry.stream, outcome, now_s - self._tried_s)
        self._tried_s = now_s


class Following:
    """An entry that was heard, and the traces in which what follows from it goes on."""

    def __init__(self, trail: Trail, heard: Heard, headers: Mapping[str, str], leading: Mark) -> None:
        self._trail = trail
        self._heard = heard
        self._leading = leading
        self._decisions = read_decisions(headers)
        self._spans: dict[Mark, Span] = {}

    def at(self, decision: int) -> "Step":
        """Return the step in which to ask for what follows from a decision of the entry."""
        after = self._decisions.get(decision, self._leading)
        if after not in self._spans:
            self._spans[after] = _begin_heard(self._trail, names.FOLLOW, self._heard, after)
        return Step(mark_of(self._spans[after]))

    def over(self, _: object) -> None:
        """End the hop: what follows is stored, or is tried again later."""
        for span in self._spans.values():
            span.end()


class Step:
    """A moment within a hop."""

    def __init__(self, mark: Mark) -> None:
        self._mark = mark
        self._token: Token[Within | None]

    def __enter__(self) -> Self:
        self._token = go_into(Within(self._mark))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        come_out(self._token)


class Checking:
    """An entry that surveillance decides again."""

    def __init__(self, trail: Trail, heard: Heard, leading: Mark) -> None:
        self._span = _begin_heard(trail, names.CHECK, heard, leading)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._span.end()


def _begin_heard(trail: Trail, name: names.SpanName, heard: Heard, after: Mark) -> Span:
    upstream = log_day(heard.stored.log)[0]
    about = {names.UPSTREAM.name: upstream, names.STREAM.name: heard.stored.stream, names.SEQUENCE.name: heard.stored.sequence}
    return trail.begin(name, upstream, about, after=after)


def _about(stream: str, entry: Entry[Any, Any]) -> dict[str, Any]:
    return {
        names.STREAM.name: stream,
        names.STREAM_KIND.name: stream_kind(stream),
        names.REVISION.name: entry.revision,
        names.DECISIONS.name: len(entry.decisions),
        names.COMMAND_TYPES.name: sorted({tag(decision.command) for decision in entry.decisions})[:TYPES_MAX],
    }
