"""The services' own edges over a store in memory: real apps, a clock that stands still, and people who send whatever they like."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from services.shoe.app import ShoeApp
from services.surveillance.app import SurveillanceApp
from services.table.app import TableApp
from services.wallet.app import WalletApp
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.requests import encode_request
from shared.contracts.subjects import SERVICES, command_subject, inbox, log_name
from shared.contracts.table import CallRound, OpenTable, TableSettings
from shared.kernel.messages import Answer
from shared.runtime.clock import ManualClock, gaming_day, next_day
from shared.runtime.log_settings import LISTENERS
from shared.runtime.memory_store import MemoryStore
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings
from tests.service import PATIENCE_S, nobody_asks, until

CLOCK = ManualClock()
DAY = gaming_day(CLOCK.now_ms(), "06:00", "UTC")
TABLE, ROUND = "T7", f"T7.{DAY}-000001"
SETTINGS = TableSettings(
    operator="house",
    currency="CAD",
    boxes=3,
    minimum_minor=100,
    maximum_minor=500,
    dealer="staff",
    betting_window_ms=15_000,
    decision_ms=15_000,
    reserve_ms=5_000,
    pause_ms=5_000,
)


class Message:
    """A message as the client hands it over; `replies` holds what was answered."""

    def __init__(self, subject: str, data: bytes, reply: str) -> None:
        self.subject = subject
        self.data = data
        self.reply = reply
        self.replies: list[bytes] = []

    async def respond(self, data: bytes) -> None:
        """Take an answer."""
        self.replies.append(data)


class Client:
    """A connection on which alarms are remembered and nobody else is."""

    def __init__(self) -> None:
        self.alarms: list[str] = []

    async def publish(self, subject: str, payload: bytes = b"") -> None:
        """Remember an alarm."""
        if subject.startswith("alarm."):
            self.alarms.append(subject)

    async def subscribe(self, subject: str, cb: Any) -> None:
        """Nobody says anything but by `Edges.hear`."""


class Edges:
    """All services of a house with one open table."""

    def __init__(self, folder: Path) -> None:
        self.store = MemoryStore(CLOCK.now_ms)
        self.client = Client()
        self.processes: dict[str, Process] = {}
        self._asked = itertools.count()
        key = folder / "sealing.key"
        key.write_text(f'id = "test"\nkey_hex = "{"00" * 32}"\n')
        self._settings = ServiceSettings(
            nats_url="", monitor_url="", credentials=Path(), data=folder, day_starts="06:00", zone="UTC", sealing_key=key
        )
        for day in (DAY, next_day(DAY)):
            for service in SERVICES:
                self.store.make_log(log_name(service, day))
                for durable in LISTENERS[service]:
                    self.store.make_consumer(log_name(service, day), durable)

    async def hear(self, service: str, subject: str, data: bytes, reply: str) -> Message:
        """Let a service hear a message, and return it once it is answered or never will be."""
        message: Any = Message(subject, data, reply)
        process = self.processes[service]
        await process.hear(message)
        await until(lambda: process.answering.idle)
        told: Message = message
        return told

    async def ask(self, service: str, role: str, target: str, actor: str, command: Any) -> Answer:
        """Ask as people ask."""
        # Another request has another id, however much it looks like the one before: else only one of two players has money.
        data = encode_request(f"{actor}-{type(command).__name__}-{next(self._asked)}", command)
        message = await self.hear(service, command_subject(service, role, target, actor), data, f"{inbox(actor)}.x1")
        return msgspec.json.decode(message.replies[0], type=Answer)

    def entries(self) -> list[bytes]:
        """Return everything that is stored."""
        logs = [self.store.log(log_name(service, DAY)) for service in SERVICES]
        return [stored.data for log in logs for stored in log.entries if stored is not None]

    async def call_round(self) -> None:
        """Open a round as soon as there is a shoe and a book."""
        async with asyncio.timeout(PATIENCE_S):
            for number in itertools.count():
                data = encode_request(f"call-{number}", CallRound())
                message = await self.hear("table", command_subject("table", "staff", TABLE, "pit"), data, f"{inbox('pit')}.x1")
                if msgspec.json.decode(message.replies[0], type=Answer).status == "accepted":
                    return
                await asyncio.sleep(0.01)


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Edges]:
    """Run all services until the test is through with them, with a round open at one table and two players who have money."""
    edges = Edges(folder)
    apps: list[Any] = [app(edges._settings) for app in (WalletApp, TableApp, ShoeApp, SurveillanceApp)]
    async with AsyncExitStack() as stack:
        for app in apps:
            process = edges.processes[app.name] = Process(app, edges._settings, edges.client, edges.store, CLOCK)  # type: ignore[arg-type]
            process.spawn(process.run(nobody_asks), "run")
            stack.push_async_callback(process.stop)
            await until(lambda process=process: process.ready)  # type: ignore[misc]
        for player in ("ann", "bob"):
            await edges.ask("wallet", "staff", "ledger", "pit", OpenAccount(player=player, operator="house", currency="CAD"))
            await edges.ask("wallet", "staff", "ledger", "pit", Deposit(player=player, currency="CAD", minor=100_000))
        await edges.ask("table", "staff", TABLE, "pit", OpenTable(table=TABLE, profile_name="live", settings=SETTINGS))
        await edges.call_round()
        yield edges
