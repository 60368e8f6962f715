"""Scanners of tables: a shoe service that dies at any step, over a store in memory and a device on a real cable.

The device keeps what was not acknowledged, the log holds what was stored; whoever comes next finds each card once.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from feltlog.fake_scanner import FakeScanner
from services.shoe.app import ShoeApp
from services.shoe.app.earlier import last_shoe
from services.shoe.domain.scanned_state import PutAway, Scanned
from services.shoe.domain.scanner_line import CUTTING_CARD
from services.shoe.domain.shoe import SHOE
from shared.contracts.dealing import CardsCalled
from shared.contracts.rounds import VoidRound
from shared.contracts.shoe import CardDrawn, CardScanned, CuttingCardScanned, ShoePrepared, ShoeRetired
from shared.contracts.subjects import log_name, log_of, round_stream, shoe_stream, table_stream
from shared.contracts.table import CallRound, ShoeCalled, ShoeRetirementCalled
from shared.kernel.entry import Decision, Entry, decode_as
from shared.kernel.messages import HOUSE
from shared.runtime.clock import ManualClock, gaming_day
from shared.runtime.memory_store import MemoryStore
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings, SettingMissing
from tests.service import SilentClient, nobody_asks

CLOCK = ManualClock()
DAY = gaming_day(CLOCK.now_ms(), "06:00", "UTC")
SHOE_LOG, TABLE_LOG = log_name("shoe", DAY), log_name("table", DAY)
S1, S2 = shoe_stream(DAY, "T1-S1"), shoe_stream(DAY, "T1-S2")
ROUND = round_stream(DAY, "T1", 1)
CALLED = ShoeCalled(shoe="T1-S1", table="T1", decks=1, burns=1, cut=(20, 30), cutting_card=(10, 12), device="scanned")
CALL = CardsCalled(call_no=1, shoe="T1-S1", faces=("up", "up", "up", "down"))
CARDS = ["2C", "8H", "6D", "9S", "TD"]
PATIENCE_S = 10.0


class Mortal(MemoryStore):
    """A store at which whoever appends to a shoe's stream dies at a certain time: before it is stored, or before it hears so."""

    def __init__(self) -> None:
        super().__init__(CLOCK.now_ms)
        self.dies_at = 0
        self.stored_then = False
        self.appends = 0
        self.died = asyncio.Event()

    async def append(self, stream: str, data: bytes, *, fence: int, types: str = "") -> Any:
        """Append, or hang for ever when the time has come."""
        if stream.startswith("log.shoe."):
            self.appends += 1
            if self.appends == self.dies_at:
                if self.stored_then:
                    await super().append(stream, data, fence=fence, types=types)
                self.died.set()
                await asyncio.Event().wait()
        return await super().append(stream, data, fence=fence, types=types)


class Table:
    """What a table says, the logs, and shoe services that start and stop."""

    def __init__(self, folder: Path, port: int) -> None:
        self.store = Mortal()
        for name in (SHOE_LOG, TABLE_LOG):
            self.store.make_log(name)
        self.store.make_consumer(TABLE_LOG, "shoe")
        self.client: Any = SilentClient()
        key = folder / "sealing.key"
        key.write_text(f'id = "K1"\nkey_hex = "{"00" * 32}"\n')
        self.settings = ServiceSettings(
            nats_url="",
            monitor_url="",
            credentials=folder,
            data=folder,
            day_starts="06:00",
            zone="UTC",
            sealing_key=key,
            scanners={"T1": f"tcp://127.0.0.1:{port}"},
        )

    async def says(self, stream: str, event: Any) -> None:
        """Let the table write an event; what it was asked does not matter."""
        last = await self.store.last(stream)
        command = VoidRound(reason="") if stream == ROUND else CallRound()
        entry: Entry[Any, Any] = Entry(
            stream=stream,
            revision=1 if last is None else msgspec.json.decode(last.data)["revision"] + 1,
            at_ms=CLOCK.now_ms(),
            writer="table",
            epoch=1,
            software="test",
            prev="",
            decisions=(Decision(id=f"{type(event).__name__}", command=command, actor=HOUSE, received_at_ms=0, events=(event,)),),
        )
        await self.store.append(stream, msgspec.json.encode(entry), fence=0 if last is None else last.sequence)

    async def calls_when_prepared(self) -> None:
        """Let a round call for cards as soon as the shoe is burned."""
        await self.come_to(S1, ShoePrepared, 1)
        await self.says(ROUND, CALL)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Process]:
        """Run a shoe service until the test is through with it, or it dies."""
        process = Process(ShoeApp(self.settings), self.settings, self.client, self.store, CLOCK)
        task = asyncio.create_task(process.run(nobody_asks))
        try:
            yield process
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await process.stop()

    async def events(self, stream: str, kind: type[Any]) -> list[Any]:
        """Return the events of a kind in a stream."""
        entries = [decode_as(SHOE.command_type, SHOE.event_type, one.data) async for one in self.store.read(log_of(stream), pattern=stream)]
        told = [event for entry in entries for decision in entry.decisions for event in decision.events]
        return [event for event in told if isinstance(event, kind)]

    async def come_to(self, stream: str, kind: type[Any], count: int) -> list[Any]:
        """Wait until there are so many events of a kind."""
        async with asyncio.timeout(PATIENCE_S):
            while len(found := await self.events(stream, kind)) < count:
                await asyncio.sleep(0.005)
        return found


@pytest.mark.parametrize("stored_then", [False, True])
@pytest.mark.parametrize("dies_at", [1, 2, 3, 4, 5, 6])
async def test_service_that_dies_at_any_append_loses_no_card_and_doubles_none(tmp_path: Path, dies_at: int, stored_then: bool):
    """Before the entry is stored, or after it and before anybody hears so: the next process has each card once."""
    # One after the other, so that each is an entry of its own.
    device = FakeScanner(CARDS, every_s=0.02)
    async with device.serving() as port:
        table = Table(tmp_path, port)
        table.store.dies_at, table.store.stored_then = dies_at, stored_then
        await table.says(table_stream(DAY, "T1"), CALLED)
        calling = asyncio.create_task(table.calls_when_prepared())
        async with table.running(), asyncio.timeout(PATIENCE_S):
            # On a machine that is busy several commands share an entry, and the last ones never come.
            ways = [asyncio.create_task(way) for way in (table.store.died.wait(), device.all_taken())]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
        async with table.running(), asyncio.timeout(PATIENCE_S):
            await calling
            await device.all_taken()
            scanned = await table.events(S1, CardScanned)
            drawn = await table.come_to(S1, CardDrawn, 4)

    assert [(event.n, event.index) for event in scanned] == [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]
    assert [event.card.opening and event.card.opening.card for event in drawn] == ["8H", "6D", "9S", None]


async def test_card_without_a_shoe_waits_at_the_scanner(tmp_path: Path):
    """Nothing is acknowledged that no shoe has taken; the next shoe begins with it."""
    device = FakeScanner(["2C", "8H", CUTTING_CARD, "6D", "9S"])
    async with device.serving() as port:
        table = Table(tmp_path, port)
        async with table.running():
            await table.says(table_stream(DAY, "T1"), CALLED)
            await table.come_to(S1, CuttingCardScanned, 1)
            await table.says(table_stream(DAY, "T1"), ShoeRetirementCalled(shoe="T1-S1", reason="played_out"))
            await table.come_to(S1, ShoeRetired, 1)
            async with asyncio.timeout(PATIENCE_S):
                while device.acknowledged < 3:
                    await asyncio.sleep(0.005)
            waited = device.acknowledged
            await table.says(table_stream(DAY, "T1"), msgspec.structs.replace(CALLED, shoe="T1-S2"))
            following = await table.come_to(S2, CardScanned, 2)

    assert (waited, [(event.n, event.index) for event in following]) == (3, [(4, 0), (5, 1)])


async def test_count_goes_on_from_a_day_that_is_closed(tmp_path: Path):
    """A process that starts between two days reads how far the scanner was heard in the log of the day before."""
    device = FakeScanner(["2C", "8H"])
    async with device.serving() as port:
        table = Table(tmp_path, port)
        async with table.running():
            await table.says(table_stream(DAY, "T1"), CALLED)
            await table.come_to(S1, CardScanned, 2)
            await table.says(table_stream(DAY, "T1"), ShoeRetirementCalled(shoe="T1-S1", reason="day_ended"))
            await table.come_to(S1, ShoeRetired, 1)
        table.store.seal(SHOE_LOG)
        found = await last_shoe(table.store, "T1")
        other = await last_shoe(table.store, "T2")
    assert isinstance(found, PutAway | Scanned)

    assert (found.scanner, found.n, other) == ("fake", 2, None)


async def test_count_of_a_table_is_not_read_from_another_whose_name_begins_alike(tmp_path: Path):
    """The shoes of a table T1-S2 are named like those of T1."""
    device = FakeScanner(["2C", "8H"])
    async with device.serving() as port:
        table = Table(tmp_path, port)
        table.settings = replace(table.settings, scanners={"T1-S2": f"tcp://127.0.0.1:{port}"})
        other = shoe_stream(DAY, "T1-S2-S1")
        async with table.running():
            await table.says(table_stream(DAY, "T1-S2"), msgspec.structs.replace(CALLED, shoe="T1-S2-S1", table="T1-S2"))
            await table.come_to(other, CardScanned, 2)
            await table.says(table_stream(DAY, "T1-S2"), ShoeRetirementCalled(shoe="T1-S2-S1", reason="day_ended"))
            await table.come_to(other, ShoeRetired, 1)
        table.store.seal(SHOE_LOG)
        found = (await last_shoe(table.store, "T1"), await last_shoe(table.store, "T1-S2"))

    assert (found[0], found[1] is None) == (None, False)


async def test_address_that_names_no_scanner_stops_the_start(tmp_path: Path):
    """With the table that it is for."""
    table = Table(tmp_path, 1)
    settings = replace(table.settings, scanners={"T1": "tcp://127.0.0.1:99999"})
    process = Process(ShoeApp(settings), settings, table.client, table.store, CLOCK)

    with pytest.raises(SettingMissing, match="the scanner of T1"):
        await process.run(nobody_asks)
    await process.stop()


async def test_scanned_shoe_of_a_table_without_a_scanner_is_told(tmp_path: Path):
    """Nobody would ever hear its cards."""
    table = Table(tmp_path, 1)
    table.settings = replace(table.settings, scanners={})
    async with table.running(), asyncio.timeout(PATIENCE_S):
        await table.says(table_stream(DAY, "T1"), CALLED)
        while "alarm.shoe.scanner" not in table.client.said:
            await asyncio.sleep(0.005)

    assert await table.events(S1, CardScanned) == []


@pytest.mark.parametrize(("saw", "kind"), [(["2C", None], "face_missing"), (["2C", "8H", "8H"], "composition")])
async def test_what_somebody_must_look_at_is_an_alarm(tmp_path: Path, saw: list[str | None], kind: str):
    """A card that a person must say, and cards that cannot be right."""
    async with FakeScanner(saw).serving() as port:
        table = Table(tmp_path, port)
        async with table.running(), asyncio.timeout(PATIENCE_S):
            await table.says(table_stream(DAY, "T1"), CALLED)
            await table.calls_when_prepared()
            while f"alarm.shoe.{kind}" not in table.client.said:
                await asyncio.sleep(0.005)

    assert table.client.said.count(f"alarm.shoe.{kind}") == 1
