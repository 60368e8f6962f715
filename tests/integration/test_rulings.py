"""Rulings on a real house: one person proposes, another one approves, each with a credential and a job of their own."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from services.table.views import Felt
from shared.contracts.dealing import CardDiscarded, CardExposed
from shared.contracts.rounds import RoundVoided
from shared.contracts.rulings import RulingApproved, RulingProposed
from shared.contracts.shoe import CardsDrawn
from shared.contracts.subjects import shoe_stream
from tests.integration.running_house import furnish, running, table_rows

STAFF = '[staff]\npit = "pit_boss"\ndee = "dealer"\nsupervisor = "casino_supervisor"\ninspector = "inspector"\n'
PATIENCE_S = 60


async def feltlog(data: Path, *arguments: str) -> tuple[int, str]:
    """Run a command as a person runs it; return its status and all that it says."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FELTLOG_")}
    command = [sys.executable, "-m", "feltlog", *arguments, "--data", str(data)]
    done = await asyncio.to_thread(subprocess.run, command, env=inherited, capture_output=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


async def test_two_persons_void_a_round_and_the_stakes_go_back(tmp_path: Path):
    """Refused for who proposed it and for a job that may not; approved by a second person, and everything proves itself."""
    furnish(tmp_path, STAFF, table_rows("T1"))
    async with running(tmp_path) as (_, house):
        await house.open_tables()
        await house.welcome("ann")
        round, _turn = await house.turn("T1", [("ann", 1)])
        proposed = await feltlog(tmp_path, "table", "void", "T1", "--reason", "cards fell", "--as", "pit", "--json")
        shown = await feltlog(tmp_path, "table", "proposals", "T1")
        felt: Felt = await house.pit.felt("T1")
        own = await feltlog(tmp_path, "table", "approve", "T1", "1", "--as", "pit", "--json")
        job = await feltlog(tmp_path, "table", "approve", "T1", "1", "--as", "inspector")
        playing = (await house.pit.felt("T1")).phase
        approved = await feltlog(tmp_path, "table", "approve", "T1", "1", "--as", "supervisor")
        over = await house.felt("T1", lambda felt: felt.phase == "void")
        again = await feltlog(tmp_path, "table", "approve", "T1", "1", "--as", "supervisor", "--json")
        ledger = await house.booked(round)
        events = await house.round_events(round)
        replayed = await feltlog(tmp_path, "replay", round)
        found = await house.findings()

    assert [status for status, _ in (proposed, shown, own, job, approved, again, replayed)] == [0, 0, 2, 2, 0, 2, 0]
    assert (json.loads(proposed[1])["proposal"], json.loads(own[1])["code"], json.loads(again[1])["code"]) == (
        1,
        "own_proposal",
        "no_such_proposal",
    )
    assert ("cards fell" in shown[1], "job_not_allowed" in job[1], playing in ("decision", "insurance")) == (True, True, True)
    assert ([proposal.by for proposal in felt.proposals], over.void_reason) == (["pit"], "void: cards fell")
    assert [(event.by, event.job) for event in events if isinstance(event, RulingProposed | RulingApproved)] == [
        ("pit", "pit_boss"),
        ("supervisor", "casino_supervisor"),
    ]
    assert isinstance(events[-1], RoundVoided) and over.lines[0].returned_minor == over.lines[0].stake_minor
    assert "Proposal 1 approved by supervisor, casino supervisor: the round is void" in replayed[1]
    assert (round in ledger.booked, found) == (True, [])


async def test_cards_of_rulings_leave_the_real_shoe_and_are_accounted_for(tmp_path: Path):
    """LV-3.5, ON-11.1, ON-11.3: three burns, a card face up and an exposed one, in the shoe's log and in the round's."""
    furnish(tmp_path, STAFF, table_rows("T1"))
    async with running(tmp_path) as (_, house):
        await house.open_tables()
        await house.welcome("ann")
        round, _turn = await house.turn("T1", [("ann", 1)])
        said = []
        for number, kind in enumerate(("game_error", "face_up_card", "exposed_card"), 1):
            said.append(await feltlog(tmp_path, "table", "report", "T1", kind, "--as", "dee"))
            said.append(await feltlog(tmp_path, "table", "approve", "T1", str(number), "--as", "pit"))
            await house.felt("T1", lambda felt: felt.phase == "decision")
        exposed = (await house.pit.felt("T1")).exposed
        await house.let_go("T1")
        await house.booked(round)
        events = await house.round_events(round)
        shoe = next(event.shoe for event in events if isinstance(event, CardDiscarded))
        drawn = [
            card.index
            for event in await house.events(shoe_stream(house.today, shoe))
            if isinstance(event, CardsDrawn) and event.round == round
            for card in event.cards
        ]
        replayed = await feltlog(tmp_path, "replay", round)
        racked = await feltlog(tmp_path, "rack", shoe, "--round", round)
        found = await house.findings()

    astray = [
        event.index for event in events if isinstance(event, CardDiscarded | CardExposed) and getattr(event, "astray", "") != "unused"
    ]
    assert ([status for status, _ in said], len(exposed), len(astray), set(astray) <= set(drawn)) == ([0] * 6, 1, 5, True)
    assert (replayed[0], "goes to the discard rack: a game error" in replayed[1], found) == (0, True, [])
    assert (racked[0], racked[1].count("burned for a game error"), "Backed up" in racked[1]) == (0, 3, True)
