"""Earlier days: how far a table's scanner was heard, where no log that is open says so.

A shoe is put away with its day, and the next one is called in the next.  A process that starts in between would not know which
of the cards that the device says again were stored.
"""

from typing import Any, Protocol

from services.shoe.domain.scanned_state import PutAway, Scanned
from services.shoe.domain.shoe import SHOE, Shoe
from shared.kernel.entry import Stored, decode_as
from shared.runtime.event_store import EventStore

DAYS_MAX = 3
"""So many closed days are looked through; a scanner that was silent for longer is taken as it stands."""


class Logs(EventStore, Protocol):
    """A store whose logs can be listed."""

    async def logs(self, service: str | None = None) -> list[str]:
        """Return the names of the existing logs."""

    async def open_logs(self, service: str | None = None) -> list[str]:
        """Return the names of those that are not closed."""


async def last_shoe(store: Logs, table: str) -> Scanned | PutAway | None:
    """Return the last scanned shoe of a table in the days that are closed, None if there is none in the last few."""
    still_open = await store.open_logs("shoe")
    closed = [log for log in await store.logs("shoe") if log not in still_open]
    for log in sorted(closed, reverse=True)[:DAYS_MAX]:
        shoes: dict[str, Shoe] = {}
        async for stored in store.read(log):
            if stored.stream.rsplit(".", 1)[-1].startswith(f"{table}-S"):
                shoes[stored.stream] = _after(shoes.get(stored.stream, SHOE.initial), stored)
        # The shoes of a table `T1-S2` begin like those of `T1`.
        scanned = [shoe for shoe in shoes.values() if isinstance(shoe, Scanned | PutAway) and shoe.loaded.table == table]
        if scanned:
            return scanned[-1]
    return None


def _after(shoe: Shoe, stored: Stored) -> Shoe:
    entry = decode_as(SHOE.command_type, SHOE.event_type, stored.data)
    events: list[Any] = [event for decision in entry.decisions for event in decision.events]
    return SHOE.after(shoe, events)
