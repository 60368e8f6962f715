"""Telemetry of the real processes: one trace through all of them, nothing told that is not declared, nothing that is secret."""

import asyncio
import base64
import json
import os
import re
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nats
import pytest

from feltlog.machine import Machine
from services.table.views import FeltTurn
from shared.contracts.decisions import Stand
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import command_subject, inbox, log_day, log_of, round_name
from shared.contracts.wagers import PlaceWager
from shared.runtime import telemetry
from shared.runtime.connection import Endpoint, connect
from shared.runtime.telemetry import names
from tests.integration.collector import Collector, Point, Span, collecting
from tests.integration.patience import until
from tests.integration.running_house import Floor, floor, furnish, running, table_rows

SERVICES = {"client", "table", "shoe", "wallet", "surveillance"}
CARD = re.compile(rb"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])[SHDC](?![A-Za-z0-9])|[\xe2]\x99[\xa0-\xaf]")
PAID_IN, STAKE = 987_654, 1_300
ANN, BOB = "annabel", "roberto"
ASKED_ID = "an-id-that-somebody-chose"
STOP_S = 4.0
"""Less than any time-out that a collector could make somebody wait for, and enough for a busy machine."""


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    """A collector that the environment names, for this process and those that it starts."""
    with collecting() as running, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("OTEL_")]:
            patch.delenv(name)
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", running.url)
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        patch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "500")
        telemetry.start("client")
        try:
            yield running
        finally:
            telemetry.stop()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, collector: Collector) -> Iterator[Machine]:
    """A house that tells."""
    data: Path = tmp_path_factory.mktemp("house")
    furnish(data, table_rows("T1"), table_rows("T2"))
    with Machine(data) as machine:
        yield machine


@pytest.fixture
async def house(machine: Machine) -> AsyncIterator[Floor]:
    """The running house with its tables open."""
    async with floor(machine) as opened:
        await opened.open_tables()
        yield opened


async def decide(house: Floor, round: str, turn: FeltTurn) -> None:
    """Stand, under an id of the player's own."""
    player = await house.seat(turn.player)
    answer = await player.ask("table", "T1", Stand(round=round, box=turn.box, hand=turn.hand), id=f"{ASKED_ID}-{round}-{turn.box}")
    assert answer.status == "accepted", answer


async def played(house: Floor, collector: Collector) -> list[Span]:
    """Play a round with decisions, and return the trace of the last one as soon as it has come to the round's booking."""
    for name in (ANN, BOB):
        if name not in house.house.players():
            await house.welcome(name, minor=PAID_IN)
    before = len(collector.spans)
    round, turn = await house.turn("T1", [(ANN, 1), (BOB, 2)], minor=STAKE)
    await decide(house, round, turn)
    felt = await house.felt("T1", lambda felt: felt.phase == "settled" or (felt.turn is not None and felt.turn != turn))
    if felt.turn is not None:
        await decide(house, round, felt.turn)
    await house.booked(round)

    async def told() -> list[Span]:
        trace = collector.trace_of(lambda span: span in collector.spans[before:] and span.name == "ask Stand")
        follows = any("table.NoteBooking.v1" in span.attributes.get("feltlog.command.types", ()) for span in trace)
        checked = any(span.verb == "check" for span in trace)
        return trace if follows and checked and {span.service for span in trace} == SERVICES else []

    found: list[Span] = await until(told)
    return found


async def test_one_trace_goes_through_every_process(house: Floor, collector: Collector):
    """From the player's word to the shoe's card, the ledger's movement and surveillance's check, under one id."""
    trace = await played(house, collector)

    assert {(span.service, span.verb) for span in trace} >= {
        ("client", "ask"),
        ("table", "answer"),
        ("table", "append"),
        ("shoe", "follow"),
        ("shoe", "append"),
        ("table", "follow"),
        ("wallet", "follow"),
        ("wallet", "append"),
        ("surveillance", "check"),
    }


async def test_every_hop_hangs_on_the_one_before(house: Floor, collector: Collector):
    """Nobody's parent is missing but the client's, who has none."""
    trace = await played(house, collector)
    known = {span.id for span in trace}

    assert [span.name for span in trace if span.parent not in known] == ["ask Stand"]


async def test_a_wager_goes_to_the_wallet_and_back(house: Floor, collector: Collector):
    """One trace: the request, the reserve, the word that the wager counts."""
    await played(house, collector)
    trace = collector.trace_of(lambda span: span.name == "ask PlaceWager")
    appended = [tag for span in trace for tag in span.attributes.get("feltlog.command.types", ())]

    assert {"table.PlaceWager.v1", "wallet.ReserveStake.v1", "table.AcceptWager.v1"} <= set(appended)


async def test_everything_that_arrives_is_declared(house: Floor, collector: Collector):
    """Each span, metric, unit and attribute stands in the dictionary, and each process says no more of itself than that."""
    await played(house, collector)
    await until(lambda: arrived(collector, "feltlog.log.lag"))
    spans = {name.verb: {each.name for each in name.attributes} for name in names.SPANS}
    metrics = {(name.name, name.unit): {each.name for each in name.attributes} for name in names.METRICS}

    assert [span for span in collector.spans if not span.attributes.keys() <= spans.get(span.verb, set())] == []
    assert [point for point in collector.points if not point.attributes.keys() <= metrics.get((point.name, point.unit), set())] == []
    assert {key for about in collector.resources for key in about} == {each.name for each in names.RESOURCE}
    assert [span.texts for span in collector.spans if span.texts] == []


async def test_nothing_secret_arrives(house: Floor, collector: Collector):
    """No card, no name, no id of a request, no amount, no key: neither in a text nor in a number nor anywhere in the bytes."""
    await played(house, collector)
    await until(lambda: arrived(collector, "feltlog.log.lag"))
    keys = [key for path in (house.house.data / "secrets").iterdir() if (key := path.read_bytes().strip())]
    amounts = [str(minor).encode() for minor in (PAID_IN, PAID_IN - STAKE, PAID_IN + STAKE)]
    words = [ANN.encode(), BOB.encode(), ASKED_ID.encode(), *amounts, *keys]
    told: list[Span | Point] = [*collector.spans, *collector.points]
    attributes = [each.attributes for each in told] + collector.resources
    values = [value for each in attributes for value in each.values()] + [span.name for span in collector.spans]

    assert [word for word in words if word in bytes(collector.bodies)] == []
    assert [value for value in values if CARD.search(str(value).encode())] == []
    assert [value for value in values if value in (STAKE, PAID_IN, PAID_IN - STAKE)] == []


async def arrived(collector: Collector, name: str) -> bool:
    """Return whether a metric has arrived from every service that tells it."""
    return {point.service for point in collector.points if point.name == name} == SERVICES - {"client"}


async def test_what_a_stranger_sends_is_not_passed_on(machine: Machine, house: Floor, collector: Collector):
    """Whatever stands in the headers of a request, the log holds a mark of the house's own, and the request is answered as ever."""
    await played(house, collector)
    round = await house.call_round("T2")
    headers = {"traceparent": f"00-{ANN}", "tracestate": f"{ANN}=rich", "baggage": f"pin={ASKED_ID}", "Nats-Msg-Id": "mine"}
    line = await nats.connect(machine.url, nkeys_seed=str(machine.credentials(ANN)), inbox_prefix=inbox(ANN))
    try:
        body = encode_request("from a stranger", PlaceWager(round=round, box=1, stake_minor=STAKE))
        reply = await line.request(command_subject("table", "player", "T2", ANN), body, timeout=5, headers=headers)
    finally:
        await line.close()
    answer = decode_answer(reply.data)
    stored = await headers_of(machine, round_name(round).stream)

    assert (answer.status, answer.code) == ("pending", "")
    assert set(stored) == {"Nats-Expected-Stream", "Nats-Expected-Last-Subject-Sequence", "Nats-Msg-Id", "Feltlog-Events", "traceparent"}
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", stored["traceparent"])


async def headers_of(machine: Machine, stream: str) -> dict[str, str]:
    """Return the headers of the last entry of a stream, as the server keeps them."""
    client = await connect(Endpoint(url=machine.url, credentials=machine.credentials("reader")))
    try:
        body = json.dumps({"last_by_subj": stream}).encode()
        message = json.loads((await client.request(f"$JS.API.STREAM.MSG.GET.{log_of(stream)}", body, timeout=5)).data)["message"]
    finally:
        await client.close()
    lines = base64.b64decode(message["hdrs"]).decode().split("\r\n")[1:]
    return {line.partition(":")[0]: line.partition(":")[2].strip() for line in lines if line}


async def test_restart_is_no_hop(machine: Machine, house: Floor, collector: Collector):
    """A process that reads the day again tells nothing of it: what it tells begins with what is stored from then on."""
    await played(house, collector)
    ends = {log_day(log)[0]: await house.store.end(log) for log in await house.store.open_logs()}
    before = {about["service.instance.id"] for about in collector.resources}
    for name in ("surveillance", "wallet", "table", "shoe"):
        machine.stop_process(name)
    for name in ("shoe", "wallet", "table", "surveillance"):
        machine.start_process(name)
    await house.ready("T1")
    await played(house, collector)
    heard = [span for span in collector.spans if span.instance not in before and span.verb in ("follow", "check")]

    assert heard
    assert [span for span in heard if span.attributes["feltlog.sequence"] <= ends[span.attributes["feltlog.upstream"]]] == []


async def test_each_process_has_a_name_of_its_own(house: Floor, collector: Collector):
    """One name in the environment would make one service of all that `feltlog up` starts."""
    await played(house, collector)

    assert {about["service.name"] for about in collector.resources} == {f"feltlog-{service}" for service in SERVICES}


async def test_command_of_the_front_door_begins_a_trace(house: Floor, collector: Collector):
    """What it tells has left when it ends."""
    command = [sys.executable, "-m", "feltlog", "player", "add", "walter", "--currency", "EUR", "--data", str(house.house.data)]
    before = {span.instance for span in collector.spans}
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
    status = await process.wait()

    assert (status, {span.name for span in collector.spans if span.instance not in before}) == (0, {"ask OpenAccount", "ask Deposit"})


async def test_logs_are_whole(house: Floor, collector: Collector):
    """Headers change no byte of an entry: everything is proved as ever."""
    await played(house, collector)

    assert await house.findings() == []


def deaf() -> Iterator[str]:
    """Yield the address of a collector that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def away() -> Iterator[str]:
    """Yield the address of a collector that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    yield f"http://127.0.0.1:{port}"


def refusing() -> Iterator[str]:
    """Yield the address of a collector that says that it cannot."""
    with collecting(status=503) as collector:
        yield collector.url


@pytest.mark.parametrize("kind", [away, deaf, refusing])
async def test_collector_that_takes_nothing_is_told_once_and_delays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Callable[[], Iterator[str]]
):
    """Rounds are played, each process ends as fast as without a collector, and its log has one line about what is lost."""
    with contextmanager(kind)() as url:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "500")
        furnish(tmp_path, table_rows("T1"))
        async with running(tmp_path) as (machine, house):
            await house.open_tables()
            await house.welcome(ANN, minor=PAID_IN)
            rounds = [await one_round(house) for _ in range(2)]
            await house.booked(*rounds)
            await until(lambda: complained(machine, "table"))
            took_s = [await stopping(machine, name) for name in ("surveillance", "table", "wallet", "shoe")]
            lines = [machine.house.log(name).read_text().count("telemetry is being lost") for name in ("table", "wallet", "shoe")]

    assert max(took_s) < STOP_S
    assert lines == [1, 1, 1]


async def one_round(house: Floor) -> str:
    """Play a round, and return it."""
    round = await house.call_round("T1")
    await house.wager(ANN, round, 1, STAKE)
    await house.close_betting("T1", round)
    await house.let_go("T1")
    return round


async def complained(machine: Machine, name: str) -> bool:
    """Return whether a service has said that its telemetry is lost."""
    return "telemetry is being lost" in machine.house.log(name).read_text()


async def stopping(machine: Machine, name: str) -> float:
    """Return how many seconds a process takes to end after SIGTERM."""
    began_s = time.monotonic()
    await asyncio.to_thread(machine.stop_process, name)
    return time.monotonic() - began_s
