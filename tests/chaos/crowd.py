"""The crowd: bots at three tables and a cage that pays in and out, who go on whatever happens to the house.

Everybody speaks through a line that takes notes, repeats what is not answered under the same id, and stays until the tables
are closed.  What they count while they play is what the run waits for.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Any

from feltlog.client import Client
from feltlog.commands.up import open_tables
from feltlog.evening import Seat, close_tables, pay_in
from feltlog.machine import Machine
from feltlog.styles import Style, doubler, splitter
from services.table.views import Felt
from shared.contracts.cage import Deposit, Withdraw
from shared.runtime.tasks import end_all
from tests.chaos.notebook import Notebook, NotingLine
from tests.chaos.plan import TABLES
from tests.integration import busy_house
from tests.integration.busy_house import sit
from tests.integration.running_house import OPERATOR, furnish, quick_rows, time_of_day_in
from tests.integration.voice import line_of

ZONE = "UTC"
CURRENCY = "EUR"
PATIENCE_S = 90.0
"""How long somebody repeats a request before something must be wrong: longer than several blows on top of each other last."""
CAGE_EVERY_S = 0.4
LOOK_S = 0.1
RULES = {"T1": ("ontario", "5.00"), "T2": ("live", "500.00"), "T3": ("live", "500.00")}
"""The rule book of each table, and its largest stake."""

STYLES = (
    *busy_house.STYLES,
    Style(name="eve", says="insures and doubles", table="T3", deposit="500000.00", stake="50.00", decide=doubler, insures=True),
    Style(name="fay", says="splits every pair", table="T3", deposit="500000.00", stake="30.00", decide=splitter),
)
"""Bots that always answer, two to a table, with more money than they can lose."""


def furnish_house(machine: Machine, *, day_ends_in_s: float) -> None:
    """Write a house whose windows are short, but longer than a process needs to come back, and whose day ends so soon."""
    windows: dict[str, Any] = {"betting_window_ms": 500, "decision_ms": 4_000, "reserve_ms": 4_000, "pause_ms": 300}
    rows = [quick_rows(table, profile=profile, maximum=maximum, **windows) for table, (profile, maximum) in RULES.items()]
    furnish(machine.house.data, *rows, day_starts=time_of_day_in(day_ends_in_s, ZONE), zone=ZONE)


class Crowd:
    """Everybody who plays, and what they have seen so far."""

    def __init__(self, machine: Machine, seed: int) -> None:
        self.notebook = Notebook()
        self.rounds: dict[str, set[str]] = {table: set() for table in TABLES}
        """The rounds that were seen to end, by table."""
        self.felts: dict[str, Felt] = {}
        """What each table shows now."""
        self.news = asyncio.Event()
        self.longest_still_s = dict.fromkeys(TABLES, 0.0)
        """The longest that was ever waited for the end of a table's next round."""
        self._machine = machine
        self._seed = seed
        self._leaving = False
        self._tasks: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """Let everybody in and play until the end of the block; raise what befell one of them."""
        async with AsyncExitStack() as stack:
            self._machine.add_players(style.name for style in STYLES)
            self.pit = await stack.enter_async_context(self._door("pit"))
            clients = {style.name: await stack.enter_async_context(self._door(style.name)) for style in STYLES}
            cage = await stack.enter_async_context(self._door("pit"))
            await open_tables(self._machine.house)
            await asyncio.gather(*(pay_in(self.pit, style, OPERATOR, CURRENCY) for style in STYLES))
            seats = [Seat(style=style, box=box, client=clients[style.name]) for box, style in seated()]
            self._trading = asyncio.create_task(self._trade(cage), name="the cage")
            self._tasks = [
                self._trading,
                *(asyncio.create_task(sit(seat, Random(f"{seat.style.name} {self._seed}")), name=seat.style.name) for seat in seats),
                *(asyncio.create_task(self._watch(table), name=f"whoever watches {table}") for table in TABLES),
            ]
            try:
                yield
            finally:
                await end_all(self._tasks)

    @property
    def fallen(self) -> list[str]:
        """What befell those who could not go on."""
        done = [task for task in self._tasks if task.done() and not task.cancelled()]
        return [f"{task.get_name()}: {task.exception() or 'went home'}" for task in done if task.exception() or not self._leaving]

    @property
    def settled(self) -> int:
        """How many rounds were seen to end."""
        return sum(map(len, self.rounds.values()))

    async def more_rounds(self, count: int, patience_s: float) -> bool:
        """Wait until every table has settled so many more rounds; return whether that came about."""
        before = {table: len(rounds) for table, rounds in self.rounds.items()}
        return await self.wait(lambda: all(len(rounds) >= before[table] + count for table, rounds in self.rounds.items()), patience_s)

    async def shows(self, table: str, phase: str, patience_s: float) -> bool:
        """Wait until a table shows a phase; return whether that came about."""
        return await self.wait(lambda: table in self.felts and self.felts[table].phase == phase, patience_s)

    async def wait(self, holds: Callable[[], bool], patience_s: float) -> bool:
        """Wait for something that the tables show; return whether it came about."""
        try:
            async with asyncio.timeout(patience_s):
                while not holds():
                    await self.news.wait()
                    self.news.clear()
        except TimeoutError:
            return holds()
        return True

    async def leave(self, patience_s: float) -> bool:
        """Stop trading and close the tables; return whether all of them were closed in time."""
        self._leaving = True
        await asyncio.wait([self._trading], timeout=patience_s)
        try:
            async with asyncio.timeout(patience_s):
                await close_tables(self.pit, TABLES)
        except TimeoutError:
            return False
        return True

    @asynccontextmanager
    async def _door(self, user: str) -> AsyncIterator[Client]:
        async with line_of(self._machine, user, patience_s=PATIENCE_S) as line:
            noting = NotingLine(line, self.notebook, Random(f"line of {user} {self._seed}"))
            yield Client(noting, role="staff" if user == "pit" else "player", name=user, patience_s=PATIENCE_S)

    async def _watch(self, table: str) -> None:
        now_s = asyncio.get_running_loop().time
        last_s = now_s()
        async for felt in self.pit.watch_felt(table):
            self.felts[table] = felt
            if felt.phase in ("settled", "void") and felt.round not in self.rounds[table]:
                self.rounds[table].add(felt.round)
                self.longest_still_s[table] = max(self.longest_still_s[table], now_s() - last_s)
                last_s = now_s()
            self.news.set()

    async def _trade(self, cage: Client) -> None:
        """Pay small sums in and out, one after the other."""
        chance = Random(f"cage {self._seed}")
        while not self._leaving:
            await asyncio.sleep(chance.uniform(0, 2 * CAGE_EVERY_S))
            kind = chance.choice((Deposit, Withdraw))
            await cage.ask("wallet", "ledger", kind(player=chance.choice(STYLES).name, currency=CURRENCY, minor=chance.randint(1, 10_000)))


def seated() -> Iterator[tuple[int, Style]]:
    """Yield everybody with the box at which they sit."""
    taken: Counter[str] = Counter()
    for style in STYLES:
        taken[style.table] += 1
        yield taken[style.table], style
