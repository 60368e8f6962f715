"""A line to a durable in memory; several may share one, as processes do."""

import asyncio
from types import TracebackType
from typing import Self

from shared.runtime.hearing import ConsumerMissing, Delivery, Standing
from shared.runtime.memory_log import MemoryLog


class MemoryDurable:
    """A `Durable` over one log in memory."""

    def __init__(self, log: MemoryLog, name: str) -> None:
        self._log = log
        self._name = name

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    async def standing(self) -> Standing:
        """Return how far the durable has come; raise `ConsumerMissing`."""
        return self._log.consumer(self._name).standing()

    async def next(self, wait_s: float) -> Delivery | None:
        """Return the next delivery, or None after `wait_s`, or at once when the durable is gone."""
        try:
            async with asyncio.timeout(wait_s):
                while True:
                    news = self._log.news
                    stored = self._log.delivered(self._name)
                    if stored is not None:
                        return Delivery(stored, acknowledge_at=str(stored.sequence))
                    await news.wait()
        except (TimeoutError, ConsumerMissing):
            return None

    async def acknowledge(self, delivery: Delivery) -> None:
        """Note that the delivery's entry is worked off."""
        if self._name in self._log.consumers:
            self._log.consumers[self._name].pending.discard(delivery.stored.sequence)
