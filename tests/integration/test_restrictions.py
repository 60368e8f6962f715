"""Restrictions and face-down cards in a running house: staff speak with their own credentials, and players see their own cards alone."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from feltlog.__main__ import app
from feltlog.client import Declined
from feltlog.commands.connection import at_the_door
from feltlog.commands.up import open_tables
from shared.contracts.dealing import HandExposed
from shared.contracts.restrictions import (
    ApproveFaceDown,
    BoxesReserved,
    HoldPlayer,
    InForceNoted,
    NoticeTaken,
    PlayerHeld,
    ReserveBoxes,
    TakeNotice,
)
from shared.contracts.shoe import OwnHand
from shared.contracts.subjects import shoe_stream
from shared.contracts.table import CallRound
from shared.kernel.messages import Answer
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, running, table_rows

STAFF = '\n[staff]\npit = "pit_boss"\nsupervisor = "casino_supervisor"\nmanager = "duty_manager"\ninspector = "inspector"\n'


@pytest.fixture
async def floor(tmp_path: Path) -> AsyncIterator[Floor]:
    """A house with a floor table, a table that deals face down, and two players."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "hidden.toml").write_text('name = "hidden"\nbase = "floor"\nplayers_cards = "down"\n')
    furnish(tmp_path, STAFF, table_rows("T1", profile="floor"), table_rows("T2", profile="hidden"))
    async with running(tmp_path) as (_, floor):
        await open_tables(floor.house)
        await floor.welcome("ann")
        await floor.welcome("ben")
        yield floor


async def ruled(floor: Floor, by: str, table: str, command: object) -> Answer:
    """What the house says to a restriction of a member of staff."""
    async with at_the_door(floor.house, None, by) as door:
        return await door.ask("table", table, command)


async def typed(floor: Floor, *words: str) -> Result:
    """What `feltlog table` does at a keyboard."""
    return await asyncio.to_thread(lambda: CliRunner().invoke(app, ["table", *words, "--data", str(floor.house.data)]))


async def noted(floor: Floor, round: str, times: int) -> bool:
    """Whether a round has taken note so often of what holds."""
    return sum(isinstance(event, InForceNoted) for event in await floor.round_events(round)) == times


async def waits_for(floor: Floor, table: str, why: str) -> bool:
    """Whether a table waits for this."""
    rows = await floor.pit.query("table", "tables", list[dict[str, object]])
    return any((row["table"], row["waits_for"]) == (table, why) for row in rows)


async def test_restrictions_hold_from_the_next_wager_on(floor: Floor):
    """FL-5.10, FL-5.12, FL-5.13, decision 24: each by its job and its credential, an inspector notified first, and proved in the end."""
    await floor.ready("T1")
    first = await floor.call_round("T1")
    await floor.wager("ben", first, 1, 100)
    await floor.close_betting("T1", first)
    await floor.let_go("T1")
    round = await floor.call_round("T1")
    said = [
        await ruled(floor, "pit", "T1", HoldPlayer(player="ann", rule="FL-5.10")),
        await ruled(floor, "supervisor", "T1", HoldPlayer(player="ann", rule="FL-5.10")),
        await ruled(floor, "manager", "T1", HoldPlayer(player="ben", rule="FL-5.12")),
        await ruled(floor, "inspector", "T1", TakeNotice(player="ben", rule="FL-5.12")),
        await ruled(floor, "manager", "T1", HoldPlayer(player="ben", rule="FL-5.12")),
        await ruled(floor, "supervisor", "T1", ReserveBoxes(player="ann", first=2, last=3)),
    ]
    await until(lambda: noted(floor, round, 3))
    said += [
        await floor.wager("ann", round, 2, 200),
        await floor.wager("ann", round, 2, 100),
        await floor.wager("ben", round, 3, 100),
        await floor.wager("ben", round, 1, 100),
    ]
    await floor.close_betting("T1", round)
    await floor.let_go("T1")
    shown = await typed(floor, "restrictions", "T1", "--json")
    stranger = await typed(floor, "release", "T1", "ann", "--boxes", "--as", "eve")
    refused = await typed(floor, "release", "T1", "ann", "--boxes", "--as", "manager", "--json")
    released = await typed(floor, "release", "T1", "ann", "--boxes", "--as", "supervisor")
    people = [event for event in await floor.table_events("T1", floor.today) if isinstance(event, NoticeTaken | PlayerHeld | BoxesReserved)]

    assert [answer.code or answer.status for answer in said] == [
        *("job_not_allowed", "accepted", "inspector_not_notified", "accepted", "accepted", "accepted"),
        *("held_to_minimum", "accepted", "box_reserved", "accepted"),
    ]
    assert [(event.by, event.job) for event in people] == [
        ("supervisor", "casino_supervisor"),
        ("inspector", "inspector"),
        ("manager", "duty_manager"),
        ("supervisor", "casino_supervisor"),
    ]
    assert json.loads(shown.output)["kept"] == [{"player": "ann", "first": 2, "last": 3}]
    assert (stranger.exit_code, json.loads(refused.output)["code"]) == (1, "job_not_allowed")
    assert released.output == "No box is kept for ann any more, nor counts as given up.\n"
    assert await floor.findings() == []


async def test_face_down_table_shows_cards_to_their_own_players_alone(floor: Floor):
    """FL-3.5, decision 25: once an inspector approved; in no log before they are turned up, and proved in the end."""
    await until(lambda: waits_for(floor, "T2", "face_down_not_approved"))
    waits = await floor.pit.ask("table", "T2", CallRound())
    approved = await ruled(floor, "inspector", "T2", ApproveFaceDown())
    ann, ben = await floor.seat("ann"), await floor.seat("ben")
    # A blackjack is turned up at once: the round that is looked at has none.
    while True:
        round = await floor.call_round("T2")
        await floor.wager("ann", round, 1, 100)
        await floor.close_betting("T2", round)
        felt = await floor.felt("T2", lambda felt: felt.phase in ("insurance", "decision", "settled"))
        if felt.phase != "settled" and felt.boxes[0].hands[0].down:
            break
        await floor.let_go("T2")
    (own,) = await ann.query("shoe", "T2", list[OwnHand])
    others = await ben.query("shoe", "T2", list[OwnHand])
    with pytest.raises(Declined):
        await floor.pit.query("shoe", "T2", list[OwnHand])
    logs = b"".join([msgspec.json.encode(page.entry) for page in await floor.pages(shoe_stream(floor.today, "T2-S1"))])
    told = [opening.salt.encode() in logs for opening in own.cards]
    await floor.let_go("T2")
    exposed = next(event for event in await floor.round_events(round) if isinstance(event, HandExposed))

    assert (waits.code, approved.status, others, told) == ("face_down_not_approved", "accepted", [], [False, False])
    assert tuple(opening.card for opening in own.cards) == exposed.cards
    assert await floor.findings() == []
