"""The witness: clocks that are apart are told, and judge nobody."""

from typing import Any

import pytest

from shared.runtime.clock import ManualClock
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.witness import Witness


class Server:
    """A server whose clock is off by some milliseconds and whose answers take some."""

    def __init__(self, clock: ManualClock, *, off_ms: int, takes_ms: int = 0, away: bool = False) -> None:
        self._clock = clock
        self._off_ms = off_ms
        self._takes_ms = takes_ms
        self._away = away

    async def time_ms(self, log_name: str) -> int:
        """Return what the server's clock shows in the middle of the answer."""
        if self._away:
            raise StoreUnavailable("away")
        self._clock.advance(self._takes_ms // 2)
        shown = self._clock.now_ms() + self._off_ms
        self._clock.advance(self._takes_ms - self._takes_ms // 2)
        return shown


async def looked(**server: Any) -> tuple[Witness, list[str]]:
    """Return a witness that has looked once, and the alarms that it raised."""
    clock = ManualClock()
    alarms: list[str] = []

    async def alarm(kind: str, **facts: Any) -> None:
        alarms.append(kind)

    witness = Witness(Server(clock, **server), clock, lambda: "LOG_TABLE_20261130", alarm)
    await witness.look()
    return witness, alarms


@pytest.mark.parametrize(
    ("off_ms", "alarms", "forbids"),
    [
        (0, [], False),
        (250, [], False),
        (251, ["clocks_apart"], False),
        (-251, ["clocks_apart"], False),
        (1_000, ["clocks_apart"], False),
        (1_001, ["clocks_apart"], True),
        (-1_001, ["clocks_apart"], True),
    ],
)
async def test_clocks_apart_raise_an_alarm_and_then_forbid_rounds(off_ms, alarms, forbids):
    """Log page, time: over 250 ms apart an alarm, over 1 s no new rounds."""
    witness, raised = await looked(off_ms=off_ms)

    assert (raised, witness.forbids_rounds) == (alarms, forbids)


async def test_slow_answer_is_no_slow_clock():
    """What lies between asking and hearing may be anywhere in between."""
    witness, raised = await looked(off_ms=0, takes_ms=3_000)

    assert (raised, witness.forbids_rounds) == ([], False)


async def test_silent_server_says_nothing_about_clocks():
    """An outage is told elsewhere."""
    witness, raised = await looked(off_ms=5_000, away=True)

    assert (raised, witness.forbids_rounds) == ([], False)
