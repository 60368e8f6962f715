"""Cards that staff see to in a running house: every step at a keyboard, each with the own credential, and the table killed in between."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from feltlog.__main__ import app
from feltlog.commands.up import open_tables
from feltlog.machine import Machine
from shared.contracts.procedure import CardsReplaced, ProcedureEvent, ShoeInspected
from shared.contracts.table import CallRound, ShoeCalled
from tests.house.documents import blocks, run
from tests.house.tree import ROOT
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, names, running, table_rows

STAFF = '\n[staff]\npit = "pit_boss"\ndan = "dealer"\n'
SMALL = 'decks = 1\n\n[shoe]\nprocedure = "staff"\nburns_after_shuffle = 1\ncutting_card = [[3, 4], [3, 4]]\n'
"""A shoe that ends with its first round or its second: 13 of 52 cards lie in front of the cutting card."""


def furnished(data: Path, rules: str) -> None:
    """Write a house with one table under a profile of its own."""
    (data / "profiles").mkdir(parents=True)
    (data / "profiles" / "mine.toml").write_text(f'name = "mine"\nbase = "live"\n{rules}')
    furnish(data, STAFF, table_rows("T1", profile="mine"))


@pytest.fixture
async def manned(tmp_path: Path) -> AsyncIterator[tuple[Machine, Floor]]:
    """A house whose one table plays from one deck that a dealer sees to, and a player."""
    furnished(tmp_path, SMALL)
    async with running(tmp_path) as (machine, floor):
        await open_tables(floor.house)
        await floor.welcome("ann")
        yield machine, floor


async def typed(floor: Floor, *words: str) -> Result:
    """What `feltlog` does at a keyboard."""
    return await asyncio.to_thread(lambda: CliRunner().invoke(app, [*words, "--data", str(floor.house.data)]))


async def do(floor: Floor, *steps: str) -> list[str]:
    """What dan is told of some steps, one after the other: a refusal's code, or the step that comes next."""
    told = []
    for step in steps:
        said = await typed(floor, "table", "step", "T1", *step.split(), "--as", "dan", "--json")
        answer = json.loads(said.stdout)
        assert said.exit_code == (2 if answer["status"] == "refused" else 0), said.output
        told.append(answer["code"] or str(answer["next_step"]))
    return told


async def waits_for_cards(floor: Floor) -> bool:
    """Whether the table waits for a step."""
    return (await floor.pit.felt("T1")).next_step is not None


async def play_round(floor: Floor) -> str:
    """Play a round, and return its id."""
    round = await floor.call_round("T1")
    await floor.wager("ann", round, 1, 100)
    await floor.close_betting("T1", round)
    await floor.let_go("T1")
    return round


async def test_cards_go_through_every_step_and_are_dealt(manned: tuple[Machine, Floor]):
    """LV-1.5, LV-3.1, LV-3.2: in the book's order, through a killed table service, and proved in the end."""
    machine, floor = manned
    early = await floor.pit.ask("table", "T1", CallRound())
    told = await do(floor, "wash", "inspect-shoe", "inspect-decks", "inspect-decks --video CAM3/1", "shuffle")
    machine.kill("table")
    await asyncio.to_thread(machine.await_ready, "table")
    told += await do(floor, "inspect-decks --video CAM3/1", "present --video CAM3/2", "wash", "stack", "shuffle", "stack", "wash")
    first = await play_round(floor)
    while not await waits_for_cards(floor):
        await play_round(floor)
    listed = await typed(floor, "table", "list")
    told += await do(floor, "present --video CAM3/2", "stack")
    not_theirs = await typed(floor, "table", "replace-cards", "T1", "--as", "dan")
    replaced = await typed(floor, "table", "replace-cards", "T1", "--note", "worn", "--as", "pit")
    told += await do(floor, "wash", "inspect-decks --decks 2 --video CAM3/3", "inspect-decks --video CAM3/3", "present --video CAM3/4")
    told += await do(floor, "wash", "shuffle", "stack")
    await play_round(floor)
    replayed, steps = await typed(floor, "replay", first), await typed(floor, "shoe", "steps", "T1-S2", "--json")
    events = await floor.table_events("T1", floor.today)

    assert early.code == "step_missing"
    assert told[:5] == ["step_missing", "inspect_decks", "video_missing", "present", "step_missing"]
    assert told[5:12] == ["step_done", "wash", "shuffle", "step_missing", "stack", "None", "cards_in_shoe"]
    assert told[12:] == ["step_done", "step_missing", "step_missing", "inspect_decks", "present", "wash", "shuffle", "stack", "None"]
    assert "wash the cards" in listed.output
    assert (not_theirs.exit_code, replaced.exit_code) == (1, 0)
    assert "dan (dealer) spreads the cards face up; video CAM3/2" in replayed.output
    assert [json.loads(line)["what"] for line in steps.stdout.splitlines()][1:3] == [
        "has the cards replaced by others; “worn”",
        "inspects 2 decks, and finds: wrong number of decks; no card goes in; video CAM3/3",
    ]
    assert names([event for event in events if isinstance(event, ShoeInspected | CardsReplaced | ShoeCalled)]) == [
        *("ShoeInspected", "ShoeCalled", "CardsReplaced", "ShoeCalled"),
    ]
    assert {(event.by, event.job) for event in events if isinstance(event, ProcedureEvent)} == {("dan", "dealer"), ("pit", "pit_boss")}
    assert await floor.findings() == []


async def test_page_about_the_procedure_does_what_it_says(tmp_path: Path):
    """Whoever types what docs/procedure.md shows sees what it shows."""
    furnished(tmp_path, '[shoe]\nprocedure = "staff"\n')
    page = ROOT / "docs" / "procedure.md"
    async with running(tmp_path) as (_, floor):
        await open_tables(floor.house)
        await until(lambda: waits_for_cards(floor))
        reports = [await asyncio.to_thread(run, block, {"FELTLOG_DATA": str(tmp_path)}) for block in blocks(page, "integration")]

    assert reports == [[], []]
