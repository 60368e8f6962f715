"""A busy house: real processes on the real server, bots at its tables, and what must be true of it whatever was done to it.

A test hurts the house while the bots play, and then asks here for the same few things: that every table plays on, that its
logs prove fine, that money and cards are all there once, and that nobody's time ran out while the house was away.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from feltlog import leash
from feltlog.client import Client
from feltlog.commands.connection import reading
from feltlog.commands.up import open_tables
from feltlog.evening import Seat, answer, close_tables, pay_in
from feltlog.machine import Machine
from feltlog.styles import Style, basic, doubler, splitter
from services.table.views import Felt
from shared.contracts.decisions import Stand
from shared.runtime.jetstream_store import JetStreamStore
from tests.integration.patience import PATIENCE_S, until
from tests.integration.running_house import OPERATOR, furnish, quick_rows, time_of_day_in
from tests.integration.voice import Voice, line_of

HALF_A_DAY_S = 12 * 3_600
THINK_S = 0.3
DECISION_MS = 4_000
TABLES = ("T1", "T2")
ZONE = "UTC"

STYLES = (
    Style(name="ann", says="plays basic strategy", table="T1", deposit="500000.00", stake="2.00", decide=basic, cuts=True),
    Style(name="bob", says="splits every pair", table="T1", deposit="500000.00", stake="4.00", decide=splitter),
    Style(name="cyd", says="insures whenever it is offered", table="T2", deposit="500000.00", stake="20.00", decide=basic, insures=True),
    Style(name="dan", says="doubles whatever is below twelve", table="T2", deposit="500000.00", stake="10.00", decide=doubler),
)
"""Bots that always answer, two to a table, with more money than they can lose."""


class BusyHouse:
    """A machine with two tables, and everybody who plays at them."""

    def __init__(self, directory: Path, *, decision_ms: int = DECISION_MS) -> None:
        self.machine = Machine(directory)
        self.house = self.machine.house
        windows = {"betting_window_ms": 500, "decision_ms": decision_ms, "reserve_ms": 4_000}
        plain = quick_rows("T1", profile="ontario", currency="CAD", maximum="5.00", **windows)
        live = quick_rows("T2", minimum="10.00", maximum="1000.00", **windows)
        # No day ends while a test runs.
        furnish(directory, plain, live, day_starts=time_of_day_in(HALF_A_DAY_S, ZONE), zone=ZONE)

    def start(self) -> None:
        """Start the house and let everybody have an account with money in it."""
        self.machine.start()
        self.machine.add_players([*(style.name for style in STYLES), "eve"])
        asyncio.run(self._welcome())

    def stop(self) -> None:
        """End every process that was started."""
        self.machine.stop()

    async def _welcome(self) -> None:
        await open_tables(self.house)
        async with self.pit() as pit:
            for style in STYLES:
                await pay_in(pit, style, OPERATOR, "CAD" if style.table == "T1" else "EUR")

    @asynccontextmanager
    async def pit(self) -> AsyncIterator[Client]:
        """Yield a client that speaks as staff."""
        async with self.door("pit") as client:
            yield client

    @asynccontextmanager
    async def door(self, user: str) -> AsyncIterator[Client]:
        """Yield a client that speaks as `user` and does not lose patience while something is being killed."""
        async with line_of(self.machine, user) as line:
            yield Client(line, role="staff" if user == "pit" else "player", name=user, patience_s=PATIENCE_S)

    @asynccontextmanager
    async def voice(self, user: str, service: str, target: str) -> AsyncIterator[Voice]:
        """Yield somebody who speaks as `user` to one target, word by word."""
        async with line_of(self.machine, user) as line:
            yield Voice(line, user, service, target)

    @asynccontextmanager
    async def seat(self, name: str) -> AsyncIterator[Seat]:
        """Yield a bot's seat without the bot: whoever takes it plays by hand."""
        style = next(style for style in STYLES if style.name == name)
        async with self.door(name) as client:
            yield Seat(style=style, box=3, client=client)

    @asynccontextmanager
    async def playing(self, seat: Seat) -> AsyncIterator[None]:
        """Let the bot take its seat until the end of the block, whatever was wagered for it by hand."""
        bot = asyncio.create_task(sit(seat, random.Random(seat.style.name)))
        try:
            yield
            assert not bot.done(), bot.result()
        finally:
            bot.cancel()
            await asyncio.gather(bot, return_exceptions=True)

    @asynccontextmanager
    async def logs(self) -> AsyncIterator[JetStreamStore]:
        """Yield the logs, to read."""
        async with reading(self.house, self.machine.url) as store:
            yield store

    @asynccontextmanager
    async def evening(self, *tables: str) -> AsyncIterator["Play"]:
        """Yield what goes on while the bots of these tables, or of all, play; afterwards the tables are closed and empty."""
        wanted = tables or TABLES
        async with AsyncExitStack() as stack:
            pit = await stack.enter_async_context(self.pit())
            await self.open_tables()
            seats: list[Seat] = []
            for style in STYLES:
                if style.table in wanted:
                    client = await stack.enter_async_context(self.door(style.name))
                    box = 1 + sum(seat.style.table == style.table for seat in seats)
                    seats.append(Seat(style=style, box=box, client=client))
            play = Play(self, pit, seats)
            try:
                async with asyncio.TaskGroup() as playing:
                    bots = [playing.create_task(sit(seat, random.Random(seat.style.name)), name=seat.style.name) for seat in seats]
                    counting = [playing.create_task(play.count(table)) for table in wanted]
                    yield play
                    await self.close_tables(pit, wanted)
                    for task in (*bots, *counting):
                        task.cancel()
            except* asyncio.CancelledError:
                raise

    async def open_tables(self) -> None:
        """Open the tables that are closed."""
        await open_tables(self.house)

    async def close_tables(self, pit: Client, tables: Sequence[str] = TABLES) -> None:
        """Close tables, and return when nothing of them is unanswered."""
        async with asyncio.timeout(PATIENCE_S):
            await close_tables(pit, tables)

    async def hears_alarm(self, kind: str) -> dict[str, Any]:
        """Return the next alarm of a kind, as the pit hears it."""
        async with line_of(self.machine, "pit") as line:
            watch = await line.watch(f"alarm.*.{kind}")
            heard = await watch.next(timeout_s=PATIENCE_S)
            assert heard is not None, f"within {PATIENCE_S:.0f} s nobody raised the alarm {kind}"
            facts: dict[str, Any] = msgspec.json.decode(heard)
            return facts

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a process of the house."""
        pid = self.machine.pid(name)
        assert pid is not None, f"{name} runs"
        os.kill(pid, number)

    async def kill(self, name: str) -> None:
        """`kill -9` a process, and return when it is started again; it need not be ready."""
        before = self.machine.pid(name)
        self.machine.kill(name)

        async def is_another() -> bool:
            return self.machine.pid(name) not in (None, before)

        await until(is_another, f"{name} is started again")

    async def restart(self, name: str) -> None:
        """`kill -9` a process, and return when it is back and ready."""
        await self.kill(name)
        await asyncio.to_thread(self.machine.await_ready, name)

    async def stop_process(self, name: str) -> None:
        """End a process in peace and leave it away."""
        await asyncio.to_thread(self.machine.stop_process, name)

    async def start_process(self, name: str) -> None:
        """Start a process that is away, and return when it is ready."""
        await asyncio.to_thread(self.machine.start_process, name)

    def another(self, service: str, *, url: str = "") -> subprocess.Popen[bytes]:
        """Start a service a second time, with the same credentials; whoever starts it ends it, and it ends with the tests.

        It reaches the server at `url`, if one is given.
        """
        on_a_leash = [sys.executable, "-I", leash.__file__, str(int(signal.SIGKILL)), str(os.getpid())]
        with self.house.log(f"another-{service}").open("ab") as log:
            return subprocess.Popen(
                [*on_a_leash, sys.executable, "-m", f"services.{service}"],
                env=self.machine.environment(service) | ({"FELTLOG_NATS_URL": url} if url else {}),
                stdout=log,
                stderr=log,
            )


class Play:
    """What the bots are at."""

    def __init__(self, house: BusyHouse, pit: Client, seats: list[Seat]) -> None:
        self.house = house
        self.pit = pit
        self.seats = seats
        self.rounds: dict[str, set[str]] = {seat.style.table: set() for seat in seats}
        """The rounds that were seen to end with cards on the felt, by table."""

    async def count(self, table: str) -> None:
        """Count the rounds of a table that are settled."""
        async for felt in self.pit.watch_felt(table):
            if felt.phase == "settled":
                self.rounds[table].add(felt.round)

    async def more_rounds(self, count: int = 2) -> None:
        """Return when every table has settled so many more rounds."""
        before = {table: len(rounds) for table, rounds in self.rounds.items()}

        async def played() -> bool:
            return all(len(rounds) >= before[table] + count for table, rounds in self.rounds.items())

        await until(played, f"every table plays {count} more rounds")

    @property
    def refusals(self) -> Counter[str]:
        """What all bots were refused, by code."""
        return sum((seat.refusals for seat in self.seats), Counter())


async def at_bets(seat: Seat) -> Felt:
    """Return the felt of a round that has just begun to take wagers."""
    before = (await seat.client.felt(seat.style.table)).round
    async for felt in seat.client.watch_felt(seat.style.table):
        if felt.phase == "betting" and felt.round != before:
            return felt
    raise AssertionError("a felt is watched for ever")


async def at_turn(seat: Seat, option: str = "stand") -> Felt:
    """Wager, decline insurance, and return the felt on which this player may choose an option; without it play on."""
    async for felt in seat.client.watch_felt(seat.style.table):
        if felt.turn is not None and felt.turn.player == seat.client.name and option in felt.legal:
            return felt
        await answer(seat, felt)
    raise AssertionError("a felt is watched for ever")


async def funds(pit: Client, player: str) -> int:
    """Return what a player can dispose of, in minor units of the only currency."""
    return sum(amount.available_minor for amount in (await pit.balance(player)).amounts)


def stand(felt: Felt) -> Stand:
    """Return the command that ends the hand whose turn it is."""
    assert felt.turn is not None, "somebody's decision is awaited"
    return Stand(round=felt.round, box=felt.turn.box, hand=felt.turn.hand)


async def sit(seat: Seat, chance: random.Random) -> None:
    """Play at the seat's table, thinking now and then, so that a house that is hurt is often hurt during a decision."""
    async for felt in seat.client.watch_felt(seat.style.table):
        if felt.turn is not None and felt.turn.player == seat.client.name:
            await asyncio.sleep(chance.choice((0, THINK_S)))
        await answer(seat, felt)
