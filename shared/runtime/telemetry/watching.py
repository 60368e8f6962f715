"""Watching: how much a service holds and how far it is behind, looked at every few seconds.

How far a service is behind is asked of the server, not of the service: a listener that hangs does not know it.
"""

import asyncio
import logging
from typing import Any, Protocol

from shared.contracts.subjects import log_day
from shared.runtime.event_store import StoreRefusal
from shared.runtime.hearing import Audible
from shared.runtime.keepers import Keepers
from shared.runtime.log_settings import LISTENERS
from shared.runtime.quarantine import Desk
from shared.runtime.telemetry.meters import Meters

LOOK_EVERY_S = 5.0

log = logging.getLogger(__name__)


class Named(Protocol):
    """Whatever has a service's name."""

    @property
    def name(self) -> str:
        """The service's name."""


class Watched(Protocol):
    """What is looked at of a process."""

    app: Any
    store: Audible
    keepers: Keepers
    desk: Desk


async def watch(process: Watched, meters: Meters) -> None:
    """Look again and again, for ever, whatever comes of it: nobody's service ends because nobody could count something."""
    while True:
        try:
            await look(process, meters)
        except Exception as error:
            log.debug("telemetry could not look: %s", error)
        await asyncio.sleep(LOOK_EVERY_S)


async def look(process: Watched, meters: Meters) -> None:
    """Look once; what the server does not say now is looked at later."""
    keepers = process.keepers.open()
    meters.held(sources=len(process.desk.rows()), waiting=sum(keeper.waiting for keeper in keepers), streams=len(keepers))
    service = process.app.name
    for upstream in [each for each, hearers in LISTENERS.items() if service in hearers]:
        try:
            meters.lag(upstream, await behind(process.store, upstream, service))
        except StoreRefusal:
            continue


async def behind(store: Audible, upstream: str, service: str) -> int:
    """Return how many entries of the open logs of `upstream` are not worked off by `service`; raise `StoreRefusal`."""
    missing = 0
    for name in await store.open_logs(upstream):
        assert log_day(name)[0] == upstream, "the store lists the logs of one service"
        missing += max(0, await store.end(name) - (await store.durable(name, service).standing()).acked)
    return missing
