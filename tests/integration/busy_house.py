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
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from feltlog import leash
from feltlog.auditing import audit_all
from feltlog.client import Client
from feltlog.commands.connection import reading
from feltlog.commands.up import open_tables
from feltlog.evening import Seat, answer, pay_in
from feltlog.machine import Machine
from feltlog.styles import Style, basic, doubler, splitter
from services.surveillance.domain.findings import Finding
from services.table.views import Felt, TableRow
from shared.contracts.language import types_of
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import command_subject
from shared.contracts.table import CardDealt, ClockExtended, CloseTable, DecisionTimedOut, HoleCardDealt, RoundSettled, Stand
from shared.contracts.wallet import Deposited, StakesSettled, Withdrawn
from shared.kernel.entry import Entry, Stored, decode_as
from shared.kernel.messages import Answer
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.line import Line, open_line

PATIENCE_S = 60.0
LOOK_S = 0.05
THINK_S = 0.3
DECISION_MS = 4_000
TABLES = ("T1", "T2")

HOUSE = """\
[house]
operator = "feltlog"
day_starts = "{day_starts}"
zone = "UTC"
"""

TABLE = """
[[table]]
id = "{id}"
profile = "{profile}"
currency = "{currency}"
minimum = "{minimum}"
maximum = "{maximum}"
boxes = {boxes}
betting_window_ms = 500
decision_ms = {decision_ms}
reserve_ms = 4000
pause_ms = 50
"""

STYLES = (
    Style(name="ann", says="plays basic strategy", table="T1", deposit="90000.00", stake="2.00", decide=basic),
    Style(name="bob", says="splits every pair", table="T1", deposit="90000.00", stake="4.00", decide=splitter),
    Style(name="cyd", says="insures whenever it is offered", table="T2", deposit="90000.00", stake="20.00", decide=basic, insures=True),
    Style(name="dan", says="doubles whatever is below twelve", table="T2", deposit="90000.00", stake="10.00", decide=doubler),
)
"""Bots that always answer, two to a table."""


class BusyHouse:
    """A machine with two tables, and everybody who plays at them."""

    def __init__(self, directory: Path, *, decision_ms: int = DECISION_MS) -> None:
        self.machine = Machine(directory)
        self.house = self.machine.house
        directory.mkdir(parents=True, exist_ok=True)
        plain = TABLE.format(id="T1", profile="ontario", currency="CAD", minimum="1.00", maximum="5.00", boxes=3, decision_ms=decision_ms)
        live = TABLE.format(id="T2", profile="live", currency="EUR", minimum="10.00", maximum="1000.00", boxes=3, decision_ms=decision_ms)
        # No day ends while a test runs.
        day_starts = (datetime.now(UTC) + timedelta(hours=12)).strftime("%H:%M")
        self.house.tables.write_text(HOUSE.format(day_starts=day_starts) + plain + live)

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
                await pay_in(pit, style, "feltlog", "CAD" if style.table == "T1" else "EUR")

    @asynccontextmanager
    async def pit(self) -> AsyncIterator[Client]:
        """Yield a client that speaks as staff."""
        async with self.door("pit") as client:
            yield client

    @asynccontextmanager
    async def door(self, user: str) -> AsyncIterator[Client]:
        """Yield a client that speaks as `user` and does not lose patience while something is being killed."""
        line = await open_line(self.machine.url, user=user, credentials=self.machine.credentials(user), patience_s=PATIENCE_S)
        try:
            yield Client(line, role="staff" if user == "pit" else "player", name=user, patience_s=PATIENCE_S)
        finally:
            await line.close()

    @asynccontextmanager
    async def voice(self, user: str, service: str, target: str) -> AsyncIterator["Voice"]:
        """Yield somebody who speaks as `user` to one target, word by word."""
        line = await open_line(self.machine.url, user=user, credentials=self.machine.credentials(user))
        try:
            yield Voice(line, user, service, target)
        finally:
            await line.close()

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
        # One that is closed already refuses to be.
        await asyncio.gather(*(pit.ask("table", table, CloseTable()) for table in tables))

        async def closed() -> bool:
            return all(row.phase == "closed" for row in await pit.query("table", "tables", list[TableRow]) if row.table in tables)

        await until(closed, "the tables are closed")

    async def hears_alarm(self, kind: str) -> dict[str, Any]:
        """Return the next alarm of a kind, as the pit hears it."""
        line = await open_line(self.machine.url, user="pit", credentials=self.machine.credentials("pit"))
        try:
            watch = await line.watch(f"alarm.*.{kind}")
            heard = await watch.next(timeout_s=PATIENCE_S)
            assert heard is not None, f"within {PATIENCE_S:.0f} s nobody raised the alarm {kind}"
            facts: dict[str, Any] = msgspec.json.decode(heard)
            return facts
        finally:
            await line.close()

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

    def another(self, service: str) -> subprocess.Popen[bytes]:
        """Start a service a second time, with the same credentials; whoever starts it ends it, and it ends with the tests."""
        on_a_leash = [sys.executable, "-I", leash.__file__, str(int(signal.SIGKILL)), str(os.getpid())]
        with self.house.log(f"another-{service}").open("ab") as log:
            return subprocess.Popen(
                [*on_a_leash, sys.executable, "-m", f"services.{service}"],
                env=self.machine.environment(service),
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


class Voice:
    """Somebody who says the same thing as often as a test wants it, and is told what each single reply says."""

    def __init__(self, line: Line, user: str, service: str, target: str) -> None:
        self._line = line
        self._subject = command_subject(service, "staff" if user == "pit" else "player", target, user)

    async def say(self, id: str, command: Any) -> Answer:
        """Return the first reply to one request, which is sent again only if nobody was there."""
        async with asyncio.timeout(PATIENCE_S):
            while (reply := await self._line.request(self._subject, encode_request(id, command), timeout_s=10)) is None:
                await asyncio.sleep(LOOK_S)
        return decode_answer(reply)

    async def blurt(self, data: bytes) -> Answer:
        """Return the reply to bytes that need not be a request."""
        reply = await self._line.request(self._subject, data, timeout_s=10)
        assert reply is not None, f"{data[:60]!r} gets a reply"
        return decode_answer(reply)

    async def final(self, id: str, command: Any) -> Answer:
        """Return the first reply that is not pending."""
        async with asyncio.timeout(PATIENCE_S):
            while (answer := await self.say(id, command)).status == "pending":
                await asyncio.sleep(LOOK_S)
        return answer

    async def times(self, count: int, id: str, command: Any) -> list[Answer]:
        """Return the final answers to the same request, sent so many times at once."""
        return list(await asyncio.gather(*(self.final(id, command) for _ in range(count))))


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


class Account:
    """What the logs of a house come to, counted without any of the house's own checks."""

    def __init__(self) -> None:
        self.brought_in: Counter[str] = Counter()
        self.players_and_house: Counter[str] = Counter()
        self.all_accounts: Counter[str] = Counter()
        self.escrow: Counter[str] = Counter()
        self.settled: Counter[str] = Counter()
        self.cards: Counter[tuple[str, int]] = Counter()
        self.timed_out: list[str] = []
        self.extended: list[str] = []
        self.rounds_settled: list[str] = []
        self.writers: dict[str, list[str]] = {}

    def take(self, stored: Stored) -> None:
        """Count one entry."""
        entry: Entry[Any, Any] = decode_as(*types_of(stored.stream), stored.data)
        self.writers.setdefault(stored.stream, []).append(entry.writer)
        for event in (event for decision in entry.decisions for event in decision.events):
            match event:
                case CardDealt() | HoleCardDealt():
                    self.cards[f"{stored.stream.split('.')[2]}.{event.shoe}", event.index] += 1
                case DecisionTimedOut():
                    self.timed_out.append(stored.stream)
                case ClockExtended():
                    self.extended.append(stored.stream)
                case RoundSettled():
                    self.rounds_settled.append(stored.stream)
                case Deposited():
                    self.brought_in[event.currency] += event.minor
                case Withdrawn():
                    self.brought_in[event.currency] -= event.minor
                case StakesSettled():
                    self.settled.update(f"{event.round} {line.wager}" for line in event.lines)
                case _:
                    pass
            for posting in getattr(event, "postings", ()):
                self.all_accounts[event.currency] += posting.minor
                if not posting.account.startswith("world:"):
                    self.players_and_house[event.currency] += posting.minor
                if posting.account.startswith("escrow:"):
                    self.escrow[posting.account] += posting.minor

    @property
    def wrong(self) -> dict[str, Any]:
        """What must not be, by what it is; empty if all is well."""
        found: dict[str, Any] = {
            "money that came from nowhere": {currency: sum_ for currency, sum_ in self.all_accounts.items() if sum_},
            "money beside the deposits": {
                currency: (has, self.brought_in[currency])
                for currency, has in self.players_and_house.items()
                if has != self.brought_in[currency]
            },
            "escrow left": {account: minor for account, minor in self.escrow.items() if minor},
            "settled twice": [wager for wager, count in self.settled.items() if count > 1],
            "dealt twice": [card for card, count in self.cards.items() if count > 1],
            "timed out": self.timed_out,
        }
        return {what: which for what, which in found.items() if which}


async def account_of(store: JetStreamStore) -> Account:
    """Return what the logs of table, shoe and wallet come to."""
    account = Account()
    for log in [name for service in ("table", "wallet") for name in await store.logs(service)]:
        async for stored in store.read(log):
            if not stored.stream.endswith(".desk"):
                account.take(stored)
    return account


async def findings(store: JetStreamStore) -> list[Finding]:
    """Return what `feltlog verify` finds that must not be."""
    return [found for found in (await audit_all(store)).findings if found.severity == "breach"]


async def until(condition: Callable[[], Awaitable[bool]], what: str, patience_s: float = PATIENCE_S) -> None:
    """Return when the condition holds; fail with a sentence if it does not in time."""
    try:
        async with asyncio.timeout(patience_s):
            while not await condition():
                await asyncio.sleep(LOOK_S)
    except TimeoutError:
        raise AssertionError(f"within {patience_s:.0f} s it did not come about that {what}") from None
