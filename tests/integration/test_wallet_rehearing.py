"""The wallet hears old things again: whole days of settlements and corrections, and a second order to pay what was paid."""

import json
from pathlib import Path

from feltlog.reconciling.report import reconciled
from shared.contracts.stakes import RoundBooked, StakesCorrected, StakesSettled
from shared.contracts.subjects import ledger_stream, log_name
from tests.chaos.vandal import Vandal, vandal
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, running, table_rows
from tests.integration.test_corrections import decided
from tests.integration.test_rulings import STAFF, feltlog

TIMES = 2


async def heard_again(house: Floor, visitor: Vandal) -> None:
    """Let the wallet forget how far it has listened to the tables, and return when it has heard the whole day once more."""
    log = log_name("table", house.today)
    assert await visitor.delete_consumer(log, "wallet"), "the wallet listens"
    await until(lambda: visitor.has_consumer(log, "wallet"))
    await until(lambda: visitor.is_worked_off(log, "wallet"))


async def test_settlement_that_is_heard_again_and_again_is_paid_once(tmp_path: Path):
    """open-bank-oss, opencode, eliza: settled, corrected, then the whole day again, twice and behind a kill: not an entry more."""
    furnish(tmp_path, STAFF, table_rows("T1"))
    async with running(tmp_path) as (machine, house):
        await house.open_tables()
        await house.welcome("ann")
        round, _ = await decided(house)
        for by in ("pit", "dee"):
            await feltlog(tmp_path, "round", "void", round, "--reason", "dealt from the wrong end", "--as", by, "--json")
        approved = [
            await feltlog(tmp_path, "table", "approve", "T1", number, "--as", "supervisor", "--round", round, "--json") for number in "12"
        ]
        await house.happened(ledger_stream(house.today), StakesCorrected)
        before = await house.pages(ledger_stream(house.today))
        async with vandal(machine) as visitor:
            for time in range(TIMES):
                if time == TIMES // 2:
                    machine.kill("wallet")
                await heard_again(house, visitor)
        after = await house.pages(ledger_stream(house.today))
        differences, found = (await reconciled(house.store, "")).differences, await house.findings()
        events = [event for event in await house.events(ledger_stream(house.today)) if getattr(event, "round", None) == round]

    assert [(status, json.loads(said)["code"]) for status, said in approved] == [(0, ""), (2, "nothing_to_correct")]
    assert [page.entry for page in after] == [page.entry for page in before]
    assert [sum(isinstance(event, kind) for event in events) for kind in (StakesSettled, RoundBooked, StakesCorrected)] == [1, 1, 1]
    assert (differences, found) == ([], [])
