"""`loop`: a wager from the player's word until the table has taken it: placed, set aside by the wallet, accepted.

Table and wallet are processes of their own, and hear each other through their logs alone.  So four entries lie one behind the
other: the wager, its stake, its acceptance, and each is on the disk before the next is decided.  The clock of a wager stops
when the entry that accepts it is read back from the log.  There is no peer for this.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, aclosing, asynccontextmanager
from statistics import quantiles
from time import perf_counter
from typing import NamedTuple

import msgspec

from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.language import read_entry
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import RoundName, command_subject, log_name, round_name
from shared.contracts.wagers import PlaceWager, WagerAccepted, WagerPlaced
from shared.runtime.clock import SystemClock, gaming_day
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.hearing import hear
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.keepers import SUCCESSION_MS
from shared.runtime.log_making import LogMaker
from shared.runtime.tasks import end_all
from tests.benchmarks.at_work import open_round, serving
from tests.benchmarks.crowd import Crowd
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import SETTINGS, STAKE_MINOR
from tests.benchmarks.server import Loop, server

TABLES = 100
BOXES = 7
IN_FLIGHT = {1: 0.1, 16: 0.3, 256: 0.6}
"""How many wagers are on their way at a time, and their part of all that are placed."""
AT_ONCE = 50
PAYING_S = 0.25
PLAYER_FUNDS_MINOR = 1_000_000_000
TABLE_SETTINGS = msgspec.structs.replace(SETTINGS, boxes=BOXES, betting_window_ms=3_600_000, reserve_ms=3_600_000)


class Wager(NamedTuple):
    """A wager that is to be placed."""

    id: str
    round: str
    box: int
    player: str


class Accepted:
    """Hears the tables' log, and knows of each request when its wager is accepted."""

    def __init__(self) -> None:
        self._asked: dict[tuple[str, str], str] = {}
        self._accepted: dict[str, asyncio.Future[None]] = {}

    def wait(self, id: str) -> asyncio.Future[None]:
        """Return what is done as soon as the wager of a request is accepted."""
        return self._accepted.setdefault(id, asyncio.get_running_loop().create_future())

    async def listen(self, store: JetStreamStore, log: str) -> None:
        """Hear the log for ever, in the place of surveillance."""
        async with aclosing(hear(store, log, "surveillance")) as hearing:
            async for heard in hearing:
                stored = heard.stored
                for decision in read_entry(stored.stream, stored.data, claimed=stored.claimed).decisions:
                    for event in decision.events:
                        if isinstance(event, WagerPlaced):
                            self._asked[stored.stream, event.wager] = decision.id
                        elif isinstance(event, WagerAccepted):
                            self.wait(self._asked.pop((stored.stream, event.wager))).set_result(None)
                heard.done()


class Players:
    """Players at open rounds, with money in the wallet."""

    def __init__(self, crowd: Crowd, accepted: Accepted) -> None:
        self._crowd = crowd
        self._accepted = accepted

    async def pay_in(self, names: Sequence[str]) -> None:
        """Open an account for each, with more than it will ever stake."""

        async def one(name: str) -> None:
            await self._cage(f"open {name}", OpenAccount(player=name, operator="house", currency=SETTINGS.currency))
            await self._cage(f"pay {name}", Deposit(player=name, currency=SETTINGS.currency, minor=PLAYER_FUNDS_MINOR))

        for first in range(0, len(names), AT_ONCE):
            # A service hears each user five hundred times a second and no more, and all of this is one cashier's word.
            await asyncio.gather(asyncio.sleep(PAYING_S), *(one(name) for name in names[first : first + AT_ONCE]))

    async def wager(self, wager: Wager) -> float:
        """Place a wager; return how many seconds it took until it was accepted."""
        began_s = perf_counter()
        accepted = self._accepted.wait(wager.id)
        request = encode_request(wager.id, PlaceWager(round=wager.round, box=wager.box, stake_minor=STAKE_MINOR))
        table = wager.round.partition(".")[0]
        answer = decode_answer(await self._crowd.ask(command_subject("table", "player", table, wager.player), request))
        assert answer.status in ("pending", "accepted"), answer
        await accepted
        return perf_counter() - began_s

    async def wager_all(self, wagers: Iterator[Wager], in_flight: int) -> list[float]:
        """Place these wagers, so many at a time; return how many seconds each took."""
        took_s: list[float] = []

        async def one_after_another() -> None:
            for wager in wagers:
                took_s.append(await self.wager(wager))

        await asyncio.gather(*(one_after_another() for _ in range(in_flight)))
        return took_s

    async def _cage(self, id: str, command: OpenAccount | Deposit) -> None:
        answer = decode_answer(await self._crowd.ask(command_subject("wallet", "staff", "ledger", "pit"), encode_request(id, command)))
        assert answer.status == "accepted", answer


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Place so many wagers in all."""
    day = gaming_day(SystemClock().now_ms(), "00:00", "UTC")
    logs = [log_name(service, day) for service in ("table", "shoe", "wallet")]
    rows: list[Row] = []
    with ExitStack() as stack:
        running = stack.enter_context(server(*logs, sync_always=True))
        loop = stack.enter_context(Loop())
        client = loop.run(connect(Endpoint(url=running.url)))
        stack.callback(lambda: loop.run(close(client)))
        parts = {in_flight: max(in_flight, round(effort.amount * part)) for in_flight, part in IN_FLIGHT.items()}
        wagers = _wagers(day, sum(parts.values()))
        tell("opening the rounds")
        loop.run(_prepare(JetStreamStore(client), LogMaker(client), logs, wagers))
        for service in ("table", "wallet"):
            stack.enter_context(serving(service, running.url))
        tell("waiting for the services to settle in")
        loop.run(asyncio.sleep(SUCCESSION_MS / 1000))
        rows += loop.run(_play(JetStreamStore(client), loop.run(Crowd.of(client)), logs[0], wagers, parts, tell))
    return rows


async def _play(store: JetStreamStore, crowd: Crowd, log: str, wagers: list[Wager], parts: dict[int, int], tell: Tell) -> list[Row]:
    rows: list[Row] = []
    async with players_at(store, crowd, log) as players:
        await players.pay_in(sorted({wager.player for wager in wagers}))
        upcoming = iter(wagers)
        for in_flight, amount in parts.items():
            tell(f"{in_flight} on their way")
            began_s = perf_counter()
            took_s = await players.wager_all(iter([next(upcoming) for _ in range(amount)]), in_flight)
            rows += figures(f"loop: {in_flight} in flight", amount / (perf_counter() - began_s), took_s)
    return rows


@asynccontextmanager
async def players_at(store: JetStreamStore, crowd: Crowd, log: str) -> AsyncIterator[Players]:
    """Yield players whose wagers are seen in the tables' log."""
    accepted = Accepted()
    listening = asyncio.create_task(accepted.listen(store, log))
    try:
        yield Players(crowd, accepted)
    finally:
        await end_all([listening])


def figures(bench: str, per_second: float, took_s: list[float]) -> list[Row]:
    """Return the rows of wagers that were placed: how many in a second, and how long one took."""
    hundredths = quantiles([each * 1000 for each in took_s], n=100, method="inclusive") if len(took_s) > 1 else [took_s[0] * 1000] * 99
    return [
        Row(bench=bench, value=per_second, unit="wagers/s"),
        Row(bench=f"{bench}, p50", value=hundredths[49], unit="ms"),
        Row(bench=f"{bench}, p99", value=hundredths[98], unit="ms"),
    ]


def _wagers(day: str, amount: int) -> list[Wager]:
    """Return so many wagers, one after the other at different tables; at each table everybody has a box."""
    found = []
    for number in range(amount):
        table, turn = number % TABLES, number // TABLES
        round_id = RoundName(f"T{table}", day, turn // BOXES + 1).id
        box = turn % BOXES + 1
        found.append(Wager(f"{round_id}-{box}", round_id, box, f"T{table}-p{box}"))
    return found


async def _prepare(store: JetStreamStore, maker: LogMaker, logs: Sequence[str], wagers: Sequence[Wager]) -> None:
    for log in logs:
        await maker.mend(log)
    rounds = sorted({wager.round for wager in wagers})
    for first in range(0, len(rounds), AT_ONCE):
        await asyncio.gather(*(open_round(store, round_name(each), TABLE_SETTINGS) for each in rounds[first : first + AT_ONCE]))


LOOP = Bench(run=run, amount=4_200, times=1, about="wagers placed, set aside and accepted, through table and wallet")
