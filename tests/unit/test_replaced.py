"""Who was replaced as the owner of streams may write until it finds that out, however late: the new owner takes it over."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from feltlog.rehearsal.house import RehearsedHouse
from services.shoe.app import ShoeApp
from services.shoe.app.vault import HoleUnknown
from services.shoe.domain.shoe import Ready
from services.table.domain.round import ROUND
from services.table.reactions import timer
from shared.contracts.shoe import CutShoe, DrawCards, ShuffleShoe
from shared.contracts.subjects import log_name, log_of, round_name, shoe_stream
from shared.kernel.folded import Asked
from shared.kernel.messages import HOUSE, Answer
from shared.runtime.clock import ManualClock, gaming_day
from shared.runtime.keepers import Keepers, Noun
from shared.runtime.listener import Listener
from shared.runtime.memory_store import MemoryStore
from shared.runtime.quarantine import Desk
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings
from shared.runtime.shelf import books
from tests.rounds import opening
from tests.service import SilentClient

CLOCK = ManualClock()
DAY = gaming_day(CLOCK.now_ms(), "06:00", "UTC")
ROUND_ID = f"T7.{DAY}-000001"
IN_PLAY, DISCARDS = shoe_stream(DAY, "T7-S1"), shoe_stream(DAY, "T7-S1b")
WHOLE = ShuffleShoe(shoe="T7-S1", table="T7", decks=1, burns=1, cut=(20, 30), cutting_card=(10, 12))
DEAL = DrawCards(round=ROUND_ID, call_no=1, faces=("up", "down"))
HOLE, UPCARD = 2, 1
"""Where the cards of this deal lie in the shoe, behind the burned one."""


def of_the_house(id: str, command: Any) -> Asked:
    """Return what the house asks of itself."""
    return Asked(id, command, HOUSE, CLOCK.now_ms())


def left_out(index: int, day: str = DAY) -> Asked:
    """Return the shuffle of the discards without the card at `index` of the shoe in play."""
    command = ShuffleShoe(
        shoe="T7-S1b",
        table="T7",
        decks=1,
        without_hole=("T7-S1", index),
        burns=0,
        cut=(20, 30),
        cutting_card=(0, 0),
        round=f"T7.{day}-000001",
    )
    return of_the_house(f"discards without {index}", command)


async def test_round_that_the_owner_before_wrote_is_taken_over_when_it_is_heard():
    """Its clock must run somewhere, and the one who set it is gone."""
    stream = round_name(ROUND_ID).stream
    store = MemoryStore(itertools.count(1).__next__)
    store.make_log(log_of(stream))
    store.make_consumer(log_of(stream), "table")
    before, now = (Keepers(store, CLOCK, name, "test", lambda _: Noun(ROUND, timer=timer)) for name in ("table-a", "table-b"))

    async def alarm(kind: str, **facts: Any) -> None:
        raise AssertionError(kind)

    desk = Desk(now, "table", lambda: DAY, alarm)
    listener = Listener(store, now, CLOCK, desk, log_name=log_of(stream), durable="table", follow=lambda event, source: [], alarm=alarm)
    await before.ask(stream, of_the_house("open", opening("ontario")))
    listening = asyncio.create_task(listener.listen())
    await until(lambda: listener.sequence == 1)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)

    assert [keeper.state for keeper in now.open()] == [before.get(stream).state]


@asynccontextmanager
async def shoes(folder: Path) -> AsyncIterator[tuple[Process, Process]]:
    """Run two shoe processes over one store, of which the second has seen the shoe in play before its first deal."""
    (folder / "key").write_text(f'id = "K1"\nkey_hex = "{"00" * 32}"\n')
    settings = ServiceSettings(
        nats_url="", monitor_url="", credentials=folder, data=folder, day_starts="06:00", zone="UTC", sealing_key=folder / "key"
    )
    store, client = MemoryStore(CLOCK.now_ms), SilentClient()
    store.make_log(log_name("shoe", DAY))
    both: list[Process] = []
    for _ in range(2):
        app = ShoeApp(settings)
        process = Process(app, settings, client, store, CLOCK)  # type: ignore[arg-type]
        await process.keepers.scan(log_name("shoe", DAY))
        await app.start(process)
        both.append(process)
        if len(both) == 1:
            await process.keepers.ask(IN_PLAY, of_the_house("shoe", WHOLE))
            await process.keepers.ask(IN_PLAY, of_the_house("cut", CutShoe(contributions=())))
    try:
        yield both[0], both[1]
    finally:
        for process in both:
            await process.stop()


async def ask_until_known(process: Process, asked: Asked) -> Answer:
    """Ask as a listener does: again, as long as nothing can be said."""
    async with asyncio.timeout(5):
        while True:
            try:
                return await process.keepers.ask(DISCARDS, asked)
            except HoleUnknown:
                await asyncio.sleep(0.01)


async def test_hole_card_that_the_owner_before_dealt_is_left_out(tmp_path: Path):
    """The shoe in play is read anew, and the discards are shuffled without the card that lies face down."""
    async with shoes(tmp_path) as (before, now):
        await before.keepers.ask(IN_PLAY, of_the_house("deal", DEAL))
        answer = await ask_until_known(now, left_out(HOLE))
        state = now.keepers.get(DISCARDS).state
        assert isinstance(state, Ready)

    assert (answer.status, state.made.cards) == ("accepted", 51)


async def test_card_that_lies_face_down_nowhere_quarantines_its_round(tmp_path: Path):
    """Read anew and still not there: something is broken, and the process is not; lifted, it is read anew once more."""
    async with shoes(tmp_path) as (before, now):
        await before.keepers.ask(IN_PLAY, of_the_house("deal", DEAL))
        answer = await ask_until_known(now, left_out(UPCARD))
        with pytest.raises(HoleUnknown):
            await now.keepers.ask(DISCARDS, left_out(UPCARD))
        goes_on = not now.keepers.stepped_down.done()

    assert (answer.code, goes_on) == ("quarantined", True)


async def test_shoe_that_is_at_work_is_waited_for(tmp_path: Path):
    """The deal is stored and not confirmed yet: nothing is broken as long as that may still come."""
    async with shoes(tmp_path) as (process, _):
        store: MemoryStore = process.store
        store.lose_answer_next()
        dealing = process.keepers.ask(IN_PLAY, of_the_house("deal", DEAL))
        answer = await ask_until_known(process, left_out(HOLE))
        dealt = await dealing

    assert (answer.status, dealt.status) == ("accepted", "accepted")


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(5):
        while not holds():
            await asyncio.sleep(0)


@pytest.fixture
def rehearsed() -> RehearsedHouse:
    """A house that is rehearsed, in which nobody is at work yet."""
    return RehearsedHouse(1, books())


@pytest.mark.parametrize(("index", "is_done"), [(HOLE, True), (UPCARD, False)])
def test_rehearsal_leaves_out_the_hole_card_that_the_owner_before_dealt(rehearsed: RehearsedHouse, index: int, is_done: bool):
    """As the service does, and one that lies face down nowhere ends no process there either."""
    day = rehearsed.today()
    before = rehearsed.start("shoe")
    before.ask_now(shoe_stream(day, "T7-S1"), of_the_house("shoe", WHOLE))
    before.ask_now(shoe_stream(day, "T7-S1"), of_the_house("cut", CutShoe(contributions=())))
    now = rehearsed.start("shoe")
    before.ask_now(shoe_stream(day, "T7-S1"), of_the_house("deal", DEAL))

    assert now.ask_now(shoe_stream(day, "T7-S1b"), left_out(index, day)) is is_done


def test_rehearsed_listener_takes_over_what_the_owner_before_wrote(rehearsed: RehearsedHouse):
    """As the service's listener does."""
    before, now = rehearsed.start("table"), rehearsed.start("table")
    stream = f"log.table.{rehearsed.today()}.T7.round.000001"
    before.ask_now(stream, of_the_house("open", opening("ontario")))
    now.work(rehearsed.clock.now_ms())
    now.ears[log_of(stream)].hear()

    assert now.door(stream).folded.fence == before.door(stream).folded.fence == 1
