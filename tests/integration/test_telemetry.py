"""Telemetry of the real processes: one trace through all of them, nothing told that is not declared, nothing that is secret."""

import os
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from feltlog.machine import Machine
from services.table.views import FeltTurn
from shared.contracts.table import Stand
from shared.runtime import telemetry
from tests.integration.collector import Collector, Span, collecting
from tests.integration.running_house import Floor, floor, furnish, table_rows, until

SERVICES = {"client", "table", "shoe", "wallet", "surveillance"}
CARD = re.compile(rb"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])[SHDC](?![A-Za-z0-9])|[\xe2]\x99[\xa0-\xaf]")
PAID_IN, STAKE = 987_654, 1_300
ANN, BOB = "annabel", "roberto"
ASKED_ID = "an-id-that-somebody-chose"


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
