"""Time: decision clocks, time-outs, and what happens to them when the house was away."""

import pytest

from services.table.domain.filling import extension
from services.table.domain.round import ROUND
from services.table.reactions import timer
from shared.contracts.dealing import CardsCalled
from shared.contracts.decisions import ClockExtended, DecisionTimedOut, ExtendClock, HandCompleted, Stand, TimeOutDecision
from tests.given import given
from tests.rounds import ROUND_ID, begun, ends, play, returned

STAND = Stand(round=ROUND_ID, box=1, hand=1)


def test_decision_that_came_in_time_counts():
    """Log page, time: people are judged by when their command came in, not by when it is decided."""
    outcome = given(ROUND, *begun("live", "TS 6D 9H TC").events).when(STAND, by="ann", received_at_ms=26_000, at_ms=26_300)

    assert outcome.why is None


def test_decision_that_came_late_is_refused():
    """LV-3.6, log page, time: the clock has run out, whether or not its timer was heard."""
    given(ROUND, *begun("live", "TS 6D 9H TC").events).when(STAND, by="ann", at_ms=26_001).refused("too_late")


def test_time_out_stands_the_hand():
    """LV-3.6, decision 17: a decision that times out moves on without action."""
    (
        given(ROUND, *begun("ontario", "TS 6D 9H").events)
        .when(TimeOutDecision(number=1), at_ms=26_000)
        .then(
            DecisionTimedOut(box=1, hand=1),
            HandCompleted(box=1, hand=1, how="timed_out"),
            CardsCalled(call_no=2, shoe="T7-S1", faces=("up",)),
        )
    )


def test_early_time_out_is_refused():
    """Log page, time: an early timer is refused."""
    given(ROUND, *begun("live", "TS 6D 9H TC").events).when(TimeOutDecision(number=1), at_ms=25_999).refused("too_early")


def test_time_out_of_another_decision_changes_nothing():
    """Log page, time: a late timer concerns nobody any more."""
    given(ROUND, *begun("live", "TS 6D 9H TC").events).when(TimeOutDecision(number=7), at_ms=99_000).then()


def test_silent_player_plays_on_as_if_standing():
    """LV-3.6, decision 24: hands stand, wagers stay."""
    rehearsal = play("live", "TS 6D 9H TC 2D", "-")

    assert (ends(rehearsal), returned(rehearsal)) == ([(1, 1, "timed_out")], [("main", 400, 800)])


def test_clock_is_extended_after_an_outage():
    """Log page, time: after an outage clocks are extended by an event with the reason, not fired."""
    rehearsal = begun("live", "TS 6D 9H TC")
    command = extension(rehearsal.round, 60_000)

    assert command is not None
    given(ROUND, *rehearsal.events).when(command, at_ms=60_000).then(ClockExtended(until_ms=75_000, reason="outage"))


def test_extended_clock_gives_the_player_the_time():
    """Log page, time: no player is timed out by the outage."""
    rehearsal = begun("live", "TS 6D 9H TC")
    events = [*rehearsal.events, ClockExtended(until_ms=75_000, reason="outage")]

    given(ROUND, *events).when(TimeOutDecision(number=1), at_ms=74_999).refused("too_early")


def test_insurance_window_is_extended_too():
    """Log page, time: an offer is a person's time as well."""
    extended = ClockExtended(until_ms=75_000, reason="outage")

    given(ROUND, *begun("live", "TS AD 9H TC").events).when(ExtendClock(until_ms=75_000, reason="outage")).then(extended)


def test_clock_is_never_shortened():
    """Log page, time: an extension that gives nothing is followed by nothing."""
    given(ROUND, *begun("live", "TS 6D 9H TC").events).when(ExtendClock(until_ms=26_000, reason="outage")).then()


def test_betting_window_is_not_extended():
    """Log page, time: betting windows that ran out during an outage close."""
    rehearsal = begun("live", "TS 6D 9H TC")

    given(ROUND, *rehearsal.events[:3]).when(ExtendClock(until_ms=99_000, reason="outage")).then()


@pytest.mark.parametrize(
    ("events", "name", "at_ms", "patient"),
    [(1, "close-betting", 11_000, False), (3, "close-betting", 11_000, False), (-1, "decision-1", 26_000, True)],
)
def test_round_says_what_falls_due_next(events, name, at_ms, patient):
    """Log page, time: timers follow from the folded state; a person's time is patient."""
    rehearsal = begun("live", "TS 6D 9H TC")
    count = len(rehearsal.events) if events < 0 else events
    due = timer(given(ROUND, *rehearsal.events[:count]).state)

    assert due is not None
    assert (due.name, due.at_ms, due.patient) == (name, at_ms, patient)


def test_nothing_falls_due_while_cards_are_called():
    """Log page, flows: the shoe answers a call; no clock runs."""
    rehearsal = begun("live", "TS 6D 9H TC")

    assert timer(given(ROUND, *rehearsal.events[:5]).state) is None


def test_nothing_falls_due_after_the_end():
    """Log page, time: a finished round has no timer."""
    assert timer(play("live", "TS 6D 9H TC 2D").round) is None
