"""The roster: whoever asks for a table means the latest day of it."""

import pytest
from msgspec.structs import replace

from services.table.domain.roster import enrolled
from services.table.domain.table_state import Table
from shared.contracts.subjects import table_stream
from tests.rounds import opened_table

TODAY, TOMORROW = table_stream("20261130", "T7"), table_stream("20261201", "T7")


def opened(day: str) -> Table:
    """Return table T7, just opened on a day."""
    table = opened_table("ontario")
    assert table.opened is not None
    return replace(table, opened=replace(table.opened, day=day))


def test_table_that_was_never_opened_is_not_enrolled():
    """Its stream may have been asked for."""
    assert enrolled({}, TODAY, Table()) == {}


@pytest.mark.parametrize(("first", "second"), [("20261130", "20261201"), ("20261201", "20261130")])
def test_latest_day_counts_whichever_is_heard_first(first, second):
    """At a start the days are read in any order."""
    roster = enrolled({}, table_stream(first, "T7"), opened(first))

    assert enrolled(roster, table_stream(second, "T7"), opened(second)) == {"T7": TOMORROW}


def test_table_that_goes_on_tomorrow_stays():
    """Between two days it is known by the one that is over, so that whoever watches it need not leave."""
    over = replace(opened("20261130"), day_closed=True)

    assert enrolled({"T7": TODAY}, TODAY, over) == {"T7": TODAY}


def test_table_that_is_closed_with_its_day_is_struck_off():
    """It does not go on by itself."""
    closed = replace(opened("20261130"), day_closed=True, phase="closed")

    assert enrolled({"T7": TODAY}, TODAY, closed) == {}


def test_old_day_that_is_closed_takes_nothing_away():
    """What is said of a past day is not about the latest one."""
    closed = replace(opened("20261130"), day_closed=True, phase="closed")

    assert enrolled({"T7": TOMORROW}, TODAY, closed) == {"T7": TOMORROW}
