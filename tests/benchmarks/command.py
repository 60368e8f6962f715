"""`command`: from a player's request to the durable answer, over 100 tables, against a bare nats-py loop with the same I/O.

At each table one player after the other puts a wager on a box of an open round.  So one request is on its way at each
table, and no two of them can leave in one entry: that the house would write several together is not made use of.
"""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from time import sleep

import msgspec

from services.table.domain.round import ROUND
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import command_subject, log_name, round_name, round_stream
from shared.contracts.table import OpenRound, PlaceWager
from shared.kernel.folded import Asked, draft, empty
from shared.kernel.messages import HOUSE
from shared.runtime.clock import SystemClock, gaming_day
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.event_store import Appended
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.keepers import SUCCESSION_MS
from shared.runtime.log_making import LogMaker
from tests.benchmarks.command_service import BARE_LOG, READY
from tests.benchmarks.crowd import Crowd
from tests.benchmarks.pairing import paired, per_second
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import LIVE, PEN, SETTINGS, STAKE_MINOR
from tests.benchmarks.server import SYNCS, Loop, server

TABLES = 100
BOXES = 7
TABLE_SETTINGS = msgspec.structs.replace(SETTINGS, boxes=BOXES, betting_window_ms=3_600_000, reserve_ms=3_600_000)


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Ask so many times on each side, with every write forced to the disk and without."""
    return [_with(name, sync_always, effort, tell) for name, sync_always in SYNCS.items()]


def _with(name: str, sync_always: bool, effort: Effort, tell: Tell) -> Row:
    day = gaming_day(SystemClock().now_ms(), "00:00", "UTC")
    tables = min(TABLES, max(1, effort.amount // BOXES))
    rounds_a_turn = max(1, effort.amount // (TABLES * BOXES))
    logs = [BARE_LOG, *(log_name(service, day) for service in ("table", "shoe", "wallet"))]
    with ExitStack() as stack:
        running = stack.enter_context(server(*logs, sync_always=sync_always))
        loop = stack.enter_context(Loop())
        client = loop.run(connect(Endpoint(url=running.url)))
        stack.callback(lambda: loop.run(close(client)))
        tell("opening the rounds")
        loop.run(_prepare(JetStreamStore(client), LogMaker(client), logs[1:], day, tables, rounds_a_turn * (effort.times + 1)))
        crowd = loop.run(Crowd.of(client))
        for service in ("table", "bare"):
            stack.enter_context(_serving(service, running.url))
        tell("waiting for the service to settle in")
        sleep(SUCCESSION_MS / 1000)
        turns = {"table": count(), "bare": count()}

        def side(service: str) -> float:
            first = next(turns[service]) * rounds_a_turn + 1
            numbers = range(first, first + rounds_a_turn)
            asked = tables * rounds_a_turn * BOXES
            return per_second(asked, lambda: loop.run(_wager(crowd, service, day, tables, numbers)))

        return paired(
            f"command{name}",
            "commands/s",
            lambda: side("table"),
            "nats-py",
            lambda: side("bare"),
            at_least=0.6 if sync_always else None,
            times=effort.times,
            tell=tell,
        )


async def _wager(crowd: Crowd, service: str, day: str, tables: int, numbers: range) -> None:
    """Let every box of every table wager on each of these rounds, side by side at the tables and one by one at each."""

    async def at(table: str) -> None:
        for number in numbers:
            round_id = round_name_of(table, day, number)
            for box in range(1, BOXES + 1):
                player = f"{table}-p{box}"
                request = encode_request(f"{round_id}-{box}", PlaceWager(round=round_id, box=box, stake_minor=STAKE_MINOR))
                answer = decode_answer(await crowd.ask(command_subject(service, "player", table, player), request))
                assert answer.status == "pending", answer

    await asyncio.gather(*(at(f"T{table}") for table in range(1, tables + 1)))


def round_name_of(table: str, day: str, number: int) -> str:
    """Return the id of a table's round."""
    return f"{table}.{day}-{number:06d}"


async def _prepare(store: JetStreamStore, maker: LogMaker, logs: list[str], day: str, tables: int, rounds: int) -> None:
    """Open the rounds that are wagered on, as the table service would write them, and make the logs' consumers."""
    for log in logs:
        await maker.mend(log)

    async def open_rounds(table: str) -> None:
        for number in range(1, rounds + 1):
            await _open_round(store, round_name_of(table, day, number))

    await asyncio.gather(*(open_rounds(f"T{table}") for table in range(1, tables + 1)))


async def _open_round(store: JetStreamStore, round_id: str) -> None:
    name = round_name(round_id)
    command = OpenRound(
        round=round_id,
        number=name.number,
        table=name.table,
        day=name.day,
        profile=LIVE,
        settings=TABLE_SETTINGS,
        shoe=f"{name.table}-S1",
        root="0" * 64,
    )
    now_ms = SystemClock().now_ms()
    stream = round_stream(name.day, name.table, name.number)
    drafted = draft(ROUND, empty(ROUND, stream), [Asked("open", command, HOUSE, now_ms)], PEN, now_ms=now_ms)
    appended = await store.append(stream, drafted.data, fence=0)
    assert isinstance(appended, Appended), appended


@contextmanager
def _serving(service: str, url: str) -> Iterator[None]:
    """Run one of the two services until the bench is done."""
    command = [sys.executable, "-m", "tests.benchmarks.command_service", service, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == READY, f"the {service} service does not start"
            yield
        finally:
            process.kill()


COMMAND = Bench(run=run, amount=TABLES * BOXES, times=9, about="request, decision, fenced append and reply over 100 tables")
