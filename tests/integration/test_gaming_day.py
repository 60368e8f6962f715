"""The gaming day rolls: rounds are played to their end, books close and open, and nothing is lost between two days."""

import asyncio
import subprocess
import sys
from pathlib import Path

from feltlog.evening import Seat, sit
from feltlog.machine import Machine
from feltlog.styles import STYLES, Style
from services.surveillance.domain.findings import Code
from shared.contracts.cage import Deposit, Deposited
from shared.contracts.decisions import Hit, Stand
from shared.contracts.desk import SourceQuarantined
from shared.contracts.rounds import RoundSettled
from shared.contracts.subjects import SERVICES, ledger_stream, log_name, round_name, table_stream
from shared.contracts.table import CloseTable, DayClosed, DayEnded, RoundRecorded, TableClosed, TableOpened
from shared.contracts.wallet import BookClosed, BookOpened
from shared.kernel.identity import digest
from shared.runtime.clock import next_day
from shared.runtime.connection import Endpoint, connect
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, quick_rows, running, table_rows, time_of_day_in

ZONE = "Asia/Kolkata"
ROLL_S = 22.0
"""How long after the beginning of a test the day ends: long enough to start a house on a busy machine."""
TOO_SLOW = "this machine took too long: the day ended before the test had begun"
BASIC = next(style for style in STYLES if style.name == "basic")
PAID_IN = 100_000
PROOFS = (("verify", "--all"), ("reconcile",), ("rebuild",))
"""What must be fine with the logs of two days and the rows that were written meanwhile."""


async def test_day_rolls_while_a_round_is_being_decided(tmp_path: Path):
    """The round is played to its end in the old day; tables and ledger go on in the new one with what they carry.

    Whatever crashes meanwhile changes nothing of that.
    """
    furnish(tmp_path, table_rows("T1"), quick_rows("T2", betting_window_ms=1_000), day_starts=time_of_day_in(ROLL_S, ZONE), zone=ZONE)
    async with running(tmp_path) as (machine, floor):
        day, tomorrow = floor.today, next_day(floor.today)
        await floor.open_tables()
        ann = await floor.welcome("ann", minor=PAID_IN, id="of-yesterday")
        await floor.welcome("bob")
        bob = Seat(style=regular("bob", "T2"), box=1, client=await floor.seat("bob"))
        async with asyncio.TaskGroup() as crowd:
            playing = crowd.create_task(sit(bob))
            round, turn = await floor.turn("T1", [("ann", 1)])
            assert floor.today == day, TOO_SLOW
            await floor.happened(table_stream(day, "T1"), DayEnded)
            asked = (await floor.pit.felt("T1")).turn
            for process in ("table", "wallet", "shoe", "provisioner"):
                machine.kill(process)
            stood = await ann.ask("table", "T1", Stand(round=round, box=1, hand=turn.hand), id="of-the-round")
            await floor.happened(round_name(round).stream, RoundSettled)
            await rolled(floor, day, tomorrow, "T1", "T2")
            await until(lambda: sealed(floor, day))
            old, new = await floor.ledger(day), await floor.ledger(tomorrow)
            repeated = await ann.ask("table", "T1", Stand(round=round, box=1, hand=turn.hand), id="of-the-round")
            late = await ann.ask("table", "T1", Hit(round=round, box=1, hand=turn.hand), id="too-late")
            deposited = await deposit(floor, PAID_IN)
            other = await deposit(floor, 1)
            wagers = bob.wagers
            following, _ = await floor.turn("T1", [("ann", 1)])
            await floor.let_go("T1")
            await until(lambda: has_played(bob, wagers + 1))
            await floor.booked(following)
            playing.cancel()
        after = await floor.ledger(tomorrow)

        assert (asked, stood.status) == (turn, "accepted")
        for stream, begun in [(table_stream(day, table), table_stream(tomorrow, table)) for table in ("T1", "T2")]:
            assert (await floor.pages(begun))[0].entry.prev == (await floor.pages(stream))[-1].digest
        assert (await floor.pages(ledger_stream(tomorrow)))[0].entry.prev == (await floor.pages(ledger_stream(day)))[-1].digest
        assert without_escrow(old.accounts["EUR"])["player/ann/cash"] == new.accounts["EUR"]["player/ann/cash"]
        assert (repeated.status, late.code) == ("accepted", "day_closed")
        assert (deposited.status, other.code) == ("accepted", "id_reused")
        assert not await floor.has(ledger_stream(tomorrow), Deposited)
        assert round_name(following).day == tomorrow
        assert after.total("EUR") == 0
        assert await floor.findings() == []
        assert [await exit_of(tmp_path, *command) for command in PROOFS] == [0, 0, 0]


async def test_house_that_was_off_over_the_days_end_closes_that_day_first(tmp_path: Path):
    """Yesterday's round ends, its books close, what was held stays held; then today begins."""
    ends = time_of_day_in(ROLL_S, ZONE)
    furnish(tmp_path, table_rows("T1", decision_ms=5_000), quick_rows("T2", pause_ms=4_000), table_rows("T3"), day_starts=ends, zone=ZONE)
    async with running(tmp_path) as (machine, floor):
        day, tomorrow = floor.today, next_day(floor.today)
        await floor.open_tables()
        await floor.pit.ask("table", "T3", CloseTable())
        await floor.welcome("ann", minor=PAID_IN, id="of-yesterday")
        await publish_as_shoe(machine, f"log.shoe.{day}.X1-S1", b"no entry")
        await until(lambda: holds(floor, "table"))
        round, _ = await floor.turn("T1", [("ann", 1)])
        await floor.happened(table_stream(day, "T3"), TableClosed)
        # A table that is idle when the house stops, with its next round due before the day's end.
        played = await rounds(floor, "T2", day)
        await until(lambda: has_recorded(floor, "T2", day, played + 1))
        assert floor.today == day, TOO_SLOW
    await until(lambda: is_over(floor, day))
    async with running(tmp_path) as (machine, floor):
        await rolled(floor, day, tomorrow, "T1", "T2")
        await until(lambda: sealed(floor, day))
        machine.stop_process("table")
        machine.start_process("table")
        held = await floor.pit.query("table", "quarantine", list[SourceQuarantined])
        await floor.open_tables()
        settled = await floor.has(round_name(round).stream, RoundSettled)
        deposited = await deposit(floor, PAID_IN)

        assert settled
        assert [row.subject for row in held] == [f"log.shoe.{day}.X1-S1"]
        assert (deposited.status, await floor.has(ledger_stream(tomorrow), Deposited)) == ("accepted", False)
        assert await floor.has(table_stream(tomorrow, "T3"), TableOpened)
        assert [(found.code, found.stream) for found in await floor.findings()] == [(Code.UNREADABLE, f"log.shoe.{day}.X1-S1")]


def regular(name: str, table: str) -> Style:
    """Return somebody who plays round after round at a table."""
    return Style(name=name, says="", table=table, deposit="0.00", stake="10.00", decide=BASIC.decide)


async def rolled(floor: Floor, day: str, tomorrow: str, *tables: str) -> None:
    """Return when the books of a day are closed and those of the next are open."""
    for table in tables:
        await floor.happened(table_stream(day, table), DayClosed)
        await floor.happened(table_stream(tomorrow, table), TableOpened)
    await floor.happened(ledger_stream(day), BookClosed)
    await floor.happened(ledger_stream(tomorrow), BookOpened)


async def deposit(floor: Floor, minor: int):
    """Ask again, under the id of yesterday's deposit."""
    return await floor.pit.ask("wallet", "ledger", Deposit(player="ann", currency="EUR", minor=minor), id="of-yesterday")


async def sealed(floor: Floor, day: str) -> bool:
    """Return whether all logs of a day are closed for ever."""
    still_open = await floor.store.open_logs()
    return not any(log_name(service, day) in still_open for service in SERVICES)


async def is_over(floor: Floor, day: str) -> bool:
    """Return whether a gaming day is over."""
    return floor.today > day


async def has_played(seat: Seat, wagers: int) -> bool:
    """Return whether somebody has placed so many wagers."""
    return seat.wagers >= wagers


async def rounds(floor: Floor, table: str, day: str) -> int:
    """Return how many rounds a table has written down."""
    return sum(isinstance(event, RoundRecorded) for event in await floor.table_events(table, day))


async def has_recorded(floor: Floor, table: str, day: str, played: int) -> bool:
    """Return whether a table has written down so many rounds."""
    return await rounds(floor, table, day) >= played


async def holds(floor: Floor, service: str) -> bool:
    """Return whether a service holds a source."""
    return bool(await floor.pit.query(service, "quarantine", list[SourceQuarantined]))


async def publish_as_shoe(machine: Machine, subject: str, data: bytes) -> None:
    """Let the shoe write something that nobody can read, as it writes everything."""
    client = await connect(Endpoint(url=machine.url, credentials=machine.credentials("shoe"), name="a broken shoe"))
    await client.request(subject, data, headers={"Nats-Msg-Id": digest(data)})
    await client.close()


def without_escrow(accounts):
    """Return the accounts that outlast a round."""
    return {name: account for name, account in accounts.items() if not name.endswith("/escrow")}


async def exit_of(data: Path, *command: str) -> int:
    """Return what a command of the front door exits with."""
    whole = [sys.executable, "-m", "feltlog", *command, "--data", str(data)]
    finished = await asyncio.to_thread(subprocess.run, whole, capture_output=True)
    return finished.returncode
