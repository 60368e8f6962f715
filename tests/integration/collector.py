"""A collector on loopback: takes what processes tell over OTLP/HTTP, and keeps it as plain values."""

import gzip
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Span(msgspec.Struct, frozen=True):
    """A span as it arrived; ids in hexadecimal, no parent is empty."""

    service: str
    instance: str
    name: str
    trace: str
    id: str
    parent: str
    links: tuple[str, ...]
    attributes: dict[str, Any]
    texts: tuple[str, ...]
    """What else it says: its state, its status, the names of its events."""

    @property
    def verb(self) -> str:
        """The first word of its name."""
        return self.name.partition(" ")[0]


class Point(msgspec.Struct, frozen=True):
    """A measurement as it arrived."""

    service: str
    name: str
    unit: str
    attributes: dict[str, Any]
    value: float
    """A counter's or a gauge's value, a histogram's count."""


class Collector:
    """Everything that has arrived so far."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.points: list[Point] = []
        self.resources: list[dict[str, Any]] = []
        self.bodies = bytearray()
        """All bytes of all requests."""
        self.url = ""

    def take(self, path: str, body: bytes) -> None:
        """Take a request."""
        self.bodies += body
        if path == "/v1/traces":
            for scope, about in self._scopes(ExportTraceServiceRequest.FromString(body).resource_spans, "scope_spans"):
                self.spans += [_span(each, about) for each in scope.spans]
        elif path == "/v1/metrics":
            for scope, about in self._scopes(ExportMetricsServiceRequest.FromString(body).resource_metrics, "scope_metrics"):
                self.points += [point for each in scope.metrics for point in _points(each, about)]

    def _scopes(self, told: Iterable[Any], scopes: str) -> Iterator[tuple[Any, dict[str, Any]]]:
        for each in told:
            about = _plain(each.resource.attributes)
            self.resources.append(about)
            for scope in getattr(each, scopes):
                yield scope, about

    def trace_of(self, wanted: Callable[[Span], bool]) -> list[Span]:
        """Return the spans of the trace that holds the last span that is wanted, empty if there is none."""
        found = [span for span in self.spans if wanted(span)]
        return [span for span in self.spans if span.trace == found[-1].trace] if found else []


@contextmanager
def collecting(status: int = 200) -> Iterator[Collector]:
    """Run a collector for as long as the test needs it; it answers everything with `status`."""
    collector = Collector()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.take(self.path, gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        collector.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()


def _span(span: Any, about: dict[str, Any]) -> Span:
    texts = (span.trace_state, span.status.message, *map(str, span.events))
    return Span(
        service=about["feltlog.service"],
        instance=about["service.instance.id"],
        name=span.name,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        links=tuple(link.span_id.hex() for link in span.links),
        attributes=_plain(span.attributes),
        texts=tuple(text for text in texts if text),
    )


def _points(metric: Any, about: dict[str, Any]) -> Iterator[Point]:
    kind = metric.WhichOneof("data")
    for point in getattr(metric, kind).data_points:
        value = point.count if kind == "histogram" else point.as_int or point.as_double
        yield Point(about["feltlog.service"], metric.name, metric.unit, _plain(point.attributes), value)


def _plain(attributes: Iterable[Any]) -> dict[str, Any]:
    return {each.key: _value(each.value) for each in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, kind) if kind else None
