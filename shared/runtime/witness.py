"""The witness: the server's clock beside ours, because people's time is money and a clock that is off judges them wrongly."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from shared.runtime.clock import Clock
from shared.runtime.event_store import StoreRefusal

LOOK_EVERY_S = 5.0
ALARM_MS = 250
"""Clocks further apart than this raise an alarm."""
NO_ROUNDS_MS = 1_000
"""Clocks further apart than this open no new round (GLI-19 asks for one second)."""

log = logging.getLogger(__name__)


class TellsTime(Protocol):
    """A store that says what its clock shows."""

    async def time_ms(self, log_name: str) -> int:
        """Return the server's time in milliseconds; raise `StoreRefusal` if it does not answer."""
        ...


class Witness:
    """Compares clocks for as long as the process runs."""

    def __init__(self, store: TellsTime, clock: Clock, log_name: Callable[[], str], alarm: Callable[..., Awaitable[None]]) -> None:
        self.apart_ms = 0
        self._store = store
        self._clock = clock
        self._log_name = log_name
        self._alarm = alarm

    @property
    def forbids_rounds(self) -> bool:
        """Whether the clocks are too far apart to judge anybody's time."""
        return abs(self.apart_ms) > NO_ROUNDS_MS

    async def watch(self) -> None:
        """Look every few seconds, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Compare once.  A slow answer does not look like a slow clock."""
        before_ms = self._clock.now_ms()
        try:
            theirs_ms = await self._store.time_ms(self._log_name())
        except StoreRefusal:
            return
        after_ms = self._clock.now_ms()
        # Anything between the two readings is possible; only what lies outside them is a difference of clocks.
        self.apart_ms = theirs_ms - after_ms if theirs_ms > after_ms else min(0, theirs_ms - before_ms)
        if abs(self.apart_ms) > ALARM_MS:
            await self._alarm("clocks_apart", apart_ms=self.apart_ms)
