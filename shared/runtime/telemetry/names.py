"""The names: every span, attribute and metric that a process of this house may tell, declared in one place.

What is not declared here is not told: `docs/telemetry.md` is written from these declarations, and a test on running
processes compares everything that arrives with them.  No name stands for a card, a hand, an amount, a balance, a person
or anything that a person may choose freely; tables, rounds and streams are the finest that is told, and rounds only in spans.
"""

from typing import Literal

import msgspec


class Attribute(msgspec.Struct, frozen=True):
    """What a span or a measurement says about itself."""

    name: str
    meaning: str


class SpanName(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of work.  Its name on the wire is `verb`, a space, and one of few words (`about`)."""

    verb: str
    about: str
    kind: Literal["client", "server", "producer", "consumer"]
    meaning: str
    attributes: tuple[Attribute, ...]


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A number over time; `bounds` are the limits of a histogram's buckets, in its unit."""

    name: str
    instrument: Literal["counter", "histogram", "gauge"]
    unit: str
    meaning: str
    attributes: tuple[Attribute, ...] = ()
    bounds: tuple[float, ...] = ()


ALARM_KIND = Attribute("feltlog.alarm.kind", "The kind of an alarm, as in the list of alarms.")
APPEND_OUTCOME = Attribute(
    "feltlog.append.outcome",
    "`appended`, `conflict` (another entry took the place), `unknown` (not confirmed), or the code of the store's refusal.",
)
ASKED_SERVICE = Attribute("feltlog.asked.service", "The service that a client asks.")
COMMAND_TYPE = Attribute("feltlog.command.type", "A command's tag, such as `table.PlaceWager.v1`.")
COMMAND_TYPES = Attribute("feltlog.command.types", "The tags of the commands that were decided together, each once.")
DECISIONS = Attribute("feltlog.decisions", "How many decisions an entry holds.")
OUTCOME = Attribute("feltlog.outcome", "`accepted`, `pending`, `refused`, or `failed` if there was no answer.")
REFUSAL_CODE = Attribute("feltlog.refusal.code", "Why, if it was refused: the stable code, or `other` for one that stands in no contract.")
REVISION = Attribute("feltlog.revision", "The place of an entry in its stream, from 1.")
ROLE = Attribute(
    "feltlog.actor.role",
    "Who asked: `player`, `staff`, or `house` for timers and reactions; `other` if it is none of them; never who it was.",
)
ROUND_OUTCOME = Attribute("feltlog.round.outcome", "`settled` or `void`.")
SEQUENCE = Attribute("feltlog.sequence", "The JetStream sequence of the entry that was heard.")
STREAM = Attribute("feltlog.stream", "The stream of an entry, such as `log.table.20261130.T7.round.000123`.")
STREAM_KIND = Attribute("feltlog.stream.kind", "`table`, `round`, `shoe`, `ledger` or `desk`.")
TABLE = Attribute("feltlog.table", "The table.")
UPSTREAM = Attribute("feltlog.upstream", "The service whose log is heard.")

SERVICE = Attribute("feltlog.service", "`table`, `shoe`, `wallet`, `surveillance`, or `client` for the `feltlog` command.")
SERVICE_NAME = Attribute("service.name", "`OTEL_SERVICE_NAME`, or `feltlog-` and the service; `feltlog up` gives each process its own.")
SERVICE_NAMESPACE = Attribute("service.namespace", "`feltlog`.")
SERVICE_VERSION = Attribute("service.version", "The version of this software.")
SERVICE_INSTANCE = Attribute("service.instance.id", "A random name of the process.")
SDK_LANGUAGE = Attribute("telemetry.sdk.language", "`python`.")
SDK_NAME = Attribute("telemetry.sdk.name", "`opentelemetry`.")
SDK_VERSION = Attribute("telemetry.sdk.version", "The version of OpenTelemetry's library.")

RESOURCE = (SERVICE, SERVICE_NAME, SERVICE_NAMESPACE, SERVICE_VERSION, SERVICE_INSTANCE, SDK_LANGUAGE, SDK_NAME, SDK_VERSION)
"""What every span and metric says about its process; `OTEL_RESOURCE_ATTRIBUTES` may add what an operator likes."""

ASK = SpanName(
    verb="ask",
    about="the command's name",
    kind="client",
    meaning="A client asks for something, from the first request to the last answer, however often it is sent.",
    attributes=(ASKED_SERVICE, COMMAND_TYPE, OUTCOME, REFUSAL_CODE),
)
ANSWER = SpanName(
    verb="answer",
    about="the role of who asks",
    kind="server",
    meaning="A service answers a request of a player or of staff; it ends when the answer is sent.",
    attributes=(ROLE, COMMAND_TYPE, OUTCOME, REFUSAL_CODE),
)
APPEND = SpanName(
    verb="append",
    about="the stream's kind",
    kind="producer",
    meaning="An entry is stored: from the first attempt until it is known whether it is in the log.",
    attributes=(STREAM, STREAM_KIND, REVISION, DECISIONS, COMMAND_TYPES, APPEND_OUTCOME),
)
FOLLOW = SpanName(
    verb="follow",
    about="the upstream service",
    kind="consumer",
    meaning="A service has heard an entry from which something must follow; it ends when what follows is stored.",
    attributes=(UPSTREAM, STREAM, SEQUENCE),
)
CHECK = SpanName(
    verb="check",
    about="the upstream service",
    kind="consumer",
    meaning="Surveillance decides an entry again.",
    attributes=(UPSTREAM, STREAM, SEQUENCE),
)
SPANS = (ASK, ANSWER, APPEND, FOLLOW, CHECK)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

REQUEST_DURATION = Metric(
    name="feltlog.request.duration",
    instrument="histogram",
    unit="s",
    meaning="How long a request of a player or of staff took to be answered; those turned away at once count too.",
    attributes=(ROLE, OUTCOME, REFUSAL_CODE),
    bounds=SECONDS,
)
COMMANDS = Metric(
    name="feltlog.commands",
    instrument="counter",
    unit="{command}",
    meaning="Commands that a stream has answered, of people and of the house itself.",
    attributes=(COMMAND_TYPE, ROLE, OUTCOME, REFUSAL_CODE),
)
APPEND_DURATION = Metric(
    name="feltlog.append.duration",
    instrument="histogram",
    unit="s",
    meaning="How long the log took to answer one attempt to store an entry; its count is the number of attempts.",
    attributes=(STREAM_KIND, APPEND_OUTCOME),
    bounds=SECONDS,
)
ENTRY_SIZE = Metric(
    name="feltlog.entry.size",
    instrument="histogram",
    unit="By",
    meaning="How large the entries are that were stored.",
    attributes=(STREAM_KIND,),
    bounds=(256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288),
)
ENTRY_DECISIONS = Metric(
    name="feltlog.entry.decisions",
    instrument="histogram",
    unit="{decision}",
    meaning="How many decisions left together as one entry.",
    attributes=(STREAM_KIND,),
    bounds=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
ROUNDS = Metric(
    name="feltlog.rounds",
    instrument="counter",
    unit="{round}",
    meaning="Rounds that came to their end.",
    attributes=(TABLE, ROUND_OUTCOME),
)
ALARMS = Metric(name="feltlog.alarms", instrument="counter", unit="{alarm}", meaning="Alarms that were raised.", attributes=(ALARM_KIND,))
LAG = Metric(
    name="feltlog.log.lag",
    instrument="gauge",
    unit="{entry}",
    meaning="Entries of a service's open logs that this service has not worked off.",
    attributes=(UPSTREAM,),
)
QUARANTINED = Metric(name="feltlog.quarantine.sources", instrument="gauge", unit="{source}", meaning="Sources that this service holds.")
WAITING = Metric(name="feltlog.keeper.waiting", instrument="gauge", unit="{command}", meaning="Commands that wait for their decision.")
STREAMS = Metric(name="feltlog.streams.open", instrument="gauge", unit="{stream}", meaning="Streams of this service that are not over.")

METRICS = (
    REQUEST_DURATION,
    COMMANDS,
    APPEND_DURATION,
    ENTRY_SIZE,
    ENTRY_DECISIONS,
    ROUNDS,
    ALARMS,
    LAG,
    QUARANTINED,
    WAITING,
    STREAMS,
)
