"""A card is dealt once, and it is the same one, wherever between vault and felt its process dies (ADR 0009, ADR 0017).

The gate shows what the dead process was about to write, salts and paths included; the logs show what was written in the end.
"""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from feltlog.reading import stream_pages, told
from shared.kernel.entry import Entry
from shared.runtime.service import STEPPED_DOWN
from tests.integration.busy_house import BusyHouse, Play
from tests.integration.evidence import account_of, findings
from tests.integration.gate import Gate, Hold, gate
from tests.integration.patience import PATIENCE_S, until

DRAWN, DEALT = "shoe.CardsDrawn.v1", "table.CardDealt.v1"


@asynccontextmanager
async def held(
    house: BusyHouse, service: str, event: str, hold: Hold = "before", *, passes: int = 0
) -> AsyncIterator[tuple[Gate, subprocess.Popen[bytes]]]:
    """Yield a gate that holds an entry with this event, and the process behind it that wrote it; both are gone afterwards."""
    await house.stop_process(service)
    async with gate(house.machine.url, service, event, hold, passes=passes) as door:
        process = house.another(service, url=door.url)
        try:
            await door.entry()
            yield door, process
        finally:
            process.kill()
            await asyncio.to_thread(process.wait, PATIENCE_S)


def of_kind(events: list[Any], event: str) -> list[Any]:
    """Return the events of a kind."""
    return [each for each in events if each.__struct_config__.tag == event]


async def written(house: BusyHouse, entry: Entry[Any, Any], event: str) -> list[Any]:
    """Return the events of a kind that the log has for the cards of an entry that was held; the entry's own would be equal."""
    meant = of_kind([each for decision in entry.decisions for each in decision.events], event)
    async with house.logs() as store:
        stands = of_kind([each.event for each in told(await stream_pages(store, entry.stream))], event)
    return [each for each in stands if key(each) in {key(wanted) for wanted in meant}]


def key(event: Any) -> object:
    """Return which cards an event is about: a call's, or one card by shoe and place."""
    return (event.round, event.call_no) if event.__struct_config__.tag == DRAWN else (event.shoe, event.index)


async def proved(house: BusyHouse, play: Play) -> tuple[dict[str, Any], list[Any], int]:
    """Return what is wrong with the house's money and cards, what the proof finds, and how often somebody was told to be late."""
    async with house.logs() as store:
        return (await account_of(store)).wrong, await findings(store), play.refusals["too_late"]


@pytest.mark.parametrize(
    ("service", "event", "hold", "killed"),
    [
        pytest.param("shoe", DRAWN, "before", (), id="the shoe between fill and append"),
        pytest.param("shoe", DRAWN, "behind", (), id="the shoe before it hears that its append is stored"),
        pytest.param("table", DEALT, "before", (), id="the table between CardsDrawn and CardDealt"),
        pytest.param("table", DEALT, "before", ("shoe",), id="table and shoe between CardsDrawn and CardDealt"),
        pytest.param("table", DEALT, "behind", (), id="the table before it hears that its append is stored"),
    ],
)
async def test_kill_deals_the_same_card_once(house: BusyHouse, service: str, event: str, hold: Hold, killed: tuple[str, ...]):
    """Log page, secrets: what was filled in and lost is filled in again, alike; what was stored is not drawn a second time."""
    async with house.evening() as play:
        await play.more_rounds(1)
        async with held(house, service, event, hold) as (door, process):
            entry = await door.entry()
            if hold == "behind":
                await until(lambda: written(house, entry, event), "the entry is stored")
            process.kill()
            for other in killed:
                await house.kill(other)
        before = await written(house, entry, event)
        await house.start_process(service)
        await play.more_rounds()
    meant = of_kind([each for decision in entry.decisions for each in decision.events], event)

    assert (len(before), await written(house, entry, event)) == (len(meant) if hold == "behind" else 0, meant)
    assert await proved(house, play) == ({}, [], 0)


async def test_shoe_that_dies_while_the_table_deals_draws_nothing_twice(house: BusyHouse):
    """ADR 0002: the shoe is heard through its log alone, so its death between CardsDrawn and CardDealt changes nothing."""
    async with house.evening() as play:
        await play.more_rounds(1)
        async with held(house, "table", DEALT) as (door, _):
            entry = await door.entry()
            await house.restart("shoe")
            door.let_go()
            await until(lambda: written(house, entry, DEALT), "the table deals what the shoe had drawn")
        await house.start_process("table")
        await play.more_rounds()
    meant = of_kind([each for decision in entry.decisions for each in decision.events], DEALT)

    assert await written(house, entry, DEALT) == meant
    assert await proved(house, play) == ({}, [], 0)


async def test_draw_that_arrives_behind_another_process_is_not_taken(house: BusyHouse):
    """ADR 0017: two shoe services draw for the same call; the fence takes one of them, and whoever came late steps down."""
    async with house.evening() as play:
        await play.more_rounds(1)
        # Only whose epoch stands in the log is known to be the older one.
        async with held(house, "shoe", DRAWN, passes=1) as (door, process):
            entry = await door.entry()
            await house.start_process("shoe")
            await until(lambda: written(house, entry, DRAWN), "the other process draws")
            door.let_go()
            status = await asyncio.to_thread(process.wait, PATIENCE_S)
            await play.more_rounds()
        stands = await written(house, entry, DRAWN)
    meant = of_kind([each for decision in entry.decisions for each in decision.events], DRAWN)

    assert (status, stands) == (STEPPED_DOWN, meant)
    assert await proved(house, play) == ({}, [], 0)
