"""`crowd`: ten thousand wagers in one round, placed, set aside, accepted, settled, and booked.

No book lets so many people onto a table: a shelf takes seven boxes with three players on each.  The round is therefore opened
with the floor's rules by value and room for two thousand on each of five boxes, and then goes its ordinary way through the
processes of table and wallet.  The bench is the players and the shoe: every box gets a blackjack, so nobody has to be asked.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, aclosing
from time import perf_counter

import msgspec

from shared.contracts.dealing import CardsCalled
from shared.contracts.language import read_entry
from shared.contracts.shoe import CardsDrawn, DrawCards, DrawnCard, Opening
from shared.contracts.stakes import RoundBooked
from shared.contracts.subjects import RoundName, log_name, shoe_stream
from shared.kernel.entry import Decision, Entry
from shared.kernel.identity import digest
from shared.kernel.messages import HOUSE
from shared.kernel.profile import SideBetRules
from shared.runtime.clock import SystemClock, gaming_day
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.event_store import Appended
from shared.runtime.hearing import hear
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.log_making import LogMaker
from shared.runtime.shelf import profile
from shared.runtime.tasks import end_all
from tests.benchmarks.at_work import open_round, serving
from tests.benchmarks.crowd import Crowd
from tests.benchmarks.loop import TABLE_SETTINGS, Wager, players_at
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import PEN
from tests.benchmarks.server import Loop, server

BOXES = 5
WAGERS_MAX = 10_000
"""A round settles no more."""
IN_FLIGHT = 256
PATIENCE_S = 300.0


class Shoe:
    """Deals a blackjack to each box and nineteen to the dealer, as a shoe writes it."""

    def __init__(self, store: JetStreamStore, name: RoundName) -> None:
        self._store = store
        self._round = name
        self._stream = shoe_stream(name.day, f"{name.table}-S1")
        self._cards = iter([*("TS" for _ in range(BOXES)), "9S", *("AS" for _ in range(BOXES)), "TH"])
        self._fence = self._drawn = 0
        self._before = ""

    async def draw(self, call: CardsCalled, at_ms: int) -> None:
        """Answer a call."""
        cards = []
        for _ in call.faces:
            opening = Opening(index=self._drawn, card=next(self._cards), salt="", path=())
            cards.append(DrawnCard(index=self._drawn, opening=opening))
            self._drawn += 1
        drawn = CardsDrawn(round=self._round.id, call_no=call.call_no, cards=tuple(cards), exhausted=False, cutting_card_out=False)
        command = DrawCards(round=self._round.id, call_no=call.call_no, faces=call.faces)
        entry = Entry(
            stream=self._stream,
            revision=call.call_no,
            at_ms=at_ms,
            writer=PEN.writer,
            epoch=PEN.epoch,
            software=PEN.software,
            prev=self._before,
            decisions=(Decision(id=str(call.call_no), command=command, actor=HOUSE, received_at_ms=at_ms, events=(drawn,)),),
        )
        data = msgspec.json.encode(entry)
        appended = await self._store.append(self._stream, data, fence=self._fence)
        assert isinstance(appended, Appended), appended
        self._fence, self._before = appended.sequence, digest(data)


async def _deal(store: JetStreamStore, name: RoundName) -> None:
    """Answer every call of this round, for ever."""
    shoe = Shoe(store, name)
    async with aclosing(hear(store, log_name("table", name.day), "shoe")) as hearing:
        async for heard in hearing:
            stored = heard.stored
            for decision in read_entry(stored.stream, stored.data, claimed=stored.claimed).decisions:
                for event in decision.events:
                    if isinstance(event, CardsCalled):
                        await shoe.draw(event, decision.received_at_ms)
            heard.done()


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Play a round with so many wagers, or as many as a round may have."""
    day = gaming_day(SystemClock().now_ms(), "00:00", "UTC")
    logs = [log_name(service, day) for service in ("table", "shoe", "wallet")]
    players = max(1, min(effort.amount, WAGERS_MAX) // BOXES)
    name = RoundName("T1", day, 1)
    with ExitStack() as stack:
        running = stack.enter_context(server(*logs, sync_always=True))
        loop = stack.enter_context(Loop())
        client = loop.run(connect(Endpoint(url=running.url)))
        stack.callback(lambda: loop.run(close(client)))
        store = JetStreamStore(client)
        loop.run(_prepare(store, LogMaker(client), logs, name, players))
        for service in ("table", "wallet"):
            stack.enter_context(serving(service, running.url))
        placed_s, over_s = loop.run(_play(store, loop.run(Crowd.of(client)), name, players, tell))
        sizes = loop.run(_sizes(store, logs))
    bench = f"crowd: {players * BOXES:,} wagers in 1 round"
    return [
        Row(bench=bench, value=over_s, unit="s until they are booked"),
        Row(bench=f"{bench}, accepted", value=placed_s, unit="s"),
        Row(bench=f"{bench}, entries", value=len(sizes), unit="entries of table and wallet"),
        Row(bench=f"{bench}, bytes", value=sum(sizes) / 1_000_000, unit="MB of table and wallet"),
        Row(bench=f"{bench}, largest entry", value=max(sizes) / 1_000_000, unit="MB"),
    ]


async def _play(store: JetStreamStore, crowd: Crowd, name: RoundName, players: int, tell: Tell) -> tuple[float, float]:
    """Return the seconds until every wager is accepted, and until the round is booked."""
    booked = asyncio.create_task(_booked(store, log_name("wallet", name.day)))
    dealing = asyncio.create_task(_deal(store, name))
    try:
        async with players_at(store, crowd, log_name("table", name.day)) as people:
            everybody = [f"p{number}" for number in range(players)]
            tell("paying in")
            await people.pay_in(everybody)
            tell("wagering")
            began_s = perf_counter()
            await people.wager_all(_wagers(name, everybody), IN_FLIGHT)
            placed_s = perf_counter() - began_s
            tell("settling")
            async with asyncio.timeout(PATIENCE_S):
                await booked
            return placed_s, perf_counter() - began_s
    finally:
        await end_all([dealing, booked])


def _wagers(name: RoundName, everybody: Sequence[str]) -> Iterator[Wager]:
    for player in everybody:
        for box in range(1, BOXES + 1):
            yield Wager(f"{name.id}-{box}-{player}", name.id, box, player)


async def _booked(store: JetStreamStore, log: str) -> None:
    """Return as soon as the ledger has booked the round."""
    async with aclosing(hear(store, log, "surveillance")) as hearing:
        async for heard in hearing:
            stored = heard.stored
            entry = read_entry(stored.stream, stored.data, claimed=stored.claimed)
            heard.done()
            if any(isinstance(event, RoundBooked) for decision in entry.decisions for event in decision.events):
                return


async def _prepare(store: JetStreamStore, maker: LogMaker, logs: Sequence[str], name: RoundName, players: int) -> None:
    for log in logs:
        await maker.mend(log)
    # Betting ends by itself as soon as every place is taken, unless side bets may still come.
    rules = msgspec.structs.replace(profile("floor"), players_per_box_max=players, side_bets=SideBetRules())
    await open_round(store, name, msgspec.structs.replace(TABLE_SETTINGS, boxes=BOXES), rules)


async def _sizes(store: JetStreamStore, logs: list[str]) -> list[int]:
    """Return the bytes of each entry of table and wallet in these logs."""
    return [len(stored.data) for log in logs if not log.startswith("LOG_SHOE") async for stored in store.read(log)]


CROWD = Bench(run=run, amount=10_000, times=1, about="ten thousand wagers in one round")
