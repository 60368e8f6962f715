"""The trail: how a process knows, wherever it is at work, in which trace that work belongs.

Two things are remembered and nothing is handed through: what is being done now (`go_into`), for what is asked or sent
meanwhile, and in which trace each command was asked that waits for its decision.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextvars import ContextVar, Token
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from opentelemetry.context import Context
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    set_span_in_context,
)

from shared.kernel.entry import Entry
from shared.kernel.folded import Asked
from shared.kernel.messages import Answer
from shared.runtime.telemetry import names
from shared.runtime.telemetry.headers import Mark
from shared.runtime.telemetry.meters import Meters, tag

LATEST_MAX = 4_096
"""Of how many streams the latest entry's mark is remembered."""

KINDS = {"client": SpanKind.CLIENT, "server": SpanKind.SERVER, "producer": SpanKind.PRODUCER, "consumer": SpanKind.CONSUMER}
Waiting = Sequence[tuple[Asked, "asyncio.Future[Answer]"]]


class Within(msgspec.Struct):
    """What is being done now: the mark that it hangs on, the headers that go with what is sent, and the span of the request."""

    mark: Mark
    headers: Mapping[str, str] = {}
    request: Span | None = None


_within: ContextVar[Within | None] = ContextVar("within", default=None)


def go_into(within: Within) -> Token[Within | None]:
    """Be at work within something, in this task and in those that it begins meanwhile."""
    return _within.set(within)


def come_out(token: Token[Within | None]) -> None:
    """Be at work again within what it was before."""
    _within.reset(token)


def outgoing() -> Mapping[str, str]:
    """Return the headers that what is sent now should carry."""
    within = _within.get()
    return within.headers if within is not None else {}


class Trail:
    """The spans of one process, and who asked for what waits to be decided."""

    def __init__(self, tracer: Tracer, meters: Meters) -> None:
        self.meters = meters
        self._tracer = tracer
        self._askers: WeakKeyDictionary[asyncio.Future[Answer], Mark] = WeakKeyDictionary()
        self._latest: OrderedDict[str, Mark] = OrderedDict()

    def begin(
        self, name: names.SpanName, about: str, attributes: Mapping[str, Any], *, after: Mark | None, links: Sequence[Mark] = ()
    ) -> Span:
        """Return a span that has begun behind the mark `after`, or begins a trace; what an exception says never comes into it."""
        parent = Context() if after is None else set_span_in_context(NonRecordingSpan(_context(after)), Context())
        return self._tracer.start_span(
            f"{name.verb} {about}",
            parent,
            KINDS[name.kind],
            attributes,
            [Link(_context(each)) for each in links],
            record_exception=False,
            set_status_on_exception=False,
        )

    def waits(self, future: "asyncio.Future[Answer]", asked: Asked) -> None:
        """Remember in which trace a command was asked, for as long as it waits."""
        within = _within.get()
        if within is not None:
            self._askers[future] = within.mark
            if within.request is not None:
                # What is asked is known only after the request has been read.
                within.request.set_attribute(names.COMMAND_TYPE.name, tag(asked.command))

    def askers(self, entry: Entry[Any, Any], batch: Waiting) -> list[dict[int, Mark]]:
        """Return in which traces the decisions of an entry were asked for: for each trace the askers' marks by decision, from 0."""
        marks = {asked.id: mark for asked, future in batch if (mark := self._askers.get(future)) is not None}
        found: dict[int, dict[int, Mark]] = {}
        for index, decision in enumerate(entry.decisions):
            if decision.id in marks:
                mark = marks[decision.id]
                found.setdefault(mark.trace, {})[index] = mark
        return list(found.values())

    def stored(self, stream: str, mark: Mark) -> None:
        """Remember the mark of the latest entry of a stream."""
        self._latest[stream] = mark
        self._latest.move_to_end(stream)
        while len(self._latest) > LATEST_MAX:
            self._latest.popitem(last=False)

    def latest(self, stream: str) -> list[Mark]:
        """Return the mark of the last entry that this process stored in a stream, if it is remembered."""
        return [self._latest[stream]] if stream in self._latest else []


def end(span: Span, attributes: Mapping[str, Any], *, failed: bool) -> None:
    """End a span; of what failed no more is told than its attributes say."""
    span.set_attributes(attributes)
    if failed:
        span.set_status(Status(StatusCode.ERROR))
    span.end()


def mark_of(span: Span) -> Mark:
    """Return what others hang on a span."""
    context = span.get_span_context()
    return Mark(context.trace_id, context.span_id, context.trace_flags.sampled)


def _context(mark: Mark) -> SpanContext:
    return SpanContext(mark.trace, mark.span, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED if mark.sampled else 0))
