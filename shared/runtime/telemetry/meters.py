"""The meters: what is counted and timed.

Each attribute has few values: tags and codes of the contracts, roles, kinds of streams, tables.  Whatever has no place
among them is told as `other`, so that nobody can make series by asking for things that do not exist.
"""

from collections.abc import Iterable
from typing import Any

from opentelemetry.metrics import Counter, Histogram, Meter
from opentelemetry.metrics import _Gauge as Gauge

from shared.contracts.refusals import Reason
from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.subjects import stream_kind, stream_table
from shared.kernel.entry import Entry
from shared.kernel.folded import Asked
from shared.kernel.messages import Answer
from shared.runtime.telemetry import names

CODES = frozenset(Reason)
ROLES = frozenset({"player", "staff", "house"})
FAILED = "failed"
OTHER = "other"


class Meters:
    """The instruments of one process."""

    def __init__(self, meter: Meter) -> None:
        self._request = _histogram(meter, names.REQUEST_DURATION)
        self._commands = _counter(meter, names.COMMANDS)
        self._append = _histogram(meter, names.APPEND_DURATION)
        self._size = _histogram(meter, names.ENTRY_SIZE)
        self._decisions = _histogram(meter, names.ENTRY_DECISIONS)
        self._rounds = _counter(meter, names.ROUNDS)
        self._alarms = _counter(meter, names.ALARMS)
        self._lag = _gauge(meter, names.LAG)
        self._quarantined = _gauge(meter, names.QUARANTINED)
        self._waiting = _gauge(meter, names.WAITING)
        self._streams = _gauge(meter, names.STREAMS)

    def request(self, role: str, answer: Answer | None, seconds: float) -> None:
        """Count a request of somebody in `role`, answered or not."""
        self._request.record(seconds, {names.ROLE.name: known_role(role), **outcome(answer)})

    def commands(self, decided: Iterable[tuple[Asked, Answer | None]]) -> None:
        """Count commands that a stream has answered."""
        for asked, answer in decided:
            about = {names.COMMAND_TYPE.name: tag(asked.command), names.ROLE.name: asked.actor.role, **outcome(answer)}
            self._commands.add(1, about)

    def attempt(self, stream: str, outcome: str, seconds: float) -> None:
        """Count an attempt to store an entry."""
        self._append.record(seconds, {names.STREAM_KIND.name: stream_kind(stream), names.APPEND_OUTCOME.name: outcome})

    def entry(self, entry: Entry[Any, Any], size: int) -> None:
        """Count an entry that this process has stored, and the round that ended with it."""
        about = {names.STREAM_KIND.name: stream_kind(entry.stream)}
        self._size.record(size, about)
        self._decisions.record(len(entry.decisions), about)
        for decision in entry.decisions:
            for event in decision.events:
                if isinstance(event, RoundSettled | RoundVoided):
                    ended = "settled" if isinstance(event, RoundSettled) else "void"
                    self._rounds.add(1, {names.TABLE.name: stream_table(entry.stream), names.ROUND_OUTCOME.name: ended})

    def alarm(self, kind: str) -> None:
        """Count an alarm."""
        self._alarms.add(1, {names.ALARM_KIND.name: kind})

    def lag(self, upstream: str, entries: int) -> None:
        """Note how many entries of a service's logs are not worked off."""
        self._lag.set(entries, {names.UPSTREAM.name: upstream})

    def held(self, *, sources: int, waiting: int, streams: int) -> None:
        """Note how much a service holds, now."""
        self._quarantined.set(sources)
        self._waiting.set(waiting)
        self._streams.set(streams)


def outcome(answer: Answer | None) -> dict[str, str]:
    """Return how a command ended, as attributes; a code that is in no contract is `other`."""
    status, code = (FAILED, "") if answer is None else (answer.status, answer.code)
    about = {names.OUTCOME.name: status}
    return about | {names.REFUSAL_CODE.name: code if code in CODES else OTHER} if code else about


def known_role(role: str) -> str:
    """Return a role as it is told: a subject's token is chosen by its sender."""
    return role if role in ROLES else OTHER


def tag(command: Any) -> str:
    """Return a command's tag."""
    return str(command.__struct_config__.tag)


def _counter(meter: Meter, metric: names.Metric) -> Counter:
    return meter.create_counter(metric.name, metric.unit, metric.meaning)


def _histogram(meter: Meter, metric: names.Metric) -> Histogram:
    return meter.create_histogram(metric.name, metric.unit, metric.meaning, explicit_bucket_boundaries_advisory=metric.bounds)


def _gauge(meter: Meter, metric: names.Metric) -> Gauge:
    return meter.create_gauge(metric.name, metric.unit, metric.meaning)
