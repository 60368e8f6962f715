"""Promotional money on a real house: staked first where the book takes tokens, nowhere else, and every figure told the same everywhere."""

import json
from pathlib import Path
from typing import Any

from shared.contracts.stakes import StakeReserved
from shared.contracts.subjects import ledger_stream
from shared.contracts.wagers import WagersSettled
from shared.contracts.wallet import BookClosed, BookOpened
from shared.runtime.clock import next_day
from tests.integration.running_house import furnish, running, table_rows, time_of_day_in
from tests.integration.test_cage import ROLL_S, STAFF, ZONE, wallet
from tests.integration.test_rulings import feltlog


async def objects(data: Path, *arguments: str) -> list[dict[str, Any]]:
    """Return what a command writes for machines."""
    _, said = await feltlog(data, *arguments, "--json")
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


async def test_promotional_money_is_staked_first_on_the_floor_and_nowhere_else(tmp_path: Path):
    """FL-5.1, ON-3.3: tokens before chips, back in proportion, never withdrawn; a voucher is taken once, whoever asks."""
    furnish(tmp_path, STAFF, table_rows("T1", profile="floor"), table_rows("T2", profile="ontario", maximum="5.00"))
    async with running(tmp_path) as (_, house):
        await house.open_tables()
        await house.welcome("ann", minor=300)
        first = await wallet(tmp_path, "promo", "grant", "ann", "8.00", "--voucher", "SPRING-1")
        again = await wallet(tmp_path, "promo", "grant", "ann", "8.00", "--voucher", "SPRING-1")
        in_words = await feltlog(tmp_path, "wallet", "promo", "grant", "ann", "8.00", "--voucher", "SPRING-1")
        more = await wallet(tmp_path, "promo", "grant", "ann", "9.00", "--voucher", "SPRING-1")
        too_much = await wallet(tmp_path, "withdraw", "ann", "3.01")
        elsewhere = await house.wager("ann", await house.call_round("T2"), 1, 400)
        round = await house.call_round("T1")
        placed = await house.wager("ann", round, 1, 1_000)
        during = await house.pit.balance("ann")
        await house.close_betting("T1", round)
        await house.let_go("T1")
        ledger = await house.booked(round)
        (settled,) = [event for event in await house.round_events(round) if isinstance(event, WagersSettled)]
        returned = sum(line.returned_minor for line in settled.lines)
        (reserved,) = [event for event in await house.events(ledger_stream(house.today)) if isinstance(event, StakeReserved)]
        shown = await feltlog(tmp_path, "wallet", "balance", "ann")
        buckets = {row["bucket"] for row in await objects(tmp_path, "statement", "ann") if "bucket" in row}
        reconciled = await feltlog(tmp_path, "reconcile")
        findings = await house.findings()

    assert (first[0], again[0], more[1]["code"], too_much[1]["code"]) == (0, 0, "id_reused", "insufficient_funds")
    assert (first[1]["again"], again[1]["again"]) == (False, True)
    assert in_words == (0, "This was done before and is not done again: 8.00 EUR were given to ann.\n")
    assert (elsewhere.code, placed.status) == ("insufficient_funds", "accepted")
    assert (reserved.minor, reserved.promo_minor) == (1_000, 800)
    assert [(each.available_minor, each.promo_minor, each.set_aside_minor) for each in during.amounts] == [(100, 0, 1_000)]
    account = ledger.account("ann", "EUR")
    assert account is not None and (account.minor, ledger.promo("ann", "EUR")) == (100 + returned - returned * 8 // 10, returned * 8 // 10)
    assert "promo" in shown[1] and buckets == {"cash", "promo"}
    assert (reconciled[0], findings) == (0, [])


async def test_promotional_money_becomes_cash_by_two_persons(tmp_path: Path):
    """Who granted it and proposed it cannot approve it as well, nor who may not, also after a crash; then it is cash, once."""
    furnish(tmp_path, STAFF, table_rows("T1"))
    async with running(tmp_path) as (machine, house):
        await house.welcome("ann", minor=300)
        await wallet(tmp_path, "promo", "grant", "ann", "8.00", "--as", "manager")
        proposed = await wallet(tmp_path, "adjust", "ann", "+5.00", "--reason", "promo_redeemed", "--as", "manager")
        name = proposed[1]["adjustment"]
        machine.kill("wallet")
        machine.await_ready("wallet")
        alone = [await wallet(tmp_path, "approve", name, "--as", who) for who in ("manager", "lena", "dee")]
        before = await wallet(tmp_path, "withdraw", "ann", "3.01")
        approved = await wallet(tmp_path, "approve", name, "--as", "supervisor")
        machine.kill("wallet")
        machine.await_ready("wallet")
        twice = await wallet(tmp_path, "approve", name, "--as", "pit")
        after = await wallet(tmp_path, "withdraw", "ann", "8.00")
        balance = await house.pit.balance("ann")
        told = [(row["what"], row["bucket"]) for row in await objects(tmp_path, "statement", "ann") if row.get("what") == "promo redeemed"]
        reconciled = await feltlog(tmp_path, "reconcile")
        findings = await house.findings()

    assert [said["code"] for _, said in alone] == ["own_proposal", "job_not_allowed", "job_not_allowed"]
    assert (before[1]["code"], approved[0], twice[1]["code"], after[0]) == ("insufficient_funds", 0, "already_decided", 0)
    assert told == [("promo redeemed", "promo"), ("promo redeemed", "cash")]
    assert [(each.available_minor, each.promo_minor) for each in balance.amounts] == [(0, 300)]
    assert (reconciled[0], findings) == (0, [])


async def test_a_night_makes_cash_of_no_gift(tmp_path: Path):
    """Yesterday's grant is a gift today, yesterday's proposal is gone, and today's takes two persons as well."""
    furnish(tmp_path, STAFF, table_rows("T1"), day_starts=time_of_day_in(ROLL_S, ZONE), zone=ZONE)
    async with running(tmp_path) as (_, house):
        day, tomorrow = house.today, next_day(house.today)
        await house.open_tables()
        await house.welcome("ann", minor=300)
        await wallet(tmp_path, "promo", "grant", "ann", "8.00", "--voucher", "SPRING-1", "--as", "manager")
        yesterday = await propose(tmp_path, "5.00")
        assert house.today == day, "this machine took too long: the day ended before the test had begun"
        await house.happened(ledger_stream(day), BookClosed)
        await house.happened(ledger_stream(tomorrow), BookOpened)
        expired = [await wallet(tmp_path, "approve", yesterday, "--as", who) for who in ("manager", "supervisor")]
        voucher = await wallet(tmp_path, "promo", "grant", "ann", "8.00", "--voucher", "SPRING-1", "--as", "manager")
        today = await propose(tmp_path, "8.00")
        own = await wallet(tmp_path, "approve", today, "--as", "manager")
        gone = await wallet(tmp_path, "promo", "cancel", "ann", "1.00")
        too_much = await wallet(tmp_path, "approve", today, "--as", "supervisor")
        rest = await wallet(tmp_path, "approve", await propose(tmp_path, "7.00"), "--as", "supervisor")
        balance = await house.pit.balance("ann")
        findings = await house.findings()

    assert [said["code"] for _, said in expired] == ["proposal_expired"] * 2
    assert (voucher[1]["again"], own[1]["code"], gone[0], too_much[1]["code"]) == (True, "own_proposal", 0, "insufficient_funds")
    assert (rest[0], [(each.available_minor, each.promo_minor) for each in balance.amounts], findings) == (0, [(1_000, 0)], [])


async def propose(data: Path, amount: str) -> str:
    """Propose as the manager that so much of ann's promotional money becomes cash; return the proposal's name."""
    _, told = await wallet(data, "adjust", "ann", f"+{amount}", "--reason", "promo_redeemed", "--as", "manager")
    return str(told["adjustment"])
