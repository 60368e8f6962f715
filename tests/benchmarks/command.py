"""`command`: from a player's request to the durable answer, over 100 tables, against a bare nats-py loop with the same I/O.

At each table one player after the other puts a wager on a box of an open round.  So one request is on its way at each
table, and no two of them can leave in one entry: that the house would write several together is not made use of.
"""

import asyncio
from contextlib import ExitStack
from itertools import count
from time import sleep

import msgspec

from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import RoundName, command_subject, log_name
from shared.contracts.wagers import PlaceWager
from shared.runtime.clock import SystemClock, gaming_day
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.keepers import SUCCESSION_MS
from shared.runtime.log_making import LogMaker
from tests.benchmarks.at_work import open_round, serving
from tests.benchmarks.command_service import BARE_LOG
from tests.benchmarks.crowd import Crowd
from tests.benchmarks.pairing import paired, per_second
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import SETTINGS, STAKE_MINOR
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
            stack.enter_context(serving(service, running.url))
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
            round_id = RoundName(table, day, number).id
            for box in range(1, BOXES + 1):
                player = f"{table}-p{box}"
                request = encode_request(f"{round_id}-{box}", PlaceWager(round=round_id, box=box, stake_minor=STAKE_MINOR))
                answer = decode_answer(await crowd.ask(command_subject(service, "player", table, player), request))
                assert answer.status == "pending", answer

    await asyncio.gather(*(at(f"T{table}") for table in range(1, tables + 1)))


async def _prepare(store: JetStreamStore, maker: LogMaker, logs: list[str], day: str, tables: int, rounds: int) -> None:
    """Open the rounds that are wagered on, as the table service would write them, and make the logs' consumers."""
    for log in logs:
        await maker.mend(log)

    async def open_rounds(table: str) -> None:
        for number in range(1, rounds + 1):
            await open_round(store, RoundName(table, day, number), TABLE_SETTINGS)

    await asyncio.gather(*(open_rounds(f"T{table}") for table in range(1, tables + 1)))


COMMAND = Bench(run=run, amount=TABLES * BOXES, times=9, about="request, decision, fenced append and reply over 100 tables")
