"""The wallet stays away, or says no, in the middle of rounds: nobody waits for ever, nothing is lost, no money is made."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from feltlog.machine import Machine
from feltlog.reading import told
from services.wallet.domain.state import Ledger
from shared.contracts.decisions import DecisionAwaited, DeclineInsurance, Double
from shared.contracts.rounds import RoundSettled
from shared.contracts.stakes import StakeRefused, StakeReleased, StakeReserved
from shared.contracts.subjects import ledger_stream, round_name
from shared.contracts.table import CallRound
from shared.contracts.wagers import CloseBetting, WagerLapsed, WagerPlaced, WagerRefused, WagersSettled
from shared.kernel.messages import Answer
from tests.integration.running_house import Floor, floor, furnish, table_rows

RESERVE_MS = 700
PAID_IN = 100_000
STAKE = 1_000


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A house with a table for each test."""
    data: Path = tmp_path_factory.mktemp("house")
    furnish(data, *(table_rows(id, reserve_ms=RESERVE_MS, decision_ms=20_000) for id in ("T1", "T2")))
    with Machine(data) as machine:
        yield machine


@pytest.fixture
async def house(machine: Machine) -> AsyncIterator[Floor]:
    """The running house with its tables open."""
    async with floor(machine) as opened:
        await opened.open_tables()
        yield opened


async def test_wallet_that_is_away_delays_money_and_nothing_else(machine: Machine, house: Floor):
    """Log page, flows: wagers lapse, a double goes back to its player, late reserves are released, two rounds are enough."""
    ann = await house.welcome("ann", minor=PAID_IN)
    await house.welcome("bob", minor=PAID_IN)
    while True:
        before = holds(await house.ledger(house.today), "ann")
        round = await house.call_round("T1")
        await house.wager("ann", round, 1, STAKE)
        machine.stop_process("wallet")
        waiting = asyncio.create_task(house.wager("bob", round, 2, STAKE, id="late"))
        await pending(house, "T1", "bob")
        await house.pit.ask("table", "T1", CloseBetting(round=round))
        if await comes_to_a_decision(house, "T1"):
            break
        machine.start_process("wallet")
        await waiting
        await house.booked(round)
    lapsed = await waiting
    doubled = await ann.ask("table", "T1", Double(round=round, box=1, hand=1), id="double")
    reopened = await house.felt("T1", lambda felt: felt.turn is not None)
    await house.let_go("T1")
    second = await house.call_round("T1")
    await house.close_betting("T1", second)
    await house.felt("T1", lambda felt: felt.phase == "void")
    third = await house.pit.ask("table", "T1", CallRound())
    held = (await house.ledger(house.today)).stakes
    machine.start_process("wallet")
    book = await house.booked(round, second)
    events = await house.round_events(round)
    moved = [event for event in await house.events(ledger_stream(house.today)) if getattr(event, "round", None) == round]
    final = await house.wager("bob", round, 2, STAKE, id="late")
    await house.call_round("T1")

    assert lapsed == final == late_answer()
    assert doubled == late_answer()
    assert "double" not in reopened.legal
    assert await clock_left(house, round) == [True]
    assert named(events, WagerLapsed) == ["late", "double"]
    assert third.code == "wallet_silent"
    assert len(held) == 1
    assert of(moved, StakeReserved, "late", "double") == of(moved, StakeReleased, "late", "double") == ["late", "double"]
    assert holds(book, "bob") == PAID_IN
    assert holds(book, "ann") == before - STAKE + returned(events)
    assert (book.total("EUR"), len(book.stakes)) == (0, 0)
    assert await house.findings() == []


async def test_double_that_is_not_paid_for_goes_back_to_its_player(house: Floor):
    """Log page, flows: the refusal stands in the log with its sentence, the decision is open again without that option."""
    number = 0
    while True:
        number += 1
        name = f"cyd-{number}"
        cyd = await house.welcome(name, minor=STAKE)
        round = await house.call_round("T2")
        await house.wager(name, round, 1, STAKE)
        await house.close_betting("T2", round)
        if await comes_to_a_decision(house, "T2"):
            break
    doubled = await cyd.ask("table", "T2", Double(round=round, box=1, hand=1), id="unpaid")
    reopened = await house.felt("T2", lambda felt: felt.turn is not None)
    again = await cyd.ask("table", "T2", Double(round=round, box=1, hand=1), id="unpaid-again")
    await house.let_go("T2")
    book = await house.booked(round)
    events = await house.round_events(round)
    refusal = next(event for event in events if isinstance(event, WagerRefused))
    moved = await house.events(ledger_stream(house.today))

    assert doubled == Answer("refused", "insufficient_funds", "The account does not hold that much.")
    assert (refusal.wager, refusal.code, refusal.message) == ("unpaid", doubled.code, doubled.message)
    assert of(moved, StakeRefused, "unpaid") == ["unpaid"]
    assert (again.code, "double" in reopened.legal) == ("not_allowed", False)
    assert [line.wager for event in events if isinstance(event, WagersSettled) for line in event.lines] == [
        event.wager for event in events if isinstance(event, WagerPlaced) and event.kind == "main"
    ]
    assert isinstance(events[-1], RoundSettled)
    assert holds(book, name) == returned(events)
    assert await house.findings() == []


def late_answer() -> Answer:
    """Return what everybody is told whose wallet was late."""
    return Answer("refused", "wallet_late", "The wallet did not answer in time, so this wager is not in the round.")


async def pending(house: Floor, table: str, player: str) -> None:
    """Return when a player's wager lies on the felt and waits for the wallet."""
    await house.felt(table, lambda felt: any(wager.pending for box in felt.boxes if box.player == player for wager in box.wagers))


async def comes_to_a_decision(house: Floor, table: str) -> bool:
    """Return whether somebody is asked what to do with two cards, insurance declined."""
    while True:
        felt = await house.felt(table, lambda felt: felt.phase in ("insurance", "decision", "settled"))
        if felt.phase != "insurance":
            return felt.turn is not None
        for box in felt.boxes:
            await (await house.seat(box.player)).ask("table", table, DeclineInsurance(round=felt.round, box=box.box))


async def clock_left(house: Floor, round: str) -> list[bool]:
    """Return, for each double that was not paid for, whether its player then had what had been left of the clock."""
    pages = await house.pages(round_name(round).stream)
    asked = [(each.event.until_ms, each.page.entry.at_ms) for each in told(pages) if isinstance(each.event, DecisionAwaited)]
    placed = [each.page.entry.at_ms for each in told(pages) if isinstance(each.event, WagerPlaced) and each.event.kind == "double"]
    return [again - at == first - then for then, (first, _), (again, at) in zip(placed, asked, asked[1:], strict=False)]


def holds(book: Ledger, player: str) -> int:
    """Return what a player has."""
    account = book.account(player, "EUR")
    return 0 if account is None else account.minor


def named(events: list[Any], kind: type[Any]) -> list[str]:
    """Return the wagers that events of a kind are about."""
    return [event.wager for event in events if isinstance(event, kind)]


def of(events: list[Any], kind: type[Any], *wagers: str) -> list[str]:
    """Return those of the named wagers that events of a kind are about, in their order."""
    return [wager for wager in named(events, kind) if wager in wagers]


def returned(events: list[Any]) -> int:
    """Return what a round gave back to its players."""
    return sum(line.returned_minor for event in events if isinstance(event, WagersSettled) for line in event.lines)
