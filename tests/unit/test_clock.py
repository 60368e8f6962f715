"""The gaming day: from the house's hour to the house's hour, whatever the clocks do."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from shared.runtime.clock import ManualClock, SystemClock, day_ends_at_ms, gaming_day, next_day
from shared.runtime.entropy import SeededEntropy, SystemEntropy

TORONTO = "America/Toronto"
HOUR_MS = 3_600_000


def at(local: str, zone: str = TORONTO) -> int:
    """Return a local time in milliseconds since 1970."""
    return int(datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).timestamp()) * 1000


@pytest.mark.parametrize(
    ("local", "day"),
    [
        ("2026-11-30T05:59:59", "20261129"),
        ("2026-11-30T06:00:00", "20261130"),
        ("2026-12-01T05:59:59", "20261130"),
        ("2027-01-01T00:00:00", "20261231"),
        ("2026-03-08T05:59:59", "20260307"),
        ("2026-11-01T06:00:00", "20261101"),
    ],
)
def test_gaming_day_is_named_after_the_date_on_which_it_began(local: str, day: str):
    """Before the house's hour it is still yesterday."""
    assert gaming_day(at(local), "06:00", TORONTO) == day


def test_gaming_day_knows_seconds():
    """A day may start at any second."""
    assert (gaming_day(at("2026-11-30T12:34:55"), "12:34:56", TORONTO), gaming_day(at("2026-11-30T12:34:56"), "12:34:56", TORONTO)) == (
        "20261129",
        "20261130",
    )


@pytest.mark.parametrize(("day", "hours"), [("20260307", 23), ("20261031", 25), ("20261130", 24)])
def test_gaming_day_has_the_hours_that_the_clocks_give_it(day: str, hours: int):
    """A clock change makes a day of 23 or 25 hours, without a hole and without an overlap."""
    began = day_ends_at_ms(f"{int(day) - 1}", "06:00", TORONTO)

    assert day_ends_at_ms(day, "06:00", TORONTO) - began == hours * HOUR_MS


@pytest.mark.parametrize("day_starts", ["00:00", "02:30", "06:00", "23:59:59"])
@pytest.mark.parametrize("zone", [TORONTO, "Europe/Berlin", "UTC", "Pacific/Apia"])
def test_gaming_day_ends_where_the_next_begins(day_starts: str, zone: str):
    """The last millisecond belongs to the day, the next one to the next day, also when the clocks change."""
    days = [f"202603{day:02d}" for day in (7, 8, 27, 28, 29)]
    ends = [day_ends_at_ms(day, day_starts, zone) for day in days]

    assert [(gaming_day(end - 1, day_starts, zone), gaming_day(end, day_starts, zone)) for end in ends] == [
        (day, next_day(day)) for day in days
    ]


def test_manual_clock_stands_still():
    """A test's time goes on only when the test says so."""
    clock = ManualClock(5)
    clock.advance(7)

    assert clock.now_ms() == 12


def test_system_clock_counts_milliseconds():
    """The clock tells milliseconds since 1970: thirteen digits until the year 2286."""
    assert len(str(SystemClock().now_ms())) == 13


def test_seeded_entropy_repeats_itself():
    """The same seed gives the same bytes."""
    assert SeededEntropy(7).token_bytes(32) == SeededEntropy(7).token_bytes(32)


def test_system_entropy_does_not_repeat_itself():
    """Two draws differ."""
    assert SystemEntropy().token_bytes(32) != SystemEntropy().token_bytes(32)
