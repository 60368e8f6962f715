"""Corrections in the ledger: differences are moved once, whatever the accounts hold."""

from typing import Any

import pytest

from services.wallet.domain.carrying import carried
from services.wallet.domain.state import Ledger
from services.wallet.reactions import follow
from services.wallet.statement import statement
from services.wallet.views import balance
from shared.contracts.accounts import Posting
from shared.contracts.cage import Deposit, OpenAccount, Withdraw
from shared.contracts.stakes import BookRound, CorrectedStake, CorrectStakes, ReserveStake, SettledStake, SettleStakes, StakesCorrected
from shared.contracts.wagers import CorrectedLine, WagersCorrected
from shared.contracts.wallet import CarriedAccount, CloseBook, OpenBook
from shared.kernel.entry import Decision, Entry
from shared.kernel.messages import HOUSE
from shared.kernel.reactions import Source
from tests.ledgers import after, decide

DAY = "20261130"
ROUND = "T7.20261130-000001"


def settled(returned_minor: int, *, left_minor: int) -> Ledger:
    """Return a book in which ann's 300 are settled, and so much is left in her account."""
    stake = SettledStake(wager="w1", player="ann", stake_minor=300, returned_minor=returned_minor)
    return after(
        OpenBook(day=DAY),
        OpenAccount(player="ann", operator="north", currency="CAD"),
        Deposit(player="ann", currency="CAD", minor=1_000),
        ReserveStake(wager="w1", round=ROUND, player="ann", currency="CAD", minor=300),
        SettleStakes(round=ROUND, currency="CAD", lines=(stake,)),
        BookRound(round=ROUND, outcome="settled"),
        Withdraw(player="ann", currency="CAD", minor=700 + returned_minor - left_minor),
    )


def correction(settled_minor: int, returned_minor: int, number: int = 1) -> CorrectStakes:
    """Return that the wager gave back so much and gives back something else."""
    line = CorrectedStake(wager="w1", player="ann", settled_minor=settled_minor, returned_minor=returned_minor)
    return CorrectStakes(round=ROUND, number=number, currency="CAD", lines=(line,))


def postings(command: Any, ledger: Ledger) -> list[tuple[str, int]]:
    """Return how a command moves the accounts."""
    return [(posting.account, posting.minor) for event in decide(command, ledger) for posting in getattr(event, "postings", ())]


@pytest.mark.parametrize(
    ("before", "now", "left", "moved"),
    [
        (0, 600, 0, [("house/win", -600), ("player/ann/cash", 600)]),
        (600, 0, 700, [("house/win", 600), ("player/ann/cash", -600)]),
        (600, 0, 200, [("house/win", 600), ("player/ann/cash", -200), ("player/ann/owed", -400)]),
        (600, 300, 0, [("house/win", 300), ("player/ann/owed", -300)]),
        (300, 300, 0, []),
    ],
    ids=["to the player", "to the house", "as far as there is money", "nothing is there", "no difference"],
)
def test_difference_is_moved_whatever_the_account_holds(before: int, now: int, left: int, moved: list[tuple[str, int]]):
    """Log page, corrections: never refused for funds; what is not there is owed, and the movement balances."""
    assert postings(correction(before, now), settled(before, left_minor=left)) == moved


def test_correction_is_booked_once():
    """Log page, ids: the obligation is the round's first correction, however often it is heard."""
    ledger = after(correction(0, 600), ledger=settled(0, left_minor=0))

    assert decide(correction(0, 600), ledger) == []


def test_corrections_come_one_after_the_other():
    """Log page, ids: the second correction of a round cannot be booked before the first."""
    with pytest.raises(AssertionError, match="comes before"):
        decide(correction(0, 600, number=2), settled(0, left_minor=0))


def test_stake_that_is_set_aside_cannot_be_settled_anew():
    """ON-3.4: before a wager is settled there is nothing to put right."""
    ledger = after(
        OpenBook(day=DAY),
        OpenAccount(player="ann", operator="north", currency="CAD"),
        Deposit(player="ann", currency="CAD", minor=1_000),
        ReserveStake(wager="w1", round=ROUND, player="ann", currency="CAD", minor=300),
    )

    with pytest.raises(AssertionError, match="settled before"):
        decide(correction(0, 600), ledger)


def in_debt() -> Ledger:
    """Return a book in which ann owes 400 and has nothing."""
    return after(correction(600, 0), ledger=settled(600, left_minor=200))


def test_debt_is_remembered():
    """Log page, corrections: what a player owes is an account below zero, and the book balances."""
    ledger = in_debt()

    assert (ledger.owed("ann", "CAD"), ledger.corrected[ROUND], ledger.total("CAD")) == (400, 1, 0)


@pytest.mark.parametrize(
    ("command", "moved"),
    [
        (Deposit(player="ann", currency="CAD", minor=300), [("outside/north", -300), ("player/ann/owed", 300)]),
        (Deposit(player="ann", currency="CAD", minor=500), [("outside/north", -500), ("player/ann/cash", 100), ("player/ann/owed", 400)]),
        (correction(0, 600, number=2), [("house/win", -600), ("player/ann/cash", 200), ("player/ann/owed", 400)]),
    ],
)
def test_debt_is_paid_from_the_next_money(command: Any, moved: list[tuple[str, int]]):
    """Log page, corrections: what comes in, or is given back by a further correction, pays what is owed first."""
    assert postings(command, in_debt()) == moved


def test_debt_that_is_paid_is_gone():
    """Log page, corrections: an account that holds nothing any more is none."""
    assert "player/ann/owed" not in after(Deposit(player="ann", currency="CAD", minor=400), ledger=in_debt()).accounts["CAD"]


def test_player_cannot_take_away_what_is_owed():
    """Log page, corrections: whoever owes 400 and wins 800 may take 400."""
    again = "T7.20261130-000002"
    win = SettledStake(wager="w2", player="ann", stake_minor=200, returned_minor=800)
    ledger = after(
        ReserveStake(wager="w2", round=again, player="ann", currency="CAD", minor=200),
        correction(600, 200),
        SettleStakes(round=again, currency="CAD", lines=(win,)),
        ledger=settled(600, left_minor=200),
    )
    takes = [bool(postings(Withdraw(player="ann", currency="CAD", minor=minor), ledger)) for minor in (400, 401)]

    assert (ledger.owed("ann", "CAD"), takes) == (400, [True, False])


def test_debt_is_carried_into_the_next_book():
    """Log page, days: what is owed today is owed tomorrow."""
    ledger = after(CloseBook(next_day="20261201"), ledger=in_debt())
    parts = carried(ledger, {}, follows="digest")

    assert CarriedAccount(account="player/ann/owed", operator="", currency="CAD", minor=-400) in parts[0].accounts
    assert after(*parts, OpenBook(day="20261201")).owed("ann", "CAD") == 400


def test_correction_of_a_round_is_followed_by_its_booking():
    """House page: the wallet hears the differences, each with what was given back until now."""
    line = CorrectedLine(wager="w1", player="ann", box=1, hand=1, kind="main", stake_minor=300, settled_minor=0, returned_minor=600)
    event = WagersCorrected(number=1, currency="CAD", lines=(line,))
    stream = "log.table.20261130.T7.round.000001"
    source = Source(log="LOG_TABLE_20261130", stream=stream, sequence=1, revision=9, decision=0, event=1, at_ms=0, digest="d")

    assert [(reaction.stream, reaction.command) for reaction in follow(event, source)] == [
        ("log.wallet.20261130.ledger.0", correction(0, 600))
    ]


def test_balance_tells_what_is_owed():
    """House page: a player sees a debt as what it is."""
    (amount,) = balance(in_debt(), "ann").amounts

    assert (amount.available_minor, amount.owed_minor) == (0, 400)


def test_statement_shows_the_correction_and_the_debt():
    """House page: what was taken back is one row, and what was lacking and is owed another."""
    ledger = settled(600, left_minor=200)
    (event,) = decide(correction(600, 0), ledger)
    assert isinstance(event, StakesCorrected), "the differences are moved"
    entry = told(event)

    assert [(row.bucket, row.round, row.minor) for row in statement([entry], "ann")] == [
        ("cash", ROUND, -200),
        ("owed", ROUND, -400),
    ]
    assert Posting(account="player/ann/owed", minor=-400) in event.postings


def told(event: StakesCorrected) -> Entry[Any, Any]:
    """Return a ledger's entry that holds an event."""
    decision: Decision[Any, Any] = Decision(id="d", command=correction(600, 0), actor=HOUSE, received_at_ms=0, events=(event,))
    return Entry(
        stream="log.wallet.20261130.ledger.0", revision=1, at_ms=0, writer="w", epoch=1, software="t", prev="", decisions=(decision,)
    )
