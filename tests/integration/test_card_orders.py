"""Cards between rounds in a running house: a device, dealers, burns, a reshuffle and a refused cut, from keyboards and clients."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from feltlog.__main__ import app
from feltlog.commands.up import open_tables
from feltlog.cutting import Cutting
from services.table.views import Felt
from shared.contracts.asking import CutOffered
from shared.contracts.burns import BurnCalled, BurnNoted, DealerChanged, ReshuffleOrdered
from shared.contracts.cutting import CutCalled
from shared.contracts.shoe import BurnedShown, CardsBurned, OrderCommitted, ShoeCut
from shared.contracts.subjects import round_name, shoe_stream
from shared.contracts.table import CloseTable, RoundCalled, ShoeMounted
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, running, table_rows

STAFF = '\n[staff]\npit = "pit_boss"\ndee = "dealer"\nrae = "designated_representative"\ninspector = "inspector"\n'
DEVICE = 'name = "device"\nbase = "floor"\n\n[shoe]\ndevice = "shuffling_device"\n'
ROUNDS = 4


@pytest.fixture
async def floor(tmp_path: Path) -> AsyncIterator[Floor]:
    """A house with a table of each book, the floor's with a shuffling device, and two players."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "device.toml").write_text(DEVICE)
    furnish(
        tmp_path,
        STAFF,
        table_rows("T1", profile="device"),
        table_rows("T2", profile="ontario", minimum="1.00", maximum="5.00"),
        table_rows("T3", profile="live"),
    )
    async with running(tmp_path) as (_, floor):
        await open_tables(floor.house)
        await floor.welcome("ann")
        await floor.welcome("ben")
        yield floor


async def typed(floor: Floor, *words: str) -> Result:
    """What `feltlog table` does at a keyboard."""
    return await asyncio.to_thread(lambda: CliRunner().invoke(app, ["table", *words, "--data", str(floor.house.data)]))


async def played(floor: Floor, table: str) -> str:
    """Play a round in which ann and ben have a wager, to its end."""
    await floor.ready(table)
    round = await floor.call_round(table)
    await floor.wager("ann", round, 1, 200)
    await floor.wager("ben", round, 2, 200)
    await floor.close_betting(table, round)
    await floor.let_go(table)
    return round


async def test_each_round_of_a_device_has_an_order_of_its_own(floor: Floor):
    """FL-4.6, decision 21: committed before its round was called, never cut, one burn when the device was loaded, and proved in the end."""
    for _ in range(ROUNDS):
        await played(floor, "T1")
    await floor.pit.ask("table", "T1", CloseTable())
    called = [event for event in await floor.table_events("T1", floor.today) if isinstance(event, RoundCalled)]
    told = [event for each in called for event in await floor.events(shoe_stream(floor.today, each.shoe))]
    roots = [event.root for event in told if isinstance(event, OrderCommitted)]
    burns = [event.count for event in told if isinstance(event, CardsBurned)]

    assert [each.shoe for each in called] == [f"T1-S{number}" for number in range(1, ROUNDS + 1)]
    assert ([each.root for each in called], burns) == (roots, [1])
    assert not any(isinstance(event, ShoeCut) for event in told)
    assert await floor.findings() == []


async def test_dealers_change_and_cards_are_burned_and_shown(floor: Floor):
    """ON-6.2, LV-3.5: from a keyboard, each by the job that may, exactly once, and proved in the end."""
    await floor.ready("T2")
    await floor.ready("T3")
    said = [
        await typed(floor, "dealer", "T2", "dee"),
        await typed(floor, "dealer", "T2", "dee"),
        await typed(floor, "show-burned", "T2", "--as", "inspector"),
        await typed(floor, "burn", "T2", "--reason", "house"),
        await typed(floor, "burn", "T3", "--reason", "game_error"),
        await typed(floor, "burn", "T3", "--reason", "house", "--as", "dee"),
        await typed(floor, "burn", "T3", "--reason", "boredom"),
    ]
    await played(floor, "T2")
    await played(floor, "T3")
    shown = await typed(floor, "cards", "T2", "--json")
    words = await typed(floor, "cards", "T2")
    events = [event for table in ("T2", "T3") for event in await floor.table_events(table, floor.today)]
    burned = [event for table in ("T2", "T3") for event in await floor.events(shoe_stream(floor.today, f"{table}-S1"))]

    assert [each.exit_code for each in said] == [0, 1, 0, 1, 0, 1, 1]
    assert [(event.reason, event.cards, event.by) for event in events if isinstance(event, BurnCalled)] == [
        ("new_dealer", 1, "pit"),
        ("game_error", 3, "pit"),
    ]
    assert [event.code for event in events if isinstance(event, BurnNoted)] == ["", ""]
    assert [(event.reason, event.count) for event in burned if isinstance(event, CardsBurned)] == [
        *(("shuffle", 1), ("new_dealer", 1)),
        *(("shuffle", 6), ("game_error", 3)),
    ]
    assert [len(event.openings) for event in burned if isinstance(event, BurnedShown)] == [2]
    assert (json.loads(shown.output)["dealer"], len(json.loads(shown.output)["burned_shown"])) == ("dee", 2)
    assert words.output.startswith("dee deals.\nShoe T2-S1 is in use.\nBurned and shown: ")
    assert [event.dealer for event in events if isinstance(event, DealerChanged)] == ["dee"]
    assert await floor.findings() == []


async def test_representative_has_the_cards_shuffled_and_players_are_asked_to_cut(floor: Floor):
    """ON-5.2, ON-5.3, ON-5.5, ON-5.8: Ben sits farthest to the dealer's right and refuses, Ann's client cuts."""
    await played(floor, "T2")
    parts = [Cutting(await floor.seat("ann")), Cutting(await floor.seat("ben"), refuses=True)]

    async def have_answered() -> bool:
        felt = await floor.pit.felt("T2")
        for part in parts:
            await part.take_part(felt)
        return felt.cut is not None and (felt.cut.sealed, felt.cut.refused) == (("ann",), ("ben",))

    async def is_cut() -> Felt | None:
        felt = await floor.pit.felt("T2")
        for part in parts:
            await part.take_part(felt)
        return felt if felt.shoe == "T2-S2" else None

    await until(have_answered)
    refused = await typed(floor, "reshuffle", "T2")
    ordered = await typed(floor, "reshuffle", "T2", "--as", "rae")
    await until(is_cut)
    round = await played(floor, "T2")
    events = await floor.table_events("T2", floor.today)
    offered = [event for event in events if isinstance(event, CutOffered)][-1]
    called = [event for event in events if isinstance(event, CutCalled)][-1]
    cut = next(event for event in await floor.events(shoe_stream(floor.today, "T2-S2")) if isinstance(event, ShoeCut))

    assert (refused.exit_code, ordered.exit_code, round_name(round).number) == (1, 0, 2)
    assert (offered.first, [(each.player, each.said) for each in offered.asked]) == ("ordered", [("ben", "refused"), ("ann", "sealed")])
    assert (called.cutter, called.staff, cut.cutter, cut.by) == ("ann", None, "ann", "players")
    assert [event.by for event in events if isinstance(event, ReshuffleOrdered)] == ["rae"]
    assert [event.shoe for event in events if isinstance(event, ShoeMounted)] == ["T2-S1", "T2-S2"]
    assert await floor.findings() == []
