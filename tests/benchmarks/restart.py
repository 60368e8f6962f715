"""`restart`: a thousand open rounds, the table service killed (SIGKILL), and the seconds until every round is served again.

Served means that a player's wager in that round has its durable answer.  The clock starts with the signal: that the machine
notices, starts a process, and the process folds its logs again is all in it.  So are the wagers themselves: what they take
without a kill stands beside it.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from time import perf_counter
from typing import Any

import msgspec

from feltlog.client import Client
from feltlog.commands.connection import at_the_door
from feltlog.machine import Machine
from services.table.views import TableRow
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import command_subject
from shared.contracts.table import OpenTable
from shared.contracts.wagers import PlaceWager
from shared.runtime.line import Line
from tests.benchmarks.house import running_house
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import SETTINGS, STAKE_MINOR
from tests.integration.running_house import OPERATOR
from tests.integration.voice import line_of

PLAYERS = [f"p{number}" for number in range(1, 11)]
"""Each has a wager at every tenth table before the restart, and one at the next table after it."""
AT_ONCE = 50
REPLY_S = 1.0
PATIENCE_S = 300.0
LOOK_AGAIN_S = 0.02
OPEN_FOR_MS = 3_600_000
TABLE_SETTINGS = msgspec.structs.replace(SETTINGS, boxes=2, betting_window_ms=OPEN_FOR_MS, reserve_ms=OPEN_FOR_MS)


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Kill the table service over so many open rounds."""
    with running_house(0) as machine:
        machine.add_players(PLAYERS)
        without_s, with_s = asyncio.run(_restart(machine, effort.amount, tell))
    unit = f"s for {effort.amount:,} rounds"
    return [Row(bench="restart", value=with_s, unit=unit), Row(bench="restart: without a kill", value=without_s, unit=unit)]


async def _restart(machine: Machine, tables: int, tell: Tell) -> tuple[float, float]:
    async with AsyncExitStack() as stack:
        pit = await stack.enter_async_context(at_the_door(machine.house, None, "pit"))
        lines = []
        for player in PLAYERS:
            await pit.ask("wallet", "ledger", OpenAccount(player=player, operator=OPERATOR, currency="EUR"))
            await pit.ask("wallet", "ledger", Deposit(player=player, currency="EUR", minor=tables * STAKE_MINOR))
            lines.append(await stack.enter_async_context(line_of(machine, player)))
        rounds = await _open_rounds(pit, tables, tell)
        tell("wagering in every round")
        began_s = perf_counter()
        await _wager_everywhere(lines, rounds, box=1, shift=0)
        wagered_s = perf_counter()
        tell("killing the table service")
        machine.kill("table")
        await _wager_everywhere(lines, rounds, box=2, shift=1)
        return wagered_s - began_s, perf_counter() - wagered_s


async def _open_rounds(pit: Client, tables: int, tell: Tell) -> list[str]:
    """Open so many tables, and return the ids of their first rounds as soon as all of them are called."""

    async def open_table(number: int) -> None:
        table = f"T{number}"
        command = OpenTable(table=table, profile_name="live", settings=TABLE_SETTINGS)
        answer = await pit.ask("table", table, command)
        assert answer.status == "accepted", answer

    await _few_at_once(open_table, range(1, tables + 1))
    async with asyncio.timeout(PATIENCE_S):
        while True:
            rows = await pit.query("table", "tables", list[TableRow])
            rounds = sorted(row.round for row in rows if row.round)
            tell(f"{len(rounds)} of {tables} rounds are open")
            if len(rounds) == tables:
                return rounds
            await asyncio.sleep(1)


async def _wager_everywhere(lines: Sequence[Line], rounds: Sequence[str], *, box: int, shift: int) -> None:
    """Return when each round has stored a wager on this box; whoever gets no answer asks again."""

    async def wager(number: int) -> None:
        which = (number + shift) % len(PLAYERS)
        round_id, id = rounds[number], secrets.token_hex(16)
        subject = command_subject("table", "player", round_id.partition(".")[0], PLAYERS[which])
        request = encode_request(id, PlaceWager(round=round_id, box=box, stake_minor=STAKE_MINOR))
        while (reply := await lines[which].request(subject, request, timeout_s=REPLY_S)) is None or decode_answer(reply).code == "busy":
            await asyncio.sleep(LOOK_AGAIN_S)
        answer = decode_answer(reply)
        assert answer.status in ("pending", "accepted"), answer

    async with asyncio.timeout(PATIENCE_S):
        await _few_at_once(wager, range(len(rounds)))


async def _few_at_once(work: Callable[[int], Awaitable[Any]], numbers: Iterable[int]) -> None:
    """Do `work` for each number, `AT_ONCE` at a time."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        async with free:
            await work(number)

    async with asyncio.TaskGroup() as group:
        for number in numbers:
            group.create_task(one(number))


RESTART = Bench(run=run, amount=1_000, times=1, about="seconds until every open round is served after a kill")
