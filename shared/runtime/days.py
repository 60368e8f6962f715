"""Days: the logs of each gaming day, followed from when they are made until they are closed for ever."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from shared.runtime.event_store import EventStore, StoreUnavailable
from shared.runtime.hearing import ConsumerMissing, persistently

LOOK_EVERY_S = 1.0

log = logging.getLogger(__name__)

Check = Callable[[str, str | None], Awaitable[None]]
"""Compares a log's settings, and those of a durable on it, with what is wanted; raises `LogMisconfigured`."""


async def unchecked(log_name: str, durable: str | None) -> None:
    """Take a log as it is: a store in memory has no settings."""


class Days:
    """The days as one service sees them; `durable` is its name."""

    def __init__(
        self, store: EventStore, check: Check, durable: str, spawn: Callable[[Awaitable[None], str], "asyncio.Future[Any]"]
    ) -> None:
        self._store = store
        self._check = check
        self._durable = durable
        self._spawn = spawn

    async def open_logs(self, service: str) -> list[str]:
        """Return the open logs of a service, as soon as the store answers."""
        return await persistently(lambda: self._store.open_logs(service), again_s=LOOK_EVERY_S)

    async def wait_for(self, service: str, log_name: Callable[[], str]) -> None:
        """Wait until the provisioner has made a log of this service; which one may change meanwhile."""
        while log_name() not in await self.open_logs(service):
            log.info("%s waits for %s", service, log_name())
            await asyncio.sleep(LOOK_EVERY_S / 4)

    async def follow(self, services: Sequence[str], listen: Callable[[str], Awaitable[None]], ready_for: Callable[[str], bool]) -> None:
        """Listen to each log of these services from when it is there and `ready_for` it until it is closed for ever."""
        listening: dict[str, asyncio.Future[Any]] = {}
        while True:
            still_open = [name for upstream in services for name in await self.open_logs(upstream)]
            for name in set(listening).difference(still_open):
                # A log is closed for ever when all who hear it are done with it.
                listening.pop(name).cancel()
            for name in still_open:
                if name not in listening and ready_for(name) and await self._is_sound(name):
                    listening[name] = self._spawn(listen(name), f"listen {name}")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _is_sound(self, name: str) -> bool:
        """Return whether a log and our durable on it are as they must be; False while that cannot be told."""
        try:
            await self._check(name, self._durable)
        except (StoreUnavailable, ConsumerMissing) as error:
            log.warning("%s is not listened to yet: %s", name, error)
            return False
        return True
