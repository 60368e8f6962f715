"""Reserves: a double or split waits for the wallet, and the player's clock stands meanwhile."""

from typing import Any

import pytest

from feltlog.rehearsal.round import Choice, Rehearsal, Word
from services.table.domain.round import ROUND
from services.table.reactions import timer
from services.table.views import legal
from shared.contracts.dealing import CardsCalled
from shared.contracts.decisions import DecisionAwaited, Double, ExtendClock, HandDoubled, HandSplit, Hit, Split, TimeOutDecision
from shared.contracts.wagers import AcceptWager, RefuseWager, TimeOutReserve, WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused
from shared.kernel.messages import Actor
from tests.given import Given, given
from tests.rounds import ROUND_ID, begun, in_play, play, returned

ANN = Actor("player", "ann")
HAND: dict[str, Any] = {"round": ROUND_ID, "box": 1, "hand": 1}


def asking(kind: str = "double") -> tuple[Rehearsal, str]:
    """Return a live round at 14,000 ms in which ann's double or split waits for her wallet, and the wager's id."""
    rehearsal = begun("live", "8S 6D 8H TC 3C 9D", wallet=silent_for(kind))
    rehearsal.at_ms = 14_000
    rehearsal.ask(lambda _: Choice(kind))
    rehearsal.serve()
    return rehearsal, in_play(rehearsal).pending[0].id


def silent_for(kind: str):
    """Return a wallet that does not answer for one kind of wager."""

    def wallet(wager: WagerPlaced) -> Word:
        return "silence" if wager.kind == kind else "reserve"

    return wallet


def after(rehearsal: Rehearsal) -> Given:
    """Return the round as it is."""
    return given(ROUND, *rehearsal.events)


def test_double_waits_for_the_wallet():
    """Log page, flows: cards are called after the reserve."""
    rehearsal = begun("live", "8S 6D 8H TC")

    (
        after(rehearsal)
        .when(Double(**HAND), by="ann", at_ms=14_000, id="d1")
        .then(WagerPlaced(wager="d1", player="ann", box=1, hand=1, kind="double", stake_minor=400, currency="CAD", reserve_by_ms=16_000))
    )


def test_paid_double_calls_its_card():
    """ON-8.1: exactly one more card."""
    rehearsal, wager = asking("double")

    (
        after(rehearsal)
        .when(AcceptWager(wager=wager), at_ms=15_000)
        .then(
            WagerAccepted(wager=wager),
            HandDoubled(box=1, hand=1, wager=wager),
            CardsCalled(call_no=2, shoe="T7-S1", faces=("up",)),
        )
    )


def test_paid_split_calls_the_first_hands_card():
    """ON-9.2: the next hand gets a card when this one is complete."""
    rehearsal, wager = asking("split")

    (
        after(rehearsal)
        .when(AcceptWager(wager=wager), at_ms=15_000)
        .then(
            WagerAccepted(wager=wager),
            HandSplit(box=1, hand=1, wager=wager),
            CardsCalled(call_no=2, shoe="T7-S1", faces=("up",)),
        )
    )


@pytest.mark.parametrize("command", [Hit(**HAND), Split(**HAND)])
def test_command_while_the_wallet_is_asked_is_refused(command):
    """Log page, flows: a further command meanwhile is refused."""
    rehearsal, _ = asking("double")
    outcome = after(rehearsal).when(command, by="ann", at_ms=15_000)

    assert [outcome.why.code if outcome.why else outcome.events[0].code] == ["awaiting_reserve"]


def test_refused_double_reopens_the_decision_with_the_rest_of_the_clock():
    """Log page, flows: 14,000 of 26,000 ms were gone, so 12,000 are left."""
    rehearsal, wager = asking("double")
    refusal = RefuseWager(wager=wager, code="insufficient_funds", message="No.")

    (
        after(rehearsal)
        .when(refusal, at_ms=15_500)
        .then(
            WagerRefused(wager=wager, code="insufficient_funds", message="No."),
            DecisionAwaited(number=2, box=1, hand=1, player="ann", until_ms=27_500),
        )
    )


def test_silent_wallet_reopens_the_decision_too():
    """Log page, flows: a late reserve is as good as a refused one."""
    rehearsal, wager = asking("split")

    (
        after(rehearsal)
        .when(TimeOutReserve(wager=wager), at_ms=16_000)
        .then(WagerLapsed(wager=wager), DecisionAwaited(number=2, box=1, hand=1, player="ann", until_ms=28_000))
    )


def test_wallet_has_its_time():
    """Log page, time: an early timer is refused."""
    rehearsal, wager = asking("split")

    after(rehearsal).when(TimeOutReserve(wager=wager), at_ms=15_999).refused("too_early")


def test_reopened_decision_lacks_the_option():
    """Log page, flows: without that option."""
    rehearsal, _ = asking("double")
    rehearsal.let_time_pass()

    assert legal(rehearsal.round) == ("hit", "stand", "split")


def test_option_that_the_wallet_refused_is_refused_in_writing():
    """Log page, flows: asking again for what was not paid for."""
    rehearsal, _ = asking("double")
    rehearsal.let_time_pass()

    after(rehearsal).when(Double(**HAND), by="ann", at_ms=rehearsal.at_ms).refused_in_writing("not_allowed")


def test_next_decision_has_all_options_again():
    """Log page, flows: the option is lost for this decision, not for the next hand."""
    rehearsal, _ = asking("double")
    rehearsal.let_time_pass()
    rehearsal.ask(lambda _: Choice("split"))
    rehearsal.serve()

    assert legal(rehearsal.round) == ("hit", "stand", "double")


def test_clock_stands_while_the_wallet_is_asked():
    """Log page, flows: what falls due is the wallet's time alone."""
    rehearsal, wager = asking("double")
    due = timer(rehearsal.round)

    assert due is not None
    assert (due.at_ms, due.command, due.patient) == (16_000, TimeOutReserve(wager=wager), False)


@pytest.mark.parametrize("command", [TimeOutDecision(number=1), ExtendClock(until_ms=99_000, reason="outage")])
def test_standing_clock_neither_runs_out_nor_is_extended(command):
    """Log page, flows: no clock runs meanwhile."""
    rehearsal, _ = asking("double")

    after(rehearsal).when(command, at_ms=50_000).then()


def test_late_reserve_changes_nothing():
    """Decision 23: a reserve that comes after the wager lapsed is not in the round."""
    rehearsal, wager = asking("double")
    rehearsal.let_time_pass()

    after(rehearsal).when(AcceptWager(wager=wager), at_ms=17_000).then()


def test_round_goes_on_without_the_double():
    """Decision 17, log page, flows: the original wager plays on."""
    rehearsal = play("live", "5S 6D 6H TC 9C 5D", "double", "hit", "stand", wallet=silent_for("double"))

    assert returned(rehearsal) == [("main", 400, 0)]
