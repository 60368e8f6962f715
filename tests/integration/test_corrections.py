"""Corrections on a real house: two persons rule, and the wallet dies between the round's event and its booking."""

import json
import os
import signal
from pathlib import Path

from services.wallet.domain.state import Ledger
from shared.contracts.rounds import RoundCorrected
from shared.contracts.stakes import StakesCorrected
from shared.contracts.subjects import ledger_stream, round_name, table_stream
from shared.contracts.table import BookingNoted, CorrectionNoted
from shared.contracts.wagers import SettlementLine, WagersCorrected, WagersSettled
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, running, table_rows
from tests.integration.test_rulings import STAFF, feltlog


async def decided(house: Floor) -> tuple[str, SettlementLine]:
    """Play rounds until one is won or lost, and return it with its line, once it is booked."""
    while True:
        round, _ = await house.turn("T1", [("ann", 1)])
        await house.let_go("T1")
        await house.booked(round)
        lines = [line for event in await house.round_events(round) if isinstance(event, WagersSettled) for line in event.lines]
        if lines[0].returned_minor != lines[0].stake_minor:
            return round, lines[0]


async def test_correction_is_booked_once_though_the_wallet_dies_in_between(tmp_path: Path):
    """Log page, corrections: killed after the round has spoken and before it has booked, the wallet moves the difference once."""
    furnish(tmp_path, STAFF, table_rows("T1"))
    async with running(tmp_path) as (machine, house):
        await house.open_tables()
        await house.welcome("ann")
        round, line = await decided(house)
        before = (await house.ledger(house.today)).account("ann", "EUR")
        proposed = await feltlog(tmp_path, "round", "void", round, "--reason", "dealt from the wrong end", "--as", "pit", "--json")
        own = await feltlog(tmp_path, "table", "approve", "T1", "1", "--as", "pit", "--json")
        hung = machine.pid("wallet")
        assert hung is not None, "the wallet is there"
        os.kill(hung, signal.SIGSTOP)
        approved = await feltlog(tmp_path, "table", "approve", "T1", "1", "--as", "supervisor", "--json")
        told: WagersCorrected = await house.happened(round_name(round).stream, WagersCorrected)
        unbooked = not await house.has(ledger_stream(house.today), StakesCorrected)
        machine.kill("wallet")
        await house.happened(ledger_stream(house.today), StakesCorrected)
        await until(lambda: noted(house, round))
        again = await feltlog(tmp_path, "table", "approve", "T1", "1", "--as", "supervisor", "--round", round, "--json")
        card = await feltlog(tmp_path, "round", "correct", round, "--cards", "0=2H", "--json")
        booked = [event for event in await house.events(ledger_stream(house.today)) if isinstance(event, StakesCorrected)]
        ledger: Ledger = await house.ledger(house.today)
        events = await house.round_events(round)
        replayed = await feltlog(tmp_path, "replay", round)
        stated = await feltlog(tmp_path, "statement", "ann")
        proved = await feltlog(tmp_path, "verify", round)
        found = await house.findings()

    difference = line.stake_minor - line.returned_minor
    after = ledger.account("ann", "EUR")
    assert before is not None and after is not None
    assert [status for status, _ in (proposed, own, approved, again, card, replayed, stated, proved)] == [0, 2, 0, 2, 2, 0, 0, 0]
    assert [json.loads(said)["code"] for _, said in (own, again, card)] == ["own_proposal", "already_decided", "card_proved"]
    assert (unbooked, len(booked), [each.settled_minor for each in told.lines]) == (True, 1, [line.returned_minor])
    assert (after.minor - before.minor, ledger.total("EUR"), found) == (difference, 0, [])
    assert [type(event) for event in events[-2:]] == [RoundCorrected, WagersCorrected]
    assert ("Correction 1: the round is void" in replayed[1], "corrected" in stated[1]) == (True, True)


async def noted(house: Floor, round: str) -> bool:
    """Return whether the table has heard of the correction from its round and from the ledger."""
    events = await house.events(table_stream(house.today, "T1"))
    return CorrectionNoted in map(type, events) and BookingNoted(round=round, number=1) in events
