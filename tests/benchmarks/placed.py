"""Placed wagers: entries of tables that lie in their log, and a wallet that works them off.

The entries are written while nobody hears them, so that what is timed afterwards is the wallet alone: it reads them, works out
what must follow, decides it, and appends movements and position behind its fence.  Listener, keepers and ledger are those
that the wallet's process runs, with the same settings.
"""

import asyncio
import gc
import secrets
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import msgspec

from services.table.domain.round import ROUND
from services.wallet.app import WalletApp
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.rounds import OpenRound
from shared.contracts.subjects import RoundName, ledger_stream, log_name
from shared.contracts.wagers import PlaceWager
from shared.contracts.wallet import OpenBook
from shared.kernel.entry import Entry
from shared.kernel.folded import Asked, Folded, commit, draft, empty
from shared.kernel.messages import HOUSE, Actor
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.event_store import Appended
from shared.runtime.garbage import look_seldom
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.keeper import Keeper
from shared.runtime.listener import Listener
from shared.runtime.log_making import LogMaker
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings
from shared.runtime.tasks import end_all
from tests.benchmarks.seat import LIVE, PEN, SETTINGS, STAKE_MINOR
from tests.benchmarks.server import Loop

T = TypeVar("T")
R = TypeVar("R")

DAY = "20261130"
TABLE_LOG, WALLET_LOG = log_name("table", DAY), log_name("wallet", DAY)
LEDGER = ledger_stream(DAY)
BOXES = 7
TABLES = 100
PLAYERS = 1_000
FUNDS_MINOR = 1_000_000_000
CURRENCY = SETTINGS.currency
CAGE = Actor("staff", "cage")
TABLE_SETTINGS = msgspec.structs.replace(SETTINGS, boxes=BOXES, betting_window_ms=3_600_000, reserve_ms=3_600_000)
PATIENCE_S = 300.0


class Wallet:
    """A wallet over the logs of one server, with a thousand players who have more than they will ever stake."""

    def __init__(self, url: str, directory: Path, loop: Loop) -> None:
        self._collected_after = gc.get_threshold()
        look_seldom()
        self._loop = loop
        self._client = loop.run(connect(Endpoint(url=url)))
        self._store = JetStreamStore(self._client)
        settings = ServiceSettings(
            nats_url=url, monitor_url="", credentials=directory, data=directory, day_starts="00:00", zone="UTC", sealing_key=directory
        )
        self._process = loop.run(self._made(settings))
        self._chance = Random(7)
        self._rounds: list[Folded[Any]] = []
        """Open rounds in which nobody has wagered yet."""
        self._awaited = 0
        self._reached = asyncio.Event()
        loop.run(self._begin())

    def close(self) -> None:
        """Hang up, and have garbage looked for as before."""
        self._loop.run(close(self._client))
        gc.set_threshold(*self._collected_after)

    def open(self, rounds: int) -> None:
        """Open so many rounds, at each table in turn."""
        self._loop.run(self._open_all(rounds))

    def lay(self, rounds: int, wagers: int) -> None:
        """Write placed wagers on every box of so many open rounds into the tables' log, so many in each entry."""
        self._loop.run(self._lay(rounds, wagers))

    def work_off(self) -> None:
        """Hear everything that lies there; return when it is in the ledger."""
        self._loop.run(self._work_off())

    def reserved(self) -> int:
        """Return how many stakes are set aside."""
        return len(self._keeper.state.stakes)

    @property
    def _keeper(self) -> Keeper[Any]:
        return self._process.keepers.get(LEDGER)

    async def _made(self, settings: ServiceSettings) -> Process:
        process = Process(WalletApp(settings), settings, self._client, self._store, SystemClock())
        process.keepers.on_stored.append(self._stored)
        return process

    async def _begin(self) -> None:
        for log in (TABLE_LOG, WALLET_LOG):
            await LogMaker(self._client).mend(log)
        await self._ask(OpenBook(day=DAY), HOUSE)
        for start in range(0, PLAYERS, 100):
            names = [f"p{number}" for number in range(start, start + 100)]
            await asyncio.gather(*(self._ask(OpenAccount(player=name, operator="house", currency=CURRENCY), CAGE) for name in names))
            await asyncio.gather(*(self._ask(Deposit(player=name, currency=CURRENCY, minor=FUNDS_MINOR), CAGE) for name in names))

    async def _ask(self, command: Any, actor: Actor) -> None:
        answer = await self._process.keepers.ask(LEDGER, Asked(secrets.token_hex(16), command, actor, self._now_ms()))
        assert answer.status == "accepted", answer

    async def _open_all(self, rounds: int) -> None:
        names = [RoundName(f"T{number % TABLES}", DAY, number // TABLES + 1) for number in range(rounds)]
        self._rounds = await _side_by_side(self._open, names)

    async def _open(self, name: RoundName) -> Folded[Any]:
        command = OpenRound(
            round=name.id,
            number=name.number,
            table=name.table,
            day=name.day,
            profile=LIVE,
            settings=TABLE_SETTINGS,
            shoe=f"{name.table}-S1",
            root="0" * 64,
        )
        folded = empty(ROUND, name.stream)
        await self._write(folded, [Asked("open", command, HOUSE, self._now_ms())])
        return folded

    async def _lay(self, rounds: int, wagers: int) -> None:
        taken, self._rounds = self._rounds[:rounds], self._rounds[rounds:]
        assert len(taken) == rounds, "as many rounds must have been opened as are wagered on"
        for first in range(0, BOXES, wagers):
            boxes = range(first + 1, first + wagers + 1)
            await _side_by_side(lambda folded, boxes=boxes: self._place(folded, boxes), taken)  # type: ignore[misc]

    async def _place(self, folded: Folded[Any], boxes: range) -> None:
        asked = []
        for box in boxes:
            # At these tables nobody may have two boxes.
            player = Actor("player", f"p{self._chance.randrange(box, PLAYERS, BOXES)}")
            command = PlaceWager(round=folded.state.opened.round, box=box, stake_minor=STAKE_MINOR)
            asked.append(Asked(secrets.token_hex(16), command, player, self._now_ms()))
        await self._write(folded, asked)

    async def _write(self, folded: Folded[Any], asked: list[Asked]) -> None:
        drafted = draft(ROUND, folded, asked, PEN, now_ms=self._now_ms())
        assert {answer.status for answer in drafted.answers} <= {"accepted", "pending"}, drafted.answers
        appended = await self._store.append(folded.stream, drafted.data, fence=folded.fence)
        assert isinstance(appended, Appended), appended
        commit(folded, drafted, appended.sequence)

    async def _work_off(self) -> None:
        self._awaited = await self._store.end(TABLE_LOG)
        self._reached.clear()
        hearing = asyncio.create_task(self._listener().listen())
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._reached.wait()
        finally:
            await end_all([hearing])

    def _listener(self) -> Listener:
        process = self._process
        return Listener(
            self._store,
            process.keepers,
            process.clock,
            process.desk,
            log_name=TABLE_LOG,
            durable="wallet",
            follow=process.app.follow,
            after=lambda: self._keeper.folded.position.get(TABLE_LOG),
            alarm=process.alarm,
        )

    def _stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        place = entry.position.get(TABLE_LOG)
        if place is not None and place[0] >= self._awaited:
            self._reached.set()

    def _now_ms(self) -> int:
        return SystemClock().now_ms()


async def _side_by_side(write: Callable[[T], Awaitable[R]], what: Sequence[T]) -> list[R]:
    """Write something at each table, all tables at a time."""
    written: list[R] = []
    for first in range(0, len(what), TABLES):
        written += await asyncio.gather(*(write(each) for each in what[first : first + TABLES]))
    return written
