"""The wallet's start: whatever was going on when it went away, no book is begun without what the one before carries over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from services.wallet.app import WalletApp
from services.wallet.domain.carrying import carried
from services.wallet.domain.state import Ledger
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.requests import encode_request
from shared.contracts.subjects import Addressed, ledger_stream, log_name
from shared.contracts.wallet import CloseBook, OpenBook
from shared.kernel.folded import Asked
from shared.kernel.messages import ACCEPTED, Actor
from shared.runtime.clock import ManualClock, day_ends_at_ms
from shared.runtime.memory_store import MemoryStore
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings

DAY, TOMORROW = "20261130", "20261201"
CAGE = Actor("staff", "cage")
ZONE = "America/Toronto"
OF_TODAY = [
    OpenBook(day=DAY),
    OpenAccount(player="ann", operator="house", currency="EUR"),
    Deposit(player="ann", currency="EUR", minor=500),
]
CLOSED = [*OF_TODAY, CloseBook(next_day=TOMORROW)]


class House:
    """A store with the wallet's logs of two days, on the second of them, and processes that start and stop."""

    def __init__(self, data: Path) -> None:
        self.clock = ManualClock(day_ends_at_ms(DAY, "06:00", ZONE) + 60_000)
        self.store = MemoryStore(self.clock.now_ms)
        for day in (DAY, TOMORROW):
            self.store.make_log(log_name("wallet", day))
        self._settings = ServiceSettings(
            nats_url="", monitor_url="", credentials=Path(), data=data, day_starts="06:00", zone=ZONE, sealing_key=Path()
        )

    def process(self) -> tuple[WalletApp, Process]:
        """Return a wallet that has not started."""
        app = WalletApp(self._settings)
        client: Any = None
        return app, Process(app, self._settings, client, self.store, self.clock)

    async def write(self, day: str, *commands: Any) -> Process:
        """Let an earlier process write into a day's book, and return it."""
        _, before = self.process()
        for number, command in enumerate(commands):
            await before.keepers.ask(ledger_stream(day), Asked(f"{day} {number}", command, CAGE, 0))
        return before

    @asynccontextmanager
    async def started(self) -> AsyncIterator[Process]:
        """Run the wallet's start."""
        app, process = self.process()
        for name in await self.store.open_logs("wallet"):
            await process.keepers.scan(name)
        await app.start(process)
        yield process
        await process.stop()


def carried_over(process: Process) -> tuple[bool, int, bool]:
    """Return whether tomorrow's book is open, what ann has in it, and whether the id of her deposit is known."""
    keeper = process.keepers.get(ledger_stream(TOMORROW))
    book: Ledger = keeper.state
    account = book.account("ann", "EUR")
    return book.open, -1 if account is None else account.minor, f"{DAY} 2" in keeper.folded.answers


@pytest.mark.parametrize("is_sealed", [False, True])
async def test_book_goes_on_from_the_one_that_was_closed(tmp_path, is_sealed):
    """Log page, streams: balances are carried forward, also from a day that is closed for ever meanwhile."""
    house = House(tmp_path)
    await house.write(DAY, *CLOSED)
    if is_sealed:
        house.store.seal(log_name("wallet", DAY))
    async with house.started() as process:
        assert carried_over(process) == (True, 500, True)


@pytest.mark.parametrize("is_sealed", [False, True])
async def test_opening_that_was_interrupted_is_finished(tmp_path, is_sealed):
    """Log page, streams: a part that was carried is carried once, and the rest follows."""
    house = House(tmp_path)
    closed = (await house.write(DAY, *CLOSED)).keepers.get(ledger_stream(DAY))
    parts = carried(closed.state, closed.folded.answers, closed.folded.digest)
    _, before = house.process()
    await WalletApp._ask_house(wallet_of(before), ledger_stream(TOMORROW), parts[0], "carry 0")
    if is_sealed:
        house.store.seal(log_name("wallet", DAY))
    async with house.started() as process:
        assert carried_over(process) == (True, 500, True)


async def test_first_book_of_all_carries_nothing(tmp_path):
    """Log page, streams: a house begins with an empty book."""
    async with House(tmp_path).started() as process:
        assert carried_over(process) == (True, -1, False)


async def test_what_is_left_of_a_closed_day_is_heard(tmp_path):
    """Log page, streams: a day's logs are closed for ever when all who hear them are done, so nobody may stop before."""
    house = House(tmp_path)
    await house.write(DAY, *CLOSED)
    app, process = house.process()
    await app.start(process)
    heard = [app.ready_for(log_name("table", day)) for day in (DAY, TOMORROW, "20261202")]
    await process.stop()

    assert heard == [True, True, False]


async def test_request_goes_into_the_book_that_is_open_when_it_comes(tmp_path):
    """Log page, ids: books may change while older ones are looked through for its id."""
    async with House(tmp_path).started() as process:
        app = process.app
        assert isinstance(app, WalletApp)
        request = encode_request("early", OpenAccount(player="ann", operator="house", currency="EUR"))
        answer = asyncio.create_task(app.command(Addressed("wallet", "staff", "ledger", "pit"), request))
        await asyncio.sleep(0)
        app._book = ""

        assert (await answer, carried_over(process)[1]) == (ACCEPTED, 0)


def wallet_of(process: Process) -> WalletApp:
    """Return the wallet of a process that has not started, as if it had."""
    app = process.app
    assert isinstance(app, WalletApp)
    app._house = process
    return app
