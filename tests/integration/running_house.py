"""A house that runs: the real server and every service as processes, with windows as short as a test is patient.

A test says what players and staff do, waits for what the logs say, and looks at nothing but logs, answers and exit statuses.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from feltlog.client import Client
from feltlog.commands.connection import at_the_door, reading
from feltlog.commands.up import open_tables
from feltlog.evening import DECISIONS
from feltlog.house import House
from feltlog.machine import Machine
from feltlog.reading import Page, stream_pages
from services.surveillance.domain.findings import Finding
from services.surveillance.redecide import decider_of
from services.table.views import Felt, FeltTurn
from services.wallet.domain.state import Ledger
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.decisions import DeclineInsurance
from shared.contracts.subjects import ledger_stream, round_name, table_stream
from shared.contracts.table import CallRound
from shared.contracts.wagers import CloseBetting, PlaceWager
from shared.kernel.messages import Answer
from shared.runtime.clock import SystemClock, gaming_day
from shared.runtime.jetstream_store import JetStreamStore
from tests.integration.evidence import findings
from tests.integration.patience import LOOK_AGAIN_S, PATIENCE_S, until

OPERATOR = "house"

HOUSE_ROWS = """\
[house]
operator = "{operator}"
day_starts = "{day_starts}"
zone = "{zone}"
"""

TABLE_ROWS = """
[[table]]
id = "{id}"
profile = "{profile}"
currency = "{currency}"
minimum = "{minimum}"
maximum = "{maximum}"
boxes = {boxes}
betting_window_ms = {betting_window_ms}
decision_ms = {decision_ms}
reserve_ms = {reserve_ms}
pause_ms = {pause_ms}
dealer = "{dealer}"
"""


def table_rows(id: str, **chosen: Any) -> str:
    """Return a `[[table]]`; what is not chosen suits a table that a test's dealer runs."""
    usual = {
        "profile": "live",
        "currency": "EUR",
        "minimum": "1.00",
        "maximum": "500.00",
        "boxes": 3,
        "betting_window_ms": 30_000,
        "decision_ms": 60_000,
        "reserve_ms": 10_000,
        "pause_ms": 50,
        "dealer": "staff",
    }
    return TABLE_ROWS.format(id=id, **{**usual, **chosen})


def quick_rows(id: str, **chosen: Any) -> str:
    """Return a `[[table]]` that deals round after round by itself."""
    quick = {"betting_window_ms": 300, "decision_ms": 1_000, "reserve_ms": 2_000, "dealer": "automatic"}
    return table_rows(id, **{**quick, **chosen})


def furnish(data: Path, *tables: str, day_starts: str = "06:00", zone: str = "America/Toronto") -> None:
    """Write the house's `tables.toml`."""
    data.mkdir(parents=True, exist_ok=True)
    (data / "tables.toml").write_text(HOUSE_ROWS.format(operator=OPERATOR, day_starts=day_starts, zone=zone) + "".join(tables))


def time_of_day_in(seconds: float, zone: str) -> str:
    """Return what clocks in `zone` show so many seconds from now, as `day_starts` is written."""
    return (datetime.now(ZoneInfo(zone)) + timedelta(seconds=seconds)).strftime("%H:%M:%S")


def today_in(house: House) -> str:
    """Return the gaming day that it is now in a house."""
    rules = house.settings().house
    return gaming_day(SystemClock().now_ms(), rules.day_starts, rules.zone)


class Floor:
    """What a test sees and does in a running house."""

    def __init__(self, house: House, pit: Client, store: JetStreamStore, stack: AsyncExitStack) -> None:
        self.house = house
        self.pit = pit
        self.store = store
        self._stack = stack
        self._players: dict[str, Client] = {}

    @property
    def today(self) -> str:
        """The gaming day that it is now."""
        return today_in(self.house)

    async def welcome(self, name: str, *, minor: int = 100_000, id: str | None = None) -> Client:
        """Let a player in with money."""
        self.house.add_players([name])
        opened = await self.pit.ask("wallet", "ledger", OpenAccount(player=name, operator=OPERATOR, currency="EUR"))
        paid_in = await self.pit.ask("wallet", "ledger", Deposit(player=name, currency="EUR", minor=minor), id=id)
        assert (opened.status, paid_in.status) == ("accepted", "accepted"), (opened, paid_in)
        return await self.seat(name)

    async def seat(self, name: str) -> Client:
        """Return a player's client."""
        if name not in self._players:
            self._players[name] = await self._stack.enter_async_context(at_the_door(self.house, None, name))
        return self._players[name]

    async def open_tables(self) -> None:
        """Open the tables of `tables.toml`, and return when rounds can be called on each."""
        for table in await open_tables(self.house):
            await self.ready(table)

    async def ready(self, table: str) -> None:
        """Return when the table waits for nothing but a dealer's word."""

        async def waits_for_nothing() -> bool:
            rows = await self.pit.query("table", "tables", list[dict[str, Any]])
            return any(row["table"] == table and row["waits_for"] in ("", "round_running") for row in rows)

        await until(waits_for_nothing)

    async def call_round(self, table: str) -> str:
        """Call a round as the dealer as soon as the table has a shoe and is free, and return its id once wagers are taken."""

        async def called() -> bool:
            answer = await self.pit.ask("table", table, CallRound())
            assert answer.status == "accepted" or answer.code in ("no_shoe", "no_book", "round_running"), answer
            return answer.status == "accepted"

        await until(called)
        return (await self.felt(table, lambda felt: felt.phase == "betting")).round

    async def close_betting(self, table: str, round: str) -> Answer:
        """Say that there are no more bets."""
        return await self.pit.ask("table", table, CloseBetting(round=round))

    async def wager(self, name: str, round: str, box: int, minor: int = 1_000, *, id: str | None = None) -> Answer:
        """Place a wager."""
        client = await self.seat(name)
        return await client.ask("table", round_name(round).table, PlaceWager(round=round, box=box, stake_minor=minor), id=id)

    async def felt(self, table: str, condition: Callable[[Felt], bool]) -> Felt:
        """Return the table's felt as soon as it is as wanted."""

        async def seen() -> Felt | None:
            felt = await self.pit.felt(table)
            return felt if condition(felt) else None

        found: Felt = await until(seen)
        return found

    async def turn(self, table: str, bets: Sequence[tuple[str, int]], *, minor: int = 1_000) -> tuple[str, FeltTurn]:
        """Play rounds until somebody is asked for a decision; return the round and whose turn it is."""
        while True:
            round = await self.call_round(table)
            for name, box in bets:
                answer = await self.wager(name, round, box, minor)
                assert answer.status == "accepted", answer
            if len(bets) < (await self.pit.felt(table)).box_count:
                await self.close_betting(table, round)
            felt = await self.felt(table, lambda felt: felt.phase in ("insurance", "decision", "settled"))
            if felt.turn is not None:
                return round, felt.turn
            await self.let_go(table)

    async def let_go(self, table: str) -> None:
        """Play the running round to its end: no insurance, and every hand stands."""
        await self.play_on(table, lambda felt: "stand")

    async def play_on(self, table: str, choose: Callable[[Felt], str]) -> Felt:
        """Play the running round to its end: no insurance, and hands as chosen."""
        async with asyncio.timeout(PATIENCE_S):
            while (felt := await self.pit.felt(table)).phase not in ("settled", "void"):
                if felt.turn is not None:
                    player = await self.seat(felt.turn.player)
                    command = DECISIONS[choose(felt)](round=felt.round, box=felt.turn.box, hand=felt.turn.hand)
                    await player.ask("table", table, command)
                elif felt.phase == "insurance":
                    for box in felt.boxes:
                        if "decline" in box.legal:
                            player = await self.seat(box.player)
                            await player.ask("table", table, DeclineInsurance(round=felt.round, box=box.box))
                else:
                    await asyncio.sleep(LOOK_AGAIN_S)
        return felt

    async def pages(self, stream: str) -> list[Page]:
        """Return a stream's entries."""
        return await stream_pages(self.store, stream)

    async def events(self, stream: str) -> list[Any]:
        """Return a stream's events."""
        return [event for page in await self.pages(stream) for decision in page.entry.decisions for event in decision.events]

    async def round_events(self, round: str) -> list[Any]:
        """Return a round's events."""
        return await self.events(round_name(round).stream)

    async def has(self, stream: str, kind: type) -> bool:
        """Return whether an event of a kind stands in a stream."""
        return any(isinstance(event, kind) for event in await self.events(stream))

    async def happened(self, stream: str, kind: type) -> Any:
        """Return the first event of a kind, as soon as it stands in a stream."""

        async def found() -> Any:
            return next((event for event in await self.events(stream) if isinstance(event, kind)), None)

        return await until(found)

    async def ledger(self, day: str) -> Ledger:
        """Return a day's book, folded."""
        stream = ledger_stream(day)
        decider = decider_of(stream)
        book: Ledger = decider.initial
        for event in await self.events(stream):
            book = decider.evolve(book, event)
        return book

    async def booked(self, *rounds: str) -> Ledger:
        """Return the book as soon as it has booked these rounds."""
        day = round_name(rounds[0]).day

        async def book() -> Ledger | None:
            ledger = await self.ledger(day)
            return ledger if all(round in ledger.booked for round in rounds) else None

        found: Ledger = await until(book)
        return found

    async def table_events(self, table: str, day: str) -> list[Any]:
        """Return the events of a table's own stream."""
        return await self.events(table_stream(day, table))

    async def findings(self) -> list[Finding]:
        """Return what the proof of everything finds that must not be."""
        return await findings(self.store)


@asynccontextmanager
async def floor(machine: Machine) -> AsyncIterator[Floor]:
    """Yield what a test does in a running house; everybody leaves in the end."""
    async with AsyncExitStack() as stack:
        pit = await stack.enter_async_context(at_the_door(machine.house, None, "pit"))
        store = await stack.enter_async_context(reading(machine.house))
        yield Floor(machine.house, pit, store, stack)


@asynccontextmanager
async def running(data: Path) -> AsyncIterator[tuple[Machine, Floor]]:
    """Run the house in `data` for as long as the test needs it."""
    machine = Machine(data)
    await asyncio.to_thread(machine.start)
    try:
        async with floor(machine) as opened:
            yield machine, opened
    finally:
        await asyncio.to_thread(machine.stop)


def names(events: Iterable[Any]) -> list[str]:
    """Return the events' names."""
    return [type(event).__name__ for event in events]
