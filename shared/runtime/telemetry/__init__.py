"""Telemetry: what a process tells about its own work, if anybody wants to know.

Like a log it is one for the process, set up once where the process begins; and like a log nothing rests on it.  As long as
no collector is named in the environment every call here ends at the first line, and OpenTelemetry is not even imported.
What may be told stands in `names`, how a trace goes from hop to hop in `trail`, `requests`, `entries` and `headers`, and how
all of it leaves in `otlp`.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Union

if TYPE_CHECKING:
    import asyncio

    from nats.aio.msg import Msg

    from shared.kernel.folded import Asked, Draft
    from shared.kernel.messages import Answer
    from shared.runtime.hearing import Heard
    from shared.runtime.telemetry.entries import Appending, Checking, Following
    from shared.runtime.telemetry.requests import Answering, Asking
    from shared.runtime.telemetry.telling import Telling

A = TypeVar("A")
Waiting = Sequence[tuple["Asked", "asyncio.Future[Answer]"]]

PROTOCOL = "http/protobuf"

log = logging.getLogger(__name__)


class Silence:
    """What stands in for every hop while nothing is told."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def answered(self, answer: A) -> A:
        """Return the answer."""
        return answer

    def brought(self, answer: A) -> A:
        """Return the answer."""
        return answer

    def at(self, decision: int) -> Self:
        """Stay silent."""
        return self

    def over(self, _: object) -> None:
        """Stay silent."""


SILENCE = Silence()
Hop = Union[Silence, "Following"]
_telling: "Telling | None" = None


def start(service: str, environment: Mapping[str, str] = os.environ) -> None:
    """Tell from now on if the environment names a collector (OpenTelemetry's own variables); say why not if it cannot be done."""
    signals = wanted(environment)
    if not signals or _telling is not None:
        return
    try:
        # It takes a third of a second, which nobody should wait for who tells nothing.
        from shared.runtime.telemetry.otlp import Exporting
        from shared.runtime.telemetry.telling import Telling

        tell(Telling(Exporting(service, environment, spans="traces" in signals, metrics="metrics" in signals)))
    except Exception as error:
        log.warning("there is no telemetry, everything else goes on: %s: %s", type(error).__name__, error)


def tell(telling: "Telling") -> None:
    """Tell from now on."""
    global _telling
    _telling = telling


def stop() -> None:
    """Send what is left, for half a second at most, and tell nothing any more."""
    global _telling
    telling, _telling = _telling, None
    if telling is not None:
        telling.stop()


def wanted(environment: Mapping[str, str]) -> frozenset[str]:
    """Return which of `traces` and `metrics` the environment asks for, and names a collector for that we can speak to.

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

    if not said("ENDPOINT") or environment.get(f"OTEL_{name}_EXPORTER", "otlp") != "otlp":
        return False
    if said("PROTOCOL", PROTOCOL) != PROTOCOL:
        log.warning("there are no %s: telemetry is spoken as %s, not as %s", signal, PROTOCOL, said("PROTOCOL"))
        return False
    return True


def is_on() -> bool:
    """Return whether anything is told."""
    return _telling is not None


def outgoing() -> Mapping[str, str]:
    """Return the headers that what is sent now carries to the next hop."""
    return {} if _telling is None else _telling.outgoing()


def asking(service: str, command: Any) -> "Silence | Asking":
    """Return the hop of a client that asks a service for something."""
    return SILENCE if _telling is None else _telling.asking(service, command)


def answering(message: "Msg") -> "Silence | Answering":
    """Return the hop of a service that answers a request."""
    return SILENCE if _telling is None else _telling.answering(message)


def turned_away(subject: str, answer: "Answer") -> None:
    """Count a request that was answered before it was read."""
    if _telling is not None:
        _telling.turned_away(subject, answer)


def waits(future: "asyncio.Future[Answer]", asked: "Asked") -> None:
    """Remember in which hop a command was asked that now waits for its decision."""
    if _telling is not None:
        _telling.trail.waits(future, asked)


def appending(stream: str, drafted: "Draft[Any]", batch: Waiting) -> "Silence | Appending":
    """Return the hop of an entry on its way into the log, drafted from the commands of `batch`."""
    return SILENCE if _telling is None else _telling.appending(stream, drafted, batch)


def decided(batch: Waiting, answers: "Sequence[Answer]", error: Exception | None) -> None:
    """Count commands that a stream has answered, or could not answer because of `error`."""
    if _telling is not None:
        _telling.decided(batch, answers, error)


def following(heard: "Heard") -> "Silence | Following":
    """Return the hop of a service that has heard an entry from which something follows.

    What is only read again, as after a restart, is no hop: it has no delivery, and so no headers.
    """
    return SILENCE if _telling is None else _telling.following(heard) or SILENCE


def checking(heard: "Heard") -> "Silence | Checking":
    """Return the hop of surveillance deciding an entry again."""
    return SILENCE if _telling is None else _telling.checking(heard) or SILENCE


def alarmed(kind: str) -> None:
    """Count an alarm."""
    if _telling is not None:
        _telling.meters.alarm(kind)


async def watch(process: Any) -> None:
    """Note again and again how much a service holds and how far it is behind, for as long as anything is told."""
    if _telling is not None:
        from shared.runtime.telemetry.watching import watch as look

        await look(process, _telling.meters)
