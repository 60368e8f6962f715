"""Telemetry: in which trace each thing is told, what is never told, and how quiet it is."""

import asyncio
import itertools
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.wallet import OpenBook
from shared.kernel.entry import Entry, Stored
from shared.kernel.folded import Asked, Pen
from shared.kernel.messages import ACCEPTED, HOUSE, Actor, Answer
from shared.runtime import telemetry
from shared.runtime.clock import ManualClock
from shared.runtime.event_store import Appended, Conflict, LogFull, Unknown
from shared.runtime.hearing import Delivery, Heard, Undone
from shared.runtime.keeper import Keeper
from shared.runtime.memory_store import MemoryStore
from shared.runtime.telemetry.environment import wanted as asked_for
from shared.runtime.telemetry.headers import DECISIONS, TRACEPARENT, Mark, read, read_decisions, write
from tests.telling import Recording, mark, parent, recording

BOOK = "log.wallet.20261130.ledger.0"
CAGE = Actor("staff", "cage")
IN = Deposit(player="ann", currency="CAD", minor=987_654)
ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


class Sent(MemoryStore):
    """A store that keeps the headers which each append would have carried."""

    def __init__(self) -> None:
        super().__init__(itertools.count(1).__next__)
        self.headers: list[dict[str, str]] = []
        self.make_log("LOG_WALLET_20261130")

    async def append(self, stream: str, data: bytes, *, fence: int, types: str = "") -> Appended | Conflict | Unknown:
        """Keep the headers, and store."""
        self.headers.append(dict(telemetry.outgoing()))
        return await super().append(stream, data, fence=fence, types=types)


class Request:
    """A request of the cage, with the headers that it came with."""

    def __init__(self, headers: dict[str, str] | None = None) -> None:
        self.subject = "cmd.wallet.staff.ledger.annabel"
        self.headers = headers


@pytest.fixture
def told() -> Iterator[Recording]:
    """What is told."""
    with recording() as recorded:
        yield recorded


@pytest.fixture
async def store() -> Sent:
    """A store with an open book."""
    store = Sent()
    ledger = keeper(store)
    for number, command in enumerate((OpenBook(day="20261130"), OpenAccount(player="ann", operator="north", currency="CAD"))):
        await ledger.ask(Asked(f"begin {number}", command, HOUSE if number == 0 else CAGE, 1))
    store.headers.clear()
    return store


def keeper(store: MemoryStore, **more: Any) -> Keeper[Ledger]:
    """Return a keeper of the ledger."""
    return Keeper(store, LEDGER, BOOK, lambda: Pen("wallet-a", 1, "test"), ManualClock(), **more)


async def bring_in(ledger: Keeper[Ledger], id: str, headers: dict[str, str] | None = None) -> Answer:
    """Bring money in, as the answering of a request does."""
    message: Any = Request(headers)
    with telemetry.answering(message) as hop:
        return hop.answered(await ledger.ask(Asked(id, IN, CAGE, 1)))


def heard(headers: dict[str, str] | None, stream: str = BOOK) -> Heard:
    """Return an entry as it is heard, delivered with headers or (None) read without a delivery."""
    stored = Stored(log="LOG_WALLET_20261130", stream=stream, sequence=7, stored_at_ms=1, data=b"")
    line: Any = None
    return Heard(stored, Undone(line), None if headers is None else Delivery(stored, "", headers))


async def test_entry_carries_the_trace_of_who_asked(store: Sent, told: Recording):
    """From the client's headers over the answer to the append, and on in the headers of the entry."""
    asker = Mark(7, 9, True)
    await bring_in(keeper(store), "in", write(asker))
    [answer], [append] = told.named("answer staff"), told.named("append ledger")

    assert (parent(answer), parent(append)) == (asker.span, mark(answer).span)
    assert (read(store.headers[0]), mark(append).trace) == (mark(append), asker.trace)


async def test_each_decision_of_an_entry_goes_on_in_its_own_trace(store: Sent, told: Recording):
    """Commands of many traces leave together; the first is carried by the entry, the others beside it, and they know each other."""
    askers = [Mark(number, number, True) for number in (1, 2, 3)]
    ledger = keeper(store)
    await asyncio.gather(*(bring_in(ledger, f"in {asker.trace}", write(asker)) for asker in askers))
    appends = {mark(span).trace: mark(span) for span in told.named("append ledger")}
    [headers] = store.headers

    assert sorted(appends) == [1, 2, 3]
    assert (read(headers), read_decisions(headers)) == (appends[1], {1: appends[2], 2: appends[3]})
    assert [len(span.links) for span in told.named("append ledger")] == [2, 1, 1]


async def test_commands_of_one_trace_share_a_span(store: Sent, told: Recording):
    """Two that were asked for by two hops of one trace become one entry, and one span that hangs on the first and links to the second."""
    first, second = Mark(1, 1, True), Mark(1, 2, True)
    ledger = keeper(store)
    await asyncio.gather(bring_in(ledger, "in 1", write(first)), bring_in(ledger, "in 2", write(second)))
    [append] = told.named("append ledger")

    assert (parent(append), [link.context.span_id for link in append.links]) == tuple_of(told)
    assert DECISIONS not in store.headers[0]


def tuple_of(told: Recording) -> tuple[int, list[int]]:
    """Return the spans of the two answers: the first one's, and a list of the second one's."""
    first, second = sorted(told.named("answer staff"), key=parent)
    return mark(first).span, [mark(second).span]


async def test_number_of_traces_in_an_entry_is_bounded(store: Sent, told: Recording):
    """What is beyond goes on in the first one."""
    ledger = keeper(store)
    await asyncio.gather(*(bring_in(ledger, f"in {number}", write(Mark(number, 1, True))) for number in range(1, 101)))

    assert (len(told.named("append ledger")), len(read_decisions(store.headers[0]))) == (17, 16)


async def test_timer_begins_a_trace_that_links_to_the_entry_before(store: Sent, told: Recording):
    """Nobody asked for it, so it is nobody's trace; the round or book is found by the link."""
    ledger = keeper(store)
    await bring_in(ledger, "in")
    await ledger.ask(Asked("timer", IN, HOUSE, 1))
    first, second = told.named("append ledger")

    assert (parent(second), [link.context.span_id for link in second.links]) == (0, [mark(first).span])
    assert mark(second).trace != mark(first).trace


async def test_what_a_stored_entry_causes_here_is_nobodys(store: Sent, told: Recording):
    """The work at a stream goes on for others than the one whose command began it."""
    asked: list[Any] = []

    def again(ledger: Keeper[Ledger], entry: Entry[Any, Any]) -> None:
        if entry.decisions[0].id == "in":
            asked.append(ledger.ask(Asked("again", IN, HOUSE, 1)))

    await bring_in(keeper(store, stored=again), "in")
    await asked[0]
    _, second = told.named("append ledger")

    assert parent(second) == 0


def test_what_follows_goes_on_in_the_trace_of_its_decision(told: Recording):
    """The next hop hangs on the span that stored the decision, whichever trace the entry as a whole belongs to."""
    leading, other = Mark(1, 11, True), Mark(2, 22, True)
    hop = telemetry.following(heard(write(leading, {3: other})))
    for decision in (0, 3):
        with hop.at(decision):
            pass
    hop.over(None)

    assert [(mark(span).trace, parent(span)) for span in told.named("follow wallet")] == [(1, 11), (2, 22)]


@pytest.mark.parametrize("headers", [None, {}, {TRACEPARENT: "nonsense"}])
def test_what_is_only_read_again_is_no_hop(told: Recording, headers: dict[str, str] | None):
    """After a restart thousands of entries are read; a trace shows what happened, not who remembers it."""
    with telemetry.following(heard(headers)).at(0), telemetry.checking(heard(headers)):
        pass

    assert told.spans == []


async def test_headers_of_a_stranger_are_ignored(store: Sent, told: Recording):
    """A trace of its own, and nothing of what was sent goes into the log."""
    await bring_in(keeper(store), "in", {TRACEPARENT: "annabel", "tracestate": "annabel=rich", "baggage": "pin=1234"})
    [answer] = told.named("answer staff")

    assert (parent(answer), list(store.headers[0])) == (0, [TRACEPARENT])
    assert "annabel" not in str(store.headers)


async def test_nothing_secret_is_told(store: Sent, told: Recording):
    """Not who asked, not under which id, not for how much; also not when it fails with words of its own."""
    ledger = keeper(store)
    await bring_in(ledger, "secret-id")
    store.fill("LOG_WALLET_20261130")
    with pytest.raises(LogFull):
        await bring_in(ledger, "another-id")
    everything = " ".join(span.to_json() for span in told.spans)

    assert [word for word in ("annabel", '"ann"', "987654", "secret-id", "another-id", "is full") if word in everything] == []


async def test_commands_are_counted_by_type_role_and_outcome(store: Sent, told: Recording):
    """A code that is in no contract is told as `other`: nobody makes series by asking for what does not exist."""
    await bring_in(keeper(store), "in")
    await keeper(store).ask(Asked("twice", OpenAccount(player="ann", operator="south", currency="CAD"), CAGE, 1))
    found = {attributes["feltlog.command.type"]: attributes for attributes, _ in told.points("feltlog.commands")}

    assert found["wallet.Deposit.v1"]["feltlog.outcome"] == "accepted"
    assert found["wallet.OpenAccount.v1"]["feltlog.refusal.code"] == "account_exists"


async def test_attempts_are_counted_by_what_they_brought(store: Sent, told: Recording):
    """An answer that was lost is an attempt of its own."""
    store.lose_answer_next()
    await bring_in(keeper(store), "in")
    found = sorted((attributes["feltlog.append.outcome"], count) for attributes, count in told.points("feltlog.append.duration"))

    assert found == [("appended", 1), ("unknown", 1)]


def test_silence_has_no_hops():
    """Without a collector nothing is made, and nothing goes out."""
    message: Any = Request()
    with telemetry.answering(message) as hop:
        answer = hop.answered(ACCEPTED)

    assert (answer, telemetry.outgoing(), telemetry.is_on()) == (ACCEPTED, {}, False)


def test_silence_imports_nothing():
    """A process that tells nothing does not load what it would tell with."""
    code = "import sys, services.table.app, shared.runtime.main; print([name for name in sys.modules if 'opentelemetry.sdk' in name])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout == "[]\n"


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, []),
        ({"OTEL_SERVICE_NAME": "felt"}, []),
        (ENDPOINT, ["metrics", "traces"]),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, ["traces"]),
        (ENDPOINT | {"OTEL_METRICS_EXPORTER": "none"}, ["traces"]),
        (ENDPOINT | {"OTEL_METRICS_EXPORTER": "", "OTEL_TRACES_EXPORTER": ""}, ["metrics", "traces"]),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "true"}, []),
        (ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, []),
    ],
)
def test_environment_says_what_is_told(environment: dict[str, str], wanted: list[str]):
    """OpenTelemetry's own variables; without an address nothing is told."""
    assert sorted(asked_for(environment)) == wanted


def test_loss_is_told_once(caplog: pytest.LogCaptureFixture):
    """A collector that is away complains with every attempt; the log of the service has one line of it."""
    from shared.runtime.telemetry.otlp import Loss

    loss = Loss()
    loss.begins = False
    before = loss.is_going_on
    for number in range(100):
        loss.handle(logging.LogRecord("opentelemetry", logging.WARNING, "", 0, "cannot\nsend %d", (number,), None))

    assert [record.getMessage() for record in caplog.records] == ["telemetry is being lost, everything else goes on: cannot send 0"]
    assert (before, loss.is_going_on) == (False, True)


def exporting(monkeypatch: pytest.MonkeyPatch, **chosen: str) -> Any:
    """Return the way out of a process whose environment names a collector that is not there, and more."""
    from shared.runtime.telemetry.otlp import Exporting

    environment = ENDPOINT | chosen
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Exporting("table", environment, spans=True, metrics=False)


def test_wrong_setting_is_no_loss(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """It is told as what it is; what is lost later is told as well, and the end of the process still sends what is left."""
    way_out = exporting(monkeypatch, OTEL_BSP_MAX_QUEUE_SIZE="many")
    going_on = way_out._loss.is_going_on
    logging.getLogger("opentelemetry").warning("cannot send")
    said = [record.getMessage().partition(",")[0] for record in caplog.records]

    assert (said, going_on) == (["a setting of telemetry was not understood", "telemetry is being lost"], False)


def test_what_lets_us_in_is_not_told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """A header of a wrong form is complained of without its words."""
    exporting(monkeypatch, OTEL_EXPORTER_OTLP_HEADERS="Bearer hush-hush")

    assert [(record.levelname, "hush" in record.getMessage()) for record in caplog.records] == [("WARNING", False)]


@pytest.mark.parametrize(
    ("name", "chosen"),
    [("feltlog-table", {"OTEL_SERVICE_NAME": ""}), ("felt", {"OTEL_SERVICE_NAME": "felt"}), ("feltlog-table", {})],
)
def test_process_says_no_more_of_itself_than_is_declared(name: str, chosen: dict[str, str], monkeypatch: pytest.MonkeyPatch):
    """An empty name is none, and no detector that the environment names tells the user, the host or the program."""
    from shared.runtime.telemetry import names

    way_out = exporting(monkeypatch, OTEL_EXPERIMENTAL_RESOURCE_DETECTORS="process,host,os", **chosen)
    about = way_out.tracer.resource.attributes

    assert (about["service.name"], set(about)) == (name, {each.name for each in names.RESOURCE})
