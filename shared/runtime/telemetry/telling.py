"""Telling: what a process tells while a collector is named, each call of the front made into spans and numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from nats.aio.msg import Msg
from opentelemetry.metrics import Meter
from opentelemetry.trace import Tracer

from shared.kernel.folded import Draft
from shared.kernel.messages import Answer
from shared.runtime.hearing import Heard
from shared.runtime.telemetry import trail
from shared.runtime.telemetry.entries import Appending, Checking, Following
from shared.runtime.telemetry.headers import read
from shared.runtime.telemetry.meters import Meters
from shared.runtime.telemetry.requests import Answering, Asking, role_in
from shared.runtime.telemetry.trail import Trail, Waiting


class WayOut(Protocol):
    """Where spans and numbers go."""

    tracer: Tracer
    meter: Meter

    def stop(self) -> None:
        """Send what is left, for a moment."""


class Telling:
    """The spans and numbers of one process."""

    def __init__(self, way_out: WayOut) -> None:
        self._way_out = way_out
        self.meters = Meters(way_out.meter)
        self.trail = Trail(way_out.tracer, self.meters)

    def stop(self) -> None:
        """Send what is left, for a moment."""
        self._way_out.stop()

    def outgoing(self) -> Mapping[str, str]:
        """Return the headers of the hop that it is now."""
        return trail.outgoing()

    def asking(self, service: str, command: Any) -> Asking:
        """Begin a client's request."""
        return Asking(self.trail, service, command)

    def answering(self, message: Msg) -> Answering:
        """Begin a service's answer."""
        return Answering(self.trail, message)

    def turned_away(self, subject: str, answer: Answer) -> None:
        """Count a request that was answered at once."""
        self.meters.request(role_in(subject), answer, 0.0)

    def appending(self, stream: str, drafted: Draft[Any], batch: Waiting) -> Appending:
        """Begin an entry's way into the log."""
        return Appending(self.trail, stream, drafted, batch)

    def decided(self, batch: Waiting, answers: Sequence[Answer], error: Exception | None) -> None:
        """Count what a stream has answered; the batch may be longer than its answers."""
        self.meters.commands((asked, None if error else answer) for (asked, _), answer in zip(batch, answers, strict=False))

    def following(self, heard: Heard) -> Following | None:
        """Return the hop of what follows from an entry, None if it came with no trace."""
        headers = heard.delivery.headers if heard.delivery is not None else None
        leading = read(headers)
        return None if headers is None or leading is None else Following(self.trail, heard, headers, leading)

    def checking(self, heard: Heard) -> Checking | None:
        """Return the hop of an entry that is decided again, None if it came with no trace."""
        leading = read(heard.delivery.headers) if heard.delivery is not None else None
        return None if leading is None else Checking(self.trail, heard, leading)
