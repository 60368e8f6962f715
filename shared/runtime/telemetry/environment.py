"""The environment: which telemetry it asks for, in OpenTelemetry's own variables.

We speak one protocol.  Who asks for another gets nothing and is told so, rather than a process that cannot start.
"""

import logging
from collections.abc import Mapping

PROTOCOL = "http/protobuf"

log = logging.getLogger(__name__)


def wanted(environment: Mapping[str, str]) -> frozenset[str]:
    """Return which of `traces` and `metrics` the environment asks for, and names a collector for that we can speak to.

    What is empty is not set, as OpenTelemetry has it: a compose file cannot always leave a variable out.

    >>> sorted(wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}))
    ['metrics', 'traces']
    >>> sorted(wanted({})), sorted(wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}))
    ([], [])
    """
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return frozenset()
    return frozenset(signal for signal in ("traces", "metrics") if _is_wanted(signal, environment))


def _is_wanted(signal: str, environment: Mapping[str, str]) -> bool:
    name = signal.upper()

    def said(variable: str, usual: str = "") -> str:
        return environment.get(f"OTEL_EXPORTER_OTLP_{name}_{variable}") or environment.get(f"OTEL_EXPORTER_OTLP_{variable}") or usual

    if not said("ENDPOINT") or (environment.get(f"OTEL_{name}_EXPORTER") or "otlp") != "otlp":
        return False
    if said("PROTOCOL", PROTOCOL) != PROTOCOL:
        log.warning("there are no %s: telemetry is spoken as %s, not as %s", signal, PROTOCOL, said("PROTOCOL"))
        return False
    return True
