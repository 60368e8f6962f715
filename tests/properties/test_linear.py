"""A round at which ten thousand people wager: what is remembered of it costs the same for the last of them as for the first.

Measured in the processor's own time and as a ratio, so that neither the machine nor its load decides: four times as many
events take about four times as long, and would take sixteen times as long if each copied all that is remembered.
"""

import time
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import pytest
from msgspec.structs import replace as replaced

from services.table.domain.round import ROUND
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.posting import transfer
from shared.contracts.accounts import cash_account, escrow_account
from shared.contracts.cage import AccountOpened, Deposited
from shared.contracts.stakes import RoundBooked, SettledStake, StakeRefused, StakeReleased, StakeReserved, StakesSettled
from shared.contracts.wagers import CommandRefused, WagerPlaced, WagerRefused
from shared.contracts.wallet import BookOpened
from shared.kernel.decider import Decider
from shared.kernel.messages import HOUSE, Envelope
from tests.rounds import ROUND_ID, opening

MANY = 10_000
FEW = MANY // 4
RATIO_MAX = 8.0
"""Twice what it is; half of what it would be."""
PAIRS = 4
LINES = 1_000
CAD = "CAD"


def opened_round() -> list[Any]:
    """Return the opening of a round."""
    return ROUND.decide(opening("ontario"), ROUND.initial, Envelope("open", HOUSE, 0, 0))


def wagers_that_the_wallet_refuses(count: int) -> list[Any]:
    """Return a round at which so many people wager what they do not have."""
    placed = WagerPlaced(wager="", player="", box=1, hand=1, kind="main", stake_minor=100, currency=CAD, reserve_by_ms=0)
    told: list[Any] = opened_round()
    for number in range(count):
        wager, player = f"w{number}", f"p{number}"
        told.append(replaced(placed, wager=wager, player=player))
        told.append(WagerRefused(wager=wager, code="insufficient_funds", message="No."))
    return told


def wagers_that_the_table_refuses(count: int) -> list[Any]:
    """Return a round at which so many people wager what is not allowed."""
    return opened_round() + [CommandRefused(code="below_minimum", message="No.", player=f"p{number}") for number in range(count)]


def open_book(count: int) -> list[Any]:
    """Return a book with so many accounts, each with money."""
    told: list[Any] = [BookOpened(day="20261130", semantics=1, shard=0, shards=1)]
    for number in range(count):
        moved = transfer(100, source="outside/house", target=cash_account(f"p{number}"))
        told.append(AccountOpened(player=f"p{number}", operator="house", currency=CAD))
        told.append(Deposited(player=f"p{number}", currency=CAD, minor=100, postings=moved))
    return told


def reserved(number: int) -> StakeReserved:
    """Return a stake that is set aside for the round."""
    moved = transfer(100, source=cash_account(f"p{number}"), target=escrow_account(ROUND_ID))
    return StakeReserved(wager=f"w{number}", round=ROUND_ID, player=f"p{number}", currency=CAD, minor=100, postings=moved)


def released(number: int) -> StakeReleased:
    """Return a stake that is given back."""
    moved = transfer(100, source=escrow_account(ROUND_ID), target=cash_account(f"p{number}"))
    return StakeReleased(wager=f"w{number}", round=ROUND_ID, player=f"p{number}", currency=CAD, minor=100, postings=moved)


def settled(numbers: Sequence[int]) -> StakesSettled:
    """Return the stakes that are lost."""
    lines = tuple(SettledStake(wager=f"w{number}", player=f"p{number}", stake_minor=100, returned_minor=0) for number in numbers)
    moved = transfer(100 * len(lines), source=escrow_account(ROUND_ID), target="house/win")
    return StakesSettled(round=ROUND_ID, currency=CAD, lines=lines, postings=moved)


def stakes_that_are_settled(count: int) -> list[Any]:
    """Return a book in which so many stakes are set aside for one round, and lost in lines of a thousand."""
    chunks = [settled(range(first, min(first + LINES, count))) for first in range(0, count, LINES)]
    return [*open_book(count), *map(reserved, range(count)), *chunks, RoundBooked(round=ROUND_ID, outcome="settled")]


def stakes_that_are_released(count: int) -> list[Any]:
    """Return a book in which so many stakes are set aside for one round, and given back."""
    return [*open_book(count), *map(reserved, range(count)), *map(released, range(count))]


def stakes_that_are_refused(count: int) -> list[Any]:
    """Return a book in which so many stakes of one round are not set aside."""
    refused = [StakeRefused(wager=f"w{number}", round=ROUND_ID, code="insufficient_funds", message="No.") for number in range(count)]
    return [*open_book(0), *refused, RoundBooked(round=ROUND_ID, outcome="void")]


STORIES: list[tuple[Decider[Any, Any, Any], Callable[[int], list[Any]]]] = [
    (ROUND, wagers_that_the_wallet_refuses),
    (ROUND, wagers_that_the_table_refuses),
    (LEDGER, stakes_that_are_settled),
    (LEDGER, stakes_that_are_released),
    (LEDGER, stakes_that_are_refused),
]


def folding_s(decider: Decider[Any, Any, Any], events: list[Any]) -> float:
    """Return how long the processor folds events."""
    began = time.process_time()
    reduce(decider.evolve, events, decider.initial)
    return time.process_time() - began


@pytest.mark.parametrize(("decider", "story"), STORIES, ids=[story.__name__ for _, story in STORIES])
def test_round_of_ten_thousand_wagers_folds_in_linear_time(decider: Decider[Any, Any, Any], story: Callable[[int], list[Any]]):
    """Four times as many wagers, about four times the work."""
    few, many = story(FEW), story(MANY)

    # A neighbour on the same core makes one half of a pair slower; of several pairs the best shows what the work itself takes.
    assert min(folding_s(decider, many) / folding_s(decider, few) for _ in range(PAIRS)) < RATIO_MAX
