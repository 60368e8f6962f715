"""Telemetry in a test: what a process tells, kept in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared.runtime import telemetry
from shared.runtime.telemetry.headers import Mark
from shared.runtime.telemetry.telling import Telling


class Recording:
    """A way out that ends in memory."""

    def __init__(self) -> None:
        tracers = TracerProvider(shutdown_on_exit=False)
        self._spans = InMemorySpanExporter()
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self._reader = InMemoryMetricReader()
        self.tracer = tracers.get_tracer("test")
        self.meter = MeterProvider([self._reader], shutdown_on_exit=False).get_meter("test")

    def stop(self) -> None:
        """There is nothing to send."""

    @property
    def spans(self) -> list[ReadableSpan]:
        """The spans that have ended, in the order of their ends."""
        return list(self._spans.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        """Return the spans of a name."""
        return [span for span in self.spans if span.name == name]

    def points(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        """Return a metric's points: attributes and the value, of a histogram its count."""
        data = self._reader.get_metrics_data()
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics] if data is not None else []
        found = [point for scope in scopes for metric in scope.metrics if metric.name == name for point in metric.data.data_points]
        return [(dict(point.attributes or {}), getattr(point, "count", None) or getattr(point, "value", None)) for point in found]


@contextmanager
def recording() -> Iterator[Recording]:
    """Tell into memory for as long as the test needs it."""
    recorded = Recording()
    telemetry.tell(Telling(recorded))
    try:
        yield recorded
    finally:
        telemetry.stop()


def mark(span: ReadableSpan) -> Mark:
    """Return what others hang on a span."""
    context = span.get_span_context()
    assert context is not None, "a span has a place in a trace"
    return Mark(context.trace_id, context.span_id, context.trace_flags.sampled)


def parent(span: ReadableSpan) -> int:
    """Return the id of the span that a span hangs on, 0 if it begins a trace."""
    return span.parent.span_id if span.parent else 0
