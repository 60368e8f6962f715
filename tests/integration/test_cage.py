"""The cage on a real house: two persons for an adjustment, blocks that look forward, and requests that are done once."""

import asyncio
import json
from pathlib import Path
from typing import Any

from services.surveillance.domain.findings import Code, Finding
from services.wallet.views import Balance
from shared.contracts.cage import AdjustmentDeclined, AdjustmentMade, AdjustmentProposed, MovementRefused
from shared.contracts.decisions import Double
from shared.contracts.stakes import StakeRefused
from shared.contracts.subjects import alarm, ledger_stream
from shared.contracts.wagers import CommandRefused, WagerRefused
from shared.contracts.wallet import BookClosed, BookOpened
from shared.kernel.messages import Answer
from shared.runtime.clock import next_day
from shared.runtime.line import open_line
from tests.house.documents import blocks, run
from tests.house.tree import ROOT
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, running, table_rows, time_of_day_in
from tests.integration.test_rulings import feltlog

STAFF = '[staff]\npit = "pit_boss"\ndee = "dealer"\nsupervisor = "casino_supervisor"\nmanager = "duty_manager"\nlena = "support"\n'
CAPS = '[wallet]\nadjustment_max = { EUR = "50.00" }\n'
ZONE = "Asia/Kolkata"
ROLL_S = 22.0


async def wallet(data: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run a command of the cage; return its status and the last object that it writes, or what it says otherwise."""
    status, said = await feltlog(data, "wallet", *arguments, "--json")
    lines = [line for line in said.splitlines() if line.startswith("{")]
    return status, json.loads(lines[-1]) if lines else {"said": said}


async def codes(floor: Floor) -> list[str]:
    """Return the codes of what surveillance has found."""
    return [found.code.value for found in await floor.pit.query("surveillance", "findings", list[Finding])]


async def test_two_persons_adjust_an_account_and_a_third_one_hears_of_it(tmp_path: Path):
    """Refused for who proposed it, for a job that may not, and above the book's cap; made once, and alarmed."""
    furnish(tmp_path, STAFF, CAPS, table_rows("T1"))
    async with running(tmp_path) as (machine, house):
        await house.welcome("ann", minor=1_000)
        line = await open_line(machine.url, user="manager", credentials=machine.house.credentials("manager"))
        alarms = await line.watch(alarm("surveillance", "finding"))
        proposed = await wallet(tmp_path, "adjust", "ann", "-12.50", "--reason", "cage_error", "--note", "counted twice", "--as", "lena")
        name = proposed[1]["adjustment"]
        shown = await feltlog(tmp_path, "wallet", "proposals")
        own = await wallet(tmp_path, "approve", name, "--as", "lena")
        job = await wallet(tmp_path, "approve", name, "--as", "dee")
        before: Balance = await house.pit.balance("ann")
        approved = await feltlog(tmp_path, "wallet", "approve", name, "--as", "supervisor")
        again = await wallet(tmp_path, "approve", name, "--as", "manager")
        above = await wallet(tmp_path, "adjust", "ann", "+50.01", "--reason", "goodwill")
        fine = await wallet(tmp_path, "adjust", "ann", "+50.001", "--reason", "goodwill")
        today = await wallet(tmp_path, "adjust", "ann", "+5", "--reason", "round_correction", "--round", f"T1.{house.today}-000001")
        declined = await wallet(tmp_path, "adjust", "ann", "+5.00", "--reason", "goodwill")
        await wallet(tmp_path, "decline", declined[1]["adjustment"], "--as", "manager", "--note", "no")
        balance = await wallet(tmp_path, "balance", "ann")
        heard = await alarms.next(timeout_s=10)
        await until(lambda: _holds(house, "adjusted"), "surveillance has found the adjustment")
        await line.close()
        events = await house.events(ledger_stream(house.today))
        statement = await feltlog(tmp_path, "statement", "ann", "--json")
        findings, verified = await house.findings(), await feltlog(tmp_path, "verify")

    amounts = balance[1]["amounts"][0]
    assert (proposed[0], name, "counted twice" in shown[1]) == (0, f"{house.today}-1", True)
    assert [(status, told["code"]) for status, told in (own, job, again, above, today)] == [
        (2, "own_proposal"),
        (2, "job_not_allowed"),
        (2, "already_decided"),
        (2, "above_cap"),
        (2, "round_of_open_day"),
    ]
    assert (before.amounts[0].available_minor, approved) == (
        1_000,
        (0, f"{name} is approved: 12.50 EUR from ann (cage error).\n"),
    )
    assert (amounts["available_minor"], amounts["owed_minor"], balance[1]["blocked"]) == (0, 250, False)
    assert "50.001 EUR is finer than the currency" in fine[1]["said"]
    made = [event for event in events if isinstance(event, AdjustmentMade)]
    assert [(event.proposed_by, event.by, event.job, event.minor) for event in made] == [("lena", "supervisor", "casino_supervisor", -1250)]
    kinds = (AdjustmentProposed, AdjustmentDeclined, MovementRefused)
    assert [sum(isinstance(event, kind) for event in events) for kind in kinds] == [2, 1, 5]
    assert (json.loads(heard or b"{}").get("code"), json.loads(heard or b"{}").get("stream")) == ("adjusted", ledger_stream(house.today))
    rows = [json.loads(line) for line in statement[1].splitlines()]
    assert [row["bucket"] for row in rows if row.get("what") == "adjustment"] == ["cash", "owed"]
    assert (findings, verified[0], "1 remark" in verified[1]) == ([], 0, True)


async def _holds(house: Floor, code: str) -> bool:
    return code in await codes(house)


async def test_a_blocked_player_plays_the_round_to_its_end_and_no_other(tmp_path: Path):
    """New stakes are refused, a double in the running round too; the round settles, and money comes in and goes out."""
    furnish(tmp_path, STAFF, CAPS, table_rows("T1"))
    async with running(tmp_path) as (_, house):
        await house.open_tables()
        ann = await house.welcome("ann")
        round, turn = await house.turn("T1", [("ann", 1)])
        blocked = await wallet(tmp_path, "block", "ann", "--reason", "self_exclusion", "--note", "asked for it", "--as", "lena")
        doubled: Answer = await ann.ask("table", "T1", Double(round=round, box=1, hand=turn.hand))
        await house.let_go("T1")
        await house.booked(round)
        moved = [await wallet(tmp_path, word, "ann", "10.00") for word in ("deposit", "withdraw")]
        staff, player = await house.pit.balance("ann"), await ann.balance()
        shown = await feltlog(tmp_path, "wallet", "balance", "ann")
        second = await house.call_round("T1")
        refused = await house.wager("ann", second, 1)
        no = await wallet(tmp_path, "unblock", "ann", "--reason", "self_exclusion", "--because", "term_over", "--as", "lena")
        unblocked = await wallet(tmp_path, "unblock", "ann", "--reason", "self_exclusion", "--because", "term_over", "--as", "manager")
        taken = await house.wager("ann", second, 1)
        await house.close_betting("T1", second)
        await house.let_go("T1")
        await house.booked(second)
        first, events = await house.round_events(round), await house.events(ledger_stream(house.today))
        findings = await house.findings()

    assert (blocked[0], doubled.status, doubled.code) == (0, "refused", "account_blocked")
    assert [event.code for event in first if isinstance(event, WagerRefused | CommandRefused)] == ["account_blocked"]
    assert [status for status, _ in moved] == [0, 0]
    assert ((staff.blocked, staff.blocks), (player.blocked, player.blocks)) == ((True, ("self_exclusion",)), (True, ()))
    assert "ann places no stakes (self exclusion)" in shown[1]
    assert (refused.code, no[1]["code"], unblocked[0], taken.status) == ("account_blocked", "job_not_allowed", 0, "accepted")
    assert [event.code for event in events if isinstance(event, StakeRefused)] == ["account_blocked", "account_blocked"]
    assert findings == []


async def test_a_request_is_done_once_whenever_it_is_asked_again(tmp_path: Path):
    """The same id has the first answer, also after a restart; with other content nothing is written."""
    furnish(tmp_path, STAFF, CAPS, table_rows("T1"))
    slip = ("deposit", "ann", "10.00", "--id", "slip-1")
    proposal = ("adjust", "ann", "+5.00", "--reason", "goodwill", "--id", "slip-2")
    refusal = ("withdraw", "ann", "10000.00", "--id", "slip-3")
    async with running(tmp_path) as (_, house):
        await house.welcome("ann")
        first = [await wallet(tmp_path, *each) for each in (slip, proposal, refusal)]
        other = await wallet(tmp_path, "deposit", "ann", "11.00", "--id", "slip-1")
        another = await wallet(tmp_path, "deposit", "ann", "10.00", "--id", "slip-1", "--as", "manager")
        written = len(await house.pages(ledger_stream(house.today)))
        await wallet(tmp_path, "deposit", "ann", "90000.00")
    async with running(tmp_path) as (_, house):
        again = [await wallet(tmp_path, *each) for each in (slip, proposal, refusal)]
        other_again = await wallet(tmp_path, "deposit", "ann", "11.00", "--id", "slip-1")
        after = await house.pages(ledger_stream(house.today))
        dealer = await wallet(tmp_path, "balance", "ann")
        findings = await house.findings()

    assert ([status for status, _ in first], again) == ([0, 0, 2], [(status, {**told, "again": True}) for status, told in first])
    assert [told["code"] for _, told in (other, another, other_again)] == ["id_reused"] * 3
    assert (len(after), dealer[1]["revision"], dealer[1]["day"]) == (written + 1, written + 1, house.today)
    assert findings == []


async def test_a_block_outlasts_the_day_and_a_proposal_does_not(tmp_path: Path):
    """Tomorrow's book carries who is blocked; what was proposed today has to be proposed again."""
    furnish(tmp_path, STAFF, CAPS, table_rows("T1"), day_starts=time_of_day_in(ROLL_S, ZONE), zone=ZONE)
    async with running(tmp_path) as (_, house):
        day, tomorrow = house.today, next_day(house.today)
        await house.open_tables()
        await house.welcome("ann")
        await wallet(tmp_path, "block", "ann", "--reason", "identity")
        proposed = await wallet(tmp_path, "adjust", "ann", "+5.00", "--reason", "goodwill", "--id", "slip-1")
        assert house.today == day, "this machine took too long: the day ended before the test had begun"
        await house.happened(ledger_stream(day), BookClosed)
        opened = await house.happened(ledger_stream(tomorrow), BookOpened)
        expired = await wallet(tmp_path, "approve", proposed[1]["adjustment"], "--as", "supervisor")
        repeated = await wallet(tmp_path, "adjust", "ann", "+5.00", "--reason", "goodwill", "--id", "slip-1")
        late = await wallet(
            tmp_path, "adjust", "ann", "+5.00", "--reason", "round_correction", "--round", f"T1.{day}-000001", "--as", "manager"
        )
        made = await wallet(tmp_path, "approve", late[1]["adjustment"], "--as", "supervisor")
        await house.ready("T1")
        round = await house.call_round("T1")
        wager = await house.wager("ann", round, 1)
        findings = await house.findings()

    caps = {cap.currency: cap.minor for cap in opened.caps}
    assert (caps["EUR"], caps["JPY"]) == (5_000, 100_000)
    assert ((expired[0], expired[1]["code"]), repeated[1]["status"], repeated[1]["message"]) == (
        (2, "proposal_expired"),
        "accepted",
        proposed[1]["message"],
    )
    # No round was played yesterday, so nobody can have put one right.
    assert (made[0], late[1]["adjustment"], wager.code, [finding.code for finding in findings]) == (
        0,
        f"{tomorrow}-1",
        "account_blocked",
        [Code.UNKNOWN_ROUND],
    )


async def test_the_page_tells_the_truth(tmp_path: Path):
    """What the page on the cage shows is what a house says."""
    furnish(tmp_path, STAFF, table_rows("T1"))
    page = ROOT / "docs" / "wallet.md"
    async with running(tmp_path) as (_, house):
        names = {"FELTLOG_DATA": str(tmp_path), "REDEMPTION": f"{house.today}-1", "ADJUSTMENT": f"{house.today}-2"}
        reports = [await asyncio.to_thread(run, block, names) for block in blocks(page, "integration")]

    assert reports == [[], [], [], []]
