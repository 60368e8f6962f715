"""Corrections that a table calls for: one of a round at a time, and the day stays open until each is noted and booked."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.table.domain.table import TABLE
from services.table.domain.table_state import Correcting
from shared.contracts.rulings import (
    Agreed,
    ApproveRuling,
    DeclineRuling,
    GameError,
    Misread,
    ProposeRuling,
    ReadAnew,
    RulingApproved,
    RulingDeclined,
    RulingProposed,
    RulingWithdrawn,
    VoidTheRound,
    WithdrawRuling,
)
from shared.contracts.table import (
    BookingNoted,
    BookNoted,
    CorrectionCalled,
    CorrectionNoted,
    NoteBooking,
    NoteCorrection,
    RetirementNoted,
    ShoeRetirementCalled,
    TableEvent,
)
from shared.kernel.messages import HOUSE, Actor
from tests.given import Given, given
from tests.rounds import DAY_ENDS_AT_MS, ROUND_ID
from tests.unit.table.test_table import END, ENDED, closed_day, mounted, opened, recorded, round_called, shoe_called

CARDS = (ReadAnew(index=2, card="9H"),)
PIT, MANAGER, SUPPORT = Actor("staff", "pit", "pit_boss"), Actor("staff", "lou", "duty_manager"), Actor("staff", "kit", "support")
AGREED = Agreed(by="pit", job="pit_boss", approved_by="lou", approved_job="duty_manager", reason="the scanner was dirty")
PROPOSE = ProposeRuling(round=ROUND_ID, ruling=Misread(cards=CARDS), note="the scanner was dirty")
PROPOSED = RulingProposed(proposal=1, ruling=Misread(cards=CARDS), by="pit", job="pit_boss", note="the scanner was dirty", round=ROUND_ID)
APPROVE = ApproveRuling(round=ROUND_ID, proposal=1)
APPROVED = RulingApproved(proposal=1, by="lou", job="duty_manager")
CALLED = CorrectionCalled(correction="asked", round=ROUND_ID, cards=CARDS, agreed=AGREED)
NOTE = NoteCorrection(round=ROUND_ID, correction="asked", revision=11, digest="e", number=1)
NOTED = CorrectionNoted(round=ROUND_ID, correction="asked", revision=11, digest="e", number=1)
REFUSED = CorrectionNoted(round=ROUND_ID, correction="asked", revision=11, digest="e", code="no_such_card", message="No.")
BOOKED = BookingNoted(round=ROUND_ID, number=1)


def played(*events: TableEvent) -> Given:
    """Return a table on which one round was played and booked, after some events."""
    return given(TABLE, opened(), shoe_called(), mounted(), BookNoted(), round_called(), recorded(), BookingNoted(round=ROUND_ID), *events)


def test_correction_is_proposed():
    """Log page, corrections: it waits for a second person, and names the round that it is about."""
    played().when(PROPOSE, by=PIT).then(PROPOSED)


def test_correction_is_called_for_when_a_second_person_agrees():
    """Log page, corrections: the table writes down who ruled, and the asker waits for the round."""
    played(PROPOSED).when(APPROVE, by=MANAGER).then(APPROVED, CALLED)


def test_void_is_called_for_without_cards():
    """Decision 23: whoever rules a round void names no card; without a note the kind is the reason."""
    proposed = replace(PROPOSED, ruling=VoidTheRound(), note="")
    called = replace(CALLED, cards=(), agreed=replace(AGREED, reason="void"))
    played(proposed).when(APPROVE, by=MANAGER).then(APPROVED, called)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"round": "T7.20261130-000002"}, "unknown_round"),
        ({"round": "T8.20261130-000001"}, "unknown_round"),
        ({"round": "T7.20261129-000001"}, "unknown_round"),
        ({"round": "anything"}, "unknown_round"),
        ({"ruling": GameError()}, "not_possible_now"),
    ],
)
def test_correction_is_not_proposed(fields: dict[str, Any], code: str):
    """Log page, corrections: of this table and day, and of what can be ruled of a round that is over."""
    played().when(replace(PROPOSE, **fields), by=PIT).refused(code)


@pytest.mark.parametrize(
    ("command", "by", "code"),
    [
        (PROPOSE, SUPPORT, "job_not_allowed"),
        (APPROVE, PIT, "own_proposal"),
        (APPROVE, SUPPORT, "job_not_allowed"),
        (replace(APPROVE, proposal=2), MANAGER, "no_such_proposal"),
        (replace(APPROVE, round="T7.20261130-000002"), MANAGER, "no_such_proposal"),
        (WithdrawRuling(round=ROUND_ID, proposal=1), MANAGER, "not_your_proposal"),
        (APPROVE, HOUSE, "job_not_allowed"),
    ],
)
def test_correction_takes_two_persons_with_a_job(command: Any, by: Actor, code: str):
    """Log page, corrections: another person, whose job allows it, about the round that was meant."""
    played(PROPOSED).when(command, by=by).refused(code)


@pytest.mark.parametrize(
    ("command", "by", "event"),
    [
        (WithdrawRuling(round=ROUND_ID, proposal=1), PIT, RulingWithdrawn(proposal=1, by="pit", job="pit_boss")),
        (DeclineRuling(round=ROUND_ID, proposal=1), MANAGER, RulingDeclined(proposal=1, by="lou", job="duty_manager")),
    ],
)
def test_proposal_comes_to_nothing(command: Any, by: Actor, event: TableEvent):
    """Log page, corrections: what is withdrawn or declined is called for by nobody."""
    played(PROPOSED).when(command, by=by).then(event)


def test_open_proposal_holds_up_nothing():
    """Log page, corrections: a day is closed over a proposal that nobody decided about."""
    retired = (ShoeRetirementCalled(shoe="T7-S1", reason="day_ended"), RetirementNoted(shoe="T7-S1"))
    played(*retired, PROPOSED).when(END, at_ms=DAY_ENDS_AT_MS).then(ENDED, closed_day(rounds=1))


def test_round_that_is_played_is_not_corrected():
    """Log page, corrections: while it is played its own log takes rulings."""
    given(TABLE, opened(), shoe_called(), mounted(), BookNoted(), round_called()).when(PROPOSE, by=PIT).refused("round_not_over")


def test_one_correction_of_a_round_at_a_time():
    """Log page, corrections: each is decided on how the round was settled last."""
    played(PROPOSED, replace(PROPOSED, proposal=2), CALLED).when(replace(APPROVE, proposal=2), by=MANAGER).refused("correction_running")


def test_day_that_is_closed_takes_no_correction():
    """Log page, days: nothing is appended to a closed day; an adjustment in the ledger is the way."""
    closing = (PROPOSED, ShoeRetirementCalled(shoe="T7-S1", reason="day_ended"), RetirementNoted(shoe="T7-S1"), ENDED, closed_day(rounds=1))
    played(*closing).when(APPROVE, by=MANAGER).refused("day_closed")


@pytest.mark.parametrize("events", [(CALLED,), (CALLED, NOTED), (CALLED, BOOKED)], ids=["called", "noted", "booked"])
def test_day_stays_open_for_a_correction(events: tuple[TableEvent, ...]):
    """Log page, corrections: a day is not closed before its corrections are noted and booked."""
    retired = (ShoeRetirementCalled(shoe="T7-S1", reason="day_ended"), RetirementNoted(shoe="T7-S1"))

    assert played(*retired, *events).when(END, at_ms=DAY_ENDS_AT_MS).events == [ENDED]


@pytest.mark.parametrize(
    ("events", "command", "last"),
    [
        ((CALLED, NOTED), NoteBooking(round=ROUND_ID, number=1), BOOKED),
        ((CALLED, BOOKED), NOTE, NOTED),
        ((CALLED,), replace(NOTE, number=0, code="no_such_card", message="No."), REFUSED),
    ],
    ids=["booked last", "noted last", "refused"],
)
def test_day_is_closed_when_the_correction_is_over(events: tuple[TableEvent, ...], command: Any, last: TableEvent):
    """Log page, corrections: whoever answers last, after that nothing is unanswered."""
    retired = (ShoeRetirementCalled(shoe="T7-S1", reason="day_ended"), RetirementNoted(shoe="T7-S1"))
    played(*retired, ENDED, *events).when(command, at_ms=DAY_ENDS_AT_MS).then(last, closed_day(rounds=1))


@pytest.mark.parametrize(
    ("events", "command"),
    [
        ((), NOTE),
        ((CALLED, NOTED), NOTE),
        ((CALLED,), replace(NOTE, correction="another")),
        ((), NoteBooking(round=ROUND_ID, number=1)),
        ((CALLED, BOOKED), NoteBooking(round=ROUND_ID, number=1)),
    ],
    ids=["nothing called", "noted already", "another one", "nothing to book", "booked already"],
)
def test_what_is_known_is_noted_once(events: tuple[TableEvent, ...], command: Any):
    """Log page, ids: what the house says to itself and finds done is followed by nothing."""
    played(*events).when(command).then()


def test_correction_is_remembered_until_both_have_answered():
    """Log page, corrections: the table knows what is under way."""
    states = [played(CALLED, *more).state.correcting for more in ((), (NOTED,), (BOOKED,), (NOTED, BOOKED), (REFUSED,))]

    assert states == [
        (Correcting(ROUND_ID, "asked"),),
        (Correcting(ROUND_ID, "asked", number=1),),
        (Correcting(ROUND_ID, "asked", booked=1),),
        (),
        (),
    ]


def test_booking_of_an_earlier_correction_does_not_end_a_later_one():
    """Log page, ids: the round says which number it is, and the ledger must have booked that one."""
    later = replace(NOTED, number=2)

    assert played(CALLED, BOOKED, later).state.correcting == (Correcting(ROUND_ID, "asked", number=2, booked=1),)


def test_misread_that_names_no_card_is_no_void_under_another_name():
    """Decision 23: what two persons agree on is what happens; a correction without cards would make the round void."""
    nothing = Misread(cards=())

    played().when(replace(PROPOSE, ruling=nothing), by=PIT).refused("nothing_to_correct")
    played(replace(PROPOSED, ruling=nothing)).when(APPROVE, by=MANAGER).refused("nothing_to_correct")
