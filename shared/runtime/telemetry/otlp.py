"""The way out: spans and metrics leave as OTLP over HTTP, from threads of their own, and are lost rather than waited for.

Everything is bounded: a queue that drops what it has no room for, a time-out for each attempt, and half a second at the end
of the process.  A collector that is away is told of once in the log, not with every attempt, and not waited for at the end.
"""

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import Tracer

from shared.runtime.telemetry import names

ATTEMPT_S = 5.0
"""How long one attempt to send may take, in its own thread."""
STOP_S = 0.5
"""How long the end of the process waits for what is left to be sent."""
AWAY_S = 60.0
"""For how long after a failed attempt nothing is expected of the collector."""
TOLD_EVERY_S = 3600.0
ATTRIBUTE_LENGTH_MAX = 256
SCOPE = "feltlog"

log = logging.getLogger(__name__)


class Loss(logging.Handler):
    """Hears what OpenTelemetry complains of, and passes it on once an hour: a collector that is away is nobody's emergency."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__(logging.WARNING)
        self._secrets = sorted(secrets, key=len, reverse=True)
        self._told_s = self._lost_s = -math.inf
        self.begins = True
        """Whether the settings are still being read: a complaint about one of them is no loss."""

    @property
    def is_going_on(self) -> bool:
        """Whether an attempt has failed a short while ago."""
        return time.monotonic() - self._lost_s < AWAY_S

    def emit(self, record: logging.LogRecord) -> None:
        """Tell that telemetry is lost, unless that was told a short while ago; and of a wrong setting at once."""
        message = " ".join(record.getMessage().split())
        for secret in self._secrets:
            message = message.replace(secret, "...")
        if self.begins:
            log.warning("a setting of telemetry was not understood, everything else goes on: %s", message[:200])
            return
        self._lost_s = time.monotonic()
        if self._lost_s - self._told_s >= TOLD_EVERY_S:
            self._told_s = self._lost_s
            log.warning("telemetry is being lost, everything else goes on: %s", message[:200])


class Exporting:
    """What a process tells through, for as long as it runs."""

    def __init__(self, service: str, environment: Mapping[str, str], *, spans: bool, metrics: bool) -> None:
        complaints = logging.getLogger("opentelemetry")
        self._loss = Loss(secrets_in(environment))
        complaints.handlers[:] = [self._loss]
        complaints.propagate = False
        resource = _resource(service, environment)
        timeout_s = None if any(name.startswith("OTEL_EXPORTER_OTLP_") and name.endswith("TIMEOUT") for name in environment) else ATTEMPT_S
        # A process that tells no spans still passes on the context that it got.
        limits = SpanLimits(max_attribute_length=ATTRIBUTE_LENGTH_MAX)
        tracers = TracerProvider(None if spans else ALWAYS_OFF, resource, shutdown_on_exit=False, span_limits=limits)
        readers: list[MetricReader] = []
        if spans:
            tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=timeout_s)))
        if metrics:
            readers.append(PeriodicExportingMetricReader(OTLPMetricExporter(timeout=timeout_s)))
        # Measurements name no example of themselves: which trace was slow is for the traces to say.
        meters = MeterProvider(readers, resource, exemplar_filter=AlwaysOffExemplarFilter(), shutdown_on_exit=False)
        self.tracer: Tracer = tracers.get_tracer(SCOPE)
        self.meter: Meter = meters.get_meter(SCOPE)
        self._loss.begins = False
        self._ends: tuple[Callable[[], None], ...] = (tracers.shutdown, meters.shutdown)

    def stop(self) -> None:
        """Send what is left, for `STOP_S` seconds at most; the threads that still try then end with the process."""
        if self._loss.is_going_on:
            return
        threads = [threading.Thread(target=end, daemon=True, name="last telemetry") for end in self._ends]
        for thread in threads:
            thread.start()
        until_s = time.monotonic() + STOP_S
        for thread in threads:
            thread.join(max(0.0, until_s - time.monotonic()))


def secrets_in(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield what lets us in at a collector: OpenTelemetry repeats it where it complains of its form.

    >>> list(secrets_in({"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20x, Bearer y"}))
    ['Bearer%20x', 'Bearer y']
    """
    for name, value in environment.items():
        if name.startswith("OTEL_EXPORTER_OTLP_") and name.endswith("HEADERS"):
            for header in value.split(","):
                key, _, secret = header.strip().partition("=")
                if secret or key:
                    yield secret or key


def _resource(service: str, environment: Mapping[str, str]) -> Resource:
    """Return what is said about this process: no host, no user, no command line, whatever could be found out about it."""
    about = {
        names.SDK_LANGUAGE.name: "python",
        names.SDK_NAME.name: "opentelemetry",
        names.SDK_VERSION.name: version("opentelemetry-sdk"),
        names.SERVICE.name: service,
        names.SERVICE_NAMESPACE.name: "feltlog",
        names.SERVICE_VERSION.name: version("feltlog"),
        names.SERVICE_INSTANCE.name: secrets.token_hex(8),
    }
    if not environment.get("OTEL_SERVICE_NAME"):
        about[names.SERVICE_NAME.name] = f"feltlog-{service}"
    # Not `create`: it asks every detector that the environment names, and one of them tells the user and the program.
    return OTELResourceDetector().detect().merge(Resource(about))
