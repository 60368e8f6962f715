"""Books: closed with what they come to, opened with the same or not at all; and wagers that are over before they begin."""

from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from services.wallet.domain.carrying import ROWS_MAX, beginning
from services.wallet.domain.state import Ledger
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.stakes import BookRound, ReleaseStake, ReserveStake, SettledStake, SettleStakes, StakeForgone, StakeRefused
from shared.contracts.wallet import BookClosed, CarryForward, CloseBook, OpenBook
from tests.ledgers import after, decide

DAY, TOMORROW = "20261130", "20261201"
ROUND = "T7.20261130-000001"
RELEASE = ReleaseStake(round=ROUND, wager="w1")
RESERVE = ReserveStake(wager="w1", round=ROUND, player="ann", currency="CAD", minor=300)
SETTLE = SettleStakes(round=ROUND, currency="CAD", lines=(SettledStake(wager="w1", player="ann", stake_minor=300, returned_minor=600),))


def book(players: int = 1) -> Ledger:
    """Return a book of so many players, the first of whom is ann, with 1000 each."""
    names = ["ann", *(f"p{number}" for number in range(1, players))]
    opened = [OpenAccount(player=name, operator="north", currency="CAD") for name in names]
    return after(OpenBook(day=DAY), *opened, *(Deposit(player=name, currency="CAD", minor=1_000) for name in names))


def closing(ledger: Ledger) -> BookClosed:
    """Return what is said at a book's end."""
    (closed,) = decide(CloseBook(next_day=TOMORROW), ledger)
    assert isinstance(closed, BookClosed)
    return closed


def test_a_book_is_closed_with_what_it_comes_to():
    """Trial balance by kind of account, the count of movements, and a digest that a stranger can work out with a text editor."""
    closed = closing(after(RESERVE, ledger=book(2)))
    balances = f"CAD outside/north -2000\nCAD player/ann/cash 700\nCAD player/p1/cash 1000\nCAD round/{ROUND}/escrow 300\n"
    kinds = [(row.kind, row.minor) for row in closed.trial or ()]

    assert (kinds, closed.movements, closed.balances) == (
        [("outside", -2_000), ("player/cash", 1_700), ("round/escrow", 300)],
        3,
        sha256(balances.encode()).hexdigest(),
    )


def test_the_next_book_begins_with_the_same_balances_in_parts():
    """More accounts than fit one part are carried in several, and come to the same digest."""
    closed = after(RESERVE, CloseBook(next_day=TOMORROW), ledger=book(ROWS_MAX + 2))
    commands = [command for _, command in beginning(closed, {}, "digest")]
    begun = after(*commands)
    (opened,) = decide(commands[-1], after(*commands[:-1]))
    parts = [each for each in commands if isinstance(each, CarryForward) and each.accounts]

    assert (len(parts), opened.balances, begun.accounts, begun.open) == (
        2,
        closing(replace(closed, phase="open")).balances,
        closed.accounts,
        True,
    )


def _without(commands: list[Any]) -> list[Any]:
    return [commands[0], *commands[2:]]


def _other(commands: list[Any]) -> list[Any]:
    rows = commands[0].accounts
    swapped = {"player/ann/cash": 999, "player/p1/cash": 1_001}
    changed = tuple(replace(row, minor=swapped.get(row.account, row.minor)) for row in rows)
    return [replace(commands[0], accounts=changed), *commands[1:]]


@pytest.mark.parametrize("spoil", [_without, _other], ids=["a part is lost", "a part is another one, and sums to zero"])
def test_a_book_does_not_begin_with_other_balances(spoil: Any):
    """What is carried forward is what the book before was closed with, to the cent, or there is no book."""
    closed = after(CloseBook(next_day=TOMORROW), ledger=book(ROWS_MAX + 2))
    commands = spoil([command for _, command in beginning(closed, {}, "digest")])
    carried = after(*commands[:-1])

    with pytest.raises(AssertionError, match="carried forward"):
        decide(commands[-1], carried)


def test_a_release_before_its_reserve_is_remembered():
    """Nothing moves, and the book says that the stake is over."""
    ledger = book()

    assert (decide(RELEASE, ledger), after(RELEASE, ledger=ledger).accounts) == ([StakeForgone(wager="w1", round=ROUND)], ledger.accounts)


def test_a_stake_that_was_given_back_first_is_over():
    """Whoever asks for it later, releases it again or would settle it moves nothing, however often."""
    forgone = after(RELEASE, ledger=book())

    assert [decide(command, forgone) for command in (RELEASE, RESERVE, SETTLE)] == [[], [], []]


def test_a_release_behind_its_round_is_nothing_new():
    """Of a round that is booked the name alone is remembered, and that is enough."""
    booked = after(BookRound(round=ROUND, outcome="void"), ledger=book())

    assert decide(RELEASE, booked) == []


def test_a_refused_stake_cannot_be_settled():
    """Whoever has its id and no stake gets nothing."""
    poor = after(OpenBook(day=DAY), OpenAccount(player="ann", operator="north", currency="CAD"))
    (event,) = decide(RESERVE, poor)
    refused = after(RESERVE, ledger=poor)

    assert (type(event), [decide(command, refused) for command in (SETTLE, RELEASE)]) == (StakeRefused, [[], []])


def test_a_wager_that_nobody_heard_of_cannot_be_settled():
    """There is no money to move, and something is badly wrong: the assertion stops the table's money."""
    with pytest.raises(AssertionError, match="set aside before"):
        decide(SETTLE, book())
