"""A silence of the house: whoever speaks after it is heard, and nobody is timed out by it, whatever the reason was."""

import asyncio
import itertools
from typing import Any

import pytest

from services.table.domain.filling import extension, fill_round
from services.table.domain.round import ROUND
from services.table.domain.state import Decision, Playing
from services.table.reactions import timer
from shared.contracts.dealing import DealCards, DealtCard
from shared.contracts.decisions import Stand, TimeOutDecision
from shared.contracts.subjects import log_of, round_name
from shared.contracts.wagers import AcceptWager, CloseBetting, PlaceWager
from shared.kernel.folded import Asked
from shared.kernel.messages import HOUSE, Actor, Answer
from shared.runtime.clock import ManualClock
from shared.runtime.keepers import Keepers, Noun
from shared.runtime.memory_store import MemoryStore
from tests.rounds import ROUND_ID, opening

STREAM = round_name(ROUND_ID).stream
DEAL = DealCards(
    call_no=1, shoe="T7-S1", cards=tuple(DealtCard(index=index, card=card) for index, card in enumerate(("TS", "6D", "9H", ""), start=1))
)
DECISION_MS = 15_000
LONG_MS = 20_000


class Table:
    """A table's streams over a store in memory, by a clock that the test moves."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.store = MemoryStore(itertools.count(1).__next__)
        self.store.make_log(log_of(STREAM))
        self._ids = itertools.count()
        noun = Noun(ROUND, timer=timer, extension=extension, fill=self._fill)
        self.keepers = Keepers(self.store, self.clock, "table-a", "test", lambda stream: noun)

    def _fill(self, command: Any, state: Any) -> Any:
        return fill_round(command, state, day="20261130", now_ms=self.clock.now_ms())

    def ask(self, command: Any, player: str = "") -> asyncio.Future[Answer]:
        """Ask the round, as the house or as a player, who is heard now."""
        actor = Actor("player", player) if player else HOUSE
        return self.keepers.ask(STREAM, Asked(f"id-{next(self._ids)}", command, actor, self.clock.now_ms()))

    async def until_dealt(self) -> None:
        """Play until the first cards are called."""
        self.keepers.there()
        await self.ask(opening("live"))
        wager = self.keepers.ask(
            STREAM, Asked("wager", PlaceWager(round=ROUND_ID, box=1, stake_minor=400), Actor("player", "ann"), self.clock.now_ms())
        )
        await wager
        await self.ask(AcceptWager(wager="wager"))
        self.clock.advance(10_000)
        self.keepers.there()
        await self.ask(CloseBetting())

    async def until_turn(self) -> None:
        """Play until ann's decision is awaited."""
        await self.until_dealt()
        await self.ask(DEAL)

    @property
    def left_ms(self) -> int:
        """How long ann may still think."""
        round_ = self.keepers.get(STREAM).state
        assert isinstance(round_, Playing)
        assert isinstance(round_.awaiting, Decision)
        return round_.awaiting.until_ms - self.clock.now_ms()


STAND = Stand(round=ROUND_ID, box=1, hand=1)


async def test_who_speaks_after_a_silence_is_heard():
    """The process, the server or the line hung for longer than the player had: what was said meanwhile counts."""
    table = Table()
    await table.until_turn()
    table.clock.advance(LONG_MS)
    table.keepers.there()

    assert (await table.ask(STAND, "ann")).status == "accepted"


async def test_who_speaks_late_is_late_while_the_house_listens():
    """Signs of life all along: the silence was the player's own."""
    table = Table()
    await table.until_turn()
    for _ in range(LONG_MS // 500):
        table.clock.advance(500)
        table.keepers.there()

    assert (await table.ask(STAND, "ann")).code == "too_late"


async def test_time_out_that_waited_through_a_silence_comes_too_early():
    """It fell due, and then the house was away: the clock is given back before the time-out is decided."""
    table = Table()
    await table.until_turn()
    table.clock.advance(LONG_MS)
    time_out = table.ask(TimeOutDecision(number=1))
    table.keepers.there()

    assert (await time_out).code == "too_early"


async def test_silence_gives_the_whole_time_again():
    """As if the decision had been awaited only now."""
    table = Table()
    await table.until_turn()
    table.clock.advance(LONG_MS)
    table.keepers.there()
    await table.ask(CloseBetting())

    assert table.left_ms == DECISION_MS


async def test_clock_that_was_set_while_the_log_hung_is_set_again():
    """The entry that began it was stored late: nobody could see whose turn it was."""
    table = Table()
    await table.until_dealt()
    table.store.drop_next()
    dealt = table.ask(DEAL)
    await asyncio.wait({dealt}, timeout=0.005)
    table.clock.advance(LONG_MS)
    await dealt
    await table.ask(CloseBetting())

    assert table.left_ms == DECISION_MS


@pytest.mark.parametrize("lost", [False, True])
async def test_full_log_is_a_silence(lost: bool):
    """While nothing can be written down nobody is heard; when there is room again everybody has their time."""
    table = Table()
    await table.until_turn()
    table.store.log(log_of(STREAM)).is_full = True
    refused = table.ask(STAND, "ann")
    await asyncio.wait({refused})
    table.store.log(log_of(STREAM)).is_full = False
    table.clock.advance(LONG_MS if lost else 500)
    table.keepers.there()

    assert (refused.exception() is not None, (await table.ask(STAND, "ann")).status) == (True, "accepted")
