"""The ledger under fire: what many want at one time is given once, and a wallet that dies anywhere has moved money or has not.

A movement goes through these awaits: the log takes the append (`before` it), the log's word for it comes back (`behind`), the
table's entry is acknowledged (`acknowledging`), or whoever has asked is answered (`answering`).  At each of them the process is
killed, for each kind of movement that a round brings.
"""

import asyncio
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from feltlog.reading import stream_pages, told
from feltlog.reconciling.report import reconciled
from shared.contracts.cage import Deposit, Deposited, Withdraw
from shared.contracts.stakes import StakeRefused, StakeReserved
from shared.contracts.subjects import ledger_stream
from shared.kernel.messages import Answer
from tests.integration.busy_house import BusyHouse, funds
from tests.integration.evidence import account_of, findings
from tests.integration.gate import Gate, Hold, gate
from tests.integration.patience import PATIENCE_S, until
from tests.integration.running_house import furnish, running, table_rows

BOXES = 7
TABLES = 8
STAKES = 50
STAKE_MINOR, FUNDS_MINOR = 7_00, 100_00
MOVEMENTS = {
    "wallet.StakeReserved.v1": "a stake set aside",
    "wallet.StakesSettled.v1": "a round settled",
    "wallet.RoundBooked.v1": "a round booked",
}
HOLDS: tuple[Hold, ...] = ("before", "behind", "acknowledging")


async def test_fifty_stakes_at_one_time_for_the_last_hundred_take_a_hundred_at_most(tmp_path: Path):
    """W: only available funds are staked, whoever asks for them at one time; whoever is refused is told why."""
    furnish(tmp_path, *(table_rows(f"T{number}", profile="floor", boxes=BOXES) for number in range(1, TABLES + 1)))
    async with running(tmp_path) as (_, floor):
        ann = await floor.welcome("ann", minor=FUNDS_MINOR)
        await floor.open_tables()
        rounds = await asyncio.gather(*(floor.call_round(f"T{number}") for number in range(1, TABLES + 1)))
        places = [(round, box) for round in rounds for box in range(1, BOXES + 1)][:STAKES]
        answers = await asyncio.gather(*(floor.wager("ann", round, box, STAKE_MINOR) for round, box in places))
        events = await floor.events(ledger_stream(floor.today))
        reserved = [event for event in events if isinstance(event, StakeReserved)]
        refused = [event for event in events if isinstance(event, StakeRefused)]
        left_minor = await funds(ann, "ann")

    fit = FUNDS_MINOR // STAKE_MINOR
    assert (
        Counter((answer.status, answer.code) for answer in answers),
        sum(event.minor for event in reserved),
        Counter(event.code for event in refused),
        left_minor,
    ) == (
        {("accepted", ""): fit, ("refused", "insufficient_funds"): STAKES - fit},
        fit * STAKE_MINOR,
        {"insufficient_funds": STAKES - fit},
        FUNDS_MINOR - fit * STAKE_MINOR,
    )


@asynccontextmanager
async def killed(house: BusyHouse, event: str, hold: Hold) -> AsyncIterator[Gate]:
    """Yield a gate that holds the wallet at an append of this event; afterwards the wallet is dead, killed there."""
    await house.stop_process("wallet")
    async with gate(house.machine.url, "wallet", event, hold) as door:
        process: subprocess.Popen[bytes] = house.another("wallet", url=door.url)
        try:
            yield door
        finally:
            process.kill()
            await asyncio.to_thread(process.wait, PATIENCE_S)


async def moved(house: BusyHouse, stream: str) -> Counter[str]:
    """Return how often each movement of a ledger stands in it, by what it is about."""
    async with house.logs() as store:
        found = [each.event for each in told(await stream_pages(store, stream))]
    return Counter(f"{type(event).__name__} {about(event)}" for event in found if about(event))


def about(event: Any) -> str:
    """Return the obligation that a movement meets: a wager's, or a round's with its wagers; empty for what no table asks for."""
    if not hasattr(event, "round"):
        return ""
    lines = ",".join(line.wager for line in getattr(event, "lines", ()))
    return f"{event.round} {getattr(event, 'wager', lines)}"


async def proved(house: BusyHouse) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """Return what is wrong with the house's money, what the proof finds, and where ledger and rounds differ."""
    async with house.logs() as store:
        return (await account_of(store)).wrong, await findings(store), (await reconciled(store, "")).differences


@pytest.mark.parametrize("hold", HOLDS)
@pytest.mark.parametrize("event", MOVEMENTS, ids=MOVEMENTS.get)
async def test_wallet_killed_between_decision_and_acknowledgement_moves_once(house: BusyHouse, event: str, hold: Hold):
    """Log page: effect and position are one append, so after the restart there are both or neither, and nothing is there twice."""
    async with house.evening() as play:
        await play.more_rounds(1)
        async with killed(house, event, hold) as door:
            entry = await door.entry()
            if hold == "behind":
                await until(lambda: is_stored(house, entry), "the entry is stored")
        before = await is_stored(house, entry)
        await house.start_process("wallet")
        await play.more_rounds()
    meant = [f"{type(each).__name__} {about(each)}" for decision in entry.decisions for each in decision.events]
    found = await moved(house, entry.stream)

    assert (before, [found[each] for each in meant], [each for each, times in found.items() if times > 1]) == (
        hold != "before",
        [1] * len(meant),
        [],
    )
    assert await proved(house) == ({}, [], [])


async def is_stored(house: BusyHouse, entry: Any) -> bool:
    """Return whether a revision of a stream stands in the log with exactly these decisions."""
    async with house.logs() as store:
        pages = await stream_pages(store, entry.stream)
    return any(page.entry.revision == entry.revision and page.entry.decisions == entry.decisions for page in pages)


@pytest.mark.parametrize("hold", ["before", "behind", "answering"])
async def test_wallet_killed_on_a_deposit_pays_in_once_and_tells_so_when_asked_again(house: BusyHouse, hold: Hold):
    """An id from outside stands for one movement: whoever got no answer asks again and is told what became of it."""
    id = f"deposit {hold}"
    async with house.pit() as pit, house.voice("pit", "wallet", "ledger") as voice:
        before_minor = await funds(pit, "cyd")
        async with killed(house, "wallet.Deposited.v1", hold) as door:
            asking = asyncio.create_task(asked_until_held(voice, door, id))
            entry = await door.entry()
            if hold == "behind":
                await until(lambda: is_stored(house, entry), "the entry is stored")
        with suppress(asyncio.CancelledError):
            asking.cancel()
            await asking
        was_stored = await is_stored(house, entry)
        await house.start_process("wallet")
        answers = [await pit.ask("wallet", "ledger", deposit(), id=id) for _ in range(2)]
        other = await pit.ask("wallet", "ledger", Deposit(player="cyd", currency="EUR", minor=2_00), id=id)
        after_minor = await funds(pit, "cyd")
        back: Answer = await pit.ask("wallet", "ledger", Withdraw(player="cyd", currency="EUR", minor=1_00))
    async with house.logs() as store:
        times = [each.decision.id for each in told(await stream_pages(store, entry.stream)) if isinstance(each.event, Deposited)].count(id)

    assert (was_stored, [answer.status for answer in answers], other.code, times, after_minor - before_minor, back.status) == (
        hold != "before",
        ["accepted", "accepted"],
        "id_reused",
        1,
        1_00,
        "accepted",
    )


def deposit() -> Deposit:
    """Return the deposit that is asked for."""
    return Deposit(player="cyd", currency="EUR", minor=1_00)


async def asked_until_held(voice: Any, door: Gate, id: str) -> None:
    """Ask for the deposit until the wallet has come up and is held at it."""
    while not door.held.done():
        with suppress(TimeoutError, AssertionError):
            await voice.say(id, deposit())
