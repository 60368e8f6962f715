"""What went wrong in other people's wallets, tried on this one: the real server, and every service as a process.

Most of those stories are told by tests of their own:

- a settlement that is delivered again and again, in the old order or behind a kill; one that was reversed and is then delivered again;
  one obligation that two ways lead to, the table's and a supervisor's: `test_wallet_rehearing.py`;
- the same id with another amount, one after the other and behind a crash: `test_repeats.py`, `test_cage.py`;
- a void before its bet, twice, and a win behind it: `test_odd_order.py`;
- a hold that was refused and is then settled: here;
- a crash at every await between the decision and whoever waits for it: `test_ledger_under_fire.py`, `test_crashes.py`;
- a stake that is set aside while its wager lapses, and looked at in between: `test_wallet_away.py`;
- a balance that is read from a copy which lags behind: here;
- two errors of conversion that undo one another at home and not at the partner's: `test_wire_amounts.py`, by the bytes that leave the
  house today (its entries, statements, balances and rows), for operators' wallets are not connected yet;
- odd stakes, and what a blackjack and insurance make of them, with two, none and three decimals: `test_odd_stakes.py`;
- somebody who sits down in the middle of a round, and a wager that is said a dozen times, or behind the close: here;
- a wager in the moment of the close: here;
- an id of a day whose book is closed, when nothing is remembered of it but that: `test_gaming_day.py`;
- running sums of a currency without decimals: `test_wire_amounts.py`; rows that grew and are those that are made anew, and rows that know
  more than the log: `test_read_side.py`;
- an append that nobody heard was stored, sent again within and behind the server's memory of what it has seen; a listener that
  is killed, or away, while something is said; a crash between the two: `test_outages.py`, `test_crashes.py`;
- two lines of a copy glued together, and what else befalls lines: `test_malformed_copies.py`;
- a card guessed from all that was said before it was dealt: `test_undealt.py`;
- a round that staff void, said to be done only when the stakes went back: `test_rulings.py`; a settlement that is corrected, once,
  though the wallet dies in between: `test_corrections.py`;
- promotional money that is not to be withdrawn: `test_promo.py`; nor what is set aside: here;
- all seats of all tables against one house: here, why nobody waits for another; how fast, in the bench `ledger-7-postgres`.

Whether one player wins with one dealer alone is a question to the statistics of many evenings, which are not kept yet.
"""

import asyncio
import os
import signal
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from feltlog.machine import Machine
from feltlog.reconciling.report import reconciled
from shared.contracts.cage import Withdraw
from shared.contracts.stakes import StakeRefused, StakeReleased, StakeReserved, StakesSettled
from shared.contracts.subjects import ledger_stream
from shared.contracts.wagers import WagerAccepted, WagerPlaced
from tests.integration.busy_house import funds
from tests.integration.patience import until
from tests.integration.running_house import Floor, floor, furnish, table_rows

SPAM = 12


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A house with two tables that dealers run."""
    data: Path = tmp_path_factory.mktemp("wallet")
    furnish(data, *(table_rows(table, profile="floor", reserve_ms=60_000) for table in ("T1", "T2")))
    with Machine(data) as running:
        yield running


async def movements(house: Floor, kind: type[Any], round: str) -> list[Any]:
    """Return what the ledger says of a round, of this kind."""
    events = await house.events(ledger_stream(house.today))
    return [event for event in events if isinstance(event, kind) and event.round == round]


async def opened(house: Floor) -> str:
    """Open the table if it is closed, and return the round of the next call."""
    await house.open_tables()
    return await house.call_round("T1")


async def played(house: Floor, round: str) -> None:
    """Play a round to its end, and return when the ledger has booked it."""
    await house.close_betting("T1", round)
    await house.let_go("T1")
    await house.booked(round)


async def test_stake_that_was_refused_is_never_settled(machine: Machine):
    """blnk: a hold that was refused could still be committed under its id."""
    async with floor(machine) as house:
        await house.welcome("poor", minor=5_00)
        await house.welcome("rich")
        round = await opened(house)
        refused, taken = await house.wager("poor", round, 1, 10_00), await house.wager("rich", round, 2, 10_00)
        await played(house, round)
        (refusal,) = await movements(house, StakeRefused, round)
        settled = [line for event in await movements(house, StakesSettled, round) for line in event.lines]
        left_minor = await funds(house.pit, "poor")

    assert (refused.code, taken.status, refusal.code, {line.player for line in settled}, left_minor) == (
        "insufficient_funds",
        "accepted",
        "insufficient_funds",
        {"rich"},
        5_00,
    )


async def test_wager_that_is_said_a_dozen_times_under_other_ids_is_one_stake(machine: Machine):
    """HighLife: a double click was two bets.  And what comes behind the close moves nothing."""
    async with floor(machine) as house:
        await house.welcome("eager")
        round = await opened(house)
        answers = await asyncio.gather(*(house.wager("eager", round, 1, 10_00) for _ in range(SPAM)))
        await house.close_betting("T1", round)
        late = await house.wager("eager", round, 2, 10_00)
        await house.let_go("T1")
        await house.booked(round)
        reserved = await movements(house, StakeReserved, round)
        first = [event for event in await house.round_events(round) if isinstance(event, WagerPlaced) and event.kind == "main"]

    assert (
        sorted({(answer.status, answer.code) for answer in answers}),
        [answer.status for answer in answers].count("accepted"),
        late.status,
        [event.wager for event in reserved if event.wager in {wager.wager for wager in first}],
    ) == ([("accepted", ""), ("refused", "already_on_box")], 1, "refused", [first[0].wager])


async def test_wager_in_the_moment_of_the_close_is_dealt_or_moves_nothing(machine: Machine):
    """noire: a bet of the closing millisecond was paid for and not dealt.  The log says when the house received it."""
    async with floor(machine) as house:
        for name in ("now", "then", "soon"):
            await house.welcome(name)
        round = await opened(house)
        sure = await house.wager("now", round, 1, 10_00)
        closed, *close = await asyncio.gather(
            house.close_betting("T1", round), house.wager("then", round, 2, 10_00), house.wager("soon", round, 3, 10_00)
        )
        await house.let_go("T1")
        await house.booked(round)
        accepted = {event.wager for event in await house.round_events(round) if isinstance(event, WagerAccepted)}
        reserved = {event.wager for event in await movements(house, StakeReserved, round)}
        released = {event.wager for event in await movements(house, StakeReleased, round)}
        settled = {line.wager for event in await movements(house, StakesSettled, round) for line in event.lines}
        pages = await house.pages(f"log.table.{house.today}.T1.round.{round.rpartition('-')[2]}")
        unstamped = [decision.id for page in pages for decision in page.entry.decisions if decision.received_at_ms <= 0]
        differences = (await reconciled(house.store, "")).differences

    mains = {"accepted": 1 + sum(answer.status == "accepted" for answer in close)}
    assert (sure.status, closed.status, reserved - released, settled, len(accepted) >= mains["accepted"], unstamped, differences) == (
        "accepted",
        "accepted",
        accepted,
        accepted,
        True,
        [],
        [],
    )


async def test_stake_that_is_set_aside_cannot_be_withdrawn(machine: Machine):
    """Robinhood: what was lent or set aside counted as money that could be taken out."""
    async with floor(machine) as house:
        await house.welcome("held", minor=10_00)
        round = await opened(house)
        staked = await house.wager("held", round, 1, 7_00)
        left_minor = await funds(house.pit, "held")
        too_much, fits = [
            await house.pit.ask("wallet", "ledger", Withdraw(player="held", currency="EUR", minor=minor)) for minor in (5_00, 3_00)
        ]
        await played(house, round)

    assert (staked.status, left_minor, too_much.code, fits.status) == ("accepted", 3_00, "insufficient_funds", "accepted")


async def test_wager_right_behind_a_settlement_is_judged_by_the_ledger(machine: Machine):
    """Medici: a balance that was read from a copy which lagged behind let a player stake what was not there."""
    async with floor(machine) as house:
        await house.welcome("quick", minor=20_00)
        first = await opened(house)
        await house.wager("quick", first, 1, 10_00)
        await played(house, first)
        account = (await house.ledger(house.today)).account("quick", "EUR")
        assert account is not None, "the player has an account"
        second = await opened(house)
        over = await house.wager("quick", second, 1, account.minor + 1_00)
        all_of_it = await house.wager("quick", second, 2, account.minor)
        left_minor = await funds(house.pit, "quick")
        await played(house, second)

    assert (over.code, all_of_it.status, left_minor) == ("insufficient_funds", "accepted", 0)


async def test_seats_of_all_tables_do_not_wait_for_the_house(machine: Machine):
    """cockroachdb: everybody plays against one row.  Here that row does not exist, and one entry takes the stakes of many seats."""
    seats = [(table, box) for table in ("T1", "T2") for box in (1, 2, 3)]
    async with floor(machine) as house:
        for table, box in seats:
            await house.welcome(f"{table}-{box}".lower())
        await house.open_tables()
        rounds = {table: await house.call_round(table) for table in ("T1", "T2")}
        wallet = machine.pid("wallet")
        assert wallet is not None, "the wallet runs"
        os.kill(wallet, signal.SIGSTOP)
        placing = [asyncio.create_task(house.wager(f"{table}-{box}".lower(), rounds[table], box)) for table, box in seats]
        await until(lambda: all_placed(house, rounds.values(), len(seats)), "every wager lies on the felt")
        os.kill(wallet, signal.SIGCONT)
        answers = await asyncio.gather(*placing)
        for table, round in rounds.items():
            if (await house.pit.felt(table)).phase == "betting":
                await house.close_betting(table, round)
            await house.let_go(table)
        await house.booked(*rounds.values())
        entries = [
            [event for decision in page.entry.decisions for event in decision.events if isinstance(event, StakeReserved)]
            for page in await house.pages(ledger_stream(house.today))
        ]
        shared = [len(events) for events in entries if {event.round for event in events} & set(rounds.values())]
        accounts = await kept(machine.house.data)

    assert ({answer.status for answer in answers}, sum(shared) >= len(seats), max(shared) > 1) == ({"accepted"}, True, True)
    assert [account for account in accounts if account.startswith(("house/", "outside/"))] == []


async def all_placed(house: Floor, rounds: Iterable[str], count: int) -> bool:
    """Return whether so many wagers stand in the logs of some rounds."""
    return count == sum([sum(isinstance(event, WagerPlaced) for event in await house.round_events(round)) for round in rounds])


async def kept(data: Path) -> list[str]:
    """Return the accounts that have a row of their own, as soon as some have."""

    async def rows() -> list[str]:
        with sqlite3.connect(f"file:{data / 'books.sqlite'}?mode=ro", uri=True) as database:
            return [account for (account,) in database.execute("SELECT account FROM balances")]

    found: list[str] = await until(rows, "there are rows")
    return found
