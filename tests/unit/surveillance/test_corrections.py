"""Corrections under watch: rounds that were over and put away are judged again, and what is not so is said."""

from functools import cache
from typing import Any

import msgspec
import pytest

from services.surveillance.domain.findings import Code, Finding
from shared.contracts.cage import Withdraw
from shared.contracts.rounds import HandResult, RoundCorrected
from shared.contracts.rulings import Agreed, RulingApproved, RulingProposed
from shared.contracts.stakes import StakesCorrected
from shared.contracts.subjects import ledger_stream
from shared.contracts.table import CorrectionCalled, CorrectionNoted
from shared.contracts.wagers import WagersCorrected
from shared.kernel.entry import Stored
from shared.kernel.messages import Actor
from tests.forgery import Edit, codes, forged, found, read
from tests.houses import DAY, WholeHouse, little_house

LEDGER = f"log.wallet.{DAY}.ledger.0"
ROUND = f"log.table.{DAY}.T1.round.000001"
TABLE = f"log.table.{DAY}.T1.table"
FIRST, SECOND = f"T1.{DAY}-000001", f"T1.{DAY}-000002"
ALONE = Agreed(by="pit", job="pit_boss", approved_by="pit", approved_job="pit_boss", reason="dealt from the wrong end")


@cache
def house() -> WholeHouse:
    """A house whose first two rounds became void after others were played, and after their players had drawn their money."""
    played = little_house(3, rounds=2)
    for player in ("ann", "bob", "cyd"):
        account = played.streams[ledger_stream(DAY)].state.account(player, "CAD")
        played.ask(ledger_stream(DAY), Withdraw(player=player, currency="CAD", minor=account.minor), Actor("staff", "cage"))
    played.make_void(FIRST, id="first")
    played.make_void(SECOND, id="second")
    played.end_day()
    return played


def logs() -> list[Stored]:
    """Its logs."""
    return house().stored


def test_corrected_rounds_are_judged_and_nothing_is_found():
    """Log page, corrections: a new event with the difference; the day is closed after it, and everything is proved."""
    report = found_in(logs())

    assert (report, house().streams[TABLE].state.day_closed) == ([], True)


def found_in(stored: list[Stored]) -> list[Finding]:
    """Return what a watch over everything finds."""
    return [one for one in found(stored) if one.severity == "breach"]


def test_money_of_a_correction_is_owed_where_nothing_is_left():
    """Log page, corrections: never refused for funds."""
    ledger = house().streams[ledger_stream(DAY)].state
    owed = {name: account.minor for name, account in ledger.accounts["CAD"].items() if name.endswith("/owed")}
    won = [event for event in moved() if any(line.returned_minor < line.settled_minor for line in event.lines)]

    assert bool(owed) == bool(won)
    assert ledger.total("CAD") == 0


def moved() -> list[StakesCorrected]:
    """Return the corrections that the ledger booked."""
    return [event for one in logs() for decision in read(one).decisions for event in decision.events if isinstance(event, StakesCorrected)]


def test_correction_is_answered_when_the_round_has_spoken():
    """Log page, ids and answers: pending becomes accepted once."""
    assert house().streams[TABLE].answers["first"].answer.status == "accepted"


def but(**fields: Any) -> Edit:
    """The event says something else."""
    return lambda event: [msgspec.structs.replace(event, **fields)]


def gone(event: Any) -> list[Any]:
    """The event did not happen."""
    return []


def twice(event: Any) -> list[Any]:
    """The event happened twice."""
    return [event, event]


def richer(event: WagersCorrected | StakesCorrected) -> list[Any]:
    """The first line gives back two units more."""
    first, *rest = event.lines
    return [msgspec.structs.replace(event, lines=(msgspec.structs.replace(first, returned_minor=first.returned_minor + 2), *rest))]


def won(event: RoundCorrected) -> list[Any]:
    """The first hand of the void round has won."""
    first, *rest = event.hands
    told: HandResult = msgspec.structs.replace(first, result="win")
    return [msgspec.structs.replace(event, hands=(told, *rest))]


FORGERIES = {
    "a correction that gives back more": (WagersCorrected, richer, ROUND, (Code.RULES, ROUND)),
    "a correction that does not follow from its ruling": (WagersCorrected, richer, ROUND, (Code.DIFFERS, ROUND)),
    "a correction of more than the ledger moved": (WagersCorrected, richer, ROUND, (Code.SETTLEMENT_MISMATCH, LEDGER)),
    "a correction that the table wrote down otherwise": (WagersCorrected, richer, ROUND, (Code.WRONG_FINAL_DIGEST, TABLE)),
    "a correction with no money behind it": (WagersCorrected, gone, ROUND, (Code.SETTLEMENT_MISSING, LEDGER)),
    "a correction told twice": (WagersCorrected, twice, ROUND, (Code.SETTLEMENT_TWICE, ROUND)),
    "an outcome in a void round": (RoundCorrected, won, ROUND, (Code.RULES, ROUND)),
    "a correction by one person": (
        RoundCorrected,
        but(agreed=ALONE),
        ROUND,
        (Code.RULES, ROUND),
    ),
    "a correction under another number": (RoundCorrected, but(number=2), ROUND, (Code.RULES, ROUND)),
    "a ledger that moves more": (StakesCorrected, richer, LEDGER, (Code.SETTLEMENT_MISMATCH, LEDGER)),
    "postings that do not follow the lines": (StakesCorrected, richer, LEDGER, (Code.UNBALANCED, LEDGER)),
    "a correction that was never booked": (StakesCorrected, gone, LEDGER, (Code.SETTLEMENT_MISSING, ROUND)),
    "a correction that was booked twice": (StakesCorrected, twice, LEDGER, (Code.SETTLEMENT_TWICE, LEDGER)),
    "a correction that nobody called for": (CorrectionCalled, gone, TABLE, (Code.UNRECORDED_ROUND, ROUND)),
    "a call by other persons": (CorrectionCalled, but(agreed=ALONE), TABLE, (Code.RULES, TABLE)),
    "a call that nobody approved": (RulingApproved, gone, TABLE, (Code.RULES, TABLE)),
    "a call for another round than was proposed": (RulingProposed, but(round=SECOND), TABLE, (Code.RULES, TABLE)),
    "an approval by who must not": (RulingApproved, but(job="support"), TABLE, (Code.RULES, TABLE)),
    "a note of another entry": (CorrectionNoted, but(digest="0" * 64), TABLE, (Code.WRONG_FINAL_DIGEST, TABLE)),
    "a day that is closed over a correction": (CorrectionNoted, gone, TABLE, (Code.UNENDED_ROUND, TABLE)),
}


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_forged_correction_is_found(forgery: str):
    """Whoever changes a correction afterwards must be found by what others wrote down of it."""
    kind, edit, stream, expected = FORGERIES[forgery]

    assert expected in codes(forged(logs(), kind, edit, stream=stream))
