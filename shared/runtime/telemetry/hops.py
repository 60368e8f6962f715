"""The hops: spans from a client's request to the last entry that follows from it, whichever process stores it.

A hop knows two things: the mark that what is asked within it hangs on, and the headers that what is sent within it
carries.  Commands of many traces leave as one entry, so an entry has one `append` span in each of these traces: the first
one, whose mark the entry carries as a whole, links to the askers of the others, and the others link to the first.  Each
decision then goes on in its own trace.  What nobody asked for, a timer's command, begins a trace of its own that links to the
stream's entry before it.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextvars import ContextVar, Token
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from nats.aio.msg import Msg
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

from shared.contracts.subjects import log_day, stream_kind
from shared.kernel.entry import Entry
from shared.kernel.folded import Asked, Draft
from shared.kernel.messages import Answer
from shared.runtime.event_store import Appended, StoreRefusal
from shared.runtime.hearing import Heard
from shared.runtime.telemetry import names
from shared.runtime.telemetry.headers import TRACES_MAX, Mark, read, read_decisions, write
from shared.runtime.telemetry.meters import Meters, known_role, outcome, tag

LATEST_MAX = 4_096
"""Of how many streams the latest entry's mark is remembered, for the links of timers."""
TYPES_MAX = 8

A = TypeVar("A")
KINDS = {"client": SpanKind.CLIENT, "server": SpanKind.SERVER, "producer": SpanKind.PRODUCER, "consumer": SpanKind.CONSUMER}
Waiting = Sequence[tuple[Asked, "asyncio.Future[Answer]"]]


class Within(msgspec.Struct):
    """What is asked or sent now: the mark to hang it on, the headers that go with it, and whose request it is."""

    mark: Mark
    headers: Mapping[str, str] = {}
    request: "Answering | None" = None


_within: ContextVar[Within | None] = ContextVar("within", default=None)


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

    def begin(self, name: names.SpanName, about: str, after: Mark | None, links: Sequence[Mark], attributes: Mapping[str, Any]) -> Span:
        """Return a span that has begun; it never takes up what an exception says."""
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
                within.request.asks(asked)

    def askers(self, entry: Entry[Any, Any], batch: Waiting) -> list[dict[int, Mark]]:
        """Return in which traces the decisions of an entry were asked for: for each trace the askers' marks by decision, from 0."""
        marks = {asked.id: mark for asked, future in batch if (mark := self._askers.get(future)) is not None}
        found: dict[int, dict[int, Mark]] = {}
        for index, decision in enumerate(entry.decisions):
            if decision.id in marks:
                mark = marks[decision.id]
                found.setdefault(mark.trace, {})[index] = mark
        return list(found.values())

    def latest(self, stream: str) -> list[Mark]:
        """Return the mark of the last entry that this process stored in a stream, if it is remembered."""
        return [self._latest[stream]] if stream in self._latest else []

    def stored(self, stream: str, mark: Mark) -> None:
        """Remember the mark of an entry."""
        self._latest[stream] = mark
        self._latest.move_to_end(stream)
        while len(self._latest) > LATEST_MAX:
            self._latest.popitem(last=False)


class Hop:
    """A stretch of work within which things are asked and sent."""

    def __init__(self, within: Within) -> None:
        self._now = within
        self._token: Token[Within | None] | None = None

    def __enter__(self) -> Self:
        self._token = _within.set(self._now)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._token is not None, "what ends has begun"
        _within.reset(self._token)


class Asking(Hop):
    """A client's request, however often it is sent."""

    def __init__(self, trail: Trail, service: str, command: Any) -> None:
        about = {names.ASKED_SERVICE.name: service, names.COMMAND_TYPE.name: tag(command)}
        self._span = trail.begin(names.ASK, type(command).__name__, None, (), about)
        self._answer: Answer | None = None
        mark = _mark(self._span)
        super().__init__(Within(mark, write(mark)))

    def answered(self, answer: Answer | None) -> Answer | None:
        """Take note of an answer, and return it; the last one counts."""
        self._answer = answer
        return answer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        super().__exit__(kind, error, trace)
        _end(self._span, outcome(self._answer), failed=self._answer is None)


class Answering(Hop):
    """A request that a service answers."""

    def __init__(self, trail: Trail, message: Msg) -> None:
        self._role = role_in(message.subject)
        self._meters = trail.meters
        self._span = trail.begin(names.ANSWER, self._role, read(message.headers), (), {names.ROLE.name: self._role})
        self._answer: Answer | None = None
        self._began_s = time.perf_counter()
        super().__init__(Within(_mark(self._span), {}, self))

    def asks(self, asked: Asked) -> None:
        """Take note of what is asked: that is known only after the request has been read."""
        self._span.set_attribute(names.COMMAND_TYPE.name, tag(asked.command))

    def answered(self, answer: Answer) -> Answer:
        """Take note of the answer, and return it."""
        self._answer = answer
        return answer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        super().__exit__(kind, error, trace)
        _end(self._span, outcome(self._answer), failed=self._answer is None)
        self._meters.request(self._role, self._answer, time.perf_counter() - self._began_s)


class Appending(Hop):
    """An entry on its way into the log."""

    def __init__(self, trail: Trail, stream: str, drafted: Draft[Any], batch: Waiting) -> None:
        assert drafted.entry is not None, "there is something to append"
        self._trail = trail
        self._entry = drafted.entry
        self._size = len(drafted.data)
        self._outcome = "unknown"
        self._tried_s = time.perf_counter()
        self._spans: list[Span] = []
        about = _about(stream, drafted.entry)
        first, *others = trail.askers(drafted.entry, batch)[: TRACES_MAX + 1] or [{}]
        begin = partial(self._begin, trail, about)
        leading = begin(first, [next(iter(other.values())) for other in others] if first else trail.latest(stream))
        elsewhere: dict[int, Mark] = {}
        for other in others:
            elsewhere |= dict.fromkeys(other, begin(other, [leading]))
        super().__init__(Within(leading, write(leading, elsewhere)))

    def _begin(self, trail: Trail, about: Mapping[str, Any], askers: Mapping[int, Mark], links: Sequence[Mark]) -> Mark:
        """Begin the entry's span in one trace, behind the first asker there and linked to all others."""
        after, *same = dict.fromkeys(askers.values()) or [None]
        span = trail.begin(names.APPEND, stream_kind(self._entry.stream), after, [*filter(None, same), *links], about)
        self._spans.append(span)
        return _mark(span)

    def brought(self, answer: A) -> A:
        """Take note of what an attempt brought, and return it."""
        self._attempt("appended" if isinstance(answer, Appended) else type(answer).__name__.lower())
        return answer

    def _attempt(self, outcome: str) -> None:
        self._outcome = outcome
        now_s = time.perf_counter()
        self._trail.meters.attempt(self._entry.stream, outcome, now_s - self._tried_s)
        self._tried_s = now_s

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, StoreRefusal):
            self._attempt(error.code)
        if self._outcome == "appended":
            self._trail.stored(self._entry.stream, self._now.mark)
            self._trail.meters.entry(self._entry, self._size)
        for span in self._spans:
            _end(span, {names.APPEND_OUTCOME.name: self._outcome}, failed=self._outcome not in ("appended", "conflict"))


class Following:
    """An entry that was heard, and the traces in which what follows from it goes on."""

    def __init__(self, trail: Trail, heard: Heard, headers: Mapping[str, str], leading: Mark) -> None:
        self._trail = trail
        self._heard = heard
        self._leading = leading
        self._decisions = read_decisions(headers)
        self._spans: dict[Mark, Span] = {}

    def at(self, decision: int) -> Hop:
        """Return the hop in which to ask for what follows from a decision of the entry."""
        after = self._decisions.get(decision, self._leading)
        if after not in self._spans:
            self._spans[after] = _begin_heard(self._trail, names.FOLLOW, self._heard, after)
        return Hop(Within(_mark(self._spans[after])))

    def over(self, _: object) -> None:
        """End the hop: what follows is stored, or is tried again later."""
        for span in self._spans.values():
            span.end()


class Checking:
    """An entry that surveillance decides again."""

    def __init__(self, trail: Trail, heard: Heard, leading: Mark) -> None:
        self._span = _begin_heard(trail, names.CHECK, heard, leading)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._span.end()


def role_in(subject: str) -> str:
    """Return the role in which somebody asks; the rest of the subject is nobody's business here."""
    return known_role((subject.split(".") + [""] * 3)[2])


def _begin_heard(trail: Trail, name: names.SpanName, heard: Heard, after: Mark) -> Span:
    upstream = log_day(heard.stored.log)[0]
    about = {names.UPSTREAM.name: upstream, names.STREAM.name: heard.stored.stream, names.SEQUENCE.name: heard.stored.sequence}
    return trail.begin(name, upstream, after, (), about)


def _about(stream: str, entry: Entry[Any, Any]) -> dict[str, Any]:
    return {
        names.STREAM.name: stream,
        names.STREAM_KIND.name: stream_kind(stream),
        names.REVISION.name: entry.revision,
        names.DECISIONS.name: len(entry.decisions),
        names.COMMAND_TYPES.name: sorted({tag(decision.command) for decision in entry.decisions})[:TYPES_MAX],
    }


def _end(span: Span, attributes: Mapping[str, Any], *, failed: bool) -> None:
    span.set_attributes(attributes)
    if failed:
        span.set_status(Status(StatusCode.ERROR))
    span.end()


def _context(mark: Mark) -> SpanContext:
    return SpanContext(mark.trace, mark.span, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED if mark.sampled else 0))


def _mark(span: Span) -> Mark:
    context = span.get_span_context()
    return Mark(context.trace_id, context.span_id, context.trace_flags.sampled)
