"""Of the undealt nothing can be read: with each credential of the house everything is tried in the middle of a round.

Then the table is closed and every order opened, so the search knows what it looks for: the seeds, the salts of all cards that
nobody had seen, the hole card's among them, and their order.
"""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from feltlog.client import Client
from services.shoe.domain.shoe import committed_order
from services.shoe.domain.shuffle import salts
from services.surveillance.redecide import decider_of
from shared.contracts.shoe import (
    BurnedShown,
    CardsDrawn,
    CardsExposed,
    CardsOpened,
    CardTurned,
    Opening,
    ShoeCut,
    ShoeRetired,
    ShoeShuffled,
)
from shared.contracts.subjects import shoe_stream
from shared.contracts.table import CloseTable
from shared.kernel.cutting import place_of
from tests.integration.curious import Curious, Target, looks_around
from tests.integration.patience import LOOK_AGAIN_S, until
from tests.integration.running_house import Floor, furnish, running, table_rows
from tests.integration.secret_forms import forms, runs

READERS = ("table", "surveillance", "wallet", "reader")
"""Whoever may read logs, beside the shoe, whose own these are, and the provisioner, whose requests would change them."""
OTHERS = ("pit", "ann", "bob")
EVERYBODY = (*READERS, *OTHERS)
CHATTY = "cyd"
"""Somebody who is answered all the time, where others might listen."""


@dataclass
class Closed:
    """A shoe as it lay closed while everybody looked around."""

    name: str
    seed: bytes
    undealt: tuple[tuple[str, str], ...]
    """Cards and salts in committed order, of those that nobody had seen."""

    def leaks(self, into: bytes) -> list[str]:
        """Return what of this shoe can be read in some bytes."""
        found = [f"the seed of {self.name}" for form in forms(self.seed) if form in into]
        found += [f"a salt of {self.name}" for _, salt in self.undealt for form in forms(bytes.fromhex(salt)) if form in into]
        return found + [f"the order of {self.name}" for form in runs([card for card, _ in self.undealt]) if form in into]


@dataclass
class Looked:
    """What everybody learned in the middle of the round, what there was to learn, and what is open now."""

    learned: dict[str, Curious]
    shoes: list[Closed]
    open_now: bytes


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looked]:
    """A house in which everybody looked around while a hole card lay on the felt."""
    data = tmp_path_factory.mktemp("undealt")
    furnish(data, table_rows("T1"))
    with pytest.MonkeyPatch.context() as patch:
        # A wrong subject of the server's own is one of its errors, and it says each of them.
        patch.setattr("shared.runtime.connection.log.error", lambda *_: None)
        yield asyncio.run(evening(data))


async def evening(data: Path) -> Looked:
    """Play until somebody is asked for a decision, let everybody look around, and open all orders."""
    async with running(data) as (machine, floor):
        await floor.open_tables()
        for player in ("ann", "bob", CHATTY):
            await floor.welcome(player)
        # A round is over before: its hole card was turned, and is open to everybody.
        await floor.turn("T1", [("ann", 1), ("bob", 2)])
        await floor.let_go("T1")
        round, _turn = await floor.turn("T1", [("ann", 1), ("bob", 2)])
        target = await target_of(floor, round)
        shown = {shoe: await places_shown(floor, shoe) for shoe in (target.shoe, target.coming)}
        learned = {}
        for name in EVERYBODY:
            chatting = asyncio.create_task(chat(floor))
            others = [other for other in (*EVERYBODY, CHATTY, "shoe") if other != name]
            learned[name] = await looks_around(machine.url, machine.monitor_url, machine.credentials(name), others, target)
            chatting.cancel()
            await asyncio.gather(chatting, return_exceptions=True)
        await floor.let_go("T1")
        await floor.booked(round)
        await floor.pit.ask("table", "T1", CloseTable())
        shoes = [await opened(floor, shoe, shown[shoe]) for shoe in shown]
        again = await looks_around(machine.url, machine.monitor_url, machine.credentials("reader"), (), target)
        assert await floor.findings() == []
    return Looked(learned, shoes, again.everything)


async def target_of(floor: Floor, round: str) -> Target:
    """Return what there is to learn: the round's shoe with its hole card, and the one that is committed already."""
    events = await floor.round_events(round)
    hole = next(event for event in events if type(event).__name__ == "HoleCardDealt")
    coming = f"{hole.shoe.rpartition('S')[0]}S{int(hole.shoe.rpartition('S')[2]) + 1}"
    await until(lambda: floor.has(shoe_stream(floor.today, coming), ShoeShuffled), "the next shoe is committed")
    return Target(day=floor.today, table="T1", round=round, shoe=hole.shoe, coming=coming, hole=hole.index)


async def chat(floor: Floor) -> None:
    """Let others be answered meanwhile, into inboxes of their own."""
    player: Client = await floor.seat(CHATTY)
    while True:
        await asyncio.gather(player.felt("T1"), player.balance(CHATTY))
        await asyncio.sleep(LOOK_AGAIN_S)


async def places_shown(floor: Floor, shoe: str) -> set[int]:
    """Return the places of a committed order whose cards everybody has seen by now."""
    events = await floor.events(shoe_stream(floor.today, shoe))
    shuffled = next(event for event in events if isinstance(event, ShoeShuffled))
    cut_at = next((event.cards_in_front for event in events if isinstance(event, ShoeCut)), 0)
    return {place_of(opening.index, cut_at=cut_at, cards=shuffled.cards) for event in events for opening in openings_of(event)}


def openings_of(event: Any) -> Iterable[Opening]:
    """Return which cards an event of a shoe opens to everybody."""
    match event:
        case CardsDrawn(cards=cards):
            return [card.opening for card in cards if card.opening is not None]
        case CardTurned(opening=opening):
            return [opening]
        case CardsExposed(openings=openings) | CardsOpened(openings=openings) | BurnedShown(openings=openings):
            return openings
        case _:
            return ()


async def opened(floor: Floor, shoe: str, shown: set[int]) -> Closed:
    """Return a shoe whose order is open at last."""
    stream = shoe_stream(floor.today, shoe)
    retired = await floor.happened(stream, ShoeRetired)
    decider = decider_of(stream)
    state = decider.initial
    for event in await floor.events(stream):
        state = decider.evolve(state, event)
    seed = bytes.fromhex(retired.seed)
    cards = committed_order(state.made, seed)
    salted = salts(seed, shoe, len(cards))
    return Closed(shoe, seed, tuple((cards[place], salted[place]) for place in range(len(cards)) if place not in shown))


@pytest.mark.parametrize("name", EVERYBODY)
def test_credential_reads_nothing_of_the_undealt(looked: Looked, name: str):
    """Log page, secrets: logs, JetStream's requests, consumers, inboxes, the system account and the shoe itself tell nothing."""
    everything = looked.learned[name].everything

    assert [leak for shoe in looked.shoes for leak in shoe.leaks(everything)] == []


def test_search_finds_what_is_open(looked: Looked):
    """The searches above rest on this: the same requests bring the seeds once they are open."""
    found = {leak for shoe in looked.shoes for leak in shoe.leaks(looked.open_now)}

    assert {f"the seed of {shoe.name}" for shoe in looked.shoes} <= found


def test_both_shoes_had_much_to_tell(looked: Looked):
    """One in use, its hole card down, and a committed one that nobody has drawn from: eight decks, less the few open cards."""
    left = [len(shoe.undealt) for shoe in looked.shoes]

    assert (left[0] < left[1], min(left) > 400, left[1]) == (True, True, 416)


@pytest.mark.parametrize("name", EVERYBODY)
def test_everything_was_tried(looked: Looked, name: str):
    """Whoever may read logs has read the shoes' own entries; everybody else has read none of them, and not for want of asking."""
    curious = looked.learned[name]

    assert (b"shoe.OrderCommitted.v1" in curious.everything, curious.asked > 1_000) == (name in READERS, True)


@pytest.mark.parametrize("name", OTHERS)
def test_nobody_hears_what_others_are_answered(looked: Looked, name: str):
    """Permissions: inboxes are closed to all but their owners."""
    others = [got for got in looked.learned[name].got if got.startswith(b"_INBOX.") and not got.startswith(f"_INBOX.{name}.".encode())]

    assert others == []
