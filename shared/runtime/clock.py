"""The clock, and the gaming day that it is.

Everybody who needs the time is given a `Clock`; a pure room is given the time itself.  A gaming day begins at the house's
hour in the house's zone and is named after the date on which it began, also where a clock change makes it 23 or 25 hours long.
"""

import time as system
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import Protocol
from zoneinfo import ZoneInfo

SLEPT_DAYS_MAX = 7
"""So many days that were slept through still get logs."""


class Clock(Protocol):
    """Tells the time."""

    def now_ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Return the machine's time."""
        return system.time_ns() // 1_000_000


class ManualClock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, at_ms: int = 1_796_000_000_000) -> None:
        self._at_ms = at_ms

    def now_ms(self) -> int:
        """Return the time that the clock was set to."""
        return self._at_ms

    def advance(self, by_ms: int) -> None:
        """Go on by `by_ms`, backwards too."""
        self._at_ms += by_ms


def gaming_day(at_ms: int, day_starts: str, zone: str) -> str:
    """Return the gaming day of a time, such as `20261130`; `day_starts` is HH:MM or HH:MM:SS in `zone`.

    >>> gaming_day(1796032800000, "06:00", "America/Toronto")  # 30 November, 05:00 in Toronto
    '20261129'
    >>> gaming_day(1796036400000, "06:00", "America/Toronto")
    '20261130'
    """
    local = datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone))
    began = local.date() if at_ms >= _start_ms(local.strftime("%Y%m%d"), day_starts, zone) else local.date() - timedelta(days=1)
    return began.strftime("%Y%m%d")


def day_ends_at_ms(day: str, day_starts: str, zone: str) -> int:
    """Return when the gaming day `day` ends and the next begins, in milliseconds since 1970.

    >>> day_ends_at_ms("20261129", "06:00", "America/Toronto")
    1796036400000
    """
    return _start_ms(next_day(day), day_starts, zone)


def next_day(day: str) -> str:
    """Return the gaming day after `day`.

    >>> next_day("20261231")
    '20270101'
    """
    return (datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC) + timedelta(days=1)).strftime("%Y%m%d")


def days_to_keep(known: Iterable[str], today: str) -> list[str]:
    """Return the days that must have logs, the oldest first: today, tomorrow, and those since the latest before them that is `known`.

    A house that slept may have been awake for a moment on a day between, and have begun to close the day before towards it.

    >>> days_to_keep([], "20261130"), days_to_keep(["20261127", "20261128"], "20261130")
    (['20261130', '20261201'], ['20261129', '20261130', '20261201'])
    """
    day, found = max((each for each in known if each < today), default=""), []
    while day and (day := next_day(day)) < today:
        found.append(day)
    return [*found[-SLEPT_DAYS_MAX:], today, next_day(today)]


@lru_cache(maxsize=64)
def _start_ms(day: str, day_starts: str, zone: str) -> int:
    """Return when `day` begins; an hour that the clocks skip or repeat counts as in the time before the change."""
    date = datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC).date()
    return int(datetime.combine(date, time.fromisoformat(day_starts), ZoneInfo(zone)).timestamp()) * 1000
