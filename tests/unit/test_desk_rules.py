"""The desk: a subject is held once, until a person lifts it."""

import msgspec

from shared.contracts.desk import CarryQuarantines, LiftQuarantine, QuarantineLifted, QuarantineSource, SourceQuarantined
from shared.contracts.desk_rules import DESK, still_open
from tests.given import given

HELD = SourceQuarantined(service="table", log="LOG_SHOE_20261130", subject="log.shoe.20261130.T7-S1", sequence=4, reason="unreadable")
LIFTED = QuarantineLifted(log=HELD.log, subject=HELD.subject, sequence=HELD.sequence)
HOLD = QuarantineSource(service="table", log=HELD.log, subject=HELD.subject, sequence=4, reason="unreadable")


def test_a_source_is_quarantined_from_its_entry_on():
    """What cannot be heard is written down with the place where it begins."""
    given(DESK).when(HOLD).then(HELD)


def test_a_source_is_quarantined_once_as_long_as_it_is():
    """Later entries of a held subject change nothing."""
    given(DESK, HELD).when(HOLD).then()


def test_a_lifted_source_can_be_quarantined_again():
    """A quarantine that was lifted too early comes back."""
    given(DESK, HELD, LIFTED).when(HOLD).then(HELD)


def test_a_quarantine_is_lifted_with_the_place_from_which_to_hear():
    """What was held is heard from its first entry on."""
    given(DESK, HELD).when(LiftQuarantine(subject=HELD.subject)).then(LIFTED)


def test_only_what_is_quarantined_can_be_lifted():
    """Lifting nothing is refused with a sentence."""
    given(DESK).when(LiftQuarantine(subject=HELD.subject)).refused("not_quarantined")


def test_open_quarantines_are_carried_into_the_next_day_once():
    """A day's end frees nobody."""
    given(DESK, HELD).when(CarryQuarantines(open=(HELD,))).then()
    given(DESK).when(CarryQuarantines(open=(HELD,))).then(HELD)


def test_what_is_held_is_read_off_the_desks_of_several_days():
    """Who was replaced may write on yesterday's desk after the others carried on; what was lifted since stays lifted."""
    late = SourceQuarantined(service="table", log=HELD.log, subject="log.shoe.20261130.T7-S3", sequence=12, reason="unreadable")
    again = msgspec.structs.replace(late, target="log.table.20261130.T7.table")
    released = QuarantineLifted(log=again.log, subject=again.subject, sequence=again.sequence, target=again.target)
    yesterday, today = given(DESK, HELD, late).state, given(DESK, HELD, LIFTED, again, released, again).state

    assert still_open([yesterday, today]) == (late, again)


def test_the_desk_remembers_what_is_held():
    """The state is the open quarantines and nothing else."""
    other = SourceQuarantined(service="table", log=HELD.log, subject="log.shoe.20261130.T7-S2", sequence=9, reason="unreadable")

    assert given(DESK, HELD, other, LIFTED).state.open == (other,)
