"""A service in a test: the common process over a store in memory, around an app room that only writes down what it heard."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from shared.contracts.shoe import RetireShoe, ShoeRetired
from shared.contracts.subjects import Addressed, log_name
from shared.kernel.decider import Decider
from shared.kernel.entry import Decision, Entry, Place
from shared.kernel.messages import HOUSE, Answer, Command, Envelope, Event
from shared.kernel.reactions import Reaction, Source
from shared.runtime.clock import ManualClock, gaming_day
from shared.runtime.keeper import Keeper
from shared.runtime.keepers import Noun
from shared.runtime.memory_store import MemoryStore
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings

CLOCK = ManualClock()
DAY = gaming_day(CLOCK.now_ms(), "06:00", "UTC")
OWN_LOG, HEARD_LOG = log_name("table", DAY), log_name("shoe", DAY)
NOTES = f"log.table.{DAY}.T7.table"
SHOE = f"log.shoe.{DAY}.T7-S1"
PATIENCE_S = 5.0


class Note(Command, frozen=True, kw_only=True, tag="test.Note"):
    """Write down that the entry with this sequence was heard."""

    sequence: int


class Noted(Event, frozen=True, kw_only=True, tag="test.Noted"):
    """It was heard."""

    sequence: int


def decide(command: Note, notes: tuple[int, ...], _: Envelope) -> list[Noted]:
    """Return the note."""
    return [Noted(sequence=command.sequence)]


def evolve(notes: tuple[int, ...], event: Noted) -> tuple[int, ...]:
    """Return the notes after one more."""
    return (*notes, event.sequence)


NOTEBOOK: Decider[tuple[int, ...], Note, Noted] = Decider("notes", (), decide, evolve, Note, Noted)


class NotingApp:
    """Hears shoes and notes each entry.  While it is `broken` nothing can be worked out."""

    name = "table"
    hears = ("shoe",)

    def __init__(self, *, broken: bool = False, ready: bool = True) -> None:
        self.broken = broken
        self.ready = ready

    def noun_of(self, stream: str) -> Noun:
        """Everything is a notebook."""
        return Noun(NOTEBOOK)

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """A note follows."""
        if self.broken:
            raise ValueError("broken")
        return [Reaction(NOTES, Note(sequence=source.sequence), "note")]

    def place(self, log_name: str) -> Callable[[], Place | None] | None:
        """The position is the durable's."""
        return None

    def ready_for(self, log_name: str) -> bool:
        """Whether to hear."""
        return self.ready

    async def start(self, house: Process) -> None:
        """Nothing is to be done."""

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Nobody asks."""
        raise NotImplementedError

    async def question(self, to: Addressed) -> Any:
        """Nobody asks."""
        raise NotImplementedError

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """Nothing is shown."""


class SilentClient:
    """A connection on which nobody else is; `said` holds the subjects of what was published."""

    def __init__(self) -> None:
        self.said: list[str] = []

    async def publish(self, subject: str, payload: bytes = b"") -> None:
        """Nobody hears it."""
        self.said.append(subject)

    async def subscribe(self, subject: str, cb: Callable[[Any], Awaitable[None]]) -> None:
        """Nobody says anything."""


class World:
    """A store with the logs of one day, and services that start and stop on it."""

    def __init__(self) -> None:
        self.store = MemoryStore(CLOCK.now_ms)
        for name in (OWN_LOG, HEARD_LOG):
            self.store.make_log(name)
        self.store.make_consumer(HEARD_LOG, "table")
        self.client: Any = SilentClient()
        self._settings = ServiceSettings(
            nats_url="", monitor_url="", credentials=Path(), data=Path(), day_starts="06:00", zone="UTC", sealing_key=Path()
        )

    async def retire(self, revision: int) -> None:
        """Let the shoe write an entry; what it says does not matter."""
        entry: Entry[Any, Any] = Entry(
            stream=SHOE,
            revision=revision,
            at_ms=CLOCK.now_ms(),
            writer="shoe",
            epoch=1,
            software="test",
            prev="",
            decisions=(
                Decision(
                    id=str(revision),
                    command=RetireShoe(reason="day_ended"),
                    actor=HOUSE,
                    received_at_ms=0,
                    events=(ShoeRetired(shoe="T7-S1", table="T7", reason="day_ended", seed="", drawn=0),),
                ),
            ),
        )
        last = await self.store.last(SHOE)
        await self.store.append(SHOE, msgspec.json.encode(entry), fence=last.sequence if last else 0)

    @asynccontextmanager
    async def running(self, app: NotingApp) -> AsyncIterator[Process]:
        """Run a service until the test is through with it."""
        process = Process(app, self._settings, self.client, self.store, CLOCK)
        task = asyncio.create_task(process.run(nobody_asks))
        try:
            await until(lambda: process.ready)
            yield process
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await process.stop()

    async def worked_off(self) -> int:
        """Return how far the shoes' log is acknowledged without a gap."""
        async with self.store.durable(HEARD_LOG, "table") as line:
            return (await line.standing()).acked


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0)


async def nobody_asks() -> None:
    """Open no door: this process is asked nothing but commands."""
